import type { Answer } from "./answer.ts";
import type { FlowQuestion, SourceKind, TargetKind, Via } from "./flow.ts";

/** Flows that go the same way by all that their walk looked at, and one of them. */
export interface SweptClass extends Answer {
  /** The group, and the class in it; the same however the sweep was cut up. */
  readonly id: string;
  readonly from: {
    readonly kind: SourceKind;
    /** Of the example; its members stand on so many. */
    readonly node: string | null;
    readonly nodes: number;
    readonly example: string;
  };
  readonly to: {
    readonly kind: TargetKind;
    /** `NAMESPACE/NAME`; null where nobody knows, or its members ask several pods or nodes. */
    readonly service: string | null;
    readonly address: string;
    readonly addresses: number;
    readonly port: number;
    readonly via: Via | null;
  };
  readonly proto: string;
  readonly family: 4 | 6;
  readonly flows: number;
  readonly example: FlowQuestion;
}

/** What a sweep found. */
export interface Sweep {
  readonly classes: readonly SweptClass[];
  /** Flows that there are, and those that were answered. */
  readonly flows: number;
  readonly answered: number;
  /** Classes that were walked, or told from the walk of another Service that is like theirs: the same however a sweep was cut up. */
  readonly walks: number;
  /** It is a part of one: from 1. */
  readonly shard?: Shard;
  /** A digest of what was asked, and of what: shards of one sweep have the same. */
  readonly input?: string;
}

export interface Shard {
  readonly index: number;
  readonly of: number;
}

export const fails = ({ verdict }: Pick<Answer, "verdict">): boolean =>
  verdict === "unreachable" || verdict === "intermittent";

/** Groups in their order, classes in theirs. */
export function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  const [x, y] = [a.id.split(".").map(Number), b.id.split(".").map(Number)];
  return x[0]! - y[0]! || x[1]! - y[1]!;
}
