import type { ConntrackEntry, ConntrackTuple, Listeners, Listing } from "../model/index.ts";
import { formatAddress } from "../net/index.ts";
import type { Dumped } from "./dumped.ts";
import { mergeListings } from "./listings.ts";

const tupleKey = (t: ConntrackTuple): string =>
  `${t.protocol} ${formatAddress(t.src)}.${t.sport} ${formatAddress(t.dst)}.${t.dport}`;

/** The connection table as far as it was shown. */
export const mergeConntrack = (observed: readonly Dumped<"conntrack">[]): Listing<ConntrackEntry> =>
  mergeListings(
    observed.map(({ fact }) => ({ items: fact.entries, extent: fact.extent })),
    (e) => `${e.zone} ${tupleKey(e.original)}`,
  );

/** Who listens, as far as it was shown. */
export function mergeListeners(found: readonly Dumped<"listeners">[]): Listeners {
  const merged = mergeListings(
    found.map(({ fact }) => ({ items: fact.listeners, extent: fact.extent })),
    (l) => {
      const wildcard = l.v6only ? "::" : l.v4only ? "0.0.0.0" : "*";
      return `${l.protocol} ${l.address === undefined ? wildcard : formatAddress(l.address)} ${l.port} ${l.device ?? ""}`;
    },
  );
  const wholeFor = [...new Set(found.flatMap(({ fact }) => fact.wholeFor))];
  return wholeFor.length === 0 ? merged : { ...merged, wholeFor };
}
