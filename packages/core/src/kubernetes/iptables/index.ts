import { derived, PROXY_CANARY, type SysctlEntry } from "../../model/index.ts";
import type { Programmed } from "../programmed.ts";
import { TableBuilder } from "../table-builder.ts";
import { isSince } from "../version.ts";
import type { ProxyView } from "../view.ts";
import { declareBaseChains, writeForwardChain, writeLocalnetFirewall, writeMasqueradeChains } from "./base-chains.ts";
import { writeJumps } from "./jumps.ts";
import { localhostNodePorts, writeNodePortsJump } from "./node-ports.ts";
import { writeServicePort } from "./service-chains.ts";
import { writeServicePortXlb } from "./service-chains-xlb.ts";
import { newSync } from "./sync.ts";

/** Up to 1.23 route_localnet was set whatever the NodePorts' addresses are. */
function sysctlsOf(view: ProxyView): readonly SysctlEntry[] {
  const wanted = view.family === 4 && (!isSince(view.version, 24) || localhostNodePorts(view));
  if (!wanted) return [];
  const origin = derived("kube-proxy sets it for NodePorts on localhost", view.config.origin ?? view.node.origin);
  return [{ key: "net.ipv4.conf.all.route_localnet", value: "1", origin }];
}

/** What kube-proxy of this release writes in iptables mode, for one family. */
export function programmeIptables(view: ProxyView): Programmed {
  const sync = newSync(view);
  writeJumps(sync);
  declareBaseChains(sync);
  writeMasqueradeChains(sync);
  writeLocalnetFirewall(sync);
  const write = isSince(view.version, 24) ? writeServicePort : writeServicePortXlb;
  for (const port of view.ports) write(sync, port);
  writeNodePortsJump(sync);
  writeForwardChain(sync);
  // By these it sees that somebody flushed a table (utiliptables.Monitor).
  const mangle = new TableBuilder("mangle");
  for (const table of [mangle, sync.nat, sync.filter]) table.chain(PROXY_CANARY);
  return {
    family: view.family,
    mode: "iptables",
    tables: [mangle, sync.nat, sync.filter].map((table) => table.build(view.family, sync.origin)),
    sets: [],
    virtualServers: [],
    addresses: [],
    sysctls: sysctlsOf(view),
  };
}
