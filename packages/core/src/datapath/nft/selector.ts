import { isLaterFragment, type NftSelector, type Packet, type Port, TCP } from "../../model/index.ts";
import { hasPorts, isIpv4, type Mac, PROTO, parseMac } from "../../net/index.ts";
import { hasTemplate, zoneId } from "../conntrack/nf-conntrack-zone.ts";
import { fibSkips } from "../ip/tcp-early-demux.ts";
import { mssOfPath } from "../ip/tcp-mss.ts";
import { hasNoExtensions } from "../ipv6/extension-headers.ts";
import { fib6Device, fib6Type } from "../ipv6/nft-fib6.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { kernelAtLeast } from "../kernel/kernel-version.ts";
import { assumeRoot } from "../kernel/owner.ts";
import { type ArpFrame, lengthOf, type Skb } from "../kernel/skb.ts";
import type { HookState } from "../netfilter/nf-hooks.ts";
import { type AddrType, fibLookup, inetAddrType } from "../route/fib.ts";
import { isRouteError } from "../route/route-result.ts";
import { number, type Read, type Register } from "./register.ts";

/** What nft's `rt mtu` says where not even the headers fit. */
const TCP_MSS_DEFAULT = 536;
const AF_INET = 2;
const AF_INET6 = 10;
const NFPROTO_ARP = 3;
const ETH_P_ARP = 0x0806;
const ETH_P_IP = 0x0800;
const ETH_P_IPV6 = 0x86dd;
const ETH_P_8021Q = 0x8100;

export interface Look {
  readonly kernel: Kernel;
  readonly skb: Skb;
  readonly state: HookState;
}

const port = (p: Port): Register => (typeof p === "number" ? number(p) : { kind: "port", value: p });
const device = (d: { readonly name: string; readonly index?: number } | undefined): Register =>
  d === undefined
    ? { kind: "device", value: "" }
    : { kind: "device", value: d.name, ...(d.index !== undefined && { index: d.index }) };

/** What a selector gives for this packet at this hook (the eval functions of nft_payload.c, nft_meta.c, nft_ct.c, nft_fib.c). */
export function readSelector(look: Look, s: NftSelector): Read {
  switch (s.kind) {
    case "payload":
      return payload(look, s.protocol, s.field);
    case "raw":
      return raw(look, s.base, s.offset, s.length);
    case "meta":
      return meta(look, s.key);
    case "ct":
      return ct(look, s);
    case "fib":
      // nft_fib_netdev_eval(): of what is no IP packet nothing is looked up.
      return look.skb.arp === undefined ? fib(look, s.flags, s.result) : "absent";
    case "rt":
      return look.skb.arp === undefined ? rt(look, s.key) : "absent";
    case "exthdr":
      // Only IPv6 has them; presence is a number.
      if (!hasNoExtensions(look.skb.packet)) return "unknown";
      return s.field === undefined ? number(0) : "absent";
    case "tcp option":
      return tcpOption(look, s.option, s.field);
    case "ip option":
    case "sctp chunk":
      return s.field === undefined ? number(0) : "absent";
    default:
      return "unknown";
  }
}

/** nft_payload_eval(), with the protocol that a named field implies: `tcp dport` of a UDP packet is not there. */
function payload({ skb, state }: Look, protocol: string, field: string): Read {
  const { packet } = skb;
  const four = isIpv4(packet.src);
  if (skb.arp !== undefined) return arpField(skb, skb.arp, protocol, field);
  switch (protocol) {
    case "ip":
      return four ? ipField(skb, field) : "absent";
    case "ip6":
      return four ? "absent" : ip6Field(skb, field);
    case "tcp":
    case "udp":
    case "udplite":
    case "sctp":
    case "dccp":
    case "th":
    case "icmp":
    case "icmpv6":
      // nft_payload_eval(): a later fragment has no transport header.
      return isLaterFragment(packet) ? "absent" : transportHeader(skb, protocol, field);
    case "ether": {
      if (field === "type") return etherType(skb, four);
      // nft_payload_eval(): a packet of our own has no header of the link layer before it is at its device.
      if (skb.dev === undefined && state.frame !== true) return "absent";
      return macOf(field === "saddr" ? skb.sourceMac : skb.destinationMac);
    }
    case "igmp":
      return packet.protocol === 2 ? "unknown" : "absent";
    case "ah":
      return packet.protocol === 51 ? "unknown" : "absent";
    case "esp":
      return packet.protocol === 50 ? "unknown" : "absent";
    case "comp":
      return packet.protocol === 108 ? "unknown" : "absent";
    case "vlan":
      return vlanField(skb, field, number(four ? ETH_P_IP : ETH_P_IPV6));
    case "arp":
      return "absent";
    default:
      return "unknown";
  }
}

