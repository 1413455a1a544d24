import type { Carried, Decision, Device, DropReason, Origin, Packet } from "../../model/index.ts";
import { type Address, isIpv4, PROTO } from "../../net/index.ts";
import { icmpSend } from "../ip/icmp-send.ts";
import { hasAddress, ICMPV6, icmpv6Send, UNREACH } from "../ipv6/icmpv6-send.ts";
import { ip6RouteOutput } from "../ipv6/ip6-route-output.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { Undetermined } from "../kernel/oracle.ts";
import type { Skb } from "../kernel/skb.ts";
import { dstMtu, noteTunnelMtu } from "../route/dst-mtu.ts";
import { isRouteError } from "../route/route-result.ts";
import { iptunnelXmit, keyMatches, outputKey, receiveFrom } from "./iptunnel.ts";
import { linkFailure, takeTunnelError } from "./tunnel-err.ts";

const GRE = 47;
const IPV6_IN = 41;
const HEADER = 40;
/** Destination options with the tunnel encapsulation limit (RFC 2473), which `encaplimit none` leaves out. */
const LIMIT = 8;
const MIN_MTU = { 4: 68, 6: 1280 } as const;
const DEFAULT_HOP_LIMIT = 64;

const protocolOf = (device: Device, inner: Packet): number =>
  device.kind === "ip6gre" ? GRE : isIpv4(inner.dst) ? PROTO.ipip : IPV6_IN;

function overhead(device: Device): number {
  const gre = device.kind === "ip6gre" ? (outputKey(device) === undefined ? 4 : 8) : 0;
  return HEADER + gre + (device.tunnel?.encapLimit === "none" ? 0 : LIMIT);
}

/** `ipip6` carries IPv4 alone, `ip6ip6` IPv6 alone, `any` both. */
const carries = ({ mode }: Device, inner: Packet): boolean =>
  mode === undefined || (mode !== "ip6ip6" && mode !== "ipip6") || (mode === "ipip6") === isIpv4(inner.dst);

/**
 * A packet leaves by an ip6tnl or ip6gre device. Follows ip6_tnl_start_xmit(), ip6gre_tunnel_xmit() and ip6_tnl_xmit() (net/ipv6): both ends have
 * to be named, and the near one has to be the stack's.
 */
export function ip6TunnelXmit(kernel: Kernel, device: Device, skb: Skb): void {
  const { tunnel } = device;
  const inner = skb.packet;
  const drop = (reason: DropReason, decision: Decision, origins: readonly Origin[] = []): void =>
    kernel.drop(skb, "ip6_tnl_xmit", reason, decision, [device.origin, ...origins]);
  if (!carries(device, inner)) {
    drop("TUNNEL_NO_DEVICE", { kind: "tunnel-other-family", device: device.name, mode: device.mode ?? "any" });
    return;
  }
  const remote = tunnel?.remote;
  // Of whom neither -d nor link/tunnel6 shows the ends, who is behind it takes the packet.
  if (tunnel === undefined) {
    kernel.network.transmit(kernel, device, skb);
    return;
  }
  // ip6_tnl_get_cap(): a tunnel without a far end asks the neighbour of the inner route, which is not walked.
  if (remote === undefined) throw new Undetermined(kernel.name, "tunnel", unmodelled(device), [device.origin]);
  if (!mayTransmit(kernel, device, remote)) {
    const decision: Decision = { kind: "tunnel-no-local", device: device.name };
    if (device.kind === "ip6tnl") linkFailure(kernel, skb, decision);
    drop("IP_OUTNOROUTES", decision);
    return;
  }
  const protocol = protocolOf(device, inner);
  const route = ip6RouteOutput(kernel, {
    daddr: remote,
    saddr: tunnel.local,
    ...(device.lower !== undefined && kernel.device(device.lower) !== undefined && { oif: device.lower }),
    mark: 0,
    tos: inner.tos & 3,
    protocol,
  });
  if (isRouteError(route)) {
    const decision: Decision = { kind: "tunnel-no-route", remote, device: device.name, errno: route.errno };
    linkFailure(kernel, skb, decision);
    drop("IP_OUTNOROUTES", decision, route.origins);
    return;
  }
  if (route.device === device) {
    drop("LOOP", { kind: "tunnel-loop", remote, device: device.name }, route.origins);
    return;
  }
  const four = isIpv4(inner.dst);
  const length = inner.length + overhead(device);
  const below = dstMtu(kernel, route, remote, length);
  const room = Math.max(below - overhead(device), MIN_MTU[four ? 4 : 6]);
  noteTunnelMtu(kernel, skb, room);
  if (inner.length > room) {
    if (four) icmpSend(kernel, skb, 3, 4, { kind: "tunnel-over" }, room);
    else icmpv6Send(kernel, skb, ICMPV6.tooBig, 0, { kind: "tunnel-over" }, room);
    const fit = { bytes: inner.length, room, device: device.name, lower: route.device.name };
    drop("PKT_TOO_BIG", { kind: "tunnel-too-big", ...fit }, [route.device.origin]);
    return;
  }
  // IPv6 carries 1280 bytes in any case: ip6_fragment() is not walked.
  if (length > below) throw new Undetermined(kernel.name, "tunnel", { kind: "unknown-fragments6" }, [device.origin]);
  if (takeTunnelError(kernel, device)) linkFailure(kernel, skb, { kind: "tunnel-error", remote, device: device.name });
  const key = device.kind === "ip6gre" ? outputKey(device) : undefined;
  const carried: Carried = {
    tunnel: device.kind === "ip6gre" ? "gre" : "ip6tnl",
    ...(key !== undefined && { key }),
    packet: inner,
  };
  const limit = tunnel.ttl ?? DEFAULT_HOP_LIMIT;
  const outer: Packet & { readonly carried: Carried } = {
    src: tunnel.local!,
    dst: remote,
    protocol,
    sport: 0,
    dport: 0,
    tcpFlags: 0,
    ttl: typeof limit === "number" && limit > 0 ? limit : inner.ttl,
    tos: inner.tos & 3,
    length,
    df: true,
    carried,
  };
  iptunnelXmit(kernel, device, skb, outer, route, [device.origin, ...(skb.route?.origins ?? [])]);
}

