import { derived } from "../../model/index.ts";
import type { Programmed } from "../programmed.ts";
import type { ProxyView } from "../view.ts";
import { writeLayout } from "./layout.ts";
import { writeServicePort } from "./service-port.ts";
import { NftTableBuilder } from "./table-builder.ts";

/** What kube-proxy of this release writes in nftables mode, for one family. */
export function programmeNftables(view: ProxyView): Programmed {
  const origin = derived("what kube-proxy writes on every node", view.config.origin ?? view.node.origin);
  const table = new NftTableBuilder(origin);
  writeLayout(table, view);
  for (const port of view.ports) writeServicePort(table, view, port);
  return {
    family: view.family,
    mode: "nftables",
    tables: [],
    nft: [table.build(view.family)],
    sets: [],
    virtualServers: [],
    addresses: [],
    sysctls: [],
  };
}