/** Not a name that the walk gives to one that nobody showed. */
const macOf = (mac: Mac | undefined): Read =>
  mac === undefined || parseMac(mac) === undefined ? "unknown" : { kind: "mac", value: mac };

/** nft_payload_copy_vlan(): a tag that the device took off stands in the header all the same. */
const etherType = ({ vlan }: Skb, four: boolean): Register =>
  number(vlan !== undefined ? ETH_P_8021Q : four ? ETH_P_IP : ETH_P_IPV6);

/** The tag of a frame at a device or bridge; what has come to IP has none any more. */
function vlanField({ vlan }: Skb, field: string, type: Register): Read {
  if (vlan === undefined) return "absent";
  return field === "id" ? number(vlan) : field === "type" ? type : "unknown";
}

const HTYPE_ETHERNET = 1;

/** An ARP packet has its own fields and those of its frame, and none of IP. */
function arpField(skb: Skb, arp: ArpFrame, protocol: string, field: string): Read {
  if (protocol === "ether") {
    if (field === "type") return number(skb.vlan === undefined ? ETH_P_ARP : ETH_P_8021Q);
    const mac = field === "saddr" ? skb.sourceMac : skb.destinationMac;
    return macOf(mac);
  }
  if (protocol === "vlan") return vlanField(skb, field, number(ETH_P_ARP));
  if (protocol !== "arp") return "absent";
  switch (field) {
    case "operation":
      return number(arp.operation === "request" ? 1 : 2);
    case "htype":
      return number(HTYPE_ETHERNET);
    case "ptype":
      return number(ETH_P_IP);
    case "hlen":
      return number(6);
    case "plen":
      return number(4);
    case "saddr ip":
      return { kind: "address", value: arp.sender };
    case "daddr ip":
      return { kind: "address", value: arp.target };
    case "saddr ether":
      return macOf(arp.senderMac);
    case "daddr ether":
      return macOf(arp.targetMac);
    default:
      return "unknown";
  }
}

function transportHeader(skb: Skb, protocol: string, field: string): Read {
  const { packet } = skb;
  switch (protocol) {
    case "tcp":
      return packet.protocol === PROTO.tcp ? tcpField(skb, field) : "absent";
    case "udp":
    case "udplite":
    case "sctp":
    case "dccp":
      if (packet.protocol !== PROTO[protocol]) return "absent";
      return field === "sport" ? port(packet.sport) : field === "dport" ? port(packet.dport) : "unknown";
    case "th":
      return transport(skb, field);
    case "icmp":
    case "icmpv6": {
      const wanted = protocol === "icmp" ? PROTO.icmp : PROTO.icmp6;
      if (packet.protocol !== wanted || packet.icmp === undefined) return "absent";
      if (field === "type") return number(packet.icmp.type);
      if (field === "code") return number(packet.icmp.code);
      return field === "id" ? port(packet.icmp.id) : "unknown";
    }
    default:
      return "unknown";
  }
}