const unmodelled = (device: Device): Decision => ({
  kind: "unknown-device",
  device: device.name,
  deviceKind: `${device.kind} remote any`,
});

/** Follows ip6_tnl_xmit_ctl(): the near end is an address of this stack that is no longer tentative, the far one is not. */
function mayTransmit(kernel: Kernel, { tunnel, lower }: Device, remote: Address): boolean {
  const on = lower === undefined ? undefined : kernel.device(lower);
  const { local } = tunnel!;
  return local !== undefined && hasAddress(kernel, local, on) && !hasAddress(kernel, remote, on);
}

/** A packet of such a tunnel is for this stack. Follows tunnel6_rcv(), ipxip6_rcv(), ip6gre_rcv() and their look-ups. */
export function ip6TunnelRcv(kernel: Kernel, skb: Skb): void {
  const { packet } = skb;
  const carried = packet.carried!;
  const { devices } = kernel.stack;
  const kind = carried.tunnel === "gre" ? "ip6gre" : "ip6tnl";
  const ours = devices.items.filter((d) => d.kind === kind);
  const fit = ours.filter((d) => d.up !== false).map((d) => ({ d, rank: rank(d, packet) }));
  const best = fit.reduce((a, b) => (b.rank > a.rank ? b : a), { d: undefined as Device | undefined, rank: 0 });
  if (best.d !== undefined) {
    if (carries(best.d, carried.packet)) receiveFrom(kernel, best.d, skb, carried);
    else {
      const decision: Decision = { kind: "tunnel-other-family", device: best.d.name, mode: best.d.mode ?? "any" };
      kernel.drop(skb, "ip6_tnl_rcv", "TUNNEL_NO_DEVICE", decision, [best.d.origin]);
    }
    return;
  }
  if (devices.extent !== "whole" && ours.length === 0) {
    kernel.network.unwrap(kernel, skb);
    return;
  }
  const decision: Decision = {
    kind: "tunnel-no-device",
    tunnel: carried.tunnel,
    stack: kernel.name,
    address: packet.src,
  };
  // ip6_protocol_deliver_rcu(): GRE's handler gets the packet without its connection; with no handler at all the next header is not known.
  if (ours.length > 0 && kind === "ip6gre") skb.ct = undefined;
  if (ours.length > 0) icmpv6Send(kernel, skb, ICMPV6.unreachable, UNREACH.port, decision);
  else icmpv6Send(kernel, skb, ICMPV6.parameterProblem, 1, decision);
  kernel.drop(
    skb,
    "ip6_tnl_rcv",
    "TUNNEL_NO_DEVICE",
    decision,
    ours.map((d) => d.origin),
  );
}

/** ip6_tnl_lookup(): both ends named, the near one alone, the far one alone, none; 0: not at all. */
function rank({ tunnel, kind }: Device, outer: Packet): number {
  const { remote, local } = tunnel ?? {};
  if (kind === "ip6gre" && !keyMatches(tunnel, outer.carried?.key)) return 0;
  if (remote !== undefined && remote !== outer.src) return 0;
  if (local !== undefined && local !== outer.dst) return 0;
  return 1 + (remote === undefined ? 0 : 1) + (local === undefined ? 0 : 2);
}
