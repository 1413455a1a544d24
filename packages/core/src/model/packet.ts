import type { Address, Mac } from "../net/index.ts";

/** TCP header flags. */
export const TCP = { FIN: 1, SYN: 2, RST: 4, PSH: 8, ACK: 16, URG: 32, ECE: 64, CWR: 128 } as const;

/**
 * A port whose value is a set: an ephemeral source port nobody fixed, a port MASQUERADE draws at random.
 * Two ports with the same id are the same value; different ids are taken to differ.
 */
export interface PortSet {
  readonly id: string;
  readonly from: number;
  readonly to: number;
}

export type Port = number | PortSet;

/** What travels: an IPv4 or IPv6 packet with the headers that rules, routes and sockets look at. */
export interface Packet {
  readonly src: Address;
  readonly dst: Address;
  readonly protocol: number;
  /** TCP, UDP, SCTP. */
  readonly sport: Port;
  readonly dport: Port;
  readonly tcpFlags: number;
  readonly icmp?: IcmpHeader;
  readonly ttl: number;
  readonly tos: number;
  /** Total length of the IP packet. */
  readonly length: number;
  readonly df: boolean;
  /** TCP: the maximum segment size that a SYN or SYN-ACK announces. */
  readonly mss?: number;
  /** Part of a packet that was too long for a link. */
  readonly fragment?: Fragment;
  /** What a tunnel wrapped into this packet. */
  readonly carried?: Carried;
}

type Plain = Exclude<keyof Packet, "icmp" | "fragment" | "carried">;

/**
 * The same packet between other ends. Field by field where it is a plain one, for every translation makes one: a copy of an object of
 * which fields are replaced takes ten times as long.
 */
export const between = (p: Packet, src: Address, sport: Port, dst: Address, dport: Port): Packet =>
  isPlain(p) ? plain(p, src, sport, dst, dport, p.ttl, p.df, p.mss) : { ...p, src, sport, dst, dport };

/** The same with what its sender writes into the header. */
export const sentWith = (p: Packet, ttl: number, df: boolean, mss: number | undefined): Packet =>
  isPlain(p)
    ? plain(p, p.src, p.sport, p.dst, p.dport, ttl, df, mss)
    : { ...p, ttl, df, ...(mss !== undefined && { mss }) };

const isPlain = ({ icmp, fragment, carried }: Packet): boolean =>
  icmp === undefined && fragment === undefined && carried === undefined;

function plain(
  { protocol, tcpFlags, tos, length }: Packet,
  src: Address,
  sport: Port,
  dst: Address,
  dport: Port,
  ttl: number,
  df: boolean,
  mss: number | undefined,
): Packet {
  const made: Record<Exclude<Plain, "mss">, unknown> & Packet = {
    src,
    dst,
    protocol,
    sport,
    dport,
    tcpFlags,
    ttl,
    tos,
    length,
    df,
  };
  return mss === undefined ? made : { src, dst, protocol, sport, dport, tcpFlags, ttl, tos, length, df, mss };
}

/** Where a fragment stood in its packet. Only the first has the header of the transport, and what a tunnel carries. */
export interface Fragment {
  /** Equal for all fragments of a packet. */
  readonly id: string;
  /** Bytes of the payload before it. */
  readonly offset: number;
  /** Not the last. */
  readonly more: boolean;
}

/** A second or further fragment: without ports, flags or ICMP type. */
export const isLaterFragment = ({ fragment }: Pick<Packet, "fragment">): boolean =>
  fragment !== undefined && fragment.offset > 0;

/** The payload of a tunnel's packet: a packet, and where frames are carried (VXLAN) its MACs. */
export interface Carried {
  /** `gre` is also that over IPv6. */
  readonly tunnel: "vxlan" | "ipip" | "gre" | "ip6tnl";
  readonly vni?: number;
  /** Of GRE. */
  readonly key?: number;
  readonly packet: Packet;
  readonly sourceMac?: Mac;
  readonly destinationMac?: Mac;
}

/** The packet somebody asked about, whatever tunnels it is wrapped in. */
export function innermost(packet: Packet): Packet {
  let p = packet;
  while (p.carried !== undefined) p = p.carried.packet;
  return p;
}

export interface IcmpHeader {
  readonly type: number;
  readonly code: number;
  /** Echo identifier. */
  readonly id: Port;
  /** The packet an ICMP error quotes. */
  readonly inner?: Packet;
  /** Neighbour solicitation and advertisement: whose MAC is asked for. A redirect: the better gateway. */
  readonly target?: Address;
  /** Fragmentation needed, packet too big: the MTU of the next hop. */
  readonly mtu?: number;
}

export const samePort = (a: Port, b: Port): boolean =>
  typeof a === "number" || typeof b === "number" ? a === b : a.id === b.id;

export const portKey = (p: Port): string => (typeof p === "number" ? String(p) : p.id);
