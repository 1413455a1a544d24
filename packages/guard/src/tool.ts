import { spawnSync } from "node:child_process";
import type { Input, Word } from "./gate.ts";

export interface Ran {
  readonly ok: boolean;
  readonly out: string;
  /** What it complained of, in one line. */
  readonly complaint: string;
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
    return { ok: false, out: "", complaint: missing ? `${tool} is not installed` : `${tool}: ${run.error.message}` };
  }
  const complaint = run.stderr.trim().replace(/\s*\n\s*/g, "; ");
  return { ok: run.status === 0, out: run.stdout, complaint: complaint === "" ? `${tool} failed` : complaint };
}
