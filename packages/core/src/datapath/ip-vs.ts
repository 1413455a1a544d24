import { type Hook, type Origin, TCP } from "../model/index.ts";
import { formatAddress, PROTO, sameAddress } from "../net/index.ts";
import { inetAddrType } from "./fib.ts";
import { icmpSend } from "./icmp-send.ts";
import { ipOutput } from "./ip-output.ts";
import { isLoopback, routeFields } from "./ip-route-input.ts";
import { ipRouteMeHarder } from "./ip-route-me-harder.ts";
import { ipRouteOutput } from "./ip-route-output.ts";
import { connIn, connOut, type IpvsConn } from "./ip-vs-conn.ts";
import { findService, schedule } from "./ip-vs-schedule.ts";
import type { Kernel } from "./kernel.ts";
import { kernelAtLeast } from "./kernel-version.ts";
import { type HookState, type HookVerdict, nfHook } from "./nf-hooks.ts";
import { Undetermined } from "./oracle.ts";
import { isRouteError } from "./route-result.ts";
import { isIcmpError, type Skb } from "./skb.ts";
import { sysctl } from "./sysctl.ts";

const conntracked = (kernel: Kernel): boolean => sysctl(kernel, "net.ipv4.vs.conntrack").value !== "0";

/**
 * A request for a virtual service. Follows ip_vs_in_hook() (ip_vs_core.c): only what routing considers local, or what
 * is sent locally, gets here; there is no PREROUTING hook.
 */
export function ipVsIn(kernel: Kernel, skb: Skb, state: HookState): HookVerdict {
  const { packet } = skb;
  if (skb.ipvsProperty) return "accept";
  if (isIcmpError(packet)) return "accept";
  if (packet.protocol !== PROTO.tcp && packet.protocol !== PROTO.udp && packet.protocol !== PROTO.sctp) return "accept";
  let conn = connIn(kernel.ipvsConns, packet);
  if (conn !== undefined && !isAvailable(kernel, conn)) {
    // The server was taken away: the connection is dropped, or ends and is made anew unless conntrack still holds it.
    const expire = sysctl(kernel, "net.ipv4.vs.expire_nodest_conn").value !== "0";
    if (expire) kernel.ipvsConns.splice(kernel.ipvsConns.indexOf(conn), 1);
    if (!expire || (conntracked(kernel) && skb.ct?.confirmed === true)) {
      kernel.drop(skb, "ipvs", "IPVS_DROP", "the real server of this connection was removed", [conn.service.origin]);
      return "drop";
    }
    conn = undefined;
  }
  if (conn === undefined) {
    const service = findService(kernel, skb);
    if (service === undefined) {
      if (kernel.stack.ipvs.extent !== "whole" && inetAddrType(kernel, packet.dst) === "LOCAL")
        unseenService(kernel, skb);
      return "accept";
    }
    // tcp_conn_schedule(): a SYN, be it with ACK, opens a connection; anything else falls through to the local stack.
    if (packet.protocol === PROTO.tcp && (packet.tcpFlags & (TCP.SYN | TCP.RST)) !== TCP.SYN) return "accept";
    const server = schedule(kernel, service, packet);
    if (server === undefined) {
      if (service.extent !== "whole") {
        throw new Undetermined(kernel.name, "ipvs", "the real servers of this virtual service were not all shown", [
          service.origin,
        ]);
      }
      return leave(kernel, skb, state.hook, service.origin);
    }
    conn = {
      protocol: packet.protocol,
      client: packet.src,
      clientPort: packet.sport,
      virtual: packet.dst,
      virtualPort: packet.dport,
      real: server.address,
      realPort: server.port,
      service,
      server,
    };
    kernel.ipvsConns.push(conn);
  }
  if (conn.server.method !== "masq") {
    throw new Undetermined(kernel.name, "ipvs", `forwarding method ${conn.server.method} is not modelled`, [
      conn.server.origin,
    ]);
  }
  return natXmit(kernel, skb, state.hook, conn);
}

