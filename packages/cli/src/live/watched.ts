import { setTimeout as pause } from "node:timers/promises";
import { isStopped } from "@hairpin/collect/index.ts";
import { Askable, type Diagnosis, diagnose } from "@hairpin/core/diagnose/index.ts";
import { say, text } from "@hairpin/core/messages/index.ts";
import type { Surface } from "../commands/command.ts";
import { EXIT, Failure } from "../exit-status.ts";
import { printable } from "../report/style.ts";
import { type Reading, readNow } from "./reading.ts";

interface Watching {
  /** Seconds between two readings. */
  readonly every: number;
  readonly surface: Surface;
}

const NAP = 250;

/** Asks until it is interrupted; a line for the first answer, and for each that differs from the one before. */
export async function watched(reading: Reading, { every, surface }: Watching): Promise<void> {
  const { access } = reading;
  let last = "";
  try {
    while (!isStopped()) {
      const now = await answered(reading, surface);
      if (isStopped()) return;
      if (now !== last) surface.write(`${printable(`${new Date().toISOString()}  ${now}`)}\n`);
      last = now;
      for (let slept = 0; slept < every * 1000 && !isStopped(); slept += NAP) await pause(NAP);
    }
  } finally {
    await access.close();
  }
}

/** A cluster that does not answer for a while ends nothing. */
async function answered(reading: Reading, surface: Surface): Promise<string> {
  try {
    const { gathering } = await readNow({ ...reading, told: () => {} });
    return answerOf(diagnose(new Askable(gathering.loaded(), []), reading.asked.question), surface);
  } catch (problem) {
    if (problem instanceof Failure && problem.status === EXIT.unavailable) return problem.message;
    throw problem;
  }
}

function answerOf({ judgement, causes }: Diagnosis, { lang }: Surface): string {
  return [say(text(`verdict.${judgement.verdict}`), lang), ...causes.map((c) => c.code)].join("  ");
}
