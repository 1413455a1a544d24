import type { Origin } from "@hairpin/core/model/index.ts";
import { BadWord } from "@hairpin/core/model/word.ts";

/** Something of a plan that the lab does not make. */
export class Unspeakable extends Error {
  override readonly name = "Unspeakable";
}

/** Something of a plan that is not passed on to the kernel, and why. */
export interface Refusal {
  readonly stack: string;
  readonly what: string;
  readonly answer: string;
  /** A value of the dump that is not what it should be: no plan with one is run. */
  readonly bad?: BadWord;
  /** Where it came from. */
  readonly origin?: Origin;
}

/** Does it, or writes down that it may not be done. */
export function attempt(
  refused: Refusal[],
  { stack, what, origin }: { readonly stack: string; readonly what: string; readonly origin?: Origin | undefined },
  action: () => void,
): void {
  try {
    action();
  } catch (problem) {
    if (!(problem instanceof Unspeakable || problem instanceof BadWord)) throw problem;
    refused.push({
      stack,
      what,
      answer: problem.message,
      ...(origin !== undefined && { origin }),
      ...(problem instanceof BadWord && { bad: problem }),
    });
  }
}
