import type { Rule } from "../../../model/index.ts";
import type { Ipv4 } from "../../../net/index.ts";
import type { LazyTable } from "./lazy-table.ts";
import type { Lines } from "./lines.ts";
import type { LineIndex } from "./place-index.ts";

/**
 * The lines of a long chain by the one address they are for, which stands in front: KUBE-SERVICES has thousands, of which a packet
 * meets a handful. Of those for another address nothing is read: whatever else they say, they do not match.
 */
export class Places {
  private readonly rules = new Map<number, Rule>();
  private readonly index: LineIndex;
  private readonly lines: Lines;
  private readonly table: LazyTable;

  private constructor(lines: Lines, table: LazyTable) {
    this.lines = lines;
    this.table = table;
    this.index = lines.index();
  }

  /** Null where a line may be more than one rule (`-s a,b`), so that places of lines are not those of rules. */
  static of(lines: Lines, table: LazyTable): Places | null {
    const made = new Places(lines, table);
    return made.look() ? made : null;
  }

  private look(): boolean {
    const { rest, starts } = this.index;
    for (const place of rest) {
      const rules = this.table.read(this.lines, starts[place]!, this.lineOf(place));
      if (rules.length !== 1) return false;
      this.rules.set(place, rules[0]!);
    }
    return true;
  }

  at(destination: Ipv4): readonly number[] {
    return this.index.at(destination);
  }

  ruleAt(place: number): Rule | undefined {
    let rule = this.rules.get(place);
    const { starts } = this.index;
    if (rule === undefined && place < starts.length) {
      [rule] = this.table.read(this.lines, starts[place]!, this.lineOf(place));
      this.rules.set(place, rule!);
    }
    return rule;
  }

  /** What was read already, so that a rule stays the same object. */
  readBefore(place: number): Rule | undefined {
    return this.rules.get(place);
  }

  private lineOf(place: number): number {
    let before = 0;
    for (const run of this.lines.runs) {
      if (place < before + run.lines) return run.line + place - before;
      before += run.lines;
    }
    return 0;
  }
}
