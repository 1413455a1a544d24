import type { HookLine } from "../predict.ts";
import { firstDifference } from "./star.ts";

/** Hook by hook within each stack. */
export function compareHooks(predicted: readonly HookLine[], observed: readonly HookLine[]): readonly string[] {
  const stacks = [...new Set([...predicted, ...observed].map((l) => l.stack))];
  return stacks.flatMap((stack) => {
    const texts = (lines: readonly HookLine[]) => lines.filter((l) => l.stack === stack).map((l) => l.text);
    const d = firstDifference(texts(predicted), texts(observed));
    return d === undefined ? [] : [`${stack}, hook ${d.at + 1}: the kernel ${d.kernel}; the walk ${d.walk}`];
  });
}
