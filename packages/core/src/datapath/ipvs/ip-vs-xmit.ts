import type { Decision, Hook, IpvsDecision, Packet } from "../../model/index.ts";
import { isLoopback } from "../../net/index.ts";
import { ipOutput } from "../ip/ip-output.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { Undetermined } from "../kernel/oracle.ts";
import { isIcmpError, type Skb } from "../kernel/skb.ts";
import { sysctl } from "../kernel/sysctl.ts";
import { type HookVerdict, nfHook } from "../netfilter/nf-hooks.ts";
import { dstMtu } from "../route/dst-mtu.ts";
import { ipRouteOutput } from "../route/ip-route-output.ts";
import { recordRoute } from "../route/record-route.ts";
import { isRouteError, type RouteResult } from "../route/route-result.ts";
import type { IpvsConn } from "./ip-vs-conn.ts";
import { ipVsError } from "./ip-vs-error.ts";

/** sysctl_conntrack(): read when a connection begins, and kept with it. */
export const conntracked = (kernel: Kernel): boolean => sysctl(kernel, "net.ipv4.vs.conntrack").value !== "0";
export const usesConntrack = (kernel: Kernel, conn: IpvsConn): boolean => conn.tracked ?? conntracked(kernel);

/** cp->packet_xmit: sends a request on by the connection's forwarding method. */
export function packetXmit(kernel: Kernel, skb: Skb, hook: Hook, conn: IpvsConn): HookVerdict {
  switch (conn.server.method) {
    case "masq":
      return natXmit(kernel, skb, hook, conn);
    case "route":
      return drXmit(kernel, skb, hook, conn);
    case "local":
      // ip_vs_null_xmit(): the server is this very stack, under the same address and port.
      mark(kernel, skb, conn);
      note(kernel, skb, hook, conn, skb.packet, { kind: "ipvs-stays" });
      return "accept";
    default:
      throw new Undetermined(kernel.name, "ipvs", { kind: "unknown-ipvs-method", method: conn.server.method }, [
        conn.server.origin,
      ]);
  }
}

/**
 * Follows __ip_vs_get_out_rt() and __ip_vs_get_out_rt_v6(): routed by the server's address alone, without source, mark or protocol; then TTL and size.
 * Undefined: the packet is over.
 */
function getOutRoute(kernel: Kernel, skb: Skb, hook: Hook, conn: IpvsConn): RouteResult | undefined {
  const { packet } = skb;
  const origins = [conn.service.origin, conn.server.origin];
  const found = ipRouteOutput(kernel, { daddr: conn.real, saddr: undefined, mark: 0, tos: 0, protocol: 0 });
  recordRoute(kernel, skb, "ipvs", found);
  if (isRouteError(found)) {
    ipVsError(kernel, skb, "host unreachable", { kind: "ipvs-no-route" });
    kernel.drop(skb, "ipvs", "IP_OUTNOROUTES", { kind: "ipvs-no-route" }, found.origins);
    return undefined;
  }
  const drop = (reason: "IPVS_DROP" | "TTL_EXPIRED" | "PKT_TOO_BIG", decision: Decision) => {
    kernel.drop(skb, "ipvs", reason, decision, origins);
    return undefined;
  };
  if (found.type === "local") {
    const fromOutside = hook === "INPUT" && skb.dev?.kind !== "loopback";
    return isLoopback(conn.real) && fromOutside ? drop("IPVS_DROP", { kind: "ipvs-to-localnet" }) : found;
  }
  if (isLoopback(packet.src)) return drop("IPVS_DROP", { kind: "ipvs-from-localnet" });
  if (packet.ttl <= 1) {
    ipVsError(kernel, skb, "time exceeded", { kind: "ttl" });
    return drop("TTL_EXPIRED", { kind: "ttl" });
  }
  skb.packet = { ...packet, ttl: packet.ttl - 1 };
  const mtu = dstMtu(kernel, found, conn.real, packet.length);
  if (packet.df && packet.length > mtu && !isIcmpError(packet)) {
    ipVsError(kernel, skb, "too big", { kind: "over-mtu" }, mtu);
    return drop("PKT_TOO_BIG", { kind: "too-big", bytes: packet.length, mtu, device: found.device.name });
  }
  return found;
}

/**
 * Follows ip_vs_nat_xmit() and ip_vs_nat_xmit_v6(): destination rewritten, then a second pass through OUTPUT in which the nat hook routes again with the
 * client's source (docs/kernel-spec.md 15.4).
 */
function natXmit(kernel: Kernel, skb: Skb, hook: Hook, conn: IpvsConn): HookVerdict {
  const before = skb.packet;
  const route = getOutRoute(kernel, skb, hook, conn);
  if (route === undefined) return "drop";
  skb.packet = { ...skb.packet, dst: conn.real, dport: conn.realPort };
  const decision: IpvsDecision = { kind: isDrained(conn) ? "ipvs-to-drained" : "ipvs-to", server: serverOf(conn) };
  return sendOrContinue(kernel, skb, hook, conn, route, before, decision);
}

