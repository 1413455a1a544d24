import type { Decision, Device } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { type Address, isIpv4, isMulticast, isUnspecified } from "../../net/index.ts";
import { attach } from "../ip/icmp-send.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { icmp6Packet, isIcmpError, type Skb } from "../kernel/skb.ts";
import { sysctl } from "../kernel/sysctl.ts";
import { dstHoplimit } from "../route/dst-hoplimit.ts";
import type { FlowKey } from "../route/fib.ts";
import { isRouteError } from "../route/route-result.ts";
import { isLinkLocal6, needsDevice } from "./addr-type.ts";
import { flowi6Hash } from "./flowi6-hash.ts";
import { ip6LocalOut } from "./ip6-output.ts";
import { ip6RouteOutput } from "./ip6-route-output.ts";
import { ipv6DevGetSaddr, isUsable } from "./ipv6-dev-get-saddr.ts";

export const ICMPV6 = {
  unreachable: 1,
  tooBig: 2,
  timeExceeded: 3,
  parameterProblem: 4,
  echoRequest: 128,
  echoReply: 129,
  solicitation: 135,
  advertisement: 136,
  redirect: 137,
} as const;
/** Codes of destination unreachable. */
export const UNREACH = { noRoute: 0, prohibited: 1, notNeighbour: 2, address: 3, port: 4 } as const;

const NAMES: Readonly<Record<string, string>> = lookup({
  "1/0": "ICMPv6 no route",
  "1/1": "ICMPv6 administratively prohibited",
  "1/2": "ICMPv6 beyond scope of source address",
  "1/3": "ICMPv6 address unreachable",
  "1/4": "ICMPv6 port unreachable",
  "1/5": "ICMPv6 source address failed policy",
  "1/6": "ICMPv6 reject route",
  "2/0": "ICMPv6 packet too big",
  "3/0": "ICMPv6 time exceeded",
  "4/1": "ICMPv6 unrecognized next header",
});
const nameOf = (type: number, code: number): string => NAMES[`${type}/${code}`] ?? `ICMPv6 type ${type} code ${code}`;

/** Follows icmp6_send() (net/ipv6/icmp.c): never for an error, nor for whom a single answer cannot reach. */
export function icmpv6Send(kernel: Kernel, cause: Skb, type: number, code: number, why: Decision, mtu?: number): void {
  const { packet } = cause;
  if (cause.probe !== undefined || isIcmpError(packet)) return;
  if (isUnspecified(packet.src) || isMulticast(packet.src)) return;
  const single = !isMulticast(packet.dst) && (cause.type === "host" || cause.type === "outgoing");
  if (!single && type !== ICMPV6.tooBig) return;
  const mark = sysctl(kernel, "net.ipv6.fwmark_reflect").value !== "0" ? cause.mark : 0;
  const oif = isLinkLocal6(packet.src) && cause.dev !== undefined ? { oif: cause.dev.name } : {};
  const key = { daddr: packet.src, ...oif, mark, tos: 0, protocol: 58 };
  const saddr = sourceOf(kernel, cause, key);
  const found = ip6RouteOutput(kernel, { ...key, saddr });
  const way = isRouteError(found) ? undefined : found;
  if (kernel.recording)
    kernel.record(cause, {
      kind: "error",
      stack: kernel.name,
      packet,
      answer: nameOf(type, code),
      decision: way === undefined ? { kind: "no-way-back", decision: why } : why,
    });
  const source = saddr ?? way?.source;
  if (way === undefined || way.anycast || source === undefined) return;
  const header = { type, code, id: 0, inner: packet, ...(mtu !== undefined && { mtu }) };
  const error = { ...icmp6Packet(source, packet.src, header), ttl: dstHoplimit(kernel, way) };
  const answer = kernel.network.answer(kernel, cause, error, nameOf(type, code));
  answer.mark = mark;
  answer.route = way;
  answer.hash = flowi6Hash(error);
  answer.socket = { kernel: true };
  attach(answer, cause);
  ip6LocalOut(kernel, answer);
}

/**
 * The address that was asked if it is ours; else none where the way back names one (icmpv6_rt_has_prefsrc()), and what the device it came in by has
 * towards the sender.
 */
function sourceOf(
  kernel: Kernel,
  { packet, dev, iif6 }: Skb,
  key: Omit<FlowKey, "iif" | "saddr">,
): Address | undefined {
  // ipv6_chk_addr_and_flags(): what means something on its own device only must be that one's.
  if (hasAddress(kernel, packet.dst, needsDevice(packet.dst) ? dev : undefined)) return packet.dst;
  if (dev === undefined || iif6 === "none" || isIpv4(packet.src)) return undefined;
  const back = ip6RouteOutput(kernel, { ...key, saddr: undefined });
  if (!isRouteError(back) && back.route?.prefSrc !== undefined) return undefined;
  return ipv6DevGetSaddr(kernel, iif6 ?? dev, packet.src)?.address;
}

/** Follows ipv6_chk_addr(): an address of any device that is no longer tentative. `strict`: of this device. */
export function hasAddress(kernel: Kernel, address: Address, strict?: Device): boolean {
  const devices = strict === undefined ? kernel.stack.devices.items : [strict];
  return devices.some((d) => d.addresses.some((a) => a.prefix.address === address && isUsable(a)));
}
