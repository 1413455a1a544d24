import type { RoutingRule, Stack } from "../../model/index.ts";
import { type Address, ANY4, contains, type Prefix } from "../../net/index.ts";

/** A rule of routing, and for which of some addresses it is. */
interface Met {
  readonly rest: string;
  /** Empty: for everybody. */
  readonly from: Set<string>;
  readonly to: Set<string>;
}

/** No source was chosen yet. */
const UNCHOSEN = "0";

const isAnybody = (prefix: Prefix | undefined): boolean => prefix === undefined || prefix.length === 0;

/** What a rule does, and to which packets, whoever they are from and to. */
const restOf = ({ from: _, to: __, origin: ___, ...rest }: RoutingRule): string => JSON.stringify(rest);

/**
 * The rules of routing of a stack, as packets meet them: those that are for others than their addresses are no matter, and of several in a row that do
 * the same for one each it is no matter which comes first.
 */
export class PointedRules {
  readonly #rules: readonly { readonly rule: RoutingRule; readonly rest: string }[];
  /** None is for packets from or to somebody: all are the same for everybody. */
  readonly isEmpty: boolean;
  readonly #about = new Map<Address, boolean>();

  constructor({ routingRules }: Stack) {
    const ordered = routingRules.items
      .map((rule, at) => ({ rule, rest: restOf(rule), at }))
      .sort((a, b) => a.rule.preference - b.rule.preference || a.at - b.at);
    this.#rules = ordered;
    this.isEmpty = ordered.every(({ rule }) => isAnybody(rule.from) && isAnybody(rule.to));
  }

  /** Whether some rule is for packets from or to this address, and not for everybody. */
  isAbout(address: Address): boolean {
    let known = this.#about.get(address);
    if (known === undefined) {
      known = this.#rules.some(({ rule: { from, to } }) =>
        [from, to].some((prefix) => prefix !== undefined && prefix.length > 0 && contains(prefix, address)),
      );
      this.#about.set(address, known);
    }
    return known;
  }

  /** What packets with these addresses meet. `tokenOf`: how an address is called. */
  text(addresses: readonly Address[], tokenOf: (address: Address) => string): string {
    if (this.isEmpty) return "";
    const about = addresses.filter((a) => this.isAbout(a));
    const met: Met[] = [];
    for (const { rule, rest } of this.#rules) {
      const taken = (prefix: Prefix | undefined, isFrom: boolean): ReadonlySet<string> => {
        const found = new Set<string>();
        if (prefix === undefined || isAnybody(prefix)) return found;
        for (const a of about) if (contains(prefix, a)) found.add(tokenOf(a));
        if (isFrom && contains(prefix, ANY4)) found.add(UNCHOSEN);
        return found;
      };
      const [from, to] = [taken(rule.from, true), taken(rule.to, false)];
      const isOfOthers = (from.size === 0 && !isAnybody(rule.from)) || (to.size === 0 && !isAnybody(rule.to));
      if (isOfOthers) {
        // A rule for all but others is for everybody here.
        if (!rule.not) continue;
        met.push({ rest: `${rest} but others`, from: new Set(), to: new Set() });
        continue;
      }
      const last = met.at(-1);
      const isLike =
        last?.rest === rest && !rule.not && last.from.size > 0 === from.size > 0 && last.to.size > 0 === to.size > 0;
      if (isLike && (from.size === 0 || to.size === 0)) {
        for (const token of from) last.from.add(token);
        for (const token of to) last.to.add(token);
      } else met.push({ rest, from: new Set(from), to: new Set(to) });
    }
    return met.map(({ rest, from, to }) => `${rest} ${[...from].sort()}>${[...to].sort()}`).join("\n");
  }
}
