import { type Decision, type Device, isLaterFragment, type Origin, type RuleRef, TCP } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { isIpv4, isLinkLocal, isLoopback, PROTO } from "../../net/index.ts";
import { attach, icmpSend } from "../ip/icmp-send.ts";
import { ipLocalOut } from "../ip/ip-output.ts";
import type { TargetOutcome } from "../iptables/targets/index.ts";
import { ICMPV6, icmpv6Send, UNREACH } from "../ipv6/icmpv6-send.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { kernelAtLeast } from "../kernel/kernel-version.ts";
import { type Skb, tcpPacket } from "../kernel/skb.ts";
import { sysctl } from "../kernel/sysctl.ts";
import { devQueueXmit } from "../link/dev-queue-xmit.ts";
import { dstHoplimit } from "../route/dst-hoplimit.ts";
import { ipRouteOutput } from "../route/ip-route-output.ts";
import { isRouteError } from "../route/route-result.ts";
import type { HookState } from "./nf-hooks.ts";

const CODES: Readonly<Record<string, number>> = lookup({
  "icmp-net-unreachable": 0,
  "icmp-host-unreachable": 1,
  "icmp-proto-unreachable": 2,
  "icmp-port-unreachable": 3,
  "icmp-net-prohibited": 9,
  "icmp-host-prohibited": 10,
  "icmp-admin-prohibited": 13,
});

/** reject_tg6() (ip6t_REJECT.c), by iptables' names and by those nft shares between the families. */
const CODES6: Readonly<Record<string, number>> = lookup({
  "icmp6-no-route": 0,
  "icmp6-adm-prohibited": 1,
  "icmp6-addr-unreachable": 3,
  "icmp6-port-unreachable": 4,
  "icmp6-policy-fail": 5,
  "icmp6-reject-route": 6,
});

/** Follows reject_tg() (ipt_REJECT.c): answers, then drops. */
export function reject(
  kernel: Kernel,
  skb: Skb,
  state: HookState,
  how: string,
  origin: Origin,
  at: RuleRef,
): TargetOutcome {
  const decision: Decision = { kind: "reject", how };
  const inChain: Decision = { kind: "in-chain", decision, rule: at };
  // nf_send_unreach() and nf_reject_ip_tcphdr_get() look at the checksum first, which of a fragment is never right.
  const whole = skb.packet.fragment === undefined;
  if (whole && (state.hook !== "PREROUTING" || fillRoute(kernel, skb, how))) {
    if (how === "tcp-reset") sendReset(kernel, skb, decision, "rule");
    else if (isOwnEchoReply(skb)) {
      // Nobody is told.
    } else if (!isIpv4(skb.packet.dst))
      icmpv6Send(kernel, skb, ICMPV6.unreachable, CODES6[how] ?? UNREACH.port, inChain);
    else icmpSend(kernel, skb, 3, CODES[how] ?? 3, inChain);
  }
  kernel.drop(skb, `${at.table} ${state.hook}`, "NETFILTER_DROP", inChain, [origin]);
  return { kind: "drop", decision, recorded: true };
}

/**
 * nf_reject_fill_skb_dst(): what was not routed yet is answered as if it were on its way back to its sender, of whom nothing but the address is asked. False: there
 * is none, and nobody is told. nf_send_reset6() asks by all that it knows of its own packet.
 */
function fillRoute(kernel: Kernel, skb: Skb, how: string): boolean {
  if (skb.route !== undefined) return true;
  const { src } = skb.packet;
  if (how === "tcp-reset" && !isIpv4(src)) return true;
  const found = ipRouteOutput(kernel, { daddr: src, saddr: undefined, mark: 0, tos: 0, protocol: 0 });
  if (isRouteError(found)) return false;
  skb.route = { ...found, output: true };
  return true;
}

/** icmp_xmit_lock(), icmpv6_xmit_lock(): while the kernel sends an echo reply, its ICMP socket is taken, and no error can be sent. */
const isOwnEchoReply = ({ dev, packet: { protocol, icmp } }: Skb): boolean =>
  dev === undefined && icmp?.type === (protocol === PROTO.icmp6 ? ICMPV6.echoReply : 0);

/**
 * Follows nf_send_reset() and tcp_v4_send_reset(): the RST comes from the address that was asked and is routed as a packet
 * of its own. A rule's belongs to the connection at once (nf_ct_attach); a socket layer's is looked up like any packet.
 */
