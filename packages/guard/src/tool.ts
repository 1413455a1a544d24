import { spawnSync } from "node:child_process";
import { type Text, text, verbatim } from "@hairpin/core/messages/index.ts";
import type { Input, Word } from "./gate.ts";

export interface Ran {
  readonly ok: boolean;
  readonly out: string;
  /** What it wrote to stderr, in one line. */
  readonly err: string;
  /** Why it did not work. */
  readonly complaint: Text;
}

interface ToolInput {
  readonly input?: Input;
  /** `latin1` where bytes matter more than letters. */
  readonly encoding?: "utf8" | "latin1";
}

/** A tool is given this long: iptables waits for the xtables lock inside of it. */
const TIMEOUT_MS = 15_000;

/** Runs a tool of the node, arguments as arguments, each a word that passed the gate: nothing of a case ever reaches a shell. */
export function runTool(tool: string, args: readonly Word[], { input, encoding = "utf8" }: ToolInput = {}): Ran {
  const run = spawnSync(tool, [...args], {
    encoding,
    timeout: TIMEOUT_MS,
    maxBuffer: 256 * 1024 * 1024,
    ...(input === undefined ? { stdio: ["ignore", "pipe", "pipe"] } : { input: Buffer.from(input, encoding) }),
  });
  if (run.error !== undefined) {
    const missing = (run.error as NodeJS.ErrnoException).code === "ENOENT";
    const complaint = missing ? text("guard.not-installed", { tool }) : verbatim(`${tool}: ${run.error.message}`);
    return { ok: false, out: "", err: "", complaint };
  }
  const err = run.stderr.trim().replace(/\s*\n\s*/g, "; ");
  const complaint = err === "" ? text("guard.tool-failed", { tool }) : verbatim(err);
  return { ok: run.status === 0, out: run.stdout, err, complaint };
}
