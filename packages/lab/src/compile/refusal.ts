import { Unspeakable } from "./words.ts";

/** Something of a plan that is not passed on to the kernel, and why. */
export interface Refusal {
  readonly stack: string;
  readonly what: string;
  readonly answer: string;
}

/** Does it, or writes down that it may not be done. */
export function attempt(refused: Refusal[], stack: string, what: string, action: () => void): void {
  try {
    action();
  } catch (problem) {
    if (!(problem instanceof Unspeakable)) throw problem;
    refused.push({ stack, what, answer: problem.message });
  }
}