export function sendReset(
  kernel: Kernel,
  cause: Skb,
  why: Decision,
  by: "rule" | "socket",
  listener?: Skb["socket"],
): void {
  const { packet } = cause;
  if (packet.protocol !== PROTO.tcp || packet.tcpFlags & TCP.RST || isLaterFragment(packet)) return;
  const four = isIpv4(packet.src);
  const mark = sysctl(kernel, `net.${four ? "ipv4" : "ipv6"}.fwmark_reflect`).value !== "0" ? cause.mark : 0;
  const way = four ? undefined : answersBy(cause, by);
  const oif = way === undefined ? {} : { oif: way };
  // A socket layer's RST takes over the packet's tos, a rule's has none (nf_reject_iphdr_put).
  const tos = by === "socket" ? packet.tos : 0;
  // nf_send_reset6() and ip_send_unicast_reply() ask by its ports, too; ip_route_me_harder() where some rule does (fib4_rules_early_flow_dissect()).
  const ends = { daddr: packet.src, saddr: packet.dst, sport: packet.dport, dport: packet.sport };
  const found = ipRouteOutput(kernel, { ...ends, ...oif, mark, tos, protocol: PROTO.tcp });
  if (kernel.recording)
    kernel.record(cause, { kind: "error", stack: kernel.name, packet, answer: "TCP RST", decision: why });
  if (isRouteError(found)) return;
  // What acknowledges something is reset with its own number; only a SYN is acknowledged by the RST.
  const flags = packet.tcpFlags & TCP.ACK ? TCP.RST : TCP.RST | TCP.ACK;
  const ttl = dstHoplimit(kernel, found);
  const rst = { ...tcpPacket(packet.dst, packet.dport, packet.src, packet.sport, flags, four ? 40 : 60), tos, ttl };
  const answer = kernel.network.answer(kernel, cause, rst, "TCP RST");
  answer.mark = mark;
  answer.route = found;
  // ip_send_unicast_reply() sends by a socket of the kernel's, tcp_v6_send_response() by none; since 6.13 it is the listener's where one was met.
  if (listener !== undefined && kernelAtLeast(kernel, 6, 13)) answer.socket = listener;
  else if (by === "socket" && four) answer.socket = { kernel: true };
  if (by === "rule") {
    attach(answer, cause);
    if (cause.ct?.confirmed === true && setsClosing(kernel)) cause.ct.tcpState = "CLOSE";
  }
  const port = by === "rule" && cause.nfBridge?.physIn !== undefined ? kernel.device(cause.nfBridge.physIn) : undefined;
  if (port === undefined) ipLocalOut(kernel, answer);
  else throughPort(kernel, answer, cause, port);
}

/**
 * tcp_v6_send_response(): a link-local address is answered where it was heard; and ::1, too (rt6_need_strict()). What lo brings from the stack to
 * itself counts as heard by the device that has the address (ip6_rcv_core()), and by that no way leads to ::1.
 */
function answersBy({ packet, dev, route }: Skb, by: "rule" | "socket"): string | undefined {
  if (dev === undefined) return undefined;
  if (isLinkLocal(packet.src)) return dev.name;
  return by === "socket" && isLoopback(packet.src) ? (route?.route?.nexthops[0]?.device ?? dev.name) : undefined;
}

/** nf_ct_set_closing(): the entry of what a rule resets is closed at once. Since 6.3, and in 6.1 since 6.1.81, which Debian calls 6.1.0-19. */
function setsClosing(kernel: Kernel): boolean {
  if (kernelAtLeast(kernel, 6, 3)) return true;
  const { major, minor, patch, release } = kernel.stack.machine.kernel!;
  if (major !== 6 || minor !== 1) return false;
  return patch >= 81 || Number(/^6\.1\.0-(\d+)/.exec(release)?.[1] ?? 0) >= 19;
}

/**
 * nf_send_reset() of what came in by a bridge port: the RST leaves by that port as if the other host had sent it, past
 * OUTPUT, POSTROUTING and any translation.
 */
function throughPort(kernel: Kernel, answer: Skb, cause: Skb, port: Device): void {
  if (cause.destinationMac !== undefined) answer.sourceMac = cause.destinationMac;
  if (cause.sourceMac !== undefined) answer.destinationMac = cause.sourceMac;
  devQueueXmit(kernel, port, answer);
}
