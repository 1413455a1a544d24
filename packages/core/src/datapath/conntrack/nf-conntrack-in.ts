import type { ConntrackStep, Decision } from "../../model/index.ts";
import { PROTO } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { isIcmpError, lengthOf, type Skb } from "../kernel/skb.ts";
import { sysctl } from "../kernel/sysctl.ts";
import { isInvalidByChecksum } from "../tunnel/udp-checksum.ts";
import { type Conntrack, type CtInfo, invertTuple, tupleOf } from "./nf-conntrack.ts";
import { tcpNew, tcpPacketState, tcpValidFlags } from "./nf-conntrack-tcp.ts";
import { takeZone, type Zone } from "./nf-conntrack-zone.ts";

const STATE: Readonly<Record<CtInfo, ConntrackStep["state"]>> = {
  none: "INVALID",
  new: "NEW",
  established: "ESTABLISHED",
  related: "RELATED",
  untracked: "UNTRACKED",
  invalid: "INVALID",
};

/** nf_conntrack_icmpv6_error(): multicast listeners, router and neighbour discovery are no connections. */
const UNTRACKED6: ReadonlySet<number> = new Set([130, 131, 132, 133, 134, 135, 136, 143]);

/**
 * Finds or makes the connection a packet belongs to. Follows nf_conntrack_in() (nf_conntrack_core.c). A packet that is
 * no part of a connection goes on without one: INVALID is a state, not a drop.
 */
export function nfConntrackIn(kernel: Kernel, skb: Skb): void {
  if (skb.ct !== undefined || skb.ctInfo === "untracked") return;
  if (skb.packet.protocol === PROTO.icmp6 && UNTRACKED6.has(skb.packet.icmp?.type ?? 0)) {
    skb.ctInfo = "untracked";
    return;
  }
  const zone = takeZone(kernel, skb);
  const { info, decision } = isIcmpError(skb.packet) ? icmpError(kernel, skb, zone) : resolve(kernel, skb, zone);
  skb.ctInfo = info;
  // nf_ct_refresh_acct(): not of what only quotes a packet of the connection.
  const counted = info === "related" ? undefined : (skb.ct as Conntrack | undefined)?.counted?.[skb.ctDirection];
  if (counted !== undefined) {
    counted.packets++;
    counted.bytes += lengthOf(skb);
  }
  const origin = (skb.ct as Conntrack | undefined)?.origin;
  if (!kernel.recording) {
    kernel.meet(skb, origin);
    return;
  }
  const step: ConntrackStep = {
    kind: "conntrack",
    stack: kernel.name,
    packet: skb.packet,
    state: STATE[info],
    direction: skb.ctDirection,
    action: "attach",
    decision,
    ...(origin !== undefined && { origin }),
  };
  kernel.record(skb, step);
}

interface Finding {
  readonly info: CtInfo;
  readonly decision: Decision;
}