/** IP_VS_DEST_F_AVAILABLE: the server is still one of its service's. */
function isAvailable(kernel: Kernel, conn: IpvsConn): boolean {
  const key = JSON.stringify(conn.service.key);
  const service = kernel.stack.ipvs.services.find((s) => JSON.stringify(s.key) === key);
  return service?.realServers.some((s) => sameAddress(s.address, conn.real) && s.port === conn.realPort) === true;
}

/**
 * Follows ip_vs_expire_nodest_conn_flush() (5.9 and later): with expire_nodest_conn, connections end as soon as their
 * server is taken away, and their conntrack entries with them (ip_vs_conn_drop_conntrack).
 */
export function ipVsExpireNodest(kernel: Kernel): void {
  if (!kernelAtLeast(kernel, 5, 9) || kernel.ipvsConns.length === 0) return;
  if (sysctl(kernel, "net.ipv4.vs.expire_nodest_conn").value === "0") return;
  for (const conn of kernel.ipvsConns.filter((c) => !isAvailable(kernel, c))) {
    kernel.ipvsConns.splice(kernel.ipvsConns.indexOf(conn), 1);
    const { client: src, clientPort: sport, virtual: dst, virtualPort: dport, protocol } = conn;
    const found = conntracked(kernel) ? kernel.conntrack.find({ src, sport, dst, dport, protocol }) : undefined;
    if (found?.direction === "original") kernel.conntrack.remove(found.ct);
  }
}

/** A dump that went through grep may have lost the very service that was asked for. */
function unseenService(kernel: Kernel, skb: Skb): void {
  const { extent, services } = kernel.stack.ipvs;
  if (extent === "unread" || services.length === 0) return;
  kernel.oracle.assume(
    `${kernel.name}/ipvs/rest`,
    "no effect",
    `virtual services that were not shown do not serve ${formatAddress(skb.packet.dst)}`,
  );
}

/** Follows ip_vs_leave(): the service exists and nobody can take the connection: port unreachable, from the VIP. */
function leave(kernel: Kernel, skb: Skb, hook: Hook, origin: Origin): HookVerdict {
  const decision = "the virtual service has no real server with a weight above 0";
  kernel.record(skb, {
    kind: "ipvs",
    stack: kernel.name,
    packet: skb.packet,
    before: skb.packet,
    hook,
    decision,
    origins: [origin],
  });
  icmpSend(kernel, skb, 3, 3, decision);
  kernel.drop(skb, "ipvs", "IPVS_NO_DESTINATION", decision, [origin]);
  return "drop";
}

/**
 * Follows ip_vs_nat_xmit(): routed by destination only, TTL taken down, destination rewritten, then a second pass
 * through OUTPUT in which the nat hook routes again with the client's source (SPEC 15.4).
 */
function natXmit(kernel: Kernel, skb: Skb, hook: Hook, conn: IpvsConn): HookVerdict {
  const before = skb.packet;
  const origins = [conn.service.origin, conn.server.origin];
  const found = ipRouteOutput(kernel, {
    daddr: conn.real,
    saddr: 0,
    mark: 0,
    tos: before.tos,
    protocol: before.protocol,
  });
  kernel.record(skb, { kind: "route", stack: kernel.name, packet: skb.packet, lookup: "ipvs", ...routeFields(found) });
  if (isRouteError(found)) {
    icmpSend(kernel, skb, 3, 1, "no route to the real server");
    kernel.drop(skb, "ipvs", "IP_OUTNOROUTES", "no route to the real server", found.origins);
    return "drop";
  }
  const local = found.type === "local";
  if (!local && isLoopback(before.src)) {
    kernel.drop(skb, "ipvs", "IPVS_DROP", "a packet from 127/8 may not leave for a remote real server", origins);
    return "drop";
  }
  if (local && isLoopback(conn.real) && hook === "INPUT") {
    kernel.drop(skb, "ipvs", "IPVS_DROP", "a packet from outside may not be sent to a real server on 127/8", origins);
    return "drop";
  }
  if (!local && before.ttl <= 1) {
    icmpSend(kernel, skb, 11, 0, "TTL ran out");
    kernel.drop(skb, "ipvs", "TTL_EXPIRED", "TTL ran out", origins);
    return "drop";
  }
  skb.packet = { ...before, dst: conn.real, dport: conn.realPort, ttl: local ? before.ttl : before.ttl - 1 };
  skb.ipvsProperty = true;
  trackRequest(kernel, skb, conn);
  kernel.record(skb, {
    kind: "ipvs",
    stack: kernel.name,
    packet: skb.packet,
    before,
    hook,
    decision: `to real server ${formatAddress(conn.real)}:${conn.realPort}${conn.server.weight === 0 ? ", although its weight is 0: a persistence template sends this client there" : ""}`,
    origins,
  });
  // A real server on this node: the packet simply goes on where it is.
  if (local) return "accept";
  skb.route = found;
  if (nfHook(kernel, skb, { hook: "OUTPUT", out: found.device }) === "accept") ipOutput(kernel, skb);
  return "stolen";
}

