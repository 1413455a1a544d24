import type { Device } from "../device.ts";
import type { DatapathOwner } from "../other-datapath.ts";

/** Devices that a datapath makes for itself: one of them tells that it is there. */
const MADE: readonly (readonly [DatapathOwner, RegExp])[] = [
  ["Cilium", /^cilium_(?:host|net|vxlan|geneve|wg0)$/],
  ["Calico", /^bpf(?:in|out)\.cali$/],
  ["Antrea", /^antrea-(?:gw|tun|egress)\d$/],
  ["OVN-Kubernetes", /^ovn-k8s-(?:mp|gw)\d$/],
  ["Open vSwitch", /^ovs-(?:system|netdev)$/],
];

/** By which devices a node shows which datapaths; Open vSwitch alone where nobody is known who uses it. */
export function ownersShown(devices: readonly Device[]): ReadonlyMap<DatapathOwner, Device> {
  const found = new Map<DatapathOwner, Device>();
  for (const device of devices) {
    const owner = MADE.find(([, pattern]) => pattern.test(device.name))?.[0];
    if (owner !== undefined && !found.has(owner)) found.set(owner, device);
  }
  if (found.has("Antrea") || found.has("OVN-Kubernetes")) found.delete("Open vSwitch");
  return found;
}

/** Cilium names the ends of its pods so. */
const CILIUM_POD = /^(?:cilium_\w+|lxc[0-9a-f_]\w*)$/;
const OVS_GATEWAY = /^(?:antrea-(?:gw|tun)\d|ovn-k8s-(?:mp|gw)\d)$/;
const OVS_BRIDGE = /^br-(?:int|ex|local|tun)$/;
const SWITCH = /^ovs-(?:system|netdev)$/;

export const isOfSwitch = (owner: DatapathOwner): boolean =>
  owner === "Antrea" || owner === "OVN-Kubernetes" || owner === "Open vSwitch";

/** A device that Cilium or Calico's eBPF mode have programs on, wherever they run. */
export const isOfPrograms = (owner: DatapathOwner, { name }: Device): boolean =>
  owner === "Cilium" ? CILIUM_POD.test(name) : name.startsWith("cali") || /^bpf(?:in|out)\.cali$/.test(name);

/**
 * A port of Open vSwitch, which takes what arrives there before IP sees it. Without a list of its ports: it holds them in promiscuous
 * mode (ovs_netdev_link()).
 */
export const isPort = (device: Device, ports: ReadonlySet<string> | undefined): boolean =>
  OVS_GATEWAY.test(device.name) ||
  (OVS_BRIDGE.test(device.name) && device.kind !== "bridge") ||
  SWITCH.test(device.master ?? "") ||
  (ports === undefined ? (device.flags?.includes("PROMISC") ?? false) : ports.has(device.name));

/** Where packets of other machines come in. */
export const isCard = ({ kind, addresses, master }: Device): boolean =>
  kind === "ethernet" || kind === "bond" || (kind === "unknown" && addresses.length > 0 && master === undefined);
