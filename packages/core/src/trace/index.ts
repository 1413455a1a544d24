import type { World } from "../model/index.ts";
import type { Exploration } from "./branch.ts";
import { converse } from "./conversation.ts";
import { explore } from "./explore.ts";
import type { Question } from "./question.ts";
import { Walk } from "./walk.ts";

export * from "./branch.ts";
export * from "./json.ts";
export type { Question } from "./question.ts";
export * from "./resolve-question.ts";
export * from "./verdict.ts";

/** Walks a question through a World: every branch of every hypothesis, there and back. */
export function trace(
  world: World,
  question: Question,
  options: { readonly fixed?: ReadonlyMap<string, string>; readonly verbose?: boolean } = {},
): Exploration {
  const { fixed = new Map(), verbose = false } = options;
  return explore(world, fixed, (current, oracle) => converse(new Walk(current, question, oracle, verbose)));
}
