import type { Programmed } from "../programmed.ts";
import type { ProxyView } from "../view.ts";
import { collect } from "./collect.ts";
import { filterTable } from "./filter.ts";
import { natTable } from "./nat.ts";
import { sysctlsOf } from "./sysctls.ts";

/** What kube-proxy in IPVS mode writes for one family. Follows syncProxyRules() (pkg/proxy/ipvs/proxier.go, 1.18–1.37). */
export function programmeIpvs(view: ProxyView): Programmed {
  const collected = collect(view);
  const { family, version } = view;
  return {
    family,
    mode: "ipvs",
    tables: [natTable(view, collected), filterTable(view, collected)],
    sets: collected.sets.build(family, version),
    virtualServers: collected.servers.services,
    addresses: collected.servers.addresses,
    sysctls: family === 4 ? sysctlsOf(view) : [],
  };
}