function ipField(skb: Skb, field: string): Read {
  const { packet } = skb;
  switch (field) {
    case "saddr":
      return { kind: "address", value: packet.src };
    case "daddr":
      return { kind: "address", value: packet.dst };
    case "protocol":
      return number(packet.protocol);
    case "ttl":
      return number(packet.ttl);
    case "length":
      return number(lengthOf(skb));
    case "dscp":
      return number(packet.tos >> 2);
    case "ecn":
      return number(packet.tos & 3);
    case "version":
      return number(4);
    case "hdrlength":
      return number(5);
    case "frag-off":
      return number(fragmentField(packet));
    default:
      return "unknown";
  }
}

/** The 16 bits of `ip frag-off`: DF, MF and the offset in units of eight bytes. */
const fragmentField = ({ df, fragment }: Packet): number =>
  (df ? 0x4000 : 0) | (fragment?.more ? 0x2000 : 0) | ((fragment?.offset ?? 0) >> 3);

function ip6Field(skb: Skb, field: string): Read {
  const { packet } = skb;
  switch (field) {
    case "saddr":
      return { kind: "address", value: packet.src };
    case "daddr":
      return { kind: "address", value: packet.dst };
    case "nexthdr":
      return number(packet.protocol);
    case "hoplimit":
      return number(packet.ttl);
    case "length":
      return number(lengthOf(skb) - 40);
    case "dscp":
      return number(packet.tos >> 2);
    case "ecn":
      return number(packet.tos & 3);
    case "version":
      return number(6);
    default:
      return "unknown";
  }
}

function tcpField({ packet }: Skb, field: string): Read {
  switch (field) {
    case "sport":
      return port(packet.sport);
    case "dport":
      return port(packet.dport);
    case "flags":
      return number(packet.tcpFlags);
    case "doff":
      return packet.tcpFlags & TCP.SYN ? number(10) : "unknown";
    case "urgptr":
    case "reserved":
      return number(0);
    default:
      return "unknown";
  }
}

/** `th` implies no protocol: it reads the bytes behind the IP header, whatever they are. */
function transport({ packet }: Skb, field: string): Read {
  if (isLaterFragment(packet)) return "absent";
  if (hasPorts(packet.protocol)) return port(field === "sport" ? packet.sport : packet.dport);
  if (packet.icmp !== undefined && field === "sport") return number((packet.icmp.type << 8) | packet.icmp.code);
  // The checksum, where ICMP has no ports.
  return packet.icmp !== undefined && field === "dport" ? { kind: "any", spread: true } : "unknown";
}

/** Raw payload where its bytes are a field that the packet has. */
function raw(look: Look, base: string, offset: number, length: number): Read {
  const key = `${base},${offset},${length}`;
  const four = isIpv4(look.skb.packet.src);
  switch (key) {
    case "th,0,16":
      return transport(look.skb, "sport");
    case "th,16,16":
      return transport(look.skb, "dport");
    case "nh,72,8":
      return four ? number(look.skb.packet.protocol) : "unknown";
    case "nh,64,8":
      return four ? number(look.skb.packet.ttl) : "unknown";
    case "nh,96,32":
      return four ? { kind: "address", value: look.skb.packet.src } : "unknown";
    case "nh,128,32":
      return four ? { kind: "address", value: look.skb.packet.dst } : "unknown";
    default:
      return "unknown";
  }
}

