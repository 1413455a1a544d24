import type { Origin, Rule, Stack } from "../model/index.ts";
import type { Family } from "../net/index.ts";
import type { Hint } from "./hint.ts";

export type ElementKind =
  | "rule"
  | "policy"
  | "set"
  | "set entry"
  | "route"
  | "routing rule"
  | "sysctl"
  | "virtual service"
  | "address"
  | "device"
  | "neighbour"
  | "kernel";

/** One thing that is written otherwise on the two sides, after all that is mere text has been taken off. */
export interface Element {
  readonly kind: ElementKind;
  /** `nat KUBE-SERVICES`, `set KUBE-CLUSTER-IP`, `table main`, `net.ipv4.ip_forward`, `TCP 10.96.0.10:53`. */
  readonly where: string;
  readonly change: "only in A" | "only in B" | "changed" | "moved";
  readonly a: readonly Origin[];
  readonly b: readonly Origin[];
  /** The rules themselves, for a rule: what a walk must have met to have tried it. */
  readonly rules: readonly Rule[];
  /** Of those, whose they are; the chains they stand in; and the rules by which a packet comes there. */
  readonly sides?: {
    readonly a: readonly Rule[];
    readonly b: readonly Rule[];
    readonly chains: readonly [string, string];
    readonly path: readonly Rule[];
  };
  /** Packets that should meet it. None: nobody can be sent to try it. */
  readonly hints: readonly Hint[];
  /** What the rules beside it ask for: a packet that one of them treats otherwise shows what a packet chosen freely does not. */
  readonly around?: () => readonly Hint[];
  /** A's node with this one thing as B has it: tried alone, so that nothing else is held against it. */
  readonly alone?: (node: Stack) => Stack;
  /** The same with what the kernel reckons it together with as B has it, too: `conf.all` and the device's own. */
  readonly together?: (node: Stack) => Stack;
  /** Whose packets it can meet; absent: both families'. */
  readonly family?: Family;
  /** Why walking cannot tell: an effect that is not modelled. */
  readonly unwalkable?: "not modelled" | "native nft";
}

/** What one side lacks because nobody showed it: no difference, and no agreement either. */
export interface NotShown {
  readonly where: string;
  readonly side: "A" | "B";
}
