import { type Decision, type Hook, type Origin, TCP } from "../../model/index.ts";
import { PROTO } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { Undetermined } from "../kernel/oracle.ts";
import { isIcmpError, type Skb } from "../kernel/skb.ts";
import { sysctl } from "../kernel/sysctl.ts";
import type { HookState, HookVerdict } from "../netfilter/nf-hooks.ts";
import { inetAddrType } from "../route/fib.ts";
import { connIn, connOut, type IpvsConn } from "./ip-vs-conn.ts";
import { ipVsError } from "./ip-vs-error.ts";
import { ipVsInIcmp, ipVsOutIcmp, snatReroute } from "./ip-vs-icmp.ts";
import { findService, schedule } from "./ip-vs-schedule.ts";
import { serviceWith } from "./ip-vs-services.ts";
import { nextTcpState } from "./ip-vs-tcp-state.ts";
import { conntracked, mark, packetXmit, updateConntrack, usesConntrack } from "./ip-vs-xmit.ts";

const BALANCED: ReadonlySet<number> = new Set([PROTO.tcp, PROTO.udp, PROTO.sctp]);

/**
 * A request for a virtual service. Follows ip_vs_in_hook() (ip_vs_core.c): only what routing considers local, or what
 * is sent locally, gets here; there is no PREROUTING hook.
 */
export function ipVsIn(kernel: Kernel, skb: Skb, state: HookState): HookVerdict {
  const { packet } = skb;
  if (skb.ipvsProperty || (skb.type !== "host" && state.hook !== "OUTPUT")) return "accept";
  if (isIcmpError(packet)) return ipVsInIcmp(kernel, skb, state);
  if (!BALANCED.has(packet.protocol)) return "accept";
  const known = connIn(kernel.ipvsConns, packet);
  const kept = known === undefined ? undefined : checkConn(kernel, skb, known);
  if (kept === "drop") return "drop";
  const conn = kept === undefined ? begin(kernel, skb, state) : known!;
  if (typeof conn === "string") return conn;
  if (conn.protocol === PROTO.tcp) conn.state = nextTcpState(conn.state, packet.tcpFlags, "request");
  return packetXmit(kernel, skb, state.hook, conn);
}

/**
 * May a packet of a known connection go on with it? A SYN on one that is over, or whose server takes nobody any more, makes it
 * anew; one whose server was taken away is dropped, or with expire_nodest_conn ends. Where conntrack still holds the old
 * connection, the first packet is lost for it.
 */
function checkConn(kernel: Kernel, skb: Skb, conn: IpvsConn): "go on" | "drop" | undefined {
  const { packet } = skb;
  const server = serverNow(kernel, conn);
  const expires = () => sysctl(kernel, "net.ipv4.vs.expire_nodest_conn").value !== "0";
  const origins = [conn.service.origin, conn.server.origin];
  if (packet.protocol === PROTO.tcp && packet.tcpFlags & TCP.SYN) {
    const drained = server !== undefined && server.weight === 0 && expires();
    const over = !conn.controlled && (conn.state === "TIME_WAIT" || conn.state === "CLOSE");
    if (drained || (over && sysctl(kernel, "net.ipv4.vs.conn_reuse_mode").value !== "0")) {
      if (!expire(kernel, skb, conn)) return undefined;
      const decision: Decision = { kind: "ipvs-stale" };
      kernel.drop(skb, "ipvs", "IPVS_STALE_CONNECTION", decision, origins);
      return "drop";
    }
  }
  if (server !== undefined) return "go on";
  if (expires() && !expire(kernel, skb, conn)) return undefined;
  kernel.drop(skb, "ipvs", "IPVS_SERVER_REMOVED", { kind: "ipvs-removed" }, origins);
  return "drop";
}

/** The server as its service has it now; undefined: not IP_VS_DEST_F_AVAILABLE. */
function serverNow(kernel: Kernel, conn: IpvsConn) {
  const service = serviceWith(kernel.stack.ipvs.services, conn.service.key);
  return service?.realServers.find((s) => s.address === conn.server.address && s.port === conn.server.port);
}

/**
 * Follows ip_vs_conn_expire_now(). True: conntrack held the connection (ip_vs_conn_uses_old_conntrack), whose entry goes with
 * it.
 */
function expire(kernel: Kernel, skb: Skb, conn: IpvsConn): boolean {
  kernel.ipvsConns.splice(kernel.ipvsConns.indexOf(conn), 1);
  const { ct } = skb;
  if (!usesConntrack(kernel, conn) || ct?.confirmed !== true) return false;
  kernel.conntrack.remove(ct);
  return true;
}

