import { type IptablesTable, type Listener, type Rule, rulesSaying, type Stack } from "../../model/index.ts";
import { append } from "../../net/append.ts";
import { type Address, formatAddress, isLoopback } from "../../net/index.ts";
import { onlyAddress, textOfRule } from "../views/slice.ts";
import { socketText } from "../views/socket-text.ts";
import { ASKS_FOR_SOCKETS } from "../views/stack-view.ts";
import type { Views } from "../views/views.ts";
import { differencesBetween } from "./differing.ts";
import { isSame } from "./touched.ts";

/** The addresses that a packet has to have to match a rule. */
interface Guard {
  readonly from: Address | undefined;
  readonly to: Address | undefined;
}

/** In what a stack is not as it was, where that is in rules that few packets meet, and in sockets. */
export interface Delta {
  /** Packets that none of these concerns find the same rules. */
  readonly guards: readonly Guard[];
  /** Of sockets that came or went. */
  readonly ports: ReadonlySet<number>;
}

/** So many chains are asked for who leads there: each time all text is looked through. */
const MOST_ASKED = 24;
const MOST_GUARDS = 64;
/** Of tables that have no text in common all chains are made. */
const MOST_CHAINS = 4000;

/** Undefined: it differs in more. */
export function deltaOf(a: Stack, b: Stack): Delta | undefined {
  const { netfilter: netfilterA, listeners: listenersA, ...restA } = a;
  const { netfilter: netfilterB, listeners: listenersB, ...restB } = b;
  const { tables: tablesA, ...rulesA } = netfilterA;
  const { tables: tablesB, ...rulesB } = netfilterB;
  if (!isSame(restA, restB) || !isSame(rulesA, rulesB)) return undefined;
  const { items: socketsA, wholeFor: wholeA, extent: extentA } = listenersA;
  const { items: socketsB, wholeFor: wholeB, extent: extentB } = listenersB;
  if (extentA !== extentB || !isSame(wholeA, wholeB)) return undefined;
  const guards = guardsOf(tablesA, tablesB);
  if (guards === undefined) return undefined;
  const ports = portsThatDiffer(socketsA, socketsB);
  // A rule that looks for sockets may find any of them.
  const asksForSockets = ports.size > 0 && [...tablesA, ...tablesB].some(mayAskForSockets);
  const hasNft = ports.size > 0 && (netfilterB.nft ?? []).length > 0;
  if (asksForSockets || hasNft) return undefined;
  return { guards: guards.map((r) => ({ from: onlyAddress(r.source), to: onlyAddress(r.destination) })), ports };
}

/** Whether packets with the addresses of which `has` holds may meet a rule that only one side has. */
export const isConcerned = ({ guards }: Delta, has: (address: Address) => boolean): boolean =>
  guards.some(({ from, to }) => (from === undefined || has(from)) && (to === undefined || has(to)));

/** The stacks of two Worlds that differ, and in what. */
export class Deltas {
  readonly #before: Views;
  readonly #now: Views;
  readonly #known = new Map<
    string,
    { readonly delta: Delta | undefined; isBesideSame?: boolean; isLikeNone?: boolean }
  >();

  constructor(before: Views, now: Views) {
    this.#before = before;
    this.#now = now;
  }

  /** `isApart`: what it should be like is looked at, too. Undefined: it differs in more. */
  of(name: string, isApart: boolean): Delta | undefined {
    const known = this.#of(name);
    if (!isApart || known.delta === undefined) return known.delta;
    known.isBesideSame ??= besideOf(this.#before, name) === besideOf(this.#now, name);
    return known.isBesideSame ? known.delta : undefined;
  }

  #of(name: string) {
    let known = this.#known.get(name);
    if (known === undefined) {
      const [a, b] = [this.#before.cast.stack(name), this.#now.cast.stack(name)];
      known = { delta: a === undefined || b === undefined ? undefined : deltaOf(a, b) };
      this.#known.set(name, known);
    }
    return known;
  }

  /** Whether an address is one of that node's. */
  isOf(name: string | null, address: Address): boolean {
    const stack = name === null ? undefined : this.#now.cast.stack(name);
    return stack !== undefined && this.#now.cast.addressesOf(stack).includes(address);
  }

  /** Whether no other node has the sockets that it has now. */
  isLikeNone(name: string): boolean {
    const known = this.#of(name);
    known.isLikeNone ??= this.#isLikeNone(name);
    return known.isLikeNone;
  }

  #isLikeNone(name: string): boolean {
    const { cast, world } = this.#now;
    const stack = cast.stack(name)!;
    const called = (own: Stack): string => {
      const addresses = cast.addressesOf(own);
      const sockets = own.listeners.items.map((l) =>
        socketText(l, (a) => (addresses.includes(a) ? `own ${addresses.indexOf(a)}` : formatAddress(a))),
      );
      return sockets.sort().join("\n");
    };
    // One that is bound to somebody else's address may be like another by who that is.
    const isForeign = ({ address }: Listener): boolean =>
      address !== undefined && !isLoopback(address) && !cast.addressesOf(stack).includes(address);
    if (stack.listeners.items.some(isForeign)) return false;
    const text = called(stack);
    return world.stacks.every((s) => s === stack || s.kind !== "node" || called(s) !== text);
  }
}

