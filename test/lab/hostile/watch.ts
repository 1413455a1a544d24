import { build } from "../../../packages/lab/src/build.ts";
import type { SysctlWrite, ToolRun } from "../../../packages/lab/src/executor/protocol.ts";
import type { Session } from "../../../packages/lab/src/executor/session.ts";
import { KERNEL_PACE } from "../../../packages/lab/src/pace.ts";
import type { LabPlan } from "../../../packages/lab/src/plan.ts";
import { runPlan } from "../../../packages/lab/src/run.ts";

/** All that would have been executed or written, and by which words. */
export interface Watched {
  readonly runs: readonly ToolRun[];
  readonly sysctls: readonly SysctlWrite[];
  /** Everything asked of the executor. */
  readonly operations: readonly string[];
}

const SEEN = { hooks: [], frames: [], storm: false, served: [], failed: [] };

/** An executor that does nothing and writes down what it was asked. */
function recorder(): { readonly session: Session; readonly watched: Watched } {
  const runs: ToolRun[] = [];
  const sysctls: SysctlWrite[] = [];
  const operations: string[] = [];
  const answer = (operation: string, request: Record<string, unknown>): unknown => {
    operations.push(operation);
    switch (operation) {
      case "open":
        return Object.fromEntries((request.stacks as string[]).map((name, i) => [name, `/proc/1/fd/${i + 10}`]));
      case "run":
        runs.push(...(request.runs as ToolRun[]));
        return (request.runs as ToolRun[]).map(() => ({ status: 0, stdout: "", stderr: "", ms: 0 }));
      case "sysctl":
        sysctls.push(...(request.set as SysctlWrite[]));
        return [];
      case "listen":
        return (request.listeners as unknown[]).map(() => null);
      case "observe":
        return (request.stacks as unknown[]).map(() => true);
      case "settle":
        return SEEN;
      case "stimulate":
        return { result: { outcome: "sent", phase: "send" }, seen: SEEN };
      default:
        return {};
    }
  };
  const session = { call: async (operation: string, request: Record<string, unknown>) => answer(operation, request) };
  return { session: session as unknown as Session, watched: { runs, sysctls, operations } };
}

/** A plan run against the recorder, as the lab runs it. */
export async function watchRun(plan: LabPlan): Promise<Watched & { readonly problem?: unknown }> {
  const { session, watched } = recorder();
  const profile = { backend: "netns", kernel: "none", kinds: { dummy: true }, pace: KERNEL_PACE } as const;
  try {
    await runPlan(session, plan, profile);
    return watched;
  } catch (problem) {
    return { ...watched, problem };
  }
}

/** The same without a look at the whole plan beforehand: what each single line lets through. */
export async function watchBuild(plan: LabPlan): Promise<Watched> {
  const { session, watched } = recorder();
  await build(session, "w", plan, { dummy: true }, false);
  return watched;
}

/** The lines a run consists of: its arguments as one, its standard input by line. Words as the tool would tell them apart. */
export function linesOfRun({ tool, args, stdin }: ToolRun): readonly (readonly string[])[] {
  const text = stdin ?? "";
  if (text !== "" && !text.endsWith("\n")) throw new Error("a last line without its end");
  const lines = text.split("\n").slice(0, -1);
  const quotes = tool.includes("tables");
  return [[tool, ...args], ...lines.map((line) => [tool, ...(quotes ? quotedWords(line) : line.split(/[ \t]+/))])];
}

/** As add_param_to_argv() of iptables reads a line. */
function quotedWords(line: string): readonly string[] {
  const words: string[] = [];
  let word = "";
  let open = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!;
    if (open && c === "\\") word += line[++i] ?? "";
    else if (c === '"') open = !open;
    else if (!open && (c === " " || c === "\t")) {
      if (word !== "") words.push(word);
      word = "";
    } else word += c;
  }
  if (open) throw new Error(`quotes stay open: ${line}`);
  return word === "" ? words : [...words, word];
}
