import type { Extent, IpSet, Listing, SetEntry } from "../../model/index.ts";
import type { Ledger } from "../ledger.ts";
import type { Seen } from "../seen.ts";

const entryKey = (e: SetEntry): string => JSON.stringify([e.parts, e.nomatch]);

/** One record a set: a whole listing beats a cut one, a printed type beats one told from the members. */
export function mergeSets(listings: readonly Seen<"ipset">[], stack: string, ledger: Ledger): Listing<IpSet> {
  if (listings.length === 0) return { items: [], extent: "unread" };
  const byName = new Map<string, IpSet[]>();
  for (const set of listings.flatMap((l) => l.fact.sets)) {
    const same = byName.get(set.name);
    if (same === undefined) byName.set(set.name, [set]);
    else same.push(set);
  }
  const items = [...byName.values()].map((same) => mergeSet(same, stack, ledger));
  const extent: Extent = listings.some((l) => l.fact.extent === "whole") ? "whole" : "partial";
  return { items, extent };
}

function mergeSet(same: readonly IpSet[], stack: string, ledger: Ledger): IpSet {
  const typed = same.filter((s) => s.inferredType !== true);
  const whole = same.find((s) => s.extent === "whole");
  if (same.length === 1) return same[0]!;
  const base = whole ?? typed[0] ?? same[0]!;
  const entries = new Map(base.entries.map((e) => [entryKey(e), e]));
  for (const other of same) {
    if (other === base) continue;
    const more = other.entries.filter((e) => !entries.has(entryKey(e)));
    if (whole === undefined) for (const e of more) entries.set(entryKey(e), e);
    else if (more.length > 0 || (other.extent === "whole" && other.entries.length !== base.entries.length)) {
      const text = `the set ${base.name} is shown twice, with different members; the first complete list is taken`;
      ledger.note("contradiction", "set-differs", text, [more[0]?.origin ?? other.origin, base.origin], stack);
    }
  }
  return whole ?? { ...base, entries: [...entries.values()] };
}
