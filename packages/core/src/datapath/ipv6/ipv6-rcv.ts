import type { Decision, Device } from "../../model/index.ts";
import { isLoopback, isMulticast, PROTO } from "../../net/index.ts";
import { tcpEarlyDemux } from "../ip/tcp-early-demux.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { prerouted } from "../link/br-netfilter.ts";
import { nfHook } from "../netfilter/nf-hooks.ts";
import { isRouteError, type RouteError, type RouteResult } from "../route/route-result.ts";
import { ip6TunnelRcv } from "../tunnel/ip6-tunnel.ts";
import { vxlanRcv } from "../tunnel/vxlan.ts";
import { conf6, conf6Flag } from "./conf6.ts";
import { ICMPV6, icmpv6Send, UNREACH } from "./icmpv6-send.ts";
import { ip6Forward } from "./ip6-forward.ts";
import { ip6RouteInput } from "./ip6-route-input.ts";
import { listensToGroup, ndiscRcv } from "./ndisc-rcv.ts";

/** Follows ip6_rcv_core() and ipv6_rcv() (net/ipv6/ip6_input.c): what may not be on a wire ends before PREROUTING. */
export function ipv6Rcv(kernel: Kernel, skb: Skb, device: Device): void {
  skb.dev = device;
  if (skb.nfBridge !== undefined && skb.route !== undefined) skb.iif6 = skb.route.device;
  else skb.iif6 = undefined;
  const { src, dst } = skb.packet;
  if (skb.type === "otherhost") {
    kernel.drop(skb, "ipv6_rcv", "OTHERHOST", { kind: "otherhost", device: device.name });
    return;
  }
  if (conf6Flag(kernel, "disable_ipv6", device.name)) {
    const { origins } = conf6(kernel, "disable_ipv6", device.name);
    kernel.drop(skb, "ipv6_rcv", "IPV6DISABLED", { kind: "ipv6-disabled", device: device.name }, origins);
    return;
  }
  if (device.kind !== "loopback" && (isLoopback(src) || isLoopback(dst))) {
    const reason = isLoopback(src) ? "IP_INVALID_SOURCE" : "IP_INVALID_DEST";
    kernel.drop(skb, "ipv6_rcv", reason, { kind: "loopback-on-wire", device: device.name });
    return;
  }
  if (isMulticast(src)) {
    kernel.drop(skb, "ipv6_rcv", "IP_INVALID_SOURCE", { kind: "source-multicast" });
    return;
  }
  // br_netfilter ran PREROUTING on the bridge port already (ip_sabotage_in()).
  if (!prerouted(skb) && nfHook(kernel, skb, { hook: "PREROUTING", in: device }) !== "accept") return;
  ip6RcvFinish(kernel, skb, device);
}

/** Follows ip6_rcv_finish(): a packet that kept its route (lo) is not routed again. */
function ip6RcvFinish(kernel: Kernel, skb: Skb, device: Device): void {
  if (isMulticast(skb.packet.dst)) {
    // ip6_mc_input(): of the groups only those of neighbour discovery are walked.
    if (listensToGroup(kernel, device, skb)) ip6Input(kernel, skb, device);
    else if (skb.probe === undefined) kernel.drop(skb, "ipv6_rcv", "IP_INVALID_DEST", { kind: "multicast-unheard" });
    return;
  }
  // An advertisement comes to the address that asked, which is the asker's whether or not its table was shown.
  if (skb.probe?.asker === kernel.name && skb.packet.icmp?.type === ICMPV6.advertisement) {
    ip6Input(kernel, skb, device);
    return;
  }
  if (skb.route === undefined) tcpEarlyDemux(kernel, skb, device);
  if (skb.route === undefined && !takeRoute6(kernel, skb, device, ip6RouteInput(kernel, skb, device))) return;
  const { route } = skb;
  if (route === undefined) return;
  if (route.type === "unicast") ip6Forward(kernel, skb, device, route);
  else ip6Input(kernel, skb, device);
}

/** Stores the route, or ends the packet: dst_discard(), ip6_pkt_prohibit() or ip6_pkt_discard(). */
export function takeRoute6(kernel: Kernel, skb: Skb, device: Device, found: RouteResult | RouteError): boolean {
  if (!isRouteError(found)) {
    skb.route = found;
    return true;
  }
  const { errno, origins } = found;
  if (errno !== "EINVAL") {
    // The error goes by a route of its own: the packet itself has none.
    skb.route = { type: "unicast", device, table: "none", origins };
    const code = errno === "EACCES" ? UNREACH.prohibited : UNREACH.noRoute;
    icmpv6Send(kernel, skb, ICMPV6.unreachable, code, { kind: "input-routing", errno });
    skb.route = undefined;
  }
  const decision: Decision = { kind: "unroutable", errno };
  kernel.drop(skb, "input routing", "IP_INNOROUTES", decision, origins);
  return false;
}

/** Follows ip6_input() and ip6_protocol_deliver_rcu(): INPUT, then the transport layer. */
function ip6Input(kernel: Kernel, skb: Skb, device: Device): void {
  if (nfHook(kernel, skb, { hook: "INPUT", in: device }) !== "accept") return;
  if (skb.probe !== undefined) {
    ndiscRcv(kernel, skb, device);
    return;
  }
  // tcp_v6_conn_request(): nobody connects to whichever router is nearest (ipv6_unicast_destination()).
  if (skb.route?.anycast && skb.packet.protocol === PROTO.tcp) {
    kernel.drop(skb, "socket", "NO_SOCKET", { kind: "anycast-tcp" }, skb.route.origins);
    return;
  }
  switch (skb.packet.carried?.tunnel) {
    case "vxlan":
      vxlanRcv(kernel, skb);
      return;
    case "ip6tnl":
    case "gre":
      ip6TunnelRcv(kernel, skb);
      return;
  }
  kernel.network.deliver(kernel, skb);
}