/** nft_meta_get_eval(). */
function meta({ kernel, skb, state }: Look, key: string): Read {
  const { packet } = skb;
  const four = isIpv4(packet.src);
  if (skb.arp !== undefined) {
    if (key === "l4proto") return "absent";
    if (key === "nfproto") return number(NFPROTO_ARP);
    if (key === "protocol") return number(ETH_P_ARP);
    if (key === "length") return "unknown";
  }
  switch (key) {
    case "mark":
      return number(skb.mark);
    case "iif":
    case "iifname":
      return device(state.in);
    case "oif":
    case "oifname":
      return device(state.out);
    case "l4proto":
      return number(packet.protocol);
    case "nfproto":
      return number(four ? AF_INET : AF_INET6);
    case "protocol":
      return number(four ? ETH_P_IP : ETH_P_IPV6);
    case "length":
      return number(lengthOf(skb));
    case "pkttype":
      return number(skb.type === "broadcast" ? 1 : skb.type === "multicast" ? 2 : skb.type === "otherhost" ? 3 : 0);
    case "skuid":
    case "skgid": {
      if (skb.socket === undefined || skb.socket.kernel) return "absent";
      const what = key === "skuid" ? "uid" : "gid";
      const owner = skb.socket[what] ?? assumeRoot(kernel, what);
      if (owner !== "unknown") return number(owner);
      // Another than root may be any: what it is compared to decides, and that is not known here.
      return kernel.oracle.rests({ kind: "owner", stack: kernel.name }) ? number(0) : "unknown";
    }
    case "ibrname":
      return bridgePort(kernel, skb.nfBridge?.physIn);
    case "obrname":
      return bridgePort(kernel, skb.nfBridge?.physOut);
    case "iifgroup":
      return group(state.in);
    case "oifgroup":
      return group(state.out);
    case "rtclassid":
    case "secpath":
      return number(0);
    case "nftrace":
      return number(0);
    default:
      return "unknown";
  }
}

const bridgePort = (kernel: Kernel, name: string | undefined): Read =>
  name === undefined ? "absent" : device(kernel.device(kernel.device(name)?.master ?? ""));

const group = (d: { readonly group?: string } | undefined): Read =>
  d === undefined
    ? "absent"
    : d.group === undefined || d.group === "default"
      ? number(0)
      : /^\d+$/.test(d.group)
        ? number(Number(d.group))
        : "unknown";

const STATE = { new: 8, established: 2, related: 4, untracked: 64, invalid: 1, none: 1 } as const;

/** nft_ct_get_eval(): without a connection only the state can be asked. A template counts as new. */
function ct({ kernel, skb }: Look, s: NftSelector & { readonly kind: "ct" }): Read {
  if (s.key === "state")
    return number(
      skb.ct !== undefined || skb.ctInfo === "untracked"
        ? STATE[skb.ctInfo]
        : hasTemplate(kernel, skb)
          ? STATE.new
          : STATE.invalid,
    );
  const c = skb.ct;
  if (c === undefined) return "absent";
  const tuple = c.tuple[s.direction ?? skb.ctDirection];
  switch (s.key) {
    case "direction":
      return number(skb.ctDirection === "original" ? 0 : 1);
    case "status":
      return number(
        (c.seenReply ? 2 : 0) |
          (c.assured ? 4 : 0) |
          (c.confirmed ? 8 : 0) |
          (c.srcNat ? 16 : 0) |
          (c.dstNat ? 32 : 0) |
          (c.srcNatDone ? 128 : 0) |
          (c.dstNatDone ? 256 : 0),
      );
    case "mark":
      return number(c.mark);
    case "zone":
      return number(s.direction === undefined ? c.zone.id : zoneId(c.zone, s.direction));
    case "l3proto":
      return number(isIpv4(tuple.src) ? AF_INET : AF_INET6);
    case "l4proto":
      return number(tuple.protocol);
    case "saddr":
      return { kind: "address", value: tuple.src };
    case "daddr":
      return { kind: "address", value: tuple.dst };
    case "proto-src":
      return port(tuple.sport);
    case "proto-dst":
      return port(tuple.dport);
    case "helper":
      return "absent";
    case "label":
      return c.labelled === true || c.origin !== undefined ? "unknown" : number(0);
    default:
      return "unknown";
  }
}

const TYPES: Readonly<Record<AddrType, number>> = {
  UNICAST: 1,
  LOCAL: 2,
  BROADCAST: 3,
  ANYCAST: 4,
  MULTICAST: 5,
  BLACKHOLE: 6,
  UNREACHABLE: 7,
  PROHIBIT: 8,
  THROW: 9,
};

/**
 * The arrival device that `ip rule` sees in the look-up of nft_fib4_eval() and nft_fib6_eval(): none (lo), but with `iif` in forward
 * the one the packet leaves by, since 5.19, as the way back comes in there.
 */
