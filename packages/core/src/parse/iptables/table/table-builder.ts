import type {
  Chain,
  Counters,
  Extent,
  IptablesBackend,
  IptablesTable,
  IptablesTableName,
  JumpTarget,
  Origin,
  Policy,
  Rule,
} from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";
import { ChainIndex } from "./chain-index.ts";
import { isBuiltInName } from "./place.ts";

const NO_RULES: Rule[] = [];

/** A chain while its rules are being read. It may be jumped to before it is declared. */
export class ChainBuilder {
  readonly name: string;
  readonly id: number;
  readonly builtIn: boolean;
  /** Shared by all rules that jump here. */
  readonly jump: JumpTarget;
  /** The line that declared it; undefined while it was only mentioned. */
  declared: Origin | undefined = undefined;
  /** Its list of rules is complete even where the table is not. */
  whole = false;
  policy: Policy | undefined = undefined;
  counters: Counters | undefined = undefined;
  rules: Rule[] = NO_RULES;
  /** Rules inserted at the head, the last one first: each costs the same, however long the chain. */
  private front: Rule[] = NO_RULES;
  /** Index of the first line that mentions it in -j or -g; -1 if none. */
  mentioned = -1;

  constructor(name: string, id: number) {
    this.name = name;
    this.id = id;
    this.builtIn = isBuiltInName(name);
    this.jump = { kind: "jump", chain: name, goto: false };
  }

  /** Takes over a run of rules. A copy has no room to spare: most chains are short and many. */
  append(run: readonly Rule[]): void {
    if (this.rules.length === 0) this.rules = run.slice();
    else for (const rule of run) this.rules.push(rule);
  }

  prepend(rule: Rule): void {
    if (this.front === NO_RULES) this.front = [];
    this.front.push(rule);
  }

  clear(): void {
    this.rules = NO_RULES;
    this.front = NO_RULES;
  }

  settle(): Rule[] {
    if (this.front.length > 0) {
      this.rules = [...this.front.reverse(), ...this.rules];
      this.front = NO_RULES;
    } else if (this.rules === NO_RULES) this.rules = [];
    return this.rules;
  }
}

export class TableBuilder {
  readonly name: IptablesTableName;
  readonly family: Family;
  readonly backend: IptablesBackend;
  readonly origin: Origin;
  /** All chains declared or mentioned. */
  readonly entries = new ChainIndex<ChainBuilder>();
  /** Declared chains in order; deleted ones are left out when the table is built. */
  private readonly order: ChainBuilder[] = [];
  /** Jumps as pairs of ids, from and to. */
  readonly jumps: number[] = [];
  private removed = false;
  private cursor = 0;
  extent: Extent;

  constructor(name: IptablesTableName, family: Family, backend: IptablesBackend, origin: Origin, extent: Extent) {
    this.name = name;
    this.family = family;
    this.backend = backend;
    this.origin = origin;
    this.extent = extent;
  }

  entry(name: string): ChainBuilder {
    let entry = this.entries.get(name);
    if (entry === undefined) {
      entry = new ChainBuilder(name, this.entries.all.length);
      this.entries.add(entry);
    }
    return entry;
  }

  declare(name: string, origin: Origin): ChainBuilder {
    const entry = this.entry(name);
    if (entry.declared === undefined) this.order.push(entry);
    entry.declared = origin;
    return entry;
  }

  /** iptables-save prints the rules in the order of the chains: the next one is nearly always one of the next few. */
  following(line: string, at: number): ChainBuilder | undefined {
    const end = Math.min(this.cursor + 4, this.order.length);
    for (let i = this.cursor; i < end; i++) {
      const chain = this.order[i]!;
      if (line.charCodeAt(at + chain.name.length) === 32 && line.startsWith(chain.name, at)) {
        this.cursor = i + 1;
        return chain.declared === undefined ? undefined : chain;
      }
    }
    return undefined;
  }

  /** Notes a jump; the shared target of the chain jumped to. */
  mention(from: ChainBuilder, to: ChainBuilder, index: number): JumpTarget {
    if (to.mentioned < 0) to.mentioned = index;
    this.jumps.push(from.id, to.id);
    return to.jump;
  }

  jumpTo(from: ChainBuilder, line: string, start: number, end: number, index: number): JumpTarget | undefined {
    const to = this.entries.find(line, start, end);
    return to === undefined ? undefined : this.mention(from, to, index);
  }

  remove(name: string): void {
    const entry = this.entries.get(name);
    if (entry === undefined) return;
    entry.declared = undefined;
    entry.clear();
    this.removed = true;
  }

  declaredChains(): readonly ChainBuilder[] {
    if (!this.removed) return this.order;
    const seen = new Set<ChainBuilder>();
    return this.order.filter((entry) => {
      if (entry.declared === undefined || seen.has(entry)) return false;
      seen.add(entry);
      return true;
    });
  }

  build(): IptablesTable {
    const chains = this.declaredChains().map((entry): Chain => {
      const extent: Extent = this.extent === "whole" || entry.whole ? "whole" : "partial";
      return {
        name: entry.name,
        policy: entry.policy,
        counters: entry.counters,
        rules: entry.settle(),
        extent,
        origin: entry.declared!,
      } as Chain;
    });
    return {
      name: this.name,
      family: this.family,
      backend: this.backend,
      chains,
      extent: this.extent,
      origin: this.origin,
    };
  }
}
