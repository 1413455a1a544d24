import type { Programmed } from "../programmed.ts";
import type { ProxyView } from "../view.ts";

export const programmeIptables = (view: ProxyView): Programmed => ({
  family: view.family,
  mode: "iptables",
  tables: [],
  sets: [],
  virtualServers: [],
  addresses: [],
  sysctls: [],
});
