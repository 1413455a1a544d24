import {
  interfaceMatches,
  type Listener,
  listsAll,
  type OwnerMatch,
  type PhysdevMatch,
  type PolicyMatch,
  type SocketMatch,
  TCP,
} from "../../../model/index.ts";
import { isUnspecified, PROTO } from "../../../net/index.ts";
import { assumeRoot, ownerFits } from "../../kernel/owner.ts";
import { isIcmpError } from "../../kernel/skb.ts";
import { connectionOf } from "../../netfilter/nf-tproxy.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";

/** Follows physdev_mt() (xt_physdev.c): without bridge information only the negated `is` tests can match. */
export function matchPhysdev(c: MatchContext, m: PhysdevMatch): MatchAnswer {
  const bridge = c.skb.nfBridge;
  if (bridge === undefined) {
    if (m.isBridged !== undefined && !m.isBridged.negated) return false;
    if (m.isIn !== undefined && !m.isIn.negated) return false;
    if (m.isOut !== undefined && !m.isOut.negated) return false;
    if (m.in !== undefined && !m.in.negated) return false;
    if (m.out !== undefined && !m.out.negated) return false;
    return true;
  }
  const { physIn, physOut } = bridge;
  const flag = (wanted: { readonly negated: boolean } | undefined, actual: boolean) =>
    wanted === undefined || actual !== wanted.negated;
  const isBridged = physIn !== undefined && physOut !== undefined;
  if (!flag(m.isBridged, isBridged) || !flag(m.isIn, physIn !== undefined) || !flag(m.isOut, physOut !== undefined))
    return false;
  if (m.in !== undefined && !interfaceMatches(m.in, physIn ?? "")) return false;
  return m.out === undefined || interfaceMatches(m.out, physOut ?? "");
}

/** Follows owner_mt(): only packets with a local socket have an owner. */
export function matchOwner(c: MatchContext, m: OwnerMatch): MatchAnswer {
  const { socket } = c.skb;
  // Without a socket the rule matches if all it asks for is negated.
  if (socket === undefined) return [m.socketExists, m.uid, m.gid].every((w) => w === undefined || w.negated);
  if (m.socketExists?.negated === true) return false;
  // The kernel's own sockets (ICMP, RST) have no file, and thus no owner.
  if (socket.kernel) return [m.uid, m.gid].every((w) => w === undefined || w.negated);
  const fits = (what: "uid" | "gid"): boolean => {
    const wanted = m[what];
    if (wanted === undefined) return true;
    const actual = socket[what] ?? assumeRoot(c.kernel, what);
    if (actual === "unknown") return ownerFits(c.kernel, wanted.value) !== wanted.negated;
    return (actual >= wanted.value.from && actual <= wanted.value.to) !== wanted.negated;
  };
  return { ask: () => fits("uid") && fits("gid") };
}

/**
 * Follows socket_match() (xt_socket.c). What opens a conversation meets the listener, one on the wildcard with --nowildcard only; what
 * follows meets the connection that the listener accepted, which has an address. UDP has its one socket for all. Sockets of
 * clients are not looked through; whether a listener is transparent `ss --inet-sockopt` says.
 */
export function matchSocket({ kernel, skb: { packet } }: MatchContext, m: SocketMatch): MatchAnswer {
  if (packet.protocol !== PROTO.tcp && packet.protocol !== PROTO.udp) return isIcmpError(packet) ? "unknown" : false;
  const own = connectionOf(kernel, packet);
  if (own !== undefined) return m.transparent ? (own.transparent ?? "unknown") : true;
  const opens = packet.protocol === PROTO.tcp && (packet.tcpFlags & (TCP.SYN | TCP.ACK)) === TCP.SYN;
  const accepted = packet.protocol === PROTO.tcp && !opens;
  const { listeners } = kernel.stack;
  const isWild = ({ address }: Listener): boolean => address === undefined || isUnspecified(address);
  const found = listeners.items.filter(
    (l) => l.protocol === packet.protocol && l.port === packet.dport && (isWild(l) || l.address === packet.dst),
  );
  // Who was not shown to listen may, and an answer meets the socket that asked.
  if (found.length === 0) return opens && listsAll(listeners, packet.protocol) ? false : "unknown";
  const met = found.filter((l) => accepted || m.noWildcard || !isWild(l));
  if (met.length === 0) return false;
  if (!m.transparent) return true;
  return met.every((l) => l.transparent !== undefined) ? met.some((l) => l.transparent === true) : "unknown";
}

/** No packet of the model carries an IPsec policy. */
export const matchPolicy = (_: MatchContext, m: PolicyMatch): MatchAnswer => m.policy === "none";
