import { run } from "../run.ts";
import { collectScript } from "../script.ts";
import type { AgentQuestion } from "./question.ts";

/** Longer than this reading a node does not take. */
const SECONDS = 110;

/** This node as `hairpin collect` would dump it. `shell`: words that lead to a shell on the node. */
export async function dumpOfNode(
  shell: readonly string[],
  { pods, all }: AgentQuestion,
  complain: (line: string) => void,
): Promise<Buffer | undefined> {
  const [program = "", ...words] = shell;
  const named = pods.flatMap((pod) => ["--pod", pod]);
  const args = ["-o", "-", ...(all ? named : pods.length === 0 ? ["--no-pods"] : [...named, "--named-only"])];
  const { status, out, err } = await run(program, [...words, ...args], { input: collectScript(), seconds: SECONDS });
  if (status === 0 && out.length > 0) return out;
  complain(`collect.sh ended with ${status}: ${err.slice(-500)}`);
  return undefined;
}
