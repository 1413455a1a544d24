import type { Chain, Counters, JumpTarget, Policy, Rule } from "../../../model/index.ts";
import type { Places } from "./places.ts";

/** Lines of rules of one chain that stand one behind the other. */
export interface Run {
  /** Where in the text the first begins. */
  readonly from: number;
  /** Its number in the file, from 1. */
  readonly line: number;
  lines: number;
}

/** A chain as the scan finds it: what its own line says, where the lines of its rules are, and what was read of them. */
export class Lines {
  readonly name: string;
  readonly builtIn: boolean;
  readonly policy: Policy | undefined;
  readonly counters: Counters;
  /** The line that declares it, from 1. */
  readonly line: number;
  /** The record made of it. */
  chain: Chain | undefined = undefined;
  /** Nearly every chain has one run or none. */
  run: Run | undefined = undefined;
  further: Run[] | undefined = undefined;
  rules: readonly Rule[] | undefined = undefined;
  /** Null: this chain is not looked up by destination. */
  places: Places | null | undefined = undefined;
  private target: JumpTarget | undefined = undefined;

  constructor(name: string, builtIn: boolean, policy: Policy | undefined, counters: Counters, line: number) {
    this.name = name;
    this.builtIn = builtIn;
    this.policy = policy;
    this.counters = counters;
    this.line = line;
  }

  get runs(): readonly Run[] {
    return this.run === undefined ? [] : [this.run, ...(this.further ?? [])];
  }

  get count(): number {
    let count = this.run?.lines ?? 0;
    for (const { lines } of this.further ?? []) count += lines;
    return count;
  }

  begin(from: number, line: number): Run {
    const run = { from, line, lines: 1 };
    if (this.run === undefined) this.run = run;
    else {
      this.further ??= [];
      this.further.push(run);
    }
    return run;
  }

  /** Shared by all rules that jump here. */
  get jump(): JumpTarget {
    this.target ??= { kind: "jump", chain: this.name, goto: false };
    return this.target;
  }
}