/** Follows tcp_conn_schedule(), udp_conn_schedule() and ip_vs_schedule(): a new connection, or a verdict. */
function begin(kernel: Kernel, skb: Skb, state: HookState): IpvsConn | HookVerdict {
  const { packet } = skb;
  const service = findService(kernel, skb);
  if (service === undefined) {
    if (kernel.stack.ipvs.extent !== "whole" && inetAddrType(kernel, packet.dst) === "LOCAL")
      undumpedService(kernel, skb);
    return "accept";
  }
  // A SYN, be it with ACK, opens a connection; anything else falls through to the local stack.
  if (packet.protocol === PROTO.tcp) {
    if (packet.tcpFlags & TCP.RST) return "accept";
    if (!(packet.tcpFlags & TCP.SYN) && sysctl(kernel, "net.ipv4.vs.sloppy_tcp").value === "0") return "accept";
  }
  // Answers of a local real server are not scheduled themselves.
  const local = skb.dev === undefined || skb.dev.kind === "loopback";
  const backwards = { ...packet, src: packet.dst, sport: packet.dport, dst: packet.src, dport: packet.sport };
  if (local && connIn(kernel.ipvsConns, backwards) !== undefined) return "accept";
  const scheduled = schedule(kernel, service, skb);
  if (scheduled === undefined) {
    if (service.extent !== "whole") {
      throw new Undetermined(kernel.name, "ipvs", { kind: "unknown-real-servers" }, [service.origin]);
    }
    return leave(kernel, skb, state.hook, service.origin);
  }
  const { server, controlled } = scheduled;
  const query = service.key.kind === "address" && packet.dport === service.key.port;
  const fixed = controlled ? query && server.port !== 0 : server.port !== 0;
  const conn: IpvsConn = {
    protocol: packet.protocol,
    client: packet.src,
    clientPort: packet.sport,
    virtual: packet.dst,
    virtualPort: packet.dport,
    real: server.address,
    realPort: fixed ? server.port : packet.dport,
    service,
    server,
    tracked: conntracked(kernel),
    controlled,
    state: "NONE",
  };
  // One-packet scheduling: the entry is not kept, and the next packet is scheduled anew.
  if (!(service.onePacket && packet.protocol === PROTO.udp)) kernel.ipvsConns.push(conn);
  return conn;
}

/** A dump that went through grep may have lost the very service that was asked for. */
function undumpedService(kernel: Kernel, skb: Skb): void {
  const { extent, services } = kernel.stack.ipvs;
  if (extent === "unread" || services.length === 0) return;
  kernel.oracle.assume({ kind: "ipvs-rest", stack: kernel.name }, "no effect", {
    kind: "ipvs-rest",
    address: skb.packet.dst,
  });
}

/** Follows ip_vs_leave(): the service exists and nobody can take the connection: port unreachable, from the VIP. */
function leave(kernel: Kernel, skb: Skb, hook: Hook, origin: Origin): HookVerdict {
  const decision: Decision = { kind: "ipvs-empty" };
  if (kernel.recording)
    kernel.record(skb, {
      kind: "ipvs",
      stack: kernel.name,
      packet: skb.packet,
      before: skb.packet,
      hook,
      decision,
      origins: [origin],
    });
  else kernel.meet(skb, origin);
  ipVsError(kernel, skb, "port unreachable", decision);
  kernel.drop(skb, "ipvs", "IPVS_NO_DESTINATION", decision, [origin]);
  return "drop";
}

/**
 * An answer of a real server. Follows ip_vs_out_hook() and handle_response(): the source becomes the virtual address,
 * and what goes to a remote client is routed again with it (snat_reroute).
 */
export function ipVsOut(kernel: Kernel, skb: Skb, state: HookState): HookVerdict {
  if (skb.ipvsProperty) return "accept";
  const before = skb.packet;
  if (isIcmpError(before)) return ipVsOutIcmp(kernel, skb, state);
  const conn = connOut(kernel.ipvsConns, before);
  if (conn === undefined) return "accept";
  if (conn.server.method === "masq") {
    skb.packet = { ...before, src: conn.virtual, sport: conn.virtualPort };
    if (kernel.recording)
      kernel.record(skb, {
        kind: "ipvs",
        stack: kernel.name,
        packet: skb.packet,
        before,
        hook: state.hook,
        decision: { kind: "ipvs-answer", server: { address: conn.real, port: conn.realPort } },
        origins: [conn.service.origin],
      });
    else kernel.meet(skb, conn.service.origin);
    if (!snatReroute(kernel, skb, state)) return "drop";
  }
  if (conn.protocol === PROTO.tcp) conn.state = nextTcpState(conn.state, before.tcpFlags, "answer");
  mark(kernel, skb, conn);
  updateConntrack(kernel, skb, conn, "answer");
  return "accept";
}
