import type { Device } from "../../model/index.ts";
import { isIpv4 } from "../../net/index.ts";
import { ipDoFragment } from "../ip/ip-fragment.ts";
import { takeRoute } from "../ip/ip-rcv.ts";
import { ip6RouteInput } from "../ipv6/ip6-route-input.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { macOf } from "../kernel/mac-of.ts";
import type { Skb } from "../kernel/skb.ts";
import { sysctl } from "../kernel/sysctl.ts";
import { nfHook } from "../netfilter/nf-hooks.ts";
import { ipRouteInput } from "../route/ip-route-input.ts";
import { isRouteError, type RouteError, type RouteResult } from "../route/route-result.ts";
import { neighbourResolve } from "./neighbour.ts";

/** net.bridge.bridge-nf-call-ip(6)tables, or the bridge's own nf_call_ip(6)tables. Without br_netfilter neither exists. */
function callsIptables(kernel: Kernel, bridge: Device, four: boolean): boolean {
  if ((four ? bridge.bridge?.nfCallIptables : bridge.bridge?.nfCallIp6tables) === true) return true;
  const { modules } = kernel.stack.machine;
  const key = four ? "net.bridge.bridge-nf-call-iptables" : "net.bridge.bridge-nf-call-ip6tables";
  if (!kernel.stack.sysctls.has(key) && modules !== undefined && !modules.includes("br_netfilter")) return false;
  // A stack without rules and without conntrack is not changed by it: do not ask.
  if (kernel.stack.netfilter.tables.length === 0 && kernel.stack.kind !== "node") return false;
  return sysctl(kernel, key).value !== "0";
}

/** IS_IP() and is_vlan_ip(): a frame with a tag is IP to br_netfilter only where net.bridge.bridge-nf-filter-vlan-tagged is on. */
const isIpToNetfilter = (kernel: Kernel, { vlan }: Skb): boolean =>
  vlan === undefined || sysctl(kernel, "net.bridge.bridge-nf-filter-vlan-tagged").value !== "0";

/**
 * IP's PREROUTING for a frame on a bridge port. Follows br_nf_pre_routing() and br_nf_pre_routing_finish()
 * (br_netfilter_hooks.c): if the destination was changed there, the frame is routed: back into the bridge it is
 * "bridged DNAT" with a new destination MAC, anywhere else, or nowhere, it goes up the stack.
 */
export function brNfPreRouting(kernel: Kernel, bridge: Device, port: Device, skb: Skb, go: () => void): void {
  const four = isIpv4(skb.packet.dst);
  if (!callsIptables(kernel, bridge, four) || !isIpToNetfilter(kernel, skb)) {
    go();
    return;
  }
  const own = skb.destinationMac === macOf(kernel.name, bridge) || skb.destinationMac === port.mac;
  skb.nfBridge = { physIn: port.name, otherHost: !own, bridgedDnat: false };
  skb.iif6 = "none";
  if (skb.type !== "multicast") skb.type = "host";
  const destination = skb.packet.dst;
  if (nfHook(kernel, skb, { hook: "PREROUTING", in: bridge }) !== "accept") return;
  if (skb.packet.dst === destination) {
    if (skb.nfBridge.otherHost) skb.type = "otherhost";
    go();
    return;
  }
  if (four) {
    const input = ipRouteInput(kernel, skb, bridge);
    if (input.kind === "error") skb.nfBridge.unroutable = input;
    else if (!takeRoute(kernel, skb, bridge, input)) return;
  } else if (!takeRouteInSilence(kernel, skb, ip6RouteInput(kernel, skb, bridge))) return;
  const { route } = skb;
  if (route?.type === "unicast" && route.device.name === bridge.name) {
    skb.nfBridge.bridgedDnat = true;
    const { sourceMac } = skb;
    if (!neighbourResolve(kernel, skb, bridge)) return;
    if (sourceMac !== undefined) skb.sourceMac = sourceMac;
    else skb.sourceMac = undefined;
    skb.route = undefined;
    go();
    return;
  }
  skb.destinationMac = macOf(kernel.name, bridge);
  skb.type = "host";
  go();
}

/** br_nf_pre_routing_finish_ipv6(): what has no route is freed, and nobody is told. */
function takeRouteInSilence(kernel: Kernel, skb: Skb, found: RouteResult | RouteError): boolean {
  if (!isRouteError(found)) {
    skb.route = found;
    return true;
  }
  kernel.drop(skb, "bridge", "IP_INNOROUTES", { kind: "unroutable", errno: found.errno }, found.origins);
  return false;
}

/**
 * A frame that stays on the bridge passes IP's FORWARD and POSTROUTING. Follows br_nf_forward_ip(), br_nf_post_routing(). br_handle_vlan() came
 * before: what leaves by a port with a tag passes neither.
 */
export function brNfForward(
  kernel: Kernel,
  bridge: Device,
  _port: Device,
  out: Device,
  skb: Skb,
  go: (frame: Skb) => void,
): void {
  if (skb.nfBridge === undefined || !isIpToNetfilter(kernel, skb)) {
    go(skb);
    return;
  }
  skb.nfBridge.physOut = out.name;
  skb.iif6 = "none";
  skb.type = "host";
  const { sourceMac, destinationMac } = skb;
  if (nfHook(kernel, skb, { hook: "FORWARD", in: bridge, out: bridge }) !== "accept") return;
  if (nfHook(kernel, skb, { hook: "POSTROUTING", out: bridge }) !== "accept") return;
  if (sourceMac !== undefined) skb.sourceMac = sourceMac;
  if (destinationMac !== undefined) skb.destinationMac = destinationMac;
  brNfDevQueueXmit(kernel, bridge, out, skb, go);
}

/**
 * Follows br_nf_dev_queue_xmit() and br_nf_ip_fragment(): what was put together from fragments, and what is longer than the port's MTU,
 * is cut to the bridge's; with DF it ends, without an ICMP error.
 */
function brNfDevQueueXmit(kernel: Kernel, bridge: Device, out: Device, skb: Skb, go: (frame: Skb) => void): void {
  const { packet, fragMaxSize } = skb;
  const mtu = bridge.mtu ?? packet.length;
  const most = Math.min(out.mtu ?? packet.length, fragMaxSize ?? packet.length);
  if (skb.gso || packet.length <= most) {
    go(skb);
    return;
  }
  if (!packet.df && (fragMaxSize ?? 0) <= mtu) {
    // br_dev_queue_push_xmit() tells nobody what the port did.
    ipDoFragment(kernel, skb, mtu, (fragment) => {
      go(fragment);
      return true;
    });
    return;
  }
  const decision = { kind: "too-big", bytes: packet.length, mtu: out.mtu ?? mtu, device: out.name } as const;
  kernel.drop(skb, "bridge", "PKT_TOO_BIG", decision, [out.origin]);
}

/** ip_sabotage_in(): PREROUTING ran on the port already; the bridge device's own is skipped. */
export const prerouted = (skb: Skb): boolean => skb.nfBridge !== undefined && !skb.nfBridge.bridgedDnat;
