import type {
  NftBase,
  NftChain,
  NftElement,
  NftRule,
  NftSet,
  NftStatement,
  NftTable,
  Origin,
} from "../../model/index.ts";
import type { Family } from "../../net/index.ts";
import { ipOf } from "./words.ts";

interface Draft {
  readonly base?: NftBase;
  readonly comment?: string;
  readonly rules: NftRule[];
}

/** kube-proxy's one table, put together chain by chain. */
export class NftTableBuilder {
  readonly #chains = new Map<string, Draft>();
  readonly #sets = new Map<string, Omit<NftSet, "elements"> & { readonly elements: NftElement[] }>();
  /** Elements by set and key: a set has each once, and the first stays. */
  readonly #added = new Set<string>();
  readonly #counters: string[] = [];
  readonly #origin: Origin;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  chain(name: string, base?: NftBase, comment?: string): void {
    if (!this.#chains.has(name))
      this.#chains.set(name, {
        ...(base !== undefined && { base }),
        ...(comment !== undefined && { comment }),
        rules: [],
      });
  }

  rule(chain: string, statements: readonly NftStatement[], origin: Origin = this.#origin, comment?: string): void {
    this.chain(chain);
    const made = { statements, ...(comment !== undefined && { comment }), origin: { ...origin } };
    this.#chains.get(chain)!.rules.push(made);
  }

  set(name: string, kind: "set" | "map", key: readonly string[], extra: Partial<NftSet> = {}): void {
    if (this.#sets.has(name)) return;
    this.#sets.set(name, {
      name,
      kind,
      key: key.map((type) => ({ name: type })),
      ...(kind === "map" && { data: [{ name: "verdict" }] }),
      flags: [],
      autoMerge: false,
      elementsKnown: true,
      origin: this.#origin,
      ...extra,
      elements: [],
    });
  }

  counter(name: string): void {
    this.#counters.push(name);
  }

  add(set: string, element: NftElement): void {
    const key = `${set} ${JSON.stringify(element.key)}`;
    if (this.#added.has(key)) return;
    this.#added.add(key);
    this.#sets.get(set)?.elements.push(element);
  }

  build(family: Family): NftTable {
    return {
      family: ipOf(family),
      name: "kube-proxy",
      flags: [],
      comment: "rules for kube-proxy",
      chains: [...this.#chains].map(([name, draft]): NftChain => ({ name, ...draft, origin: this.#origin })),
      sets: [...this.#sets.values()],
      objects: this.#counters.map((name) => ({
        kind: "counter" as const,
        name,
        packets: 0,
        bytes: 0,
        origin: this.#origin,
      })),
      flowtables: [],
      ofIptables: false,
      extent: "whole",
      origin: this.#origin,
    };
  }
}
