import type { Decision, Device } from "../../model/index.ts";
import { isIpv4 } from "../../net/index.ts";
import { ip6LocalOut, ip6Output } from "../ipv6/ip6-output.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { kernelAtLeast } from "../kernel/kernel-version.ts";
import type { Skb } from "../kernel/skb.ts";
import { devQueueXmit } from "../link/dev-queue-xmit.ts";
import { isKnown, neighbourResolve } from "../link/neighbour.ts";
import { nfHook } from "../netfilter/nf-hooks.ts";
import { dstMtu, forwardMtu } from "../route/dst-mtu.ts";
import { refuseEncapsulation } from "../route/lwtunnel.ts";
import type { RouteResult } from "../route/route-result.ts";
import { icmpSend } from "./icmp-send.ts";
import { ipDoFragment } from "./ip-fragment.ts";

/** Follows __ip_local_out() and ip_output(): OUTPUT with the device of the route the packet has on entry. */
export function ipLocalOut(kernel: Kernel, skb: Skb): void {
  if (!isIpv4(skb.packet.dst)) {
    ip6LocalOut(kernel, skb);
    return;
  }
  const { route } = skb;
  if (route === undefined) throw new Error("ip_local_out without a route");
  skb.type = "outgoing";
  if (nfHook(kernel, skb, { hook: "OUTPUT", out: route.device }) !== "accept") return;
  ipOutput(kernel, skb);
}

/**
 * Follows ip_output() → ip_finish_output() → ip_finish_output2(). Since 5.7 POSTROUTING of a forwarded packet knows
 * the device it came in by.
 */
export function ipOutput(kernel: Kernel, skb: Skb): void {
  if (!isIpv4(skb.packet.dst)) {
    ip6Output(kernel, skb);
    return;
  }
  const { route } = skb;
  if (route === undefined) throw new Error("ip_output without a route");
  refuseEncapsulation(kernel, route);
  const out = route.device;
  const cameInBy = skb.dev !== undefined && kernelAtLeast(kernel, 5, 7) ? { in: skb.dev } : {};
  if (nfHook(kernel, skb, { hook: "POSTROUTING", ...cameInBy, out }) !== "accept") return;
  ipFinishOutput(kernel, skb, out, route);
}

/** Follows __ip_finish_output() and ip_fragment(): what is too long is cut, or refused where it may not be. */
function ipFinishOutput(kernel: Kernel, skb: Skb, out: Device, route: RouteResult): void {
  const { packet, fragMaxSize } = skb;
  const mtu = (skb.forwarded ? forwardMtu : dstMtu)(kernel, route, packet.dst, packet.length);
  if (packet.length <= mtu && fragMaxSize === undefined) {
    ipFinishOutput2(kernel, skb, out);
    return;
  }
  if (!packet.df || (skb.ignoreDf && (fragMaxSize ?? 0) <= mtu)) {
    // What waits for a neighbour is taken, whatever becomes of it then (__neigh_event_send()). He answers before the second fragment comes.
    let known = isKnown(kernel, skb, out);
    ipDoFragment(kernel, skb, mtu, (fragment) => {
      const taken = ipFinishOutput2(kernel, fragment, out) || !known;
      known = true;
      return taken;
    });
    return;
  }
  icmpSend(kernel, skb, 3, 4, { kind: "over-mtu" }, mtu);
  const decision: Decision = { kind: "too-big", bytes: packet.length, mtu, device: out.name };
  kernel.drop(skb, "ip_finish_output", "PKT_TOO_BIG", decision, [out.origin], "EMSGSIZE");
}

/** False: the device did not take it. */
function ipFinishOutput2(kernel: Kernel, skb: Skb, out: Device): boolean {
  return !neighbourResolve(kernel, skb, out) || devQueueXmit(kernel, out, skb);
}
