import type { NftChain, NftTable } from "../../model/index.ts";
import { memo } from "../kernel/memo.ts";
import type { BaseChain } from "./hooks.ts";

/** What the rules behind a base chain look at and change, as far as another chain could tell. */
interface Touches {
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
  readonly drops: boolean;
  readonly rejects: boolean;
  readonly translates: boolean;
}

/**
 * Whether two base chains at one priority do the same in either order. Both run unless one drops, and a drop is one whoever comes first; so
 * the order shows where one changes what the other looks at, where one rejects what the other drops, or where both translate.
 */
export function commute(one: BaseChain, other: BaseChain): boolean {
  const [a, b] = [touchesOf(one), touchesOf(other)];
  if (a.translates && b.translates) return false;
  if ((a.rejects && (b.drops || b.rejects)) || (b.rejects && a.drops)) return false;
  return !meets(a.writes, b.reads) && !meets(b.writes, a.reads) && !meets(a.writes, b.writes);
}

const meets = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  [...a].some((x) => b.has(x) || (x === ANYTHING && b.size > 0)) || (a.size > 0 && b.has(ANYTHING));

/** Of a statement that is not understood. */
const ANYTHING = "anything";

const known = new WeakMap<NftChain, Touches>();
const touchesOf = ({ table, chain, base }: BaseChain): Touches =>
  memo(known, chain, () => {
    const found = new Behind(table, chain);
    if (base.policy === "drop") found.drops = true;
    return found;
  });

class Behind implements Touches {
  readonly reads = new Set<string>();
  readonly writes = new Set<string>();
  drops = false;
  rejects = false;
  translates = false;
  readonly #seen = new Set<string>();
  readonly #pending: string[] = [];

  constructor(table: NftTable, first: NftChain) {
    const chains = new Map(table.chains.map((c) => [`chain ${c.name}`, c]));
    const sets = new Map(table.sets.map((s) => [`set ${s.name}`, s]));
    this.#led(`chain ${first.name}`);
    for (let key = this.#pending.pop(); key !== undefined; key = this.#pending.pop()) {
      for (const { statements } of chains.get(key)?.rules ?? []) this.#in(statements);
      for (const { data } of sets.get(key)?.elements ?? []) this.#in(data);
    }
  }

  #led(key: string): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#pending.push(key);
  }

  /** Statements, expressions and verdicts alike: each says by its kind what it is. */
  #in(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) {
      for (const inner of value) this.#in(inner);
      return;
    }
    const { kind, ...rest } = value as { readonly kind?: string; readonly [key: string]: unknown };
    switch (kind) {
      case "set":
        if (rest["target"] !== undefined) {
          this.#changed(rest["target"] as { readonly kind: string });
          this.#in(rest["value"]);
          return;
        }
        break;
      case "meta":
      case "ct":
      case "socket":
      case "rt":
        this.reads.add(`${kind} ${String(rest["key"])}`);
        return;
      case "payload":
      case "raw":
      case "tcp option":
      case "ip option":
      case "exthdr":
      case "fib":
        this.reads.add("packet");
        break;
      case "named":
        this.#led(`set ${String(rest["name"])}`);
        return;
      case "jump":
      case "goto":
        if (typeof rest["chain"] === "string") this.#led(`chain ${rest["chain"]}`);
        break;
      case "drop":
        this.drops = true;
        return;
      case "reject":
        this.rejects = true;
        return;
      case "dnat":
      case "snat":
      case "masquerade":
      case "redirect":
        this.translates = true;
        this.writes.add("packet");
        break;
      case "notrack":
        this.writes.add("ct state");
        return;
      case "synproxy":
      case "tproxy":
      case "queue":
      case "fwd":
      case "flow":
      case "reset":
      case "xt":
      case "not understood":
        this.reads.add(ANYTHING);
        this.writes.add(ANYTHING);
        return;
      default:
        break;
    }
    for (const inner of Object.values(rest)) this.#in(inner);
  }

  #changed(target: { readonly kind: string; readonly key?: string }): void {
    this.writes.add(target.kind === "meta" || target.kind === "ct" ? `${target.kind} ${String(target.key)}` : "packet");
  }
}
