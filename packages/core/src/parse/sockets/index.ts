import type { Dialect } from "../dialect.ts";
import { claimCounters, claimSockets, printsCounters, printsSockets } from "./claim.ts";
import { claimEthtool, printsEthtool } from "./claim-ethtool.ts";
import { readCounters } from "./counters.ts";
import { readEthtool } from "./ethtool.ts";
import { readSockets } from "./listeners.ts";

export const dialects: readonly Dialect[] = [
  { id: "sockets", title: "ss, netstat", printedBy: printsSockets, claim: claimSockets, read: readSockets },
  { id: "counters", title: "nstat, netstat -s", printedBy: printsCounters, claim: claimCounters, read: readCounters },
  { id: "ethtool", title: "ethtool", printedBy: printsEthtool, claim: claimEthtool, read: readEthtool },
];
