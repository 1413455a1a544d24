import type { Device } from "../../model/index.ts";
import { isLoopback, isMulticast, isUnspecified } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { kernelAtLeast } from "../kernel/kernel-version.ts";
import { Undetermined } from "../kernel/oracle.ts";
import type { Skb } from "../kernel/skb.ts";
import { nfHook } from "../netfilter/nf-hooks.ts";
import { forwardMtu } from "../route/dst-mtu.ts";
import type { RouteResult } from "../route/route-result.ts";
import { isLinkLocal6 } from "./addr-type.ts";
import { conf6Flag, forwards6 } from "./conf6.ts";
import { ICMPV6, icmpv6Send, UNREACH } from "./icmpv6-send.ts";
import { ip6Output } from "./ip6-output.ts";
import { ndiscSendRedirect } from "./ndisc.ts";

/** Follows ip6_forward() (net/ipv6/ip6_output.c): may it, hop limit, source, size, then FORWARD with the hop limit taken down. */
export function ip6Forward(kernel: Kernel, skb: Skb, device: Device, route: RouteResult): void {
  const may = forwards6(kernel);
  if (may.value === "0" && !isForced(kernel, device)) {
    kernel.drop(skb, "ip6_forward", "IP_INADDRERRORS", { kind: "forwarding6-off" }, may.origins);
    return;
  }
  if (skb.type !== "host") {
    kernel.drop(skb, "ip6_forward", "OTHERHOST", { kind: "otherhost", device: device.name });
    return;
  }
  if (skb.packet.ttl <= 1) {
    icmpv6Send(kernel, skb, ICMPV6.timeExceeded, 0, { kind: "ttl" });
    const back = skb.turnedBack;
    if (back === undefined) kernel.drop(skb, "ip6_forward", "TTL_EXPIRED", { kind: "ttl" });
    else kernel.drop(skb, "ip6_forward", "TUNNEL_TO_ITSELF", back.decision, back.origins);
    return;
  }
  if (route.device !== device && !isForwardable(kernel, skb)) return;
  const { src, dst } = skb.packet;
  if (route.device === device && route.gateway === undefined && src === dst) ndiscSendRedirect(kernel, device, src);
  const mtu = forwardMtu(kernel, route, skb.packet.dst, skb.packet.length);
  if (skb.packet.length > mtu) {
    // Its sender cuts it (ip6_fragment()): it never was as long as this on any wire.
    if (!skb.packet.df) throw new Undetermined(kernel.name, "ip6_forward", { kind: "unknown-fragments6" });
    icmpv6Send(kernel, skb, ICMPV6.tooBig, 0, { kind: "over-mtu" }, mtu);
    const { length: bytes } = skb.packet;
    kernel.drop(skb, "ip6_forward", "PKT_TOO_BIG", { kind: "too-big", bytes, mtu, device: route.device.name }, [
      route.device.origin,
    ]);
    return;
  }
  skb.packet = { ...skb.packet, ttl: skb.packet.ttl - 1 };
  if (kernel.recording)
    kernel.record(skb, {
      kind: "forward",
      stack: kernel.name,
      packet: skb.packet,
      in: device.name,
      out: route.device.name,
    });
  if (nfHook(kernel, skb, { hook: "FORWARD", in: device, out: route.device }) !== "accept") return;
  ip6Output(kernel, skb);
}

/** Since 6.17 a device may forward what comes in by it although `all` does not. */
const isForced = (kernel: Kernel, device: Device): boolean =>
  kernelAtLeast(kernel, 6, 17) && conf6Flag(kernel, "force_forwarding", device.name);

/** Sources that mean nothing beyond their link. */
function isForwardable(kernel: Kernel, skb: Skb): boolean {
  const { src } = skb.packet;
  if (isLinkLocal6(src))
    icmpv6Send(kernel, skb, ICMPV6.unreachable, UNREACH.notNeighbour, { kind: "link-local-source" });
  else if (!isUnspecified(src) && !isMulticast(src) && !isLoopback(src)) return true;
  kernel.drop(skb, "ip6_forward", "IP_INVALID_SOURCE", { kind: "link-local-source" });
  return false;
}
