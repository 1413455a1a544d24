import type { BridgeVlan, Device } from "../../model/index.ts";
import type { Kernel } from "../kernel/kernel.ts";

/**
 * The VLAN a frame is in inside of a bridge; `unfiltered`: the bridge looks at no tag; `kept out`: the port does not take it; `unknown`:
 * whether the bridge filters, or by what, was not shown.
 */
export type Vid = number | "unfiltered" | "kept out" | "unknown";

/** br_allowed_ingress() (net/bridge/br_vlan.c): by its tag, or by the port's own VLAN. `from` is the bridge for what its stack sends. */
export function allowedIngress(kernel: Kernel, bridge: Device, from: Device, tag: number | undefined): Vid {
  const vlans = filteredBy(kernel, bridge, from);
  if (typeof vlans === "string") return vlans;
  if (tag === undefined) return vlans.find((v) => v.pvid)?.to ?? "kept out";
  return vlans.some((v) => has(v, tag)) ? tag : "kept out";
}

/** br_allowed_egress() and br_handle_vlan(): whether a frame of this VLAN leaves by a port, and the tag that it then has. */
export function allowedEgress(
  kernel: Kernel,
  bridge: Device,
  to: Device,
  vid: Vid,
  tag: number | undefined,
): { readonly tag: number | undefined } | "kept out" | "unknown" {
  if (vid === "unfiltered") return { tag };
  if (typeof vid === "string") return vid;
  const vlans = filteredBy(kernel, bridge, to);
  if (typeof vlans === "string") return vlans === "unfiltered" ? { tag } : vlans;
  const found = vlans.find((v) => has(v, vid));
  return found === undefined ? "kept out" : { tag: found.untagged ? undefined : vid };
}

const has = ({ from, to }: BridgeVlan, vid: number): boolean => from <= vid && vid <= to;

/** Every port of a bridge is in VLAN 1, untagged, until somebody changes it: filtering by that is no filtering. */
const isDefault = ({ from, to, pvid, untagged }: BridgeVlan): boolean => from === 1 && to === 1 && pvid && untagged;

function filteredBy(
  { stack: { bridgeVlans }, compiled }: Kernel,
  { name, bridge }: Device,
  { name: port }: Device,
): readonly BridgeVlan[] | "unfiltered" | "unknown" {
  if (bridge?.vlanFiltering === false) return "unfiltered";
  if (bridge?.vlanFiltering === undefined && bridgeVlans.items.length === 0) return "unfiltered";
  const ports = new Set([name, ...compiled.ports(name).map((p) => p.name)]);
  const shown = bridgeVlans.items.filter((v) => ports.has(v.device) && v.tunnelId === undefined);
  if (bridge?.vlanFiltering !== true) return shown.every(isDefault) ? "unfiltered" : "unknown";
  const own = shown.filter((v) => v.device === port);
  return own.length === 0 && bridgeVlans.extent !== "whole" ? "unknown" : own;
}
