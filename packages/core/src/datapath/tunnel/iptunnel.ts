import type { Carried, Device, Origin, Packet } from "../../model/index.ts";
import { ipLocalOut } from "../ip/ip-output.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { type Skb, scrubInside } from "../kernel/skb.ts";
import { netifReceive } from "../link/netif-receive.ts";
import { recordRoute } from "../route/record-route.ts";
import type { RouteResult } from "../route/route-result.ts";

/** IP_TUNNEL_RECURSION_LIMIT is 5, and each tunnel counts twice: its device's transmission and its own. */
const MAX_NESTED = 3;

/**
 * Follows iptunnel_xmit(): the outer packet starts as one of the stack's own, without a connection and with the mark of
 * what it carries. It still remembers the tunnel as the device it came by, which POSTROUTING sees.
 */
export function iptunnelXmit(
  kernel: Kernel,
  device: Device,
  skb: Skb,
  outer: Packet & { readonly carried: Carried },
  route: RouteResult,
  origins: readonly Origin[],
): void {
  if (kernel.tunnelling >= MAX_NESTED) {
    kernel.drop(skb, "tunnel", "LOOP", { kind: "tunnel-nested", device: device.name }, [...origins, ...route.origins]);
    return;
  }
  scrubInside(skb);
  skb.wrapped = [...(skb.wrapped ?? []), skb.masqueraded];
  skb.masqueraded = false;
  skb.sourceMac = undefined;
  skb.destinationMac = undefined;
  skb.vlan = undefined;
  // No device but veth and cards fills in what is wrapped twice (hw_enc_features).
  if (skb.packet.carried !== undefined) skb.checksumLeft = false;
  skb.checksumWrong = false;
  skb.wrappedBy = device;
  skb.packet = outer;
  skb.dev = device;
  if (kernel.recording)
    kernel.record(skb, {
      kind: "tunnel",
      stack: kernel.name,
      packet: outer,
      device: device.name,
      way: "wrapped",
      decision: { kind: "tunnel-send", device: device.name, remote: outer.dst, tunnel: outer.carried.tunnel },
      origins,
    });
  else kernel.meetAll(skb, origins);
  recordRoute(kernel, skb, "output", route);
  skb.route = route;
  kernel.tunnelling++;
  ipLocalOut(kernel, skb);
  kernel.tunnelling--;
}

export const outputKey = ({ tunnel }: Device): number | undefined => tunnel?.outputKey ?? tunnel?.id;

/**
 * ip_tunnel_key_match(): with a key it takes that one alone, without one only what has none. Only `ip -d` shows keys, and a ttl with them:
 * where it was not shown, a missing key says nothing.
 */
export function keyMatches(tunnel: Device["tunnel"], key: number | undefined): boolean {
  const own = tunnel?.inputKey ?? tunnel?.id;
  return own === key || (own === undefined && tunnel?.ttl === undefined);
}

/** What was wrapped comes out again. Follows __iptunnel_pull_header(): the mark of the outer packet stays. */
export function decapsulate(skb: Skb, carried: Carried): void {
  scrubInside(skb);
  skb.masqueraded = skb.wrapped?.pop() ?? false;
  skb.packet = carried.packet;
  skb.checksumWrong = false;
  skb.vlan = undefined;
  if (carried.sourceMac === undefined) skb.sourceMac = undefined;
  else skb.sourceMac = carried.sourceMac;
  if (carried.destinationMac === undefined) skb.destinationMac = undefined;
  else skb.destinationMac = carried.destinationMac;
}

/** Follows ip_tunnel_rcv() and vxlan_rcv() to their end: the packet comes in by the tunnel device. */
export function receiveFrom(kernel: Kernel, device: Device, skb: Skb, carried: Carried): void {
  const remote = skb.packet.src;
  decapsulate(skb, carried);
  skb.dev = undefined;
  if (kernel.recording)
    kernel.record(skb, {
      kind: "tunnel",
      stack: kernel.name,
      packet: skb.packet,
      device: device.name,
      way: "unwrapped",
      decision: { kind: "tunnel-take", device: device.name, remote },
      origins: [device.origin],
    });
  else kernel.meet(skb, device.origin);
  netifReceive(kernel, device, skb);
}
