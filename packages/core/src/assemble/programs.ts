import { type Device, isCalicoDevice } from "../model/index.ts";

const CILIUM = /^(?:cilium_\w+|lxc[0-9a-f_]\w*)$/;
const CALICO_EBPF = /^bpf(?:in|out)\.cali$/;

/**
 * Cilium and Calico's eBPF mode attach programs to their devices that no plain dump prints. They are marked, so that the
 * walk says where it can no longer follow.
 */
export function withPrograms(given: readonly Device[]): readonly Device[] {
  const devices = withOpenVSwitch(given);
  const cilium = devices.find((d) => d.name === "cilium_host" || d.name === "cilium_net");
  const calico = devices.find((d) => CALICO_EBPF.test(d.name));
  const observed = cilium ?? calico;
  if (observed === undefined) return devices;
  const who = cilium === undefined ? "Calico" : "Cilium";
  const own = (d: Device): boolean => (cilium === undefined ? isCalicoDevice(d.name) : CILIUM.test(d.name));
  return devices.map((d) => (own(d) ? { ...d, programs: [...(d.programs ?? []), `programs of ${who}`] } : d));
}

const SWITCH = /^ovs-(?:system|netdev)$/;
const OVS_GATEWAY = /^(?:antrea-(?:gw|tun)\d|ovn-k8s-(?:mp|gw)\d)$/;
const OVS_BRIDGE = /^br-(?:int|ex|local|tun)$/;

/**
 * Open vSwitch takes what arrives at its ports before IP sees it, and what it does by its flows is not walked. It holds its ports in
 * promiscuous mode (netdev_set_promisc; ovs_netdev_link()).
 */
function withOpenVSwitch(devices: readonly Device[]): readonly Device[] {
  if (!devices.some((d) => SWITCH.test(d.name) || OVS_GATEWAY.test(d.name))) return devices;
  const own = (d: Device): boolean =>
    OVS_GATEWAY.test(d.name) ||
    (OVS_BRIDGE.test(d.name) && d.kind !== "bridge") ||
    SWITCH.test(d.master ?? "") ||
    (d.flags?.includes("PROMISC") ?? false);
  return devices.map((d) => (own(d) ? { ...d, programs: [...(d.programs ?? []), "flows of Open vSwitch"] } : d));
}
