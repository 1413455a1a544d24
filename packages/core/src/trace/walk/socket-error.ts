import type { DropReason, IcmpHeader, Packet } from "../../model/index.ts";
import { isIcmp, PROTO } from "../../net/index.ts";
import type { ClientSees } from "../explore/branch.ts";
import type { LegRecord } from "./leg-record.ts";
import type { ClientSocket } from "./transport.ts";

/** icmp_err_convert[] (net/ipv4/icmp.c): the errno of each destination unreachable code; `fatal` also for UDP. */
const UNREACHABLE: readonly (readonly [errno: string, fatal: boolean])[] = [
  ["ENETUNREACH", false],
  ["EHOSTUNREACH", false],
  ["ENOPROTOOPT", true],
  ["ECONNREFUSED", true],
  ["EMSGSIZE", false],
  ["EOPNOTSUPP", false],
  ["ENETUNREACH", true],
  ["EHOSTDOWN", true],
  ["ENONET", true],
  ["ENETUNREACH", true],
  ["EHOSTUNREACH", true],
  ["ENETUNREACH", false],
  ["EHOSTUNREACH", false],
  ["EHOSTUNREACH", true],
  ["EHOSTUNREACH", true],
  ["EHOSTUNREACH", true],
];

export interface SocketError {
  readonly sees: ClientSees;
  readonly errno: string | null;
}

/**
 * What a RST or an ICMP error does to the socket that asked. Follows tcp_v4_err(), which believes every code while it
 * connects, and __udp4_lib_err(), which tells a connected socket of the fatal ones only.
 */
export function errorOf(protocol: number, answer: Packet): SocketError {
  if (answer.icmp === undefined) return { sees: "refused", errno: "ECONNREFUSED" };
  if (answer.protocol === PROTO.icmp6) return errorOf6(protocol, answer.icmp);
  const { type, code } = answer.icmp;
  const known: readonly [string, boolean] | undefined =
    type === 3 ? UNREACHABLE[code] : type === 11 ? ["EHOSTUNREACH", false] : undefined;
  if (known === undefined) return { sees: "timeout", errno: null };
  const [errno, fatal] = known;
  // Fragmentation needed is path MTU discovery: TCP sends less at a time, sockets of datagrams are told.
  if (errno === "EMSGSIZE" && protocol === PROTO.tcp) return { sees: "timeout", errno: null };
  if (errno === "EMSGSIZE") return { sees: "unreachable", errno: protocol === PROTO.udp ? errno : null };
  if (protocol === PROTO.udp && !fatal) return { sees: "timeout", errno: null };
  const sees = type === 3 && code === 3 ? "refused" : "unreachable";
  return { sees, errno: protocol === PROTO.icmp ? null : errno };
}

/** icmpv6_err_convert() and tab_unreach[] (net/ipv6/icmp.c). */
const UNREACHABLE6: readonly (readonly [errno: string, fatal: boolean])[] = [
  ["ENETUNREACH", false],
  ["EACCES", true],
  ["EHOSTUNREACH", false],
  ["EHOSTUNREACH", false],
  ["ECONNREFUSED", true],
  ["EACCES", true],
  ["EACCES", true],
];

/** Follows tcp_v6_err() and __udp6_lib_err(). */
function errorOf6(protocol: number, { type, code }: IcmpHeader): SocketError {
  const known: readonly [string, boolean] | undefined =
    type === 1 ? UNREACHABLE6[code] : type === 3 ? ["EHOSTUNREACH", false] : undefined;
  if (type === 2 && protocol === PROTO.udp) return { sees: "unreachable", errno: "EMSGSIZE" };
  if (known === undefined) return { sees: "timeout", errno: null };
  const [errno, fatal] = known;
  if (protocol === PROTO.udp && !fatal) return { sees: "timeout", errno: null };
  const sees = type === 1 && code === 4 ? "refused" : "unreachable";
  return { sees, errno: isIcmp(protocol) ? null : errno };
}

/** NF_DROP in one of the sender's own hooks; what queues and neighbours drop later is not told. */
const BY_A_HOOK: ReadonlySet<DropReason> = new Set<DropReason>([
  "NETFILTER_DROP",
  "CONNTRACK_CLASH",
  "IPVS_NO_DESTINATION",
  "IPVS_SERVER_REMOVED",
  "IPVS_STALE_CONNECTION",
  "MASQUERADE_NO_ADDRESS",
  "MASQUERADE_DEVICE_CHANGED",
]);

/**
 * The errno of send(2) where the packet died in the sender's own OUTPUT or POSTROUTING, within the system call. TCP does
 * not look at it: tcp_connect() takes it for a lost SYN.
 */
export function sendFails(leg: LegRecord, socket: ClientSocket): string | undefined {
  if (socket.protocol === PROTO.tcp || leg.end.kind !== "dropped") return undefined;
  const { drop, kernel } = leg.end;
  // What IPVS sends on (NF_STOLEN) is no longer the caller's: its loss is not told.
  if (kernel.name !== socket.stack || leg.end.skb.left || leg.end.skb.ipvsProperty) return undefined;
  return drop.errno ?? (BY_A_HOOK.has(drop.reason) ? "EPERM" : undefined);
}
