import type { Device } from "@hairpin/core/model/index.ts";
import { addressWord, line, nameWord, numberWord, oneOf, Unspeakable } from "./words.ts";

/**
 * Devices that must be created from inside their namespace: those on a lower device, which is looked up where the
 * command runs, and tunnels, whose outer packets belong to the namespace they were created in (link_net).
 */
export const needsOwnNamespace = (device: Device): boolean => device.kind !== "bridge" && device.kind !== "dummy";

const at = (device: Device, index: number): string[] => ["name", nameWord(device.name), "index", numberWord(index)];

const onOff = (value: boolean): string => (value ? "1" : "0");

/** A bridge or dummy, created from anywhere. Snooping is off: its queries would be noise. */
export function plainLink(device: Device, index: number, path: string): string {
  if (device.kind === "dummy") return line("link", "add", at(device, index), "netns", path, "type", "dummy");
  const bridge = device.bridge ?? {};
  const words = ["mcast_snooping", "0", "stp_state", onOff(bridge.stp === true)];
  // Off is how a bridge starts, and a kernel without CONFIG_BRIDGE_VLAN_FILTERING refuses even to be told so.
  if (bridge.vlanFiltering === true) words.push("vlan_filtering", onOff(true));
  if (bridge.nfCallIptables !== undefined) words.push("nf_call_iptables", onOff(bridge.nfCallIptables));
  if (bridge.nfCallIp6tables !== undefined) words.push("nf_call_ip6tables", onOff(bridge.nfCallIp6tables));
  return line("link", "add", at(device, index), "netns", path, "type", "bridge", words);
}

const lowerOf = (device: Device): string => {
  if (device.lower === undefined) throw new Unspeakable("its lower device is not known");
  return nameWord(device.lower);
};

function tunnelWords(device: Device): string[] {
  const tunnel = device.tunnel ?? {};
  const words: string[] = [];
  if (tunnel.local !== undefined) words.push("local", addressWord(tunnel.local));
  if (tunnel.remote !== undefined) words.push("remote", addressWord(tunnel.remote));
  if (typeof tunnel.ttl === "number" && tunnel.ttl > 0) words.push("ttl", numberWord(tunnel.ttl));
  return words;
}

export function localLink(device: Device, index: number): string {
  const add = (type: string, ...words: readonly string[]): string =>
    line("link", "add", at(device, index), "type", type, words);
  const on = (type: string, ...words: readonly string[]): string =>
    line("link", "add", "link", lowerOf(device), at(device, index), "type", type, words);
  switch (device.kind) {
    case "vlan": {
      if (device.vlan === undefined) throw new Unspeakable("its VLAN id is not known");
      return on("vlan", "protocol", device.vlan.protocol, "id", numberWord(device.vlan.id));
    }
    case "macvlan":
      return on("macvlan", "mode", oneOf(device.mode ?? "bridge", ["bridge", "private", "vepa", "passthru"]));
    case "ipvlan":
      return on("ipvlan", "mode", oneOf(device.mode ?? "l3", ["l2", "l3", "l3s"]));
    case "vxlan":
      return add("vxlan", ...vxlanWords(device));
    case "ipip":
    case "sit":
    case "gre":
      return add(device.kind, ...tunnelWords(device));
    case "geneve":
      return add("geneve", "id", numberWord(device.tunnel?.id ?? 0), ...tunnelWords(device));
    case "vrf":
      if (device.vrfTable === undefined) throw new Unspeakable("the table of the VRF is not known");
      return add("vrf", "table", numberWord(device.vrfTable));
    case "ifb":
      return add("ifb");
    case "tun":
    case "tap":
      return line("tuntap", "add", "name", nameWord(device.name), "mode", device.kind);
    default:
      throw new Unspeakable(`a device of kind ${device.kind} is not made real`);
  }
}

function vxlanWords(device: Device): string[] {
  const tunnel = device.tunnel ?? {};
  const words: string[] = [];
  if (tunnel.external === true) words.push("external");
  else if (tunnel.id === undefined) throw new Unspeakable("the VXLAN id is not known");
  else words.push("id", numberWord(tunnel.id));
  if (device.lower !== undefined) words.push("dev", nameWord(device.lower));
  if (tunnel.local !== undefined) words.push("local", addressWord(tunnel.local));
  const far = tunnel.group ?? tunnel.remote;
  if (far !== undefined) words.push(tunnel.group !== undefined ? "group" : "remote", addressWord(far));
  words.push("dstport", numberWord(tunnel.port ?? 8472));
  if (tunnel.learning === false) words.push("nolearning");
  if (tunnel.udpChecksum !== undefined) words.push(tunnel.udpChecksum ? "udpcsum" : "noudpcsum");
  if (typeof tunnel.ttl === "number" && tunnel.ttl > 0) words.push("ttl", numberWord(tunnel.ttl));
  return words;
}
