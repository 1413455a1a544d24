import type { DeviceKind } from "@hairpin/core/model/index.ts";
import { lookup } from "@hairpin/core/model/lookup.ts";
import type { LabPlan } from "../plan.ts";

/** Tools that few plans need. The VM brings them. */
const TOOLS = ["ipset", "ipvsadm", "conntrack", "nft"] as const;
export type LabTool = (typeof TOOLS)[number];
export const isTool = (need: KernelFeature): need is LabTool => TOOLS.some((tool) => tool === need);

/** Parts of the kernel that not every one has, and what speaks to them. */
export type KernelFeature =
  | LabTool
  | "ip_vs"
  | "8021q"
  | "ipip"
  | "ip_gre"
  | "sit"
  | "ip6_tunnel"
  | "ip6_gre"
  | "geneve"
  | "ipvlan"
  | "vrf"
  | "br_netfilter"
  | "ip_set_hash_ipmac"
  | "ip_set_hash_ipmark"
  | "ip_set_hash_mac"
  | "ip_set_hash_netnet"
  | "ip_set_hash_netportnet";

const BY_KIND: Readonly<Partial<Record<DeviceKind, KernelFeature>>> = {
  vlan: "8021q",
  ipip: "ipip",
  gre: "ip_gre",
  sit: "sit",
  ip6tnl: "ip6_tunnel",
  ip6gre: "ip6_gre",
  geneve: "geneve",
  ipvlan: "ipvlan",
  vrf: "vrf",
};

/** Types of sets that small kernels leave out. */
const BY_SET: Readonly<Record<string, KernelFeature>> = lookup({
  "ip,mac": "ip_set_hash_ipmac",
  "ip,mark": "ip_set_hash_ipmark",
  mac: "ip_set_hash_mac",
  "net,net": "ip_set_hash_netnet",
  "net,port,net": "ip_set_hash_netportnet",
});

/** What a kernel must have for this plan. */
export function needsOf(plan: LabPlan): readonly KernelFeature[] {
  const needs = new Set<KernelFeature>();
  for (const stack of plan.stacks) {
    if (stack.services.length > 0) needs.add("ip_vs").add("ipvsadm");
    if (stack.ipsets.length > 0) needs.add("ipset");
    if (stack.nft.length > 0) needs.add("nft");
    if ((stack.conntrack ?? []).length > 0) needs.add("conntrack");
    for (const { method, dimensions } of stack.ipsets) {
      const feature = method === "hash" ? BY_SET[dimensions.join()] : undefined;
      if (feature !== undefined) needs.add(feature);
    }
    for (const device of stack.devices) {
      const feature = BY_KIND[device.kind];
      if (feature !== undefined) needs.add(feature);
    }
    const calls = stack.sysctls.some(([key, value]) => key === "net.bridge.bridge-nf-call-iptables" && value !== "0");
    if (calls && stack.tables.length + stack.nft.length > 0 && stack.devices.some((d) => d.kind === "bridge"))
      needs.add("br_netfilter");
  }
  return [...needs];
}
