import type { Decision, Device, IcmpHeader, LostDiscovery, Origin, Packet, Port } from "../../model/index.ts";
import { type Address, isIpv4, type Mac, PROTO } from "../../net/index.ts";
import type { Conntrack, CtDirection, CtInfo } from "../conntrack/nf-conntrack.ts";
import type { InputRoute } from "../route/ip-route-input.ts";
import type { RouteResult } from "../route/route-result.ts";
import type { OwnerId } from "./owner.ts";

/** struct nf_bridge_info: what br_netfilter remembers of a bridged frame. */
export interface NfBridge {
  physIn?: string;
  physOut?: string;
  /** The frame was addressed to somebody else and made PACKET_HOST for the IP hooks. */
  otherHost: boolean;
  /** Destination changed in PREROUTING and the egress is the bridge itself. */
  bridgedDnat: boolean;
  /** Destination changed in PREROUTING and there is no way to it (dst.input is ip_error()): whoever takes the frame up says so. */
  unroutable?: Extract<InputRoute, { readonly kind: "error" }>;
}

/** An ARP packet, as far as rules can see it. What it is in place of (`packet`) is not there to them. */
export interface ArpFrame {
  readonly operation: "request" | "reply";
  readonly senderMac: Mac;
  /** Of a request all zeroes. */
  readonly targetMac: Mac;
  readonly sender: Address;
  readonly target: Address;
  /** The rule that dropped it. */
  lost?: LostDiscovery;
}

export type PacketType = "host" | "otherhost" | "broadcast" | "multicast" | "outgoing";

/** A neighbour solicitation under way, and what comes of it: the advertisement that answers it belongs to it. */
export interface NdProbe {
  readonly asker: string;
  readonly device: string;
  readonly target: Address;
  readonly answers: Mac[];
  /** Whoever asked sends again before long, as TCP does after a second. */
  readonly patient: boolean;
  /** A proxy answers, later than a datagram's sender may wait. */
  late?: { readonly stack: string; readonly device: string };
  /** The first of its packets that did not arrive. */
  lost?: LostDiscovery;
}

/**
 * A packet on its way through one stack, with the metadata of struct sk_buff that decides its fate. Every field is always there, and none is
 * deleted: an object that loses fields is a table to the engine, and each look at it a search.
 */
export interface Skb {
  /** Which leg of the conversation this is; steps are recorded under it. */
  readonly leg: number;
  packet: Packet;
  /** The device IP believes it came in on; absent for locally generated packets. */
  dev: Device | undefined;
  /**
   * IP6CB(skb)->iif where it is not `dev`: br_netfilter routed the frame before ipv6_rcv() saw it, and its route's device is taken. `none`: 0, as
   * br_validate_ipv6() leaves it for what is still on the bridge.
   */
  iif6: Device | "none" | undefined;
  type: PacketType;
  mark: number;
  sourceMac: Mac | undefined;
  destinationMac: Mac | undefined;
  vlan: number | undefined;
  ct: Conntrack | undefined;
  ctDirection: CtDirection;
  ctInfo: CtInfo;
  route: RouteResult | undefined;
  nfBridge: NfBridge | undefined;
  ipvsProperty: boolean;
  /** A redirect about the first packet of a connection, whose translation POSTROUTING has yet to decide (IPS_NAT_DONE_MASK). */
  natUnfinished: boolean;
  /** Local output: the sending socket's binding (SO_BINDTODEVICE) and owner. `kernel`: one of the kernel's own, which nobody opened. */
  socket:
    | { readonly boundDevice?: string; readonly uid?: OwnerId; readonly gid?: OwnerId; readonly kernel?: true }
    | undefined;
  /** It is no IP packet but this. */
  arp: ArpFrame | undefined;
  /** TPROXY handed it to a socket that listens on this port (skb->sk). */
  handedTo: number | undefined;
  /** A SNAT or MASQUERADE rule was applied to this leg's connection on some stack. */
  masqueraded: boolean;
  /** `masqueraded` of what tunnels wrapped, outermost last. */
  wrapped: boolean[] | undefined;
  /** A tunnel whose far end is this very stack brought it back: why it goes round. */
  turnedBack: { readonly decision: Decision; readonly origins: readonly Origin[] } | undefined;
  /** It is a packet of neighbour discovery. */
  readonly probe: NdProbe | undefined;
  /** Links crossed so far: a guard against loops that TTL does not end (bridged). */
  hops: number;
  /** Length of the longest fragment it was put together from (IPCB(skb)->frag_max_size). */
  fragMaxSize: number | undefined;
  /** It is for an open connection that was heard by the same device before (skb->sk, sk_rx_dst_ifindex). */
  heard: boolean;
  /** Passed ip_forward() of this stack (IPSKB_FORWARDED). */
  forwarded: boolean | undefined;
  /** A flowtable has it: of the hooks only conntrack and its translations act. */
  offloaded: boolean;
  /** TCP left it to the device to cut it into segments of `packet.length` (skb_is_gso()): several travel as one. */
  gso: boolean;
  /** Bytes of all segments that travel with it behind the first. */
  behind: number;
  /** Length of the last of those segments, where it is shorter than the others. */
  tail: number | undefined;
  /** It is that last segment, sent alone: what comes before it is missing. */
  ahead: boolean;
  /** May be fragmented in spite of DF: sent by a socket that does not insist on it (skb->ignore_df). */
  ignoreDf: boolean | undefined;
  /** The checksum of what a socket sent is left to the device (CHECKSUM_PARTIAL): inside a tunnel that of what is carried. A card fills it in; veth hands it on. */
  checksumLeft: boolean;
  /**
   * skb->hash of its ports: that of the socket that sent it (skb_set_hash_from_sk()), else what __skb_get_hash() once made of its header. It outlives
   * translations and tunnels (skb_clear_hash_if_not_l4()).
   */
  hash: string | undefined;
  /** The VXLAN device that wrapped it last. */
  wrappedBy: Device | undefined;
  /** The checksum of the tunnel's own UDP header no longer fits. `unless zero`: if there is one, which nobody showed. */
  checksumWrong: boolean | "unless zero";
  /** A device has taken it: what becomes of it from there on, send(2) does not tell. */
  left: boolean;
}