const besideOf = ({ cast, stacks }: Views, name: string): number => stacks.besideOf(cast.stack(name)!);

const mayAskForSockets = (table: IptablesTable): boolean =>
  ["TPROXY", "socket"].some((word) => {
    for (const { chain, rule } of rulesSaying(table, word))
      if (ASKS_FOR_SOCKETS.test(textOfRule(rule, chain.name, table.family))) return true;
    return false;
  });

function portsThatDiffer(a: readonly Listener[], b: readonly Listener[]): ReadonlySet<number> {
  const times = new Map<string, number>();
  const ports = new Map<string, number>();
  const count = (list: readonly Listener[], by: number): void => {
    for (const socket of list) {
      const text = socketText(socket);
      times.set(text, (times.get(text) ?? 0) + by);
      ports.set(text, socket.port);
    }
  };
  count(a, 1);
  count(b, -1);
  return new Set([...times].flatMap(([text, n]) => (n === 0 ? [] : [ports.get(text)!])));
}

/** What packets have to match to meet a rule that only one side has. */
function guardsOf(a: readonly IptablesTable[], b: readonly IptablesTable[]): readonly Rule[] | undefined {
  if (a.length !== b.length) return undefined;
  const guards: Rule[] = [];
  for (const [i, before] of a.entries()) {
    const after = b[i]!;
    if (before === after) continue;
    const head = ({ name, family, backend, extent }: IptablesTable) => [name, family, backend, extent];
    if (!isSame(head(before), head(after))) return undefined;
    // One may be known as text and the other not: a dump that was cut off is read line by line.
    if (after.unread !== undefined && before.unread?.isSame(after.unread) === true) continue;
    const isOfOneHome = before.unread !== undefined && before.unread.home === after.unread?.home;
    if (!isOfOneHome && Math.max(before.chains.length, after.chains.length) > MOST_CHAINS) return undefined;
    const leads = new Leading([before, after]);
    for (const [chain, rules] of differencesBetween(before, after)) {
      const isGuarded = rules?.every(isForOne) === true;
      const found = isGuarded ? rules : leads.to(chain);
      if (found === undefined) return undefined;
      append(guards, found);
      if (guards.length > MOST_GUARDS) return undefined;
    }
  }
  return guards;
}

const isForOne = ({ source, destination }: Rule): boolean =>
  onlyAddress(source) !== undefined || onlyAddress(destination) !== undefined;

/** By which rules for single addresses packets come to a chain. */
class Leading {
  readonly #tables: readonly IptablesTable[];
  #asked = 0;

  constructor(tables: readonly IptablesTable[]) {
    this.#tables = tables;
  }

  /** Undefined: by others, too. */
  to(chain: string, above: readonly string[] = []): readonly Rule[] | undefined {
    if (BUILT_IN.has(chain) || above.includes(chain) || ++this.#asked > MOST_ASKED) return undefined;
    const found: Rule[] = [];
    for (const table of this.#tables)
      for (const word of [`-j ${chain}`, `-g ${chain}`])
        for (const { chain: from, rule } of rulesSaying(table, word)) {
          if (rule.target.kind !== "jump" || rule.target.chain !== chain) continue;
          const guards = isForOne(rule) ? [rule] : this.to(from.name, [...above, chain]);
          if (guards === undefined || found.length + guards.length > MOST_GUARDS) return undefined;
          append(found, guards);
        }
    return found;
  }
}

const BUILT_IN: ReadonlySet<string> = new Set(["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"]);
