import { existsSync } from "node:fs";
import { isInstalled } from "../installed.ts";
import { isTool, type KernelFeature, type LabTool } from "../realise/needs.ts";

/** What shows that the running kernel has a feature in use. */
const SIGNS: Readonly<Record<Exclude<KernelFeature, LabTool>, readonly string[]>> = {
  ip_vs: ["/proc/net/ip_vs"],
  "8021q": ["/proc/net/vlan"],
  br_netfilter: ["/proc/sys/net/bridge"],
  ipip: ["/sys/module/ipip"],
  ip_gre: ["/sys/module/ip_gre"],
  sit: ["/sys/module/sit"],
  ip6_tunnel: ["/sys/module/ip6_tunnel"],
  ip6_gre: ["/sys/module/ip6_gre"],
  geneve: ["/sys/module/geneve"],
  ipvlan: ["/sys/module/ipvlan"],
  vrf: ["/sys/module/vrf"],
  ip_set_hash_ipmac: ["/sys/module/ip_set_hash_ipmac"],
  ip_set_hash_ipmark: ["/sys/module/ip_set_hash_ipmark"],
  ip_set_hash_mac: ["/sys/module/ip_set_hash_mac"],
  ip_set_hash_netnet: ["/sys/module/ip_set_hash_netnet"],
  ip_set_hash_netportnet: ["/sys/module/ip_set_hash_netportnet"],
};

/**
 * Features the running kernel lacks, or has only as modules that are not loaded: the lab loads none, since that changes
 * the machine (br_netfilter sends every bridged packet of the host through its rules).
 */
export const missingFeatures = (needs: readonly KernelFeature[]): readonly KernelFeature[] =>
  needs.filter((need) => (isTool(need) ? !isInstalled(need) : !SIGNS[need].some((path) => existsSync(path))));