export function newSkb(leg: number, packet: Packet): Skb {
  return {
    leg,
    packet,
    dev: undefined,
    iif6: undefined,
    type: "host",
    mark: 0,
    sourceMac: undefined,
    destinationMac: undefined,
    vlan: undefined,
    ct: undefined,
    ctDirection: "original",
    ctInfo: "none",
    route: undefined,
    nfBridge: undefined,
    ipvsProperty: false,
    natUnfinished: false,
    socket: undefined,
    handedTo: undefined,
    masqueraded: false,
    wrapped: undefined,
    turnedBack: undefined,
    probe: undefined,
    arp: undefined,
    hops: 0,
    fragMaxSize: undefined,
    heard: false,
    forwarded: undefined,
    offloaded: false,
    gso: false,
    behind: 0,
    tail: undefined,
    ahead: false,
    ignoreDf: undefined,
    checksumLeft: false,
    hash: undefined,
    wrappedBy: undefined,
    checksumWrong: false,
    left: false,
  };
}

/** What its header says (tot_len) and what is counted of it (skb->len): segments that travel as one are one. */
export const lengthOf = ({ packet, behind }: Skb): number => packet.length + behind;

/** The packet as it lies in memory. */
export const inOne = (skb: Skb): Packet => (skb.behind === 0 ? skb.packet : { ...skb.packet, length: lengthOf(skb) });

/** skb_scrub_packet() without xnet: what a packet loses in a tunnel; its mark stays, and whose it is (skb->sk), which is all that owner matches ask. */
export function scrubInside(skb: Skb): void {
  const { mark, socket } = skb;
  scrub(skb);
  skb.mark = mark;
  if (socket === undefined) return;
  const { boundDevice: _, ...owner } = socket;
  skb.socket = owner;
}

/** skb_scrub_packet() with xnet: what a packet loses when it crosses into another namespace. */
export function scrub(skb: Skb): void {
  skb.ct = undefined;
  skb.ctInfo = "none";
  skb.ctDirection = "original";
  skb.mark = 0;
  skb.route = undefined;
  skb.iif6 = undefined;
  skb.nfBridge = undefined;
  skb.socket = undefined;
  skb.handedTo = undefined;
  skb.fragMaxSize = undefined;
  skb.forwarded = undefined;
  skb.offloaded = false;
  skb.ignoreDf = undefined;
  skb.ipvsProperty = false;
  skb.type = "host";
}

/** The header of IPv6 is 20 bytes longer. */
const sizeOf = (src: Address, ipv4: number): number => (isIpv4(src) ? ipv4 : ipv4 + 20);

export function tcpPacket(
  src: Address,
  sport: Port,
  dst: Address,
  dport: Port,
  flags: number,
  length = sizeOf(src, 60),
): Packet {
  return { src, dst, protocol: PROTO.tcp, sport, dport, tcpFlags: flags, ttl: 64, tos: 0, length, df: true };
}

export function udpPacket(src: Address, sport: Port, dst: Address, dport: Port, length = sizeOf(src, 60)): Packet {
  return { src, dst, protocol: PROTO.udp, sport, dport, tcpFlags: 0, ttl: 64, tos: 0, length, df: true };
}

export function icmpPacket(src: Address, dst: Address, icmp: IcmpHeader, length = 84): Packet {
  return { src, dst, protocol: PROTO.icmp, sport: 0, dport: 0, tcpFlags: 0, icmp, ttl: 64, tos: 0, length, df: false };
}

export function icmp6Packet(src: Address, dst: Address, icmp: IcmpHeader, length = 104): Packet {
  return { ...icmpPacket(src, dst, icmp, length), protocol: PROTO.icmp6 };
}

/** Fragmentation needed, packet too big. */
export const isTooBig = ({ protocol, icmp }: Packet): boolean =>
  protocol === PROTO.icmp6 ? icmp?.type === 2 : icmp?.type === 3 && icmp.code === 4;

export const ICMP_ERRORS: ReadonlySet<number> = new Set([3, 4, 5, 11, 12]);
const REDIRECT = 5;
export const isRedirect = ({ icmp, protocol }: Packet): boolean => protocol === PROTO.icmp && icmp?.type === REDIRECT;

export const isIcmpError = (p: Packet): boolean =>
  p.icmp !== undefined &&
  ((p.protocol === PROTO.icmp && ICMP_ERRORS.has(p.icmp.type)) || (p.protocol === PROTO.icmp6 && p.icmp.type < 128));
