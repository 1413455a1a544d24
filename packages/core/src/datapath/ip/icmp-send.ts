import { type Decision, type Device, type IcmpHeader, isLaterFragment, type Packet } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { ipv4Of } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { icmpPacket, isIcmpError, type Skb } from "../kernel/skb.ts";
import { sysctl } from "../kernel/sysctl.ts";
import { dstHoplimit } from "../route/dst-hoplimit.ts";
import { inetAddrType } from "../route/fib.ts";
import { inetSelectAddr, SCOPE_LINK } from "../route/inet-select-addr.ts";
import { ipRouteOutput } from "../route/ip-route-output.ts";
import { isRouteError, type RouteError, type RouteResult } from "../route/route-result.ts";
import { ipLocalOut } from "./ip-output.ts";

const NAMES: Readonly<Record<string, string>> = lookup({
  "3/0": "ICMP net unreachable",
  "3/1": "ICMP host unreachable",
  "3/2": "ICMP protocol unreachable",
  "3/3": "ICMP port unreachable",
  "3/4": "ICMP fragmentation needed",
  "3/9": "ICMP net prohibited",
  "3/10": "ICMP host prohibited",
  "3/13": "ICMP admin prohibited",
  "11/0": "ICMP time exceeded",
});
export const icmpName = (type: number, code: number): string =>
  NAMES[`${type}/${code}`] ?? `ICMP type ${type} code ${code}`;

/** The IP and ICMP headers before what is quoted. */
const OWN_HEADERS = 28;
/** 192.0.0.8 (INADDR_DUMMY, RFC 7600): who has no address at all speaks from it since 5.13, and since stable kernels of that year. */
const DUMMY4 = ipv4Of(0xc0000008);
/** No error is longer, however much there is to quote (RFC 1812 4.3.2.3). */
const MOST = 576;

/**
 * Answers a packet with an ICMP error. Follows __icmp_send() (net/ipv4/icmp.c): never for an ICMP error, a broadcast or
 * a frame for somebody else; its source is the address that was asked if that is local, else what routing selects.
 */
export function icmpSend(kernel: Kernel, cause: Skb, type: number, code: number, why: Decision, mtu?: number): void {
  const error = errorAbout(kernel, cause, { type, code, ...(mtu !== undefined && { mtu }) });
  if (error === undefined) return;
  if (kernel.recording)
    kernel.record(cause, {
      kind: "error",
      stack: kernel.name,
      packet: cause.packet,
      answer: icmpName(type, code),
      decision: error === "no way back" ? { kind: "no-way-back", decision: why } : why,
    });
  if (error === "no way back") return;
  sendError(kernel, cause, error, kernel.network.answer(kernel, cause, error.packet, icmpName(type, code)));
}

/** An error that is ready to be sent. */
export interface IcmpError {
  readonly packet: Packet;
  readonly mark: number;
  readonly route: RouteResult;
}

/** What is said of a packet; undefined: of such a one nobody is told. */
export function errorAbout(
  kernel: Kernel,
  cause: Skb,
  says: Pick<IcmpHeader, "type" | "code" | "mtu" | "target">,
): IcmpError | "no way back" | undefined {
  const { packet } = cause;
  // A bridged frame has no route, but the bridge's own stand-in for one (br_netfilter's fake_rtable).
  if (isIcmpError(packet) || (cause.route === undefined && cause.nfBridge === undefined)) return;
  if (isLaterFragment(packet)) return;
  if (cause.type !== "host" && cause.type !== "outgoing") return;
  if (cause.route?.type === "broadcast" || cause.route?.type === "multicast") return;
  const input = cause.dev !== undefined && cause.type !== "outgoing" && cause.route?.output !== true;
  // __mkroute_output(): what leaves by lo counts as local, whoever has the address; lo brings it back with that route.
  const byLoopback = cause.route?.device.kind === "loopback" && (!input || cause.dev?.kind === "loopback");
  const local = cause.route?.type === "local" || byLoopback;
  let saddr = local ? packet.dst : undefined;
  if (!local && input && sysctl(kernel, "net.ipv4.icmp_errors_use_inbound_ifaddr").value !== "0") {
    saddr = inetSelectAddr(kernel, cameBy(kernel, cause), packet.src, SCOPE_LINK)?.address;
  }
  const mark = sysctl(kernel, "net.ipv4.fwmark_reflect").value !== "0" ? cause.mark : 0;
  // Errors are sent with precedence "internetwork control" (IPTOS_PREC_INTERNETCONTROL).
  const tos = (packet.tos & 0x1e) | 0xc0;
  const found = routeOfError(kernel, { daddr: packet.src, saddr, mark, tos, protocol: 1 });
  if (isRouteError(found)) return "no way back";
  const source = saddr ?? found.source ?? DUMMY4;
  const header = { ...says, id: 0, inner: packet };
  const length = Math.min(packet.length + OWN_HEADERS, MOST);
  const error = { ...icmpPacket(source, packet.src, header, length), tos, ttl: dstHoplimit(kernel, found) };
  return { packet: error, mark, route: found };
}

/** icmp_push_reply(): it is the kernel's own, and of the connection of what it is about. */
export function sendError(kernel: Kernel, cause: Skb, { mark, route }: IcmpError, answer: Skb): void {
  answer.mark = mark;
  answer.route = route;
  answer.socket = { kernel: true };
  attach(answer, cause);
  ipLocalOut(kernel, answer);
}

/** inet_iif(): what DNAT sends to a neighbour on its own bridge came in by the port, for the bridge never took it (skb_iif). */
const cameBy = (kernel: Kernel, { dev, nfBridge }: Skb): Device =>
  (nfBridge?.bridgedDnat === true ? kernel.device(nfBridge.physIn ?? "") : undefined) ?? dev!;

/** Follows icmp_route_lookup(): unlike a RST an error cannot be sent from an address that is not this stack's. */
function routeOfError(kernel: Kernel, key: Parameters<typeof ipRouteOutput>[1]): RouteResult | RouteError {
  if (key.saddr !== undefined && inetAddrType(kernel, key.saddr) !== "LOCAL")
    return { type: "error", errno: "ENETUNREACH", origins: [] };
  return ipRouteOutput(kernel, key);
}

/** nf_ct_attach(): what the kernel says in answer to a packet belongs to that packet's connection, the other way round. */
export function attach(answer: Skb, cause: Skb): void {
  if (cause.ct === undefined) return;
  answer.ct = cause.ct;
  answer.ctInfo = "related";
  answer.ctDirection = cause.ctDirection === "original" ? "reply" : "original";
}
