import type { Device } from "@hairpin/core/model/index.ts";
import {
  addressWord,
  deviceWord,
  type Line,
  lineOf,
  numberWord,
  oneOf,
  type Word,
  words,
} from "@hairpin/core/model/word.ts";
import { Unspeakable } from "./refusal.ts";

/**
 * Devices that must be created from inside their namespace: those on a lower device, which is looked up where the
 * command runs, and tunnels, whose outer packets belong to the namespace they were created in (link_net).
 */
export const needsOwnNamespace = (device: Device): boolean => device.kind !== "bridge" && device.kind !== "dummy";

const at = (device: Device, index: number): readonly Word[] =>
  words`name ${deviceWord(device.name)} index ${numberWord(index)}`;

const onOff = (value: boolean): readonly Word[] => (value ? words`1` : words`0`);

/** A bridge or dummy, created from anywhere. Snooping is off: its queries would be noise. */
export function plainLink(device: Device, index: number, path: Word): Line {
  if (device.kind === "dummy") return lineOf(words`link add ${at(device, index)} netns ${path} type dummy`);
  const bridge = device.bridge ?? {};
  const args: Word[] = [...words`mcast_snooping 0 stp_state ${onOff(bridge.stp === true)}`];
  // Off is how a bridge starts, and a kernel without CONFIG_BRIDGE_VLAN_FILTERING refuses even to be told so.
  // Each port has the VLANs that are listed, and not the first one besides.
  if (bridge.vlanFiltering === true) args.push(...words`vlan_filtering 1 vlan_default_pvid 0`);
  if (bridge.nfCallIptables !== undefined) args.push(...words`nf_call_iptables ${onOff(bridge.nfCallIptables)}`);
  if (bridge.nfCallIp6tables !== undefined) args.push(...words`nf_call_ip6tables ${onOff(bridge.nfCallIp6tables)}`);
  return lineOf(words`link add ${at(device, index)} netns ${path} type bridge ${args}`);
}

const lowerOf = (device: Device): Word => {
  if (device.lower === undefined) throw new Unspeakable("its lower device is not known");
  return deviceWord(device.lower);
};

function tunnelWords(device: Device): readonly Word[] {
  const tunnel = device.tunnel ?? {};
  const argv: Word[] = [];
  if (tunnel.local !== undefined) argv.push(...words`local ${addressWord(tunnel.local)}`);
  if (tunnel.remote !== undefined) argv.push(...words`remote ${addressWord(tunnel.remote)}`);
  if (typeof tunnel.ttl === "number" && tunnel.ttl > 0) argv.push(...words`ttl ${numberWord(tunnel.ttl)}`);
  if (tunnel.inputKey !== undefined) argv.push(...words`ikey ${numberWord(tunnel.inputKey)}`);
  if (tunnel.outputKey !== undefined) argv.push(...words`okey ${numberWord(tunnel.outputKey)}`);
  return argv;
}

/** Of tunnels over IPv6, which have a hop limit and an encapsulation limit by default. */
function limitWords({ tunnel = {} }: Device): readonly Word[] {
  const argv: Word[] = [];
  if (tunnel.ttl === "inherit") argv.push(...words`hoplimit inherit`);
  if (tunnel.encapLimit === "none") argv.push(...words`encaplimit none`);
  if (typeof tunnel.encapLimit === "number") argv.push(...words`encaplimit ${numberWord(tunnel.encapLimit)}`);
  return argv;
}

export function localLink(device: Device, index: number): Line {
  const add = (type: readonly Word[]): Line => lineOf(words`link add ${at(device, index)} type ${type}`);
  const on = (type: readonly Word[]): Line =>
    lineOf(words`link add link ${lowerOf(device)} ${at(device, index)} type ${type}`);
  switch (device.kind) {
    case "vlan": {
      if (device.vlan === undefined) throw new Unspeakable("its VLAN id is not known");
      const protocol = oneOf(device.vlan.protocol, ["802.1Q", "802.1ad"]);
      return on(words`vlan protocol ${protocol} id ${numberWord(device.vlan.id)}`);
    }
    case "macvlan":
      return on(words`macvlan mode ${oneOf(device.mode ?? "bridge", ["bridge", "private", "vepa", "passthru"])}`);
    case "ipvlan":
      return on(words`ipvlan mode ${oneOf(device.mode ?? "l3", ["l2", "l3", "l3s"])}`);
    case "vxlan":
      return add(words`vxlan ${vxlanWords(device)}`);
    case "ipip":
    case "sit":
    case "gre":
      return add(words`${oneOf(device.kind, ["ipip", "sit", "gre"])} ${tunnelWords(device)}`);
    case "ip6tnl":
      return add(
        words`ip6tnl mode ${oneOf(device.mode ?? "any", ["ip6ip6", "ipip6", "any"])} ${tunnelWords(device)} ${limitWords(device)}`,
      );
    case "ip6gre":
      return add(words`ip6gre ${tunnelWords(device)} ${limitWords(device)}`);
    case "geneve":
      return add(words`geneve id ${numberWord(device.tunnel?.id ?? 0)} ${tunnelWords(device)}`);
    case "vrf":
      if (device.vrfTable === undefined) throw new Unspeakable("the table of the VRF is not known");
      return add(words`vrf table ${numberWord(device.vrfTable)}`);
    case "ifb":
      return add(words`ifb`);
    case "tun":
    case "tap":
      return lineOf(words`tuntap add name ${deviceWord(device.name)} mode ${oneOf(device.kind, ["tun", "tap"])}`);
    default:
      throw new Unspeakable(`a device of kind ${device.kind} is not made real`);
  }
}

function vxlanWords(device: Device): readonly Word[] {
  const tunnel = device.tunnel ?? {};
  const said: Word[] = [];
  if (tunnel.external === true) said.push(...words`external`);
  else if (tunnel.id === undefined) throw new Unspeakable("the VXLAN id is not known");
  else said.push(...words`id ${numberWord(tunnel.id)}`);
  if (device.lower !== undefined) said.push(...words`dev ${deviceWord(device.lower)}`);
  if (tunnel.local !== undefined) said.push(...words`local ${addressWord(tunnel.local)}`);
  if (tunnel.group !== undefined) said.push(...words`group ${addressWord(tunnel.group)}`);
  else if (tunnel.remote !== undefined) said.push(...words`remote ${addressWord(tunnel.remote)}`);
  said.push(...words`dstport ${numberWord(tunnel.port ?? 8472)}`);
  if (tunnel.learning === false) said.push(...words`nolearning`);
  // Where nobody showed it, as flannel and Calico make theirs: without one, NAT has none to spoil.
  said.push(...(tunnel.udpChecksum === true ? words`udpcsum` : words`noudpcsum`));
  if (tunnel.df !== undefined) said.push(...words`df ${oneOf(tunnel.df, ["set", "inherit"])}`);
  if (typeof tunnel.ttl === "number" && tunnel.ttl > 0) said.push(...words`ttl ${numberWord(tunnel.ttl)}`);
  return said;
}
