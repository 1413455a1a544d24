import {
  type Carried,
  type Decision,
  type Device,
  type Fact,
  type FdbEntry,
  isCalicoVxlan,
  type Origin,
  type Packet,
  type Port,
} from "../../model/index.ts";
import {
  type Address,
  type Family,
  familyOf,
  formatAddress,
  hasPorts,
  isIpv4,
  isUnspecified,
  type Mac,
  PROTO,
  unspecified,
} from "../../net/index.ts";
import { icmpSend } from "../ip/icmp-send.ts";
import { ipRcv } from "../ip/ip-rcv.ts";
import { localPortRange } from "../ip/local-port-range.ts";
import { ICMPV6, icmpv6Send, UNREACH } from "../ipv6/icmpv6-send.ts";
import { comesTo } from "../kernel/came-by.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { Undetermined } from "../kernel/oracle.ts";
import type { Skb } from "../kernel/skb.ts";
import { FABRIC_MAC } from "../link/neighbour.ts";
import { received } from "../link/netif-receive.ts";
import { nfHook } from "../netfilter/nf-hooks.ts";
import { dstHoplimit } from "../route/dst-hoplimit.ts";
import { dstMtu } from "../route/dst-mtu.ts";
import { ipRouteOutput } from "../route/ip-route-output.ts";
import { isRouteError } from "../route/route-result.ts";
import { iptunnelXmit, receiveFrom } from "./iptunnel.ts";
import { dropsByChecksum } from "./udp-checksum.ts";

/** IP, UDP, VXLAN and the inner Ethernet header; over IPv6 the first is 20 bytes longer (VXLAN6_HEADROOM). */
export const VXLAN_OVERHEAD = 50;
const IPV6_MORE = 20;
const ALL_ZEROS = "00:00:00:00:00:00";

/** The kernel's default and flannel's is 8472; Calico and the standard say 4789. */
export const vxlanPort = (device: Device): number => device.tunnel?.port ?? (isCalicoVxlan(device.name) ? 4789 : 8472);

/** flannel names its device after its VNI. */
export const vxlanVni = (device: Device): number | undefined => {
  if (device.tunnel?.id !== undefined) return device.tunnel.id;
  const named = /^flannel\.(\d{1,8})$/.exec(device.name)?.[1];
  return named === undefined ? undefined : Number(named);
};

export interface Remote {
  readonly address: Address;
  readonly via?: string;
  readonly port?: number;
  readonly origins: readonly Origin[];
}