const isDrained = (conn: IpvsConn): boolean => conn.server.weight === 0 && conn.controlled === true;

/** Follows ip_vs_dr_xmit(): the packet as it is, to the real server's MAC. */
function drXmit(kernel: Kernel, skb: Skb, hook: Hook, conn: IpvsConn): HookVerdict {
  const before = skb.packet;
  const route = getOutRoute(kernel, skb, hook, conn);
  if (route === undefined) return "drop";
  const nextHop = { ...route, ...(route.type === "local" ? {} : { gateway: route.gateway ?? conn.real }) };
  const decision: Decision = { kind: "ipvs-handed", server: serverOf(conn) };
  return sendOrContinue(kernel, skb, hook, conn, nextHop, before, decision);
}

/**
 * Follows ip_vs_icmp_xmit(): an ICMP error of the client about an answer goes to the real server, quoting what that one
 * sent.
 */
export function icmpXmit(kernel: Kernel, skb: Skb, hook: Hook, conn: IpvsConn): HookVerdict {
  const before = skb.packet;
  const inner = before.icmp?.inner;
  if (before.icmp === undefined || inner === undefined) return "accept";
  if (conn.server.method !== "masq") return packetXmit(kernel, skb, hook, conn);
  const route = getOutRoute(kernel, skb, hook, conn);
  if (route === undefined) return "drop";
  if (route.type === "local" && hook === "FORWARD") {
    const decision: Decision = { kind: "ipvs-icmp-local" };
    kernel.drop(skb, "ipvs", "IPVS_DROP", decision, [conn.service.origin]);
    return "drop";
  }
  const quoted = { ...inner, src: conn.real, sport: conn.realPort };
  skb.packet = { ...skb.packet, dst: conn.real, icmp: { ...before.icmp, inner: quoted } };
  const turned: IpvsDecision = { kind: "ipvs-icmp-to", server: serverOf(conn) };
  return sendOrContinue(kernel, skb, hook, conn, route, before, turned);
}

const serverOf = (conn: IpvsConn) => ({ address: conn.real, port: conn.realPort });

/** Follows ip_vs_nat_send_or_cont() and ip_vs_send_or_cont(). */
function sendOrContinue(
  kernel: Kernel,
  skb: Skb,
  hook: Hook,
  conn: IpvsConn,
  route: RouteResult,
  before: Packet,
  decision: IpvsDecision,
): HookVerdict {
  mark(kernel, skb, conn);
  if (conn.server.method === "masq") updateConntrack(kernel, skb, conn, "request");
  note(kernel, skb, hook, conn, before, decision);
  // A real server on this node: the packet simply goes on where it is.
  if (route.type === "local") return "accept";
  skb.route = { ...route, output: true };
  // The hook is entered without a socket: a bound device is forgotten when the nat table routes again.
  if (skb.socket !== undefined) {
    const { boundDevice: _, ...owner } = skb.socket;
    skb.socket = owner;
  }
  if (nfHook(kernel, skb, { hook: "OUTPUT", out: route.device }) === "accept") ipOutput(kernel, skb);
  return "stolen";
}

/** skb->ipvs_property, and ip_vs_notrack() for a connection without conntrack. */
export function mark(kernel: Kernel, skb: Skb, conn: IpvsConn): void {
  skb.ipvsProperty = true;
  if (usesConntrack(kernel, conn) || skb.ct === undefined) return;
  skb.ct = undefined;
  skb.ctInfo = "untracked";
}

/**
 * Follows ip_vs_update_conntrack(): an entry that is not confirmed yet learns from whom the answer will come, or, for a
 * connection that conntrack meets by its answer, whom the client calls.
 */
export function updateConntrack(kernel: Kernel, skb: Skb, conn: IpvsConn, direction: "request" | "answer"): void {
  const { ct } = skb;
  if (!usesConntrack(kernel, conn) || ct === undefined || ct.confirmed || skb.ctDirection === "reply") return;
  if (conn.service.onePacket && conn.protocol === 17) return;
  const { reply } = ct.tuple;
  const ports = !isIcmpError(skb.packet);
  kernel.conntrack.alterReply(
    ct,
    direction === "request"
      ? { ...reply, src: conn.real, ...(ports && { sport: conn.realPort }) }
      : { ...reply, dst: conn.virtual, ...(ports && { dport: conn.virtualPort }) },
  );
}

function note(kernel: Kernel, skb: Skb, hook: Hook, conn: IpvsConn, before: Packet, decision: IpvsDecision): void {
  const origins = [conn.service.origin, conn.server.origin];
  if (kernel.recording)
    kernel.record(skb, {
      kind: "ipvs",
      stack: kernel.name,
      packet: skb.packet,
      before,
      hook,
      ...(isDrained(conn) && { drained: true as const }),
      decision,
      origins,
    });
  else kernel.meetAll(skb, origins);
}
