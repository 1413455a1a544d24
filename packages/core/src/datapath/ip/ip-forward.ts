import type { Device } from "../../model/index.ts";
import { isIpv4 } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { nfHook } from "../netfilter/nf-hooks.ts";
import { forwardMtu } from "../route/dst-mtu.ts";
import type { RouteResult } from "../route/route-result.ts";
import { icmpSend } from "./icmp-send.ts";
import { ipOutput } from "./ip-output.ts";
import { noteDetour } from "./ip-redirect.ts";

/** Follows ip_forward(): TTL, then size, then the FORWARD hook with the TTL already taken down. */
export function ipForward(kernel: Kernel, skb: Skb, device: Device, route: RouteResult): void {
  if (skb.handedTo !== undefined) {
    kernel.drop(skb, "ip_forward", "TPROXY_NOT_LOCAL", { kind: "handed-to-socket" });
    return;
  }
  if (skb.packet.ttl <= 1) {
    icmpSend(kernel, skb, 11, 0, { kind: "ttl" });
    const back = skb.turnedBack;
    if (back === undefined) kernel.drop(skb, "ip_forward", "TTL_EXPIRED", { kind: "ttl" });
    else kernel.drop(skb, "ip_forward", "TUNNEL_TO_ITSELF", back.decision, back.origins);
    return;
  }
  const mtu = forwardMtu(kernel, route, skb.packet.dst, skb.packet.length);
  if (skb.packet.df && skb.packet.length > mtu) {
    icmpSend(kernel, skb, 3, 4, { kind: "over-mtu" }, mtu);
    kernel.drop(
      skb,
      "ip_forward",
      "PKT_TOO_BIG",
      { kind: "too-big", bytes: skb.packet.length, mtu, device: route.device.name },
      [route.device.origin],
    );
    return;
  }
  skb.packet = { ...skb.packet, ttl: skb.packet.ttl - 1 };
  if (route.device === device && isIpv4(skb.packet.dst)) noteDetour(kernel, skb, device, route.gateway);
  skb.forwarded = true;
  if (kernel.recording)
    kernel.record(skb, {
      kind: "forward",
      stack: kernel.name,
      packet: skb.packet,
      in: device.name,
      out: route.device.name,
    });
  if (nfHook(kernel, skb, { hook: "FORWARD", in: device, out: route.device }) !== "accept") return;
  ipOutput(kernel, skb);
}