/** Follows resolve_normal_ct() and the protocol's packet handler. */
function resolve(kernel: Kernel, skb: Skb, zone: Zone): Finding {
  const { packet } = skb;
  if (isInvalidByChecksum(kernel, skb)) return { info: "invalid", decision: { kind: "ct-bad-checksum" } };
  if (packet.protocol === PROTO.tcp && !tcpValidFlags(packet))
    return { info: "invalid", decision: { kind: "ct-bad-flags" } };
  const tuple = tupleOf(packet);
  let found = kernel.conntrack.find(tuple, zone);
  if (found === undefined) {
    const invalid = newInvalid(kernel, skb);
    if (invalid !== undefined) return { info: "invalid", decision: invalid };
    const ct = kernel.conntrack.create(tuple, zone);
    if (packet.protocol === PROTO.tcp) ct.tcpState = tcpNew(packet, true) ?? "NONE";
    skb.ct = ct;
    skb.ctDirection = "original";
    return { info: "new", decision: { kind: "ct-new" } };
  }
  if (packet.protocol === PROTO.tcp) {
    const verdict = tcpPacketState(
      found.ct,
      found.direction,
      packet,
      () => sysctl(kernel, "net.netfilter.nf_conntrack_tcp_be_liberal").value === "1",
    );
    if (verdict === "invalid")
      return { info: "invalid", decision: { kind: "ct-no-fit", state: found.ct.tcpState ?? "?" } };
    if (verdict === "restart") {
      kernel.conntrack.remove(found.ct);
      const ct = kernel.conntrack.create(tuple, zone);
      ct.tcpState = "SYN_SENT";
      found = { ct, direction: "original" };
    } else if (verdict === "kill") {
      kernel.conntrack.remove(found.ct);
      // The RST itself still travels with the entry attached, so that it is translated.
      found.ct.confirmed = true;
    }
  }
  skb.ct = found.ct;
  skb.ctDirection = found.direction;
  if (found.direction === "reply") {
    found.ct.seenReply = true;
    return { info: "established", decision: { kind: "ct-reply" } };
  }
  return { info: found.ct.seenReply ? "established" : "new", decision: { kind: "ct-original" } };
}

/** Follows nf_conntrack_inet_error(): an ICMP error belongs to the connection of the packet it quotes. */
function icmpError(kernel: Kernel, skb: Skb, zone: Zone): Finding {
  const inner = skb.packet.icmp?.inner;
  const found = inner === undefined ? undefined : kernel.conntrack.find(invertTuple(tupleOf(inner)), zone);
  if (found === undefined) return { info: "invalid", decision: { kind: "ct-quotes-unknown" } };
  if (found.ct.tuple[found.direction].dst !== skb.packet.dst) {
    return { info: "invalid", decision: { kind: "ct-quotes-other" } };
  }
  skb.ct = found.ct;
  skb.ctDirection = found.direction;
  return { info: "related", decision: { kind: "ct-quotes" } };
}

/** Why a packet without an entry may not start one; undefined if it may. */
function newInvalid(kernel: Kernel, skb: Skb): Decision | undefined {
  const { packet } = skb;
  if (packet.protocol === PROTO.tcp) {
    if (tcpNew(packet, true) === undefined) return { kind: "ct-no-syn" };
    if (tcpNew(packet, false) === undefined && sysctl(kernel, "net.netfilter.nf_conntrack_tcp_loose").value === "0") {
      return { kind: "ct-not-loose" };
    }
  }
  if (packet.protocol === PROTO.icmp && packet.icmp !== undefined && ![8, 13, 15, 17].includes(packet.icmp.type)) {
    return { kind: "ct-unasked" };
  }
  // icmpv6_new(): echo request and node information query.
  if (packet.protocol === PROTO.icmp6 && packet.icmp !== undefined && ![128, 139].includes(packet.icmp.type))
    return { kind: "ct-unasked" };
  return undefined;
}

/**
 * Follows nf_conntrack_confirm(): the entry enters the table at the end of INPUT or POSTROUTING. A clash drops the
 * packet (insert_failed); UDP may merge instead, which is a race between packets and not simulated.
 */
export function nfConntrackConfirm(kernel: Kernel, skb: Skb): "accept" | "drop" {
  const { ct } = skb;
  if (ct === undefined || ct.confirmed || skb.ctInfo === "untracked") return "accept";
  // __nf_conntrack_confirm(): an error or RST in answer to a packet that never got out does not enter its connection.
  if (skb.ctDirection !== "original") return "accept";
  if (kernel.conntrack.insert(ct)) {
    if (kernel.recording)
      kernel.record(skb, {
        kind: "conntrack",
        stack: kernel.name,
        packet: skb.packet,
        state: STATE[skb.ctInfo],
        direction: skb.ctDirection,
        action: "confirm",
        decision: { kind: "ct-confirmed" },
      });
    return "accept";
  }
  kernel.drop(skb, "conntrack confirm", "CONNTRACK_CLASH", { kind: "ct-clash" });
  return "drop";
}
