import { existsSync } from "node:fs";
import type { KernelFeature } from "../realise/needs.ts";

/** What shows that the running kernel has a feature in use. */
const SIGNS: Readonly<Record<KernelFeature, readonly string[]>> = {
  ip_vs: ["/proc/net/ip_vs"],
  "8021q": ["/proc/net/vlan"],
  br_netfilter: ["/proc/sys/net/bridge"],
  ipip: ["/sys/module/ipip"],
  ip_gre: ["/sys/module/ip_gre"],
  sit: ["/sys/module/sit"],
  geneve: ["/sys/module/geneve"],
  ipvlan: ["/sys/module/ipvlan"],
  vrf: ["/sys/module/vrf"],
};

/**
 * Features the running kernel lacks, or has only as modules that are not loaded: the lab loads none, since that changes
 * the machine (br_netfilter sends every bridged packet of the host through its rules).
 */
export const missingFeatures = (needs: readonly KernelFeature[]): readonly KernelFeature[] =>
  needs.filter((need) => !SIGNS[need].some((path) => existsSync(path)));