/** A frame leaves by a VXLAN device. Follows vxlan_xmit() and vxlan_xmit_one() (drivers/net/vxlan/vxlan_core.c). */
export function vxlanXmit(kernel: Kernel, device: Device, skb: Skb): void {
  const remote = remoteOf(kernel, device, skb);
  if (remote === "none") {
    const mac = skb.destinationMac;
    kernel.drop(
      skb,
      "vxlan",
      "NO_TX_TARGET",
      { kind: "vxlan-no-entry", device: device.name, ...(mac !== undefined && { mac }) },
      [device.origin],
    );
    return;
  }
  if (remote === undefined) {
    kernel.network.transmit(kernel, device, skb);
    return;
  }
  const inner = skb.packet;
  const { tunnel } = device;
  const dport = remote.port ?? portTo(kernel, device);
  const sport = sourcePort(kernel, device, skb);
  const oif = remote.via;
  comesTo(remote.address);
  const route = ipRouteOutput(kernel, {
    daddr: remote.address,
    saddr: tunnel?.local,
    ...(oif !== undefined && kernel.device(oif) !== undefined && { oif }),
    mark: skb.mark,
    tos: 0,
    protocol: PROTO.udp,
    sport,
    dport,
  });
  if (isRouteError(route)) {
    const decision: Decision = {
      kind: "tunnel-no-route",
      remote: remote.address,
      device: device.name,
      errno: route.errno,
    };
    kernel.drop(skb, "vxlan", "IP_OUTNOROUTES", decision, [...remote.origins, ...route.origins]);
    return;
  }
  if (route.type === "local") {
    const decision: Decision = {
      kind: "tunnel-own-end",
      device: device.name,
      remote: remote.address,
      stack: kernel.name,
    };
    bypass(kernel, device, skb, decision, [...remote.origins, ...route.origins]);
    return;
  }
  if (route.device === device) {
    kernel.drop(skb, "vxlan", "LOOP", { kind: "tunnel-loop-of", remote: remote.address, device: device.name }, [
      ...remote.origins,
      ...route.origins,
    ]);
    return;
  }
  const six = !isIpv4(remote.address);
  const length = inner.length + VXLAN_OVERHEAD + (six ? IPV6_MORE : 0);
  // ip6_fragment() cuts it or says that it is too big.
  if (six && length > dstMtu(kernel, route, remote.address, length))
    throw new Undetermined(kernel.name, "vxlan", { kind: "unknown-fragments6" }, [device.origin]);
  const vni = vxlanVni(device);
  const carried: Carried = {
    tunnel: "vxlan",
    packet: inner,
    ...(vni !== undefined && { vni }),
    ...(skb.sourceMac !== undefined && { sourceMac: skb.sourceMac }),
    ...(skb.destinationMac !== undefined && { destinationMac: skb.destinationMac }),
  };
  const outer: Packet & { readonly carried: Carried } = {
    src: tunnel?.local ?? route.source ?? unspecified(familyOf(remote.address)),
    dst: remote.address,
    protocol: PROTO.udp,
    sport,
    dport,
    tcpFlags: 0,
    ttl:
      typeof tunnel?.ttl === "number" && tunnel.ttl > 0
        ? tunnel.ttl
        : tunnel?.ttl === "inherit"
          ? inner.ttl
          : dstHoplimit(kernel, route),
    // ip_tunnel_ecn_encap(): of the type of service only the congestion bits are copied.
    tos: inner.tos & 3,
    length,
    df: six || tunnel?.df === "set" || (tunnel?.df === "inherit" && inner.df),
    carried,
  };
  iptunnelXmit(kernel, device, skb, outer, route, remote.origins);
}

/** The port that was shown, else the one that who made the device usually takes, or what the user says. */
function portTo(kernel: Kernel, device: Device): number {
  const usual = vxlanPort(device);
  if (device.tunnel?.port !== undefined) return usual;
  const fact: Fact = { kind: "tunnel-port", stack: kernel.name, device: device.name };
  const settled = Number(kernel.oracle.settled?.(fact) ?? Number.NaN);
  if (Number.isInteger(settled)) return settled;
  kernel.oracle.assume(fact, String(usual), {
    kind: "vxlan-port",
    device: device.name,
    stack: kernel.name,
    port: usual,
  });
  return usual;
}

/**
 * Follows encap_bypass_if_local() and vxlan_encap_bypass(): the frame turns up at the stack's own device with the route it
 * had. One of the stack's own has nowhere to go with it; a forwarded one goes round until its TTL is used up.
 */
function bypass(kernel: Kernel, device: Device, skb: Skb, decision: Decision, origins: readonly Origin[]): void {
  const own = skb.dev === undefined;
  if (kernel.recording) kernel.record(skb, received(kernel, device, skb));
  skb.type = "host";
  if (own) {
    skb.dev = device;
    if (nfHook(kernel, skb, { hook: "PREROUTING", in: device }) !== "accept") return;
    kernel.drop(skb, "vxlan", "TUNNEL_TO_ITSELF", decision, origins);
    return;
  }
  skb.turnedBack = { decision, origins };
  ipRcv(kernel, skb, device);
}

