import type { Chain, Counters, JumpTarget, Policy, Rule } from "../../../model/index.ts";
import { isBuiltInName } from "../table/place.ts";
import type { ChainOrder } from "./chain-order.ts";
import { type LineIndex, ReorderedIndex } from "./place-index.ts";
import type { Places } from "./places.ts";
import type { ScannedTable } from "./scanned-table.ts";

/** Lines of rules of one chain that stand one behind the other. */
export interface Run {
  /** Where in the text the first begins. */
  readonly from: number;
  /** Its number in the file, from 1. */
  readonly line: number;
  readonly lines: number;
}

/** What the line says that declares a chain. */
export interface Head {
  readonly policy: Policy | undefined;
  readonly counters: Counters;
}

/** A chain as the scan finds it: what its own line says, where the lines of its rules are, and what was read of them. Made when somebody asks for the chain. */
export class Lines {
  readonly name: string;
  readonly builtIn: boolean;
  readonly policy: Policy | undefined;
  readonly counters: Counters;
  /** The line that declares it, from 1. */
  readonly line: number;
  readonly runs: readonly Run[];
  readonly count: number;
  /** Where its lines stand in another order than in that text: then they are one run. */
  readonly order: ChainOrder | undefined;
  /** In whose text they stand, and which of its chains they are: tables that say the same share one text. */
  readonly home: ScannedTable;
  readonly at: number;
  /** The record made of it. */
  chain: Chain | undefined = undefined;
  rules: readonly Rule[] | undefined = undefined;
  /** Null: this chain is not looked up by destination. */
  places: Places | null | undefined = undefined;
  private target: JumpTarget | undefined = undefined;

  constructor(
    at: number,
    home: ScannedTable,
    { policy, counters }: Head,
    line: number,
    runs: readonly Run[],
    order?: ChainOrder,
  ) {
    const name = home.names.at(at);
    this.home = home;
    this.at = at;
    this.name = name;
    this.builtIn = isBuiltInName(name);
    this.policy = policy;
    this.counters = counters;
    this.line = line;
    this.runs = runs;
    this.order = order;
    let count = 0;
    for (const run of runs) count += run.lines;
    this.count = count;
  }

  /** Where each begins, and which are for one address. */
  index(): LineIndex {
    const index = this.home.indexOf(this.at);
    return this.order === undefined ? index : new ReorderedIndex(index, this.order);
  }

  /** Shared by all rules that jump here. */
  get jump(): JumpTarget {
    this.target ??= { kind: "jump", chain: this.name, goto: false };
    return this.target;
  }
}