/** ip_vs_update_conntrack() or, with vs.conntrack 0, ip_vs_notrack(). */
function trackRequest(kernel: Kernel, skb: Skb, conn: IpvsConn): void {
  const { ct } = skb;
  if (!conntracked(kernel)) {
    delete skb.ct;
    skb.ctInfo = "untracked";
    return;
  }
  if (ct === undefined || ct.confirmed || skb.ctDirection === "reply") return;
  kernel.conntrack.alterReply(ct, { ...ct.tuple.reply, src: conn.real, sport: conn.realPort });
}

/**
 * An answer of a real server. Follows ip_vs_out_hook() and handle_response(): the source becomes the virtual address,
 * and what goes to a remote client is routed again with it (snat_reroute).
 */
export function ipVsOut(kernel: Kernel, skb: Skb, state: HookState): HookVerdict {
  if (skb.ipvsProperty) return "accept";
  const before = skb.packet;
  if (isIcmpError(before)) return icmpOut(kernel, skb, state);
  const conn = connOut(kernel.ipvsConns, before);
  if (conn === undefined) return "accept";
  skb.packet = { ...before, src: conn.virtual, sport: conn.virtualPort };
  skb.ipvsProperty = true;
  if (!conntracked(kernel)) {
    delete skb.ct;
    skb.ctInfo = "untracked";
  }
  kernel.record(skb, {
    kind: "ipvs",
    stack: kernel.name,
    packet: skb.packet,
    before,
    hook: state.hook,
    decision: `answer of ${formatAddress(conn.real)}:${conn.realPort} gets the virtual address as its source`,
    origins: [conn.service.origin],
  });
  if (state.hook === "INPUT" || skb.route?.type === "local") return "accept";
  if (sysctl(kernel, "net.ipv4.vs.snat_reroute").value === "0") return "accept";
  return ipRouteMeHarder(kernel, skb, "ipvs reply") ? "accept" : "drop";
}

/** Follows handle_response_icmp(): an ICMP error about a balanced packet is shown to the client as the VIP's. */
function icmpOut(kernel: Kernel, skb: Skb, state: HookState): HookVerdict {
  const inner = skb.packet.icmp?.inner;
  if (inner === undefined || skb.packet.icmp === undefined) return "accept";
  const conn = connOut(kernel.ipvsConns, {
    ...inner,
    src: inner.dst,
    sport: inner.dport,
    dst: inner.src,
    dport: inner.sport,
  });
  if (conn === undefined) return "accept";
  const before = skb.packet;
  skb.packet = {
    ...before,
    src: conn.virtual,
    icmp: { ...skb.packet.icmp, inner: { ...inner, dst: conn.virtual, dport: conn.virtualPort } },
  };
  skb.ipvsProperty = true;
  kernel.record(skb, {
    kind: "ipvs",
    stack: kernel.name,
    packet: skb.packet,
    before,
    hook: state.hook,
    decision: "ICMP error about a balanced packet gets the virtual address as its source",
    origins: [conn.service.origin],
  });
  return "accept";
}
