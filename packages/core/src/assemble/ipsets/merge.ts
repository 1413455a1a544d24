import type { Extent, IpSet, Listing, SetEntry } from "../../model/index.ts";
import type { Dumped } from "../dumped.ts";

const entryKey = (e: SetEntry): string => JSON.stringify([e.parts, e.nomatch]);

/** One record a set: a whole listing beats a cut one, a printed type beats one told from the members. */
export function mergeSets(listings: readonly Dumped<"ipset">[]): Listing<IpSet> {
  if (listings.length === 0) return { items: [], extent: "unread" };
  const byName = new Map<string, IpSet[]>();
  for (const set of listings.flatMap((l) => l.fact.sets)) {
    const same = byName.get(set.name);
    if (same === undefined) byName.set(set.name, [set]);
    else same.push(set);
  }
  const items = [...byName.values()].map(mergeSet);
  const extent: Extent = listings.some((l) => l.fact.extent === "whole") ? "whole" : "partial";
  return { items, extent };
}

function mergeSet(same: readonly IpSet[]): IpSet {
  const typed = same.filter((s) => s.inferredType !== true);
  const whole = same.find((s) => s.extent === "whole");
  if (same.length === 1) return same[0]!;
  if (whole !== undefined) return whole;
  const base = typed[0] ?? same[0]!;
  const entries = new Map(base.entries.map((e) => [entryKey(e), e]));
  for (const other of same) {
    if (other === base) continue;
    const more = other.entries.filter((e) => !entries.has(entryKey(e)));
    for (const e of more) entries.set(entryKey(e), e);
  }
  return { ...base, entries: [...entries.values()] };
}
