import type { ConntrackEntry, ConntrackTuple, Listeners, Listing } from "../model/index.ts";
import { formatAddress } from "../net/index.ts";
import { mergeListings } from "./listings.ts";
import type { Seen } from "./seen.ts";

const tupleKey = (t: ConntrackTuple): string =>
  `${t.protocol} ${formatAddress(t.src)}.${t.sport} ${formatAddress(t.dst)}.${t.dport}`;

/** The connection table as far as it was shown. */
export const mergeConntrack = (seen: readonly Seen<"conntrack">[]): Listing<ConntrackEntry> =>
  mergeListings(
    seen.map(({ fact }) => ({ items: fact.entries, extent: fact.extent })),
    (e) => `${e.zone} ${tupleKey(e.original)}`,
  );

/** Who listens, as far as it was shown. */
export function mergeListeners(seen: readonly Seen<"listeners">[]): Listeners {
  const merged = mergeListings(
    seen.map(({ fact }) => ({ items: fact.listeners, extent: fact.extent })),
    (l) => `${l.protocol} ${l.address === undefined ? "*" : formatAddress(l.address)} ${l.port} ${l.device ?? ""}`,
  );
  const wholeFor = [...new Set(seen.flatMap(({ fact }) => fact.wholeFor))];
  return wholeFor.length === 0 ? merged : { ...merged, wholeFor };
}
