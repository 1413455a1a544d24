import type { Rule } from "../../../model/index.ts";
import { type Ipv4, parseIpv4 } from "../../../net/index.ts";
import type { LazyTable } from "./lazy-table.ts";
import type { Lines } from "./lines.ts";

const DESTINATION = " -d ";
const ONE_HOST = "/32 ";

/**
 * The lines of a long chain by the one address they are for, which stands in front: KUBE-SERVICES has thousands, of which a packet
 * meets a handful. Of those for another address nothing is read: whatever else they say, they do not match.
 */
export class Places {
  private readonly exact = new Map<Ipv4, number[]>();
  private readonly rest: number[] = [];
  private readonly starts: number[] = [];
  private readonly rules = new Map<number, Rule>();
  private readonly known = new Map<Ipv4, readonly number[]>();
  private readonly lines: Lines;
  private readonly table: LazyTable;

  private constructor(lines: Lines, table: LazyTable) {
    this.lines = lines;
    this.table = table;
  }

  /** Null where a line may be more than one rule (`-s a,b`), so that places of lines are not those of rules. */
  static of(lines: Lines, table: LazyTable): Places | null {
    const made = new Places(lines, table);
    return made.look() ? made : null;
  }

  private look(): boolean {
    const { text } = this.table;
    let comma = -1;
    for (const run of this.lines.runs) {
      let at = run.from;
      for (let i = 0; i < run.lines; i++) {
        const end = text.indexOf("\n", at);
        const stop = end < 0 ? text.length : end;
        if (comma < at) {
          comma = text.indexOf(",", at);
          if (comma < 0) comma = text.length;
        }
        const place = this.starts.length;
        this.starts.push(at);
        const address = comma < stop ? undefined : this.destination(text, at);
        if (address === undefined) {
          this.rest.push(place);
          const rules = this.table.read(this.lines, at, run.line + i);
          if (rules.length !== 1) return false;
          this.rules.set(place, rules[0]!);
        } else {
          const same = this.exact.get(address);
          if (same === undefined) this.exact.set(address, [place]);
          else same.push(place);
        }
        at = stop + 1;
      }
    }
    return true;
  }

  private destination(text: string, at: number): Ipv4 | undefined {
    const name = text.charCodeAt(at) === 45 ? at + 3 : text.indexOf("] -A ", at) + 5;
    const option = name + this.lines.name.length;
    if (!text.startsWith(DESTINATION, option)) return undefined;
    const start = option + DESTINATION.length;
    const slash = text.indexOf("/", start);
    if (slash < 0 || slash > start + 15 || !text.startsWith(ONE_HOST, slash)) return undefined;
    return parseIpv4(text, start, slash);
  }

  at(destination: Ipv4): readonly number[] {
    let places = this.known.get(destination);
    if (places === undefined) {
      const own = this.exact.get(destination);
      places = own === undefined ? this.rest : [...own, ...this.rest].sort((a, b) => a - b);
      this.known.set(destination, places);
    }
    return places;
  }

  ruleAt(place: number): Rule | undefined {
    let rule = this.rules.get(place);
    if (rule === undefined && place < this.starts.length) {
      [rule] = this.table.read(this.lines, this.starts[place]!, this.lineOf(place));
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
