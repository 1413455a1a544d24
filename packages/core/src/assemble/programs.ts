import { type Device, isCalicoDevice } from "../model/index.ts";

const CILIUM = /^(?:cilium_\w+|lxc[0-9a-f_]\w*)$/;
const CALICO_EBPF = /^bpf(?:in|out)\.cali$/;

/**
 * Cilium and Calico's eBPF mode attach programs to their devices that no plain dump prints. They are marked, so that the
 * walk says where it can no longer follow.
 */
export function withPrograms(devices: readonly Device[]): readonly Device[] {
  const cilium = devices.find((d) => d.name === "cilium_host" || d.name === "cilium_net");
  const calico = devices.find((d) => CALICO_EBPF.test(d.name));
  const observed = cilium ?? calico;
  if (observed === undefined) return devices;
  const who = cilium === undefined ? "Calico" : "Cilium";
  const own = (d: Device): boolean => (cilium === undefined ? isCalicoDevice(d.name) : CILIUM.test(d.name));
  return devices.map((d) => (own(d) ? { ...d, programs: [...(d.programs ?? []), `programs of ${who}`] } : d));
}
