import type { Dialect } from "../dialect.ts";
import { claimEntries, claimStats, printsEntries, printsStats } from "./claim.ts";
import { readConntrack, readConntrackStats } from "./read.ts";

export const dialects: readonly Dialect[] = [
  {
    id: "conntrack",
    title: "conntrack -L, /proc/net/nf_conntrack",
    printedBy: printsEntries,
    claim: claimEntries,
    read: readConntrack,
  },
  { id: "conntrack-stats", title: "conntrack -S", printedBy: printsStats, claim: claimStats, read: readConntrackStats },
];
