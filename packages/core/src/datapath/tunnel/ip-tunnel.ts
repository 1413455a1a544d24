import type { Carried, Decision, Device, Packet } from "../../model/index.ts";
import { ANY4, isIpv4, PROTO } from "../../net/index.ts";
import { icmpSend } from "../ip/icmp-send.ts";
import { ICMPV6, icmpv6Send } from "../ipv6/icmpv6-send.ts";
import { comesTo } from "../kernel/came-by.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { dstMtu, noteTunnelMtu } from "../route/dst-mtu.ts";
import { ipRouteOutput } from "../route/ip-route-output.ts";
import { isRouteError } from "../route/route-result.ts";
import { iptunnelXmit, keyMatches, outputKey, receiveFrom } from "./iptunnel.ts";
import { linkFailure, takeTunnelError } from "./tunnel-err.ts";

const GRE = 47;
const protocolOf = (device: Device): number => (device.kind === "gre" ? GRE : PROTO.ipip);
/** The outer header, and for GRE its own, with a key if there is one. */
const overhead = (device: Device): number => (device.kind === "ipip" ? 20 : outputKey(device) === undefined ? 24 : 28);

/**
 * A packet leaves by an IPIP or GRE device. Follows ip_tunnel_xmit() (net/ipv4/ip_tunnel.c): without a remote of its own
 * (`remote any`: Calico's tunl0) the next hop of the inner route is the far end.
 */
export function ipTunnelXmit(kernel: Kernel, device: Device, skb: Skb): void {
  const inner = skb.packet;
  const { tunnel } = device;
  // What carries frames, and what shows neither a far end nor a next hop, is left to who is behind it.
  const noFarEnd = tunnel === undefined && skb.route?.gateway === undefined;
  if (device.kindName !== undefined || noFarEnd) {
    kernel.network.transmit(kernel, device, skb);
    return;
  }
  // ipip_tunnel_xmit(): IPv4 and MPLS alone.
  if (device.kind === "ipip" && !isIpv4(inner.dst)) {
    const decision: Decision = { kind: "tunnel-other-family", device: device.name, mode: "ipip" };
    kernel.drop(skb, "ip_tunnel_xmit", "TUNNEL_NO_DEVICE", decision, [device.origin]);
    return;
  }
  const remote = tunnel?.remote ?? skb.route?.gateway ?? inner.dst;
  const protocol = protocolOf(device);
  comesTo(remote);
  const route = ipRouteOutput(kernel, {
    daddr: remote,
    saddr: tunnel?.local,
    ...(device.lower !== undefined && kernel.device(device.lower) !== undefined && { oif: device.lower }),
    mark: 0,
    tos: 0,
    protocol,
  });
  if (isRouteError(route)) {
    const decision: Decision = { kind: "tunnel-no-route", remote, device: device.name, errno: route.errno };
    // tx_error: nobody is told. Before ip_tunnel_xmit() served all tunnels (3.10), dst_link_failure() told the sender.
    kernel.drop(skb, "ip_tunnel_xmit", "IP_OUTNOROUTES", decision, [device.origin, ...route.origins]);
    return;
  }
  if (route.device === device) {
    kernel.drop(skb, "ip_tunnel_xmit", "LOOP", { kind: "tunnel-loop", remote, device: device.name }, [
      device.origin,
      ...route.origins,
    ]);
    return;
  }
  // tnl_update_pmtu(): what may not be fragmented and does not fit is refused with an ICMP error.
  const room = dstMtu(kernel, route, remote, inner.length) - overhead(device);
  const df = inner.df || (tunnel?.remote !== undefined && tunnel.pathMtuDiscovery !== false);
  if (df) noteTunnelMtu(kernel, skb, room);
  if (inner.df && inner.length > room) {
    if (isIpv4(inner.dst)) icmpSend(kernel, skb, 3, 4, { kind: "tunnel-over" }, room);
    else icmpv6Send(kernel, skb, ICMPV6.tooBig, 0, { kind: "tunnel-over" }, room);
    const fit = { bytes: inner.length, room, device: device.name, lower: route.device.name };
    kernel.drop(skb, "ip_tunnel_xmit", "PKT_TOO_BIG", { kind: "tunnel-too-big", ...fit }, [
      device.origin,
      route.device.origin,
    ]);
    return;
  }
  if (takeTunnelError(kernel, device)) linkFailure(kernel, skb, { kind: "tunnel-error", remote, device: device.name });
  const key = device.kind === "gre" ? outputKey(device) : undefined;
  const carried: Carried = {
    tunnel: device.kind === "gre" ? "gre" : "ipip",
    ...(key !== undefined && { key }),
    packet: inner,
  };
  const outer: Packet & { readonly carried: Carried } = {
    src: tunnel?.local ?? route.source ?? ANY4,
    dst: remote,
    protocol,
    sport: 0,
    dport: 0,
    tcpFlags: 0,
    ttl: typeof tunnel?.ttl === "number" && tunnel.ttl > 0 ? tunnel.ttl : inner.ttl,
    tos: inner.tos & 3,
    length: inner.length + overhead(device),
    df,
    carried,
  };
  iptunnelXmit(kernel, device, skb, outer, route, [device.origin, ...(skb.route?.origins ?? [])]);
}

/** An IPIP or GRE packet is for this stack. Follows tunnel4_rcv(), ipip_rcv() and ip_tunnel_lookup(). */
export function ipTunnelRcv(kernel: Kernel, skb: Skb): void {
  const { packet } = skb;
  const carried = packet.carried!;
  const { devices } = kernel.stack;
  const ours = devices.items.filter((d) => d.kind === carried.tunnel);
  const fit = ours.filter((d) => d.up !== false).map((d) => ({ d, rank: rank(d, packet) }));
  const best = fit.reduce((a, b) => (b.rank > a.rank ? b : a), { d: undefined as Device | undefined, rank: 0 });
  if (best.d !== undefined) {
    receiveFrom(kernel, best.d, skb, carried);
    return;
  }
  if (devices.extent !== "whole" && ours.length === 0) {
    kernel.network.unwrap(kernel, skb);
    return;
  }
  const { tunnel } = carried;
  const decision: Decision = { kind: "tunnel-no-device", tunnel, stack: kernel.name, address: packet.src };
  // ip_protocol_deliver_rcu(): GRE's handler, unlike IPIP's, gets the packet without its connection (nf_reset_ct, no_policy).
  // tunnel4_rcv() and gre_rcv() are there for every namespace of the machine, once the module is.
  const handled =
    ours.length > 0 || kernel.stack.machine.modules?.includes(tunnel === "gre" ? "ip_gre" : "ipip") === true;
  if (handled && tunnel === "gre") skb.ct = undefined;
  icmpSend(kernel, skb, 3, handled ? 3 : 2, decision);
  kernel.drop(
    skb,
    "ip_tunnel_rcv",
    "TUNNEL_NO_DEVICE",
    decision,
    ours.map((d) => d.origin),
  );
}

/** How well a device fits: both ends named, the far one, its own, none (tunl0); 0: not at all. */
function rank({ tunnel }: Device, outer: Packet): number {
  const remote = tunnel?.remote;
  const local = tunnel?.local;
  if (!keyMatches(tunnel, outer.carried?.key)) return 0;
  if (remote !== undefined && remote !== outer.src) return 0;
  if (local !== undefined && local !== outer.dst) return 0;
  return 1 + (remote === undefined ? 0 : 2) + (local === undefined ? 0 : 1);
}
