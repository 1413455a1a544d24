import type { Device, TunnelParameters } from "../../../model/index.ts";
import { formatAddress } from "../../../net/index.ts";
import type { Arguments } from "../command/to-commands.ts";

const onOff = (value: boolean): string => (value ? "on" : "off");

function tunnelWords(device: Device, t: TunnelParameters): string[] {
  const words: string[] = device.kind === "ip6tnl" && device.mode !== undefined ? ["mode", device.mode] : [];
  if (t.external) words.push("external");
  else if (t.id !== undefined) words.push("id", String(t.id));
  if (t.remote !== undefined) words.push("remote", formatAddress(t.remote));
  if (t.group !== undefined) words.push("group", formatAddress(t.group));
  if (t.local !== undefined) words.push("local", formatAddress(t.local));
  if (device.lower !== undefined) words.push("dev", device.lower);
  if (device.kind === "vxlan") {
    words.push("dstport", String(t.port ?? 8472));
    if (t.learning !== undefined) words.push(t.learning ? "learning" : "nolearning");
    if (t.udpChecksum !== undefined) words.push(t.udpChecksum ? "udpcsum" : "noudpcsum");
    if (t.df !== undefined) words.push("df", t.df);
  } else if (t.port !== undefined) words.push("dstport", String(t.port));
  if (t.inputKey !== undefined) words.push("ikey", String(t.inputKey));
  if (t.outputKey !== undefined) words.push("okey", String(t.outputKey));
  if (typeof t.ttl === "number") words.push("ttl", String(t.ttl));
  if (t.encapLimit !== undefined) words.push("encaplimit", String(t.encapLimit));
  if (t.pathMtuDiscovery === false) words.push("nopmtudisc");
  return words;
}

/** `ip link add` for the kinds that ip(8) can make; undefined for cards, loopback and what is not known. */
export function linkCommand(device: Device): Arguments | undefined {
  const add = ["link", "add", "name", device.name];
  const below = device.lower === undefined ? [] : ["link", device.lower];
  const mode = device.mode === undefined ? [] : ["mode", device.mode];
  switch (device.kind) {
    case "veth":
      return device.peer?.name === undefined ? undefined : [...add, "type", "veth", "peer", "name", device.peer.name];
    case "bridge": {
      const { stp, vlanFiltering } = device.bridge ?? {};
      const words = [...add, "type", "bridge"];
      // Kernels without either refuse even a zero.
      if (stp) words.push("stp_state", "1");
      if (vlanFiltering) words.push("vlan_filtering", "1");
      return words;
    }
    case "vlan": {
      if (device.vlan === undefined || device.lower === undefined) return undefined;
      return [...add, ...below, "type", "vlan", "protocol", device.vlan.protocol, "id", String(device.vlan.id)];
    }
    case "vxlan":
    case "geneve":
    case "ipip":
    case "sit":
    case "gre":
    case "ip6tnl":
    case "ip6gre":
      return [...add, "type", device.kindName ?? device.kind, ...tunnelWords(device, device.tunnel ?? {})];
    case "macvlan":
    case "macvtap":
    case "ipvlan":
      return device.lower === undefined
        ? undefined
        : [...add, ...below, "type", device.kindName ?? device.kind, ...mode];
    case "bond":
      return [...add, "type", "bond", ...mode];
    case "vrf":
      return device.vrfTable === undefined ? undefined : [...add, "type", "vrf", "table", String(device.vrfTable)];
    case "dummy":
    case "ifb":
    case "nlmon":
    case "wireguard":
      return [...add, "type", device.kind];
    case "tun":
    case "tap":
      return ["tuntap", "add", "dev", device.name, "mode", device.kind];
    default:
      return undefined;
  }
}

/** Settings of a device that is there: MAC, MTU, master, port flags, up. */
export function linkSettings(device: Device): Arguments[] {
  const set = (...words: string[]): Arguments => ["link", "set", "dev", device.name, ...words];
  const result: Arguments[] = [];
  const fixed = device.kind === "loopback" || device.kind === "ifb";
  if (device.mac !== undefined && !fixed) result.push(set("address", device.mac));
  if (device.mtu !== undefined) result.push(set("mtu", String(device.mtu)));
  if (device.flags !== undefined && device.kind !== "loopback")
    result.push(set("arp", onOff(!device.flags.includes("NOARP"))));
  if (device.master !== undefined) result.push(set("master", device.master));
  const port = device.port;
  if (port !== undefined) {
    const words: string[] = [];
    for (const [key, value] of [
      ["hairpin", port.hairpin],
      ["learning", port.learning],
      ["flood", port.flood],
      ["isolated", port.isolated],
      ["proxy_arp", port.proxyArp],
      ["neigh_suppress", port.neighbourSuppression],
      ["mcast_flood", port.multicastFlood],
      ["bcast_flood", port.broadcastFlood],
      ["locked", port.locked],
    ] as const)
      if (value !== undefined) words.push(key, onOff(value));
    if (words.length > 0) result.push(set("type", "bridge_slave", ...words));
  }
  for (const name of device.altnames ?? [])
    result.push(["link", "property", "add", "dev", device.name, "altname", name]);
  if (device.up !== undefined) result.push(set(device.up ? "up" : "down"));
  return result;
}

/** All devices of a namespace: made in an order that lets them stand on each other, then set. */
export function linksToCommands(devices: readonly Device[]): Arguments[] {
  const made = new Set<string>();
  const result: Arguments[] = [];
  for (const device of [...devices].sort((a, b) => Number(a.lower !== undefined) - Number(b.lower !== undefined))) {
    if (made.has(device.name)) continue;
    const command = linkCommand(device);
    if (command === undefined) continue;
    result.push(command);
    made.add(device.name);
    if (device.kind === "veth" && device.peer?.name !== undefined) made.add(device.peer.name);
  }
  return [...result, ...devices.flatMap(linkSettings)];
}
