import type { Chain, Counters, Extent, Origin, Policy, Rule, UnreadChain } from "../../../model/index.ts";
import { type Address, isIpv4 } from "../../../net/index.ts";
import type { LazyTable } from "./lazy-table.ts";
import type { Lines } from "./lines.ts";
import { Places } from "./places.ts";
import type { Lineage } from "./scanned-table.ts";

/** Chains shorter than this are read as a whole. */
const LONG = 16;

/** A chain whose rules are read when they are asked for. */
export class LazyChain implements Chain, UnreadChain {
  readonly name: string;
  readonly policy: Policy;
  readonly counters: Counters;
  readonly extent: Extent;
  readonly origin: Origin;
  readonly #table: LazyTable;
  readonly #lines: Lines;

  constructor(lines: Lines, origin: Origin, table: LazyTable) {
    this.name = lines.name;
    // As the reader of whole dumps makes them: absent is undefined.
    this.policy = lines.policy as Policy;
    this.counters = lines.counters;
    this.extent = table.extent;
    this.origin = origin;
    this.#table = table;
    this.#lines = lines;
  }

  get rules(): readonly Rule[] {
    this.#lines.rules ??= this.#table.readAll(this.#lines);
    return this.#lines.rules;
  }

  get unread(): UnreadChain {
    return this;
  }

  get lineage(): Lineage {
    return this.#lines.home.lineageOf(this.#lines.at);
  }

  get lines(): number {
    return this.#lines.count;
  }

  placesFor(destination: Address): readonly number[] | undefined {
    return isIpv4(destination) ? this.#places()?.at(destination) : undefined;
  }

  ruleAt(place: number): Rule | undefined {
    const places = this.#lines.rules === undefined ? this.#places() : null;
    return places === null ? this.rules[place] : places.ruleAt(place);
  }

  /** Short chains are read as a whole, and so are those whose lines are not rules one by one. */
  #places(): Places | null {
    const lines = this.#lines;
    if (lines.places === undefined)
      lines.places = this.#table.family === 4 && lines.count >= LONG ? Places.of(lines, this.#table) : null;
    return lines.places;
  }
}
