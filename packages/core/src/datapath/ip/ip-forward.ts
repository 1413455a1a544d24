import type { Device } from "../../model/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { nfHook } from "../netfilter/nf-hooks.ts";
import type { RouteResult } from "../route/route-result.ts";
import { icmpSend } from "./icmp-send.ts";
import { ipOutput } from "./ip-output.ts";

/** Every link carries this much (RFC 8200). */
const LEAST = 1280;

function unshownMtu({ stack, oracle }: Kernel, { packet }: Skb, device: Device): number {
  if (packet.length <= LEAST || stack.assumed !== undefined || stack.fromObjects === true) return 65535;
  return oracle.rests({ kind: "mtu", stack: stack.name, device: device.name }) ? 65535 : LEAST;
}

/** Follows ip_forward(): TTL, then size, then the FORWARD hook with the TTL already taken down. */
export function ipForward(kernel: Kernel, skb: Skb, device: Device, route: RouteResult): void {
  if (skb.packet.ttl <= 1) {
    icmpSend(kernel, skb, 11, 0, { kind: "ttl" });
    const back = skb.turnedBack;
    if (back === undefined) kernel.drop(skb, "ip_forward", "TTL_EXPIRED", { kind: "ttl" });
    else kernel.drop(skb, "ip_forward", "TUNNEL_TO_ITSELF", back.decision, back.origins);
    return;
  }
  const mtu = route.mtu ?? route.device.mtu ?? unshownMtu(kernel, skb, route.device);
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
