import type { DeviceKind } from "@hairpin/core/model/index.ts";
import type { LabPlan } from "../plan.ts";

/** Parts of the kernel that not every one has. */
export type KernelFeature =
  | "ip_vs"
  | "8021q"
  | "ipip"
  | "ip_gre"
  | "sit"
  | "geneve"
  | "ipvlan"
  | "vrf"
  | "br_netfilter";

const BY_KIND: Readonly<Partial<Record<DeviceKind, KernelFeature>>> = {
  vlan: "8021q",
  ipip: "ipip",
  gre: "ip_gre",
  sit: "sit",
  geneve: "geneve",
  ipvlan: "ipvlan",
  vrf: "vrf",
};

/** What a kernel must have for this plan. */
export function needsOf(plan: LabPlan): readonly KernelFeature[] {
  const needs = new Set<KernelFeature>();
  for (const stack of plan.stacks) {
    if (stack.services.length > 0) needs.add("ip_vs");
    for (const device of stack.devices) {
      const feature = BY_KIND[device.kind];
      if (feature !== undefined) needs.add(feature);
    }
    const calls = stack.sysctls.some(([key, value]) => key === "net.bridge.bridge-nf-call-iptables" && value !== "0");
    if (calls && stack.tables.length > 0 && stack.devices.some((d) => d.kind === "bridge")) needs.add("br_netfilter");
  }
  return [...needs];
}
