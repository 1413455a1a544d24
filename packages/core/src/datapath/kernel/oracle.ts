import type { Assumed, Decision, Fact, Ground, Origin, StepName } from "../../model/index.ts";

export interface ChanceOption {
  readonly label: string;
  /** Shares of one choice sum to 1. */
  readonly share: number;
}

/**
 * Whoever walks a packet asks this where the World does not decide. The walk itself is plain, deterministic code;
 * the driver runs it once per answer sequence, so that every branch and every hypothesis is walked.
 */
export interface Oracle {
  /** Chance: which of the options this branch follows. */
  chance(what: string, options: readonly ChanceOption[]): number;
  /** An open fact: which of its values this hypothesis holds. Asked again, it answers the same. */
  fact(fact: Fact, values: readonly string[]): string;
  /** Notes that the walk relied on something nobody stated. */
  assume(fact: Fact, value: string, why: Assumed): void;
  /** Notes that the walk rests on something nobody showed. False: this walk takes its other value. */
  rests(ground: Ground): boolean;
  /** What the user settled instead of an assumption (`--assume`, case.yaml). */
  settled?(fact: Fact): string | undefined;
}

/**
 * The walk met something it cannot decide and may not guess. Thrown, so that nothing runs on behind an unknown;
 * the driver turns it into a branch with disposition `undetermined`.
 */
export class Undetermined extends Error {
  readonly where: string;
  readonly step: StepName;
  readonly reason: Decision;
  readonly origins: readonly Origin[];
  constructor(stack: string, step: StepName, reason: Decision, origins: readonly Origin[] = []) {
    super(reason.kind);
    this.where = stack;
    this.step = step;
    this.reason = reason;
    this.origins = origins;
  }
}
