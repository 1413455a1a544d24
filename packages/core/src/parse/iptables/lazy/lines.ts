import type { JumpTarget, Rule } from "../../../model/index.ts";
import type { Places } from "./places.ts";

/** Lines of rules of one chain that stand one behind the other. */
export interface Run {
  /** Where in the text the first begins. */
  readonly from: number;
  /** Its number in the file, from 1. */
  readonly line: number;
  lines: number;
}

/** Where the lines of a chain are, and what was read of them. */
export class Lines {
  readonly name: string;
  readonly builtIn: boolean;
  /** Nearly every chain has one run or none. */
  run: Run | undefined = undefined;
  further: Run[] | undefined = undefined;
  rules: readonly Rule[] | undefined = undefined;
  /** Null: this chain is not looked up by destination. */
  places: Places | null | undefined = undefined;
  private target: JumpTarget | undefined = undefined;

  constructor(name: string, builtIn: boolean) {
    this.name = name;
    this.builtIn = builtIn;
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
