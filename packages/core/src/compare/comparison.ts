import type { QuestionSpec } from "../trace/index.ts";
import type { Element, NotShown } from "./element.ts";
import type { End } from "./ends.ts";
import type { Flow } from "./flows/flow.ts";
import type { Parting } from "./parting.ts";

/** One packet that shows a difference, as each side is asked. */
export interface Example {
  readonly flow: Flow;
  readonly a: QuestionSpec;
  readonly b: QuestionSpec;
  readonly parting: Parting;
  readonly ends: { readonly a: readonly End[]; readonly b: readonly End[] };
}

/** Packets that fare otherwise, and all for the same reason. */
export interface Difference {
  readonly nodes: NodePair;
  readonly example: Example;
  /** How many of the tried packets it holds for; the others, easiest first. */
  readonly flows: readonly Flow[];
  /** What is written otherwise at the place where the walks part. */
  readonly elements: readonly Element[];
  /** Written otherwise too, and met by such packets elsewhere on their way. */
  readonly alsoMet: readonly Element[];
}

/** Written otherwise, and nobody can say what it means for packets. */
export interface Undecided {
  readonly nodes: NodePair;
  readonly element: Element;
  readonly why: "not modelled" | "native nft" | "no packet meets it" | "open facts" | "too many";
  /** The open facts, by id. */
  readonly facts: readonly string[];
}

/** Written otherwise; every packet that meets it fares alike. */
export interface Meaningless {
  readonly nodes: NodePair;
  readonly element: Element;
}

export interface NodePair {
  readonly a: string;
  readonly b: string;
}

export interface Comparison {
  readonly nodes: readonly NodePair[];
  /** Nodes that have no counterpart. */
  readonly onlyA: readonly string[];
  readonly onlyB: readonly string[];
  readonly differences: readonly Difference[];
  readonly undecided: readonly Undecided[];
  readonly meaningless: readonly Meaningless[];
  readonly notShown: readonly (NotShown & { readonly nodes: NodePair })[];
  readonly packetsTried: number;
}

export const differs = (c: Comparison): boolean =>
  c.differences.length + c.undecided.length + c.onlyA.length + c.onlyB.length > 0;
