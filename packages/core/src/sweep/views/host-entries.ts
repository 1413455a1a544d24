import type { IpSet, Listing, SetEntry, Stack } from "../../model/index.ts";
import { type Address, maxLength } from "../../net/index.ts";

/** Sets with more are told as they stand. */
const MOST_ENTRIES = 5000;

/** The addresses that an entry is for, each of them alone. */
export const hostsOf = ({ parts, nomatch }: SetEntry): readonly Address[] =>
  nomatch ? [] : parts.flatMap((p) => (p.kind === "address" && p.length === maxLength(p.from) ? [p.from] : []));

/** What the sets of a stack say of single hosts, apart from the rest: Calico has a set of each node's own addresses. */
export class HostEntries {
  readonly #byHost = new Map<Address, string[]>();
  /** All that is for others than one host each. */
  readonly rest: Listing<IpSet>;

  constructor({ ipsets }: Stack) {
    const count = ipsets.items.reduce((n, s) => n + s.entries.length, 0);
    this.rest =
      count > MOST_ENTRIES ? ipsets : { ...ipsets, items: ipsets.items.map((set) => this.#withoutHosts(set)) };
  }

  /** Equal: the same is said of both. */
  of(address: Address): string {
    return this.#byHost.get(address)?.sort().join(" ") ?? "";
  }

  #withoutHosts(set: IpSet): IpSet {
    const entries = set.entries.filter((entry) => {
      const [host, another] = hostsOf(entry);
      if (host === undefined || another !== undefined) return true;
      const { origin: _, parts, ...more } = entry;
      const others = parts.map((p) => (p.kind === "address" && p.from === host ? "§" : p));
      const said = `${set.name} ${JSON.stringify([others, more])}`;
      const known = this.#byHost.get(host);
      if (known === undefined) this.#byHost.set(host, [said]);
      else known.push(said);
      return false;
    });
    return { ...set, entries };
  }
}