/** Where frames for the MAC go. `none`: the table was shown whole and says nowhere; undefined: it is not known. */
function remoteOf(kernel: Kernel, device: Device, skb: Skb): Remote | "none" | undefined {
  const entries = kernel.stack.fdb.items.filter((e) => e.device === device.name && e.destination !== undefined);
  const named = entries.filter((e) => e.mac === skb.destinationMac);
  const defaults = entries.filter((e) => e.mac === ALL_ZEROS);
  const [only, more] = named.length > 0 ? named : defaults;
  if (only !== undefined && more === undefined) return ofEntry(only);
  const learnt = named.length > 0 ? undefined : kernel.scratch.get(learntKey(device, skb.destinationMac));
  if (learnt !== undefined) return { address: learnt as Address, origins: [device.origin] };
  // Only the device's own far end is looked up by its `dev`: an entry has no device but the one it names (vxlan_fdb_parse).
  const lower = device.lower === undefined ? {} : { via: device.lower };
  if (only === undefined && device.tunnel?.remote !== undefined)
    return { address: device.tunnel.remote, ...lower, origins: [device.origin] };
  const hint = skb.destinationMac !== undefined && skb.destinationMac !== FABRIC_MAC;
  const found = kernel.network.farEnd(kernel, device, skb);
  if (only === undefined && hint && device.tunnel?.group === undefined && kernel.stack.fdb.extent === "whole")
    return "none";
  if (found === undefined) return undefined;
  const flooded = [...named, ...defaults].find((e) => e.destination! === found);
  if (flooded !== undefined) return ofEntry(flooded);
  kernel.oracle.assume(
    {
      kind: "tunnel-remote",
      stack: kernel.name,
      device: device.name,
      address: skb.route?.gateway ?? skb.packet.dst,
    },
    formatAddress(found),
    {
      kind: "vxlan-remote",
      device: device.name,
      stack: kernel.name,
      address: skb.packet.dst,
      remote: found,
    },
  );
  const grouped = device.tunnel?.group === undefined ? {} : lower;
  return { address: found, ...grouped, origins: [device.origin] };
}

const ofEntry = (e: FdbEntry): Remote => ({
  address: e.destination!,
  ...(e.via !== undefined && { via: e.via }),
  ...(e.port !== undefined && { port: e.port }),
  origins: [e.origin],
});

/** udp_flow_src_port(): a hash of what is carried, so that one inner flow keeps one outer port. */
function sourcePort(kernel: Kernel, device: Device, skb: Skb) {
  const key = `vxlan/${hashOf(skb)}`;
  const known = kernel.scratch.get(key) as ReturnType<typeof kernel.network.newPort> | undefined;
  if (known !== undefined) return known;
  const input = device.tunnel?.sourcePorts;
  const { from, to } = input === undefined || input.to === 0 ? localPortRange(kernel) : input;
  const port = kernel.network.newPort("vxlan", from, to);
  kernel.scratch.set(key, port);
  return port;
}

/**
 * __skb_get_hash(): the same in both directions (__flow_hash_consistentify()). Of ICMP and of fragments the addresses alone are hashed (__skb_flow_dissect()), which no
 * tunnel keeps.
 */
function hashOf(skb: Skb): string {
  if (skb.hash !== undefined) return skb.hash;
  const p = dissected(skb.packet);
  const withPorts = p.fragment === undefined && hasPorts(p.protocol);
  const end = (address: Address, port: Port): string =>
    withPorts ? `${formatAddress(address)} ${JSON.stringify(port)}` : formatAddress(address);
  const key = [String(p.protocol), ...[end(p.src, p.sport), end(p.dst, p.dport)].sort()].join(" ");
  if (withPorts) skb.hash = key;
  return key;
}

/** __skb_flow_dissect() looks into IPIP and GRE; what UDP carries is data to it. */
const dissected = (packet: Packet): Packet =>
  packet.carried === undefined || packet.carried.tunnel === "vxlan" ? packet : dissected(packet.carried.packet);

/** vxlan_sock_add(): a device has a socket of the family of its addresses. */
function socketFamily({ tunnel }: Device): Family | undefined {
  const known = tunnel?.local ?? tunnel?.remote ?? tunnel?.group;
  return known === undefined ? undefined : familyOf(known);
}

