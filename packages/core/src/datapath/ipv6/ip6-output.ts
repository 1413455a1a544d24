import type { Device } from "../../model/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { kernelAtLeast } from "../kernel/kernel-version.ts";
import type { Skb } from "../kernel/skb.ts";
import { devQueueXmit } from "../link/dev-queue-xmit.ts";
import { neighbourResolve } from "../link/neighbour.ts";
import { nfHook } from "../netfilter/nf-hooks.ts";
import { dstMtu } from "../route/dst-mtu.ts";
import { refuseEncapsulation } from "../route/lwtunnel.ts";
import { conf6, conf6Flag } from "./conf6.ts";
import { ICMPV6, icmpv6Send } from "./icmpv6-send.ts";

/** Follows __ip6_local_out() (net/ipv6/output_core.c): OUTPUT with the device of the route the packet has on entry. */
export function ip6LocalOut(kernel: Kernel, skb: Skb): void {
  const { route } = skb;
  if (route === undefined) throw new Error("ip6_local_out without a route");
  skb.type = "outgoing";
  if (nfHook(kernel, skb, { hook: "OUTPUT", out: route.device }) !== "accept") return;
  ip6Output(kernel, skb);
}

/** Follows ip6_output() and ip6_finish_output() (net/ipv6/ip6_output.c). */
export function ip6Output(kernel: Kernel, skb: Skb): void {
  const { route } = skb;
  if (route === undefined) throw new Error("ip6_output without a route");
  refuseEncapsulation(kernel, route);
  const out = route.device;
  if (conf6Flag(kernel, "disable_ipv6", out.name)) {
    const { origins } = conf6(kernel, "disable_ipv6", out.name);
    kernel.drop(skb, "ip6_output", "IPV6DISABLED", { kind: "ipv6-disabled", device: out.name }, origins);
    return;
  }
  const cameInBy = skb.dev !== undefined && kernelAtLeast(kernel, 5, 7) ? { in: skb.dev } : {};
  if (nfHook(kernel, skb, { hook: "POSTROUTING", ...cameInBy, out }) !== "accept") return;
  // ip6_skb_dst_mtu(): of what is forwarded, too.
  const mtu = dstMtu(kernel, route, skb.packet.dst, skb.packet.length);
  if (skb.packet.length > mtu && skb.packet.df) {
    icmpv6Send(kernel, skb, ICMPV6.tooBig, 0, { kind: "over-mtu" }, mtu);
    const { length: bytes } = skb.packet;
    kernel.drop(skb, "ip6_output", "PKT_TOO_BIG", { kind: "too-big", bytes, mtu, device: out.name }, [out.origin]);
    sendTail(kernel, skb, out, mtu);
    return;
  }
  ip6FinishOutput2(kernel, skb, out);
}

function ip6FinishOutput2(kernel: Kernel, skb: Skb, out: Device): void {
  if (!neighbourResolve(kernel, skb, out)) return;
  devQueueXmit(kernel, out, skb);
}

/**
 * Follows ip6_finish_output_gso_slowpath_drop(): of several segments in one each is judged by itself, so that the last, which may be shorter, gets out alone.
 * In IPv4 all of them end in ip_fragment(), which looks at DF and not at the length.
 */
function sendTail(kernel: Kernel, skb: Skb, out: Device, mtu: number): void {
  const { gso, tail, packet } = skb;
  if (!gso || tail === undefined || tail > mtu) return;
  ip6FinishOutput2(
    kernel,
    { ...skb, packet: { ...packet, length: tail }, gso: false, behind: 0, tail: undefined, ahead: true },
    out,
  );
}
