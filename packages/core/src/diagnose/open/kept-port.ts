import { partOf } from "../../evidence/index.ts";
import type { Look } from "../../explain/index.ts";
import type { ObservedTime } from "../../model/index.ts";
import { PROTO } from "../../net/index.ts";
import { groundsOf } from "../../trace/index.ts";
import type { Askable } from "../askable.ts";
import type { Inquiry } from "../inquiry.ts";
import type { QuestionOptions } from "../question-options.ts";

/** A burst is of one moment; who goes on for longer has a socket that lives on. */
const APART = 1;

/**
 * Who asks by UDP without saying from which port draws a new one, and starts anew whatever conntrack remembers. But a client that was captured to go on by one
 * port, and to whom nobody was seen to answer, asks by that one: then nobody may have shown that there is no entry of before (startsAnew()). Where the connections
 * are shown, the signs tell of an old one.
 */
export function askedAsCaptured(askable: Askable, inquiry: Inquiry, options: QuestionOptions): QuestionOptions {
  const { question } = inquiry;
  if (question?.protocol !== PROTO.udp || question.sport !== undefined) return options;
  const look = askable.evidence.look(inquiry);
  const sport = look === undefined ? undefined : keptPort(look);
  if (sport === undefined) return options;
  const kept = { ...options, sport };
  const rests = groundsOf(askable.ask(kept).exploration).some((g) => g.kind === "connections");
  return rests ? kept : options;
}

function keptPort({ connections, flow }: Look): number | undefined {
  for (const { outcome, sightings } of connections) {
    if (outcome !== "open") continue;
    for (const { ip, times, time, lastTime } of sightings) {
      const part = partOf(flow, ip);
      if (part?.way !== "request" || !part.own || typeof ip.sport !== "number") continue;
      if (times > 1 && isLater(time, lastTime)) return ip.sport;
    }
  }
  return undefined;
}

const isLater = (first: ObservedTime | undefined, last: ObservedTime | undefined): boolean =>
  first !== undefined &&
  last !== undefined &&
  (last.base === "previous" ? last.seconds : last.seconds - first.seconds) >= APART;
