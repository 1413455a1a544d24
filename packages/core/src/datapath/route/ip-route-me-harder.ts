import type { Decision, StepName } from "../../model/index.ts";
import { hasPorts, isIpv4, isLinkLocal, isMulticast } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { ipRouteOutput } from "./ip-route-output.ts";
import { recordRoute } from "./record-route.ts";
import { isRouteError } from "./route-result.ts";

/**
 * A local packet changed in OUTPUT is routed again; its source address is kept. Follows ip_route_me_harder()
 * (net/ipv4/netfilter.c). False: the packet was dropped.
 */
export function ipRouteMeHarder(kernel: Kernel, skb: Skb, where: StepName): boolean {
  const { packet } = skb;
  // addrconf_add_mroute(): table local leads multicast out of the device it is for, before any other rule is asked.
  if (!isIpv4(packet.dst) && isMulticast(packet.dst)) return true;
  // ip6_route_me_harder(): a link-local destination stays on the device it had.
  const strict = !isIpv4(packet.dst) && isLinkLocal(packet.dst);
  const bound = skb.socket?.boundDevice ?? (strict ? skb.route?.device.name : undefined);
  const found = ipRouteOutput(kernel, {
    daddr: packet.dst,
    saddr: packet.src,
    ...(bound !== undefined && { oif: bound }),
    mark: skb.mark,
    tos: packet.tos,
    protocol: packet.protocol,
    ...(hasPorts(packet.protocol) && { sport: packet.sport, dport: packet.dport }),
    ...(skb.socket?.uid !== undefined && { uid: skb.socket.uid }),
  });
  recordRoute(kernel, skb, "reroute", found);
  if (isRouteError(found)) {
    const decision: Decision = { kind: "reroute-failed", where, errno: found.errno };
    kernel.drop(skb, where, "NETFILTER_DROP", decision, found.origins, found.errno);
    return false;
  }
  skb.route = skb.dev === undefined ? found : { ...found, output: true };
  return true;
}
