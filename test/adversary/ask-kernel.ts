import { join } from "node:path";
import { conform, hypothesesOf, LAB_PORT } from "@hairpin/lab/conform.ts";
import type { LabBackend } from "@hairpin/lab/index.ts";
import { asking, type Flow, optionsOf } from "./flows.ts";

/** The World of a flow's dumps made real, and its question put to the kernel, as often as said: what the client saw, and how often. */
export async function askKernel(
  lab: LabBackend,
  folder: string,
  flow: Flow,
  tries: number,
): Promise<Record<string, number>> {
  const { question, exploration } = asking(join(folder, flow.dumps), [flow]).ask({
    sport: LAB_PORT,
    ...optionsOf(flow.args),
  });
  if (question === undefined) throw new Error(`${flow.dumps}: the walk has no question to put to a kernel`);
  const saw: Record<string, number> = {};
  for (let i = 0; i < tries; i++) {
    const { clientSees, observations } = await conform(lab, exploration, question, hypothesesOf(exploration)[0]!);
    for (const { stack, what, answer } of observations.problems)
      process.stderr.write(`not made real: ${stack}: ${what}: ${answer}\n`);
    const word = clientSees ?? "undetermined";
    saw[word] = (saw[word] ?? 0) + 1;
  }
  return saw;
}