/** Whether a program listens where a rule led the tunnel's packet. */
const isServed = ({ stack: { listeners } }: Kernel, { dst, dport }: Packet): boolean =>
  listeners.items.some(
    (l) =>
      l.protocol === PROTO.udp &&
      l.port === dport &&
      (l.address === undefined || isUnspecified(l.address) || l.address === dst),
  );

/** A VXLAN packet reached UDP. Follows vxlan_rcv() and vxlan_set_mac(). */
export function vxlanRcv(kernel: Kernel, skb: Skb): void {
  if (dropsByChecksum(kernel, skb)) return;
  const { packet } = skb;
  const carried = packet.carried!;
  const { devices } = kernel.stack;
  const ours = devices.items.filter((d) => d.kind === "vxlan");
  const bound = ours.filter(
    (d) =>
      d.up !== false &&
      (d.tunnel?.port === undefined || d.tunnel.port === packet.dport) &&
      [familyOf(packet.dst), undefined].includes(socketFamily(d)),
  );
  if (bound.length === 0) {
    if (devices.extent !== "whole" && ours.length === 0) {
      kernel.network.unwrap(kernel, skb);
      return;
    }
    // __udp4_lib_rcv() lets go of the connection (nf_reset_ct) before it answers.
    skb.ct = undefined;
    const nobody: Decision = { kind: "vxlan-nobody", port: packet.dport };
    if (isServed(kernel, packet)) kernel.network.datagram?.(kernel, skb);
    else if (isIpv4(packet.dst)) icmpSend(kernel, skb, 3, 3, nobody);
    else icmpv6Send(kernel, skb, ICMPV6.unreachable, UNREACH.port, nobody);
    kernel.drop(
      skb,
      "vxlan",
      "TUNNEL_NO_DEVICE",
      { kind: "vxlan-no-device", stack: kernel.name, port: packet.dport },
      ours.map((d) => d.origin),
    );
    return;
  }
  const device = bound.find((d) => carried.vni === undefined || [carried.vni, undefined].includes(vxlanVni(d)));
  if (device === undefined) {
    kernel.drop(
      skb,
      "vxlan",
      "VXLAN_VNI_NOT_FOUND",
      { kind: "vxlan-no-vni", stack: kernel.name, ...(carried.vni !== undefined && { vni: carried.vni }) },
      bound.map((d) => d.origin),
    );
    return;
  }
  if (device.mac !== undefined && carried.sourceMac === device.mac) {
    const own = { mac: device.mac, device: device.name, stack: kernel.name };
    kernel.drop(skb, "vxlan", "LOCAL_MAC", { kind: "vxlan-own-mac", ...own }, [device.origin]);
    return;
  }
  const fixed = device.tunnel?.learning === true ? fixedElsewhere(kernel, device, skb) : undefined;
  if (fixed !== undefined) {
    const entry = { mac: fixed.mac, device: device.name, remote: fixed.destination!, source: packet.src };
    kernel.drop(skb, "vxlan", "VXLAN_ENTRY_EXISTS", { kind: "vxlan-entry-exists", ...entry }, [fixed.origin]);
    return;
  }
  if (device.tunnel?.learning === true) kernel.scratch.set(learntKey(device, carried.sourceMac), packet.src);
  receiveFrom(kernel, device, skb, carried);
}

/** vxlan_snoop(): a device that learns keeps where a MAC was heard from, for five minutes. */
const learntKey = ({ name }: Device, mac: Mac | undefined): string => `vxlan-learnt/${name}/${mac ?? ""}`;

/** vxlan_snoop(): a device that learns takes no frame from elsewhere than a permanent entry says its sender is. */
const fixedElsewhere = (kernel: Kernel, device: Device, { packet }: Skb): FdbEntry | undefined =>
  kernel.stack.fdb.items.find(
    (e) =>
      e.device === device.name &&
      e.mac === packet.carried!.sourceMac &&
      e.destination !== undefined &&
      e.destination !== packet.src &&
      e.flags.includes("permanent"),
  );
