import type { StackCommand } from "../assemble/index.ts";
import { type Text, text } from "../messages/index.ts";
import type { Origin, Stack, Step, World } from "../model/index.ts";
import { type Address, formatPrefix, hostPrefix, isIpv4 } from "../net/index.ts";
import type { Branch, Leg, Question } from "../trace/index.ts";
import type { CauseCode } from "./code.ts";

export type Certainty = "proven" | "inferred" | "possible";

/** What a cause looks at: one branch that does not work, and the leg that was lost in it. */
export interface Scene {
  readonly world: World;
  readonly question: Question;
  readonly branch: Branch;
  readonly leg: Leg;
  readonly direction: "request" | "reply";
  /** The stack in which the leg ended. */
  readonly stack: Stack | undefined;
}

/** What would settle a cause that is not proven. */
export interface Check {
  readonly text: Text;
  readonly command: string;
}

/** A cause seen in a branch. */
export interface Finding {
  readonly code: CauseCode;
  readonly summary: Text;
  readonly stack: string;
  readonly evidence: readonly Origin[];
  /**
   * The one change, as commands, that takes the cause away: if the flow works after it, and nothing else was changed, the
   * cause is proven. Absent: it cannot be tried in the World (the load balancer, the far side).
   */
  readonly without?: readonly StackCommand[];
  readonly check?: Check;
  /** The walk alone does not show it: it is claimed only if the flow works without it. */
  readonly needsProof?: boolean;
  /** Not to be claimed with more certainty than this. */
  readonly most?: Certainty;
  /** Roots come before the place of death. */
  readonly root: boolean;
}

/** A cause as it is claimed. */
export interface ClaimedCause {
  readonly code: CauseCode;
  readonly certainty: Certainty;
  readonly direction: "request" | "reply";
  readonly stack: string;
  readonly step: string;
  readonly drop: string | null;
  readonly summary: Text;
  readonly evidence: readonly Origin[];
  /** The one change that takes it away, where it can be tried in the World. */
  readonly without?: readonly StackCommand[];
  /** What would settle it, where it is not proven. */
  readonly check?: Check;
  /** It comes before what else is as certain: that is what it leads to. */
  readonly root?: true;
}

/** One cause: what it is called, and how it is seen in a walk. Never by a name or an address alone. */
export interface Cause {
  readonly codes: readonly CauseCode[];
  readonly detect: (scene: Scene) => readonly Finding[];
}

/** The steps of a kind in one leg. */
export const stepsOf = <K extends Step["kind"]>(leg: Leg | null, kind: K): readonly Extract<Step, { kind: K }>[] =>
  (leg?.steps ?? []).filter((s): s is Extract<Step, { kind: K }> => s.kind === kind);

export const lastOf = <T>(items: readonly T[]): T | undefined => items[items.length - 1];

export const stackOf = (world: World, name: string): Stack | undefined => world.stacks.find((s) => s.name === name);

export { argv } from "../assemble/index.ts";

/** The tool for rules about an address. */
export const iptablesFor = (address: Address): string => (isIpv4(address) ? "iptables" : "ip6tables");
/** As rules name one host. */
export const hostText = (address: Address): string => formatPrefix(hostPrefix(address));

export const on = (stack: string, words: readonly string[]): StackCommand => ({ stack, words });

/** Which way the lost packet went, as a word. */
export const wayOf = ({ direction }: Scene): Text => text(direction === "request" ? "leg.request" : "leg.reply");

/** The device the packet last came in by, as its rules and routes see it. */
export const arrivalOf = (leg: Leg): string | undefined =>
  lastOf(stepsOf(leg, "hook").filter((s) => s.stack === leg.stack && s.in !== ""))?.in ??
  lastOf(stepsOf(leg, "receive"))?.device;