const fibIif = ({ kernel, state }: Pick<Look, "kernel" | "state">, flags: readonly string[]): string =>
  state.hook === "FORWARD" && flags.includes("iif") && state.out !== undefined && kernelAtLeast(kernel, 5, 19)
    ? state.out.name
    : "lo";

/**
 * nft_fib_can_skip(): a packet that the stack looped back has been routed before; INPUT goes by it where it goes by sockets, so does what is for an open connection
 * that was heard by the same device.
 */
const canSkip = ({ kernel, skb, state: { hook, in: device } }: Look): boolean =>
  (hook === "INPUT" && skb.heard) ||
  (device?.kind === "loopback" && (hook === "PREROUTING" || (hook === "INPUT" && fibSkips(kernel))));

/** nft_fib6_eval_type() and nft_fib6_eval(). */
function fib6(look: Look, flags: readonly string[], result: string): Read {
  const { kernel, skb, state } = look;
  const bound = flags.includes("iif") ? state.in : flags.includes("oif") ? state.out : undefined;
  const asked = {
    address: flags.includes("saddr") ? ("source" as const) : ("destination" as const),
    bound,
    iif: fibIif({ kernel, state }, flags),
    mark: flags.includes("mark"),
  };
  if (result === "type") return number(TYPES[fib6Type(kernel, skb, asked)]);
  return device(canSkip(look) ? state.in : fib6Device(kernel, skb, asked));
}

/** nft_fib4_eval_type() and nft_fib4_eval(): the type comes from table local alone, the device from a look-up back or forth. */
function fib(look: Look, flags: readonly string[], result: string): Read {
  const { kernel, skb, state } = look;
  const { packet } = skb;
  if (!isIpv4(packet.src)) return fib6(look, flags, result);
  const address = flags.includes("saddr") ? packet.src : packet.dst;
  const bound = flags.includes("iif") ? state.in : flags.includes("oif") ? state.out : undefined;
  if (result === "type") return number(TYPES[inetAddrType(kernel, address, bound?.name)]);
  if (canSkip(look)) return device(state.in);
  const found = fibLookup(kernel, {
    daddr: address,
    saddr: flags.includes("saddr") ? packet.dst : packet.src,
    iif: fibIif({ kernel, state }, flags),
    mark: flags.includes("mark") ? skb.mark : 0,
    tos: packet.tos,
    // Since 6.16 `ip rule` sees the protocol here, as it always did for IPv6.
    protocol: kernelAtLeast(kernel, 6, 16) ? packet.protocol : 0,
  });
  if (isRouteError(found) || found.type !== "unicast") return device(undefined);
  if (bound === undefined) return device(found.device);
  const uses = found.device.name === bound.name || found.route?.nexthops.some((n) => n.device === bound.name) === true;
  return device(uses ? bound : undefined);
}

function rt({ kernel, skb }: Look, key: string): Read {
  if (key === "classid") return number(0);
  if (skb.route === undefined) return "absent";
  if (key === "mtu") return number(mssOfPath(kernel, skb) ?? TCP_MSS_DEFAULT);
  return key === "nexthop" ? { kind: "address", value: skb.route.gateway ?? skb.packet.dst } : "unknown";
}

/** The options of a SYN as Linux sends it: MSS, SACK permitted, timestamps, window scale. */
const OF_SYN: ReadonlySet<string> = new Set(["maxseg", "sack-perm", "sack-permitted", "timestamp", "window"]);

function tcpOption({ skb }: Look, option: string, field: string | undefined): Read {
  const { packet } = skb;
  if (packet.protocol !== PROTO.tcp || isLaterFragment(packet)) return "absent";
  const there = packet.tcpFlags & TCP.SYN ? OF_SYN.has(option) : option === "timestamp" && !(packet.tcpFlags & TCP.RST);
  if (field === undefined) return number(there ? 1 : 0);
  if (!there) return "absent";
  return option === "maxseg" && field === "size" && packet.mss !== undefined ? number(packet.mss) : "unknown";
}
