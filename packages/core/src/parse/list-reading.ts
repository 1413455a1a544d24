import type { Counts } from "../messages/index.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Reading } from "./dialect.ts";
import type { Facts } from "./facts.ts";

/** Listings of one kind of thing, whole or in part. */
type Listing = Extract<Facts, { readonly kind: "fdb" | "bridge-vlans" | "neighbours" | "nexthops" }>;

/** What a listing says. An empty one says that there is none only where somebody asked for it. */
export function listReading(
  listing: Listing,
  counts: Counts,
  requested: boolean,
  diagnostics: readonly Diagnostic[],
): Reading {
  const empty = Object.values(counts).every((n) => n === 0);
  return { facts: empty && !requested ? [] : [listing], diagnostics, counts };
}
