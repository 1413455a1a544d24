import type { Decision, Device, IcmpHeader, Packet } from "../../model/index.ts";
import { isIpv4 } from "../../net/index.ts";
import { icmpSend } from "../ip/icmp-send.ts";
import { ICMPV6, icmpv6Send, UNREACH } from "../ipv6/icmpv6-send.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { ipRouteOutput } from "../route/ip-route-output.ts";
import { isRouteError } from "../route/route-result.ts";

const UNREACHABLE = 3;
const PORT = 3;
const TOO_BIG = 4;
const SOURCE_ROUTE = 5;
const TIME_EXCEEDED = 11;

/**
 * An ICMP error came back for a tunnel's own packet. Follows ipip_err(), ipgre_err() and ip6gre_err(): the tunnel to that far end remembers it, for half
 * a minute, and tells the senders of as many packets that their host cannot be reached (ip_tunnel_xmit()). ip4ip6_err() and ip6ip6_err() tell it
 * whoever sent what was carried, at once.
 */
export function tunnelErr(kernel: Kernel, skb: Skb, { type, code, inner }: IcmpHeader): void {
  if (inner?.carried === undefined || inner.carried.tunnel === "vxlan") return;
  const kind = isIpv4(inner.dst) ? inner.carried.tunnel : inner.carried.tunnel === "gre" ? "ip6gre" : "ip6tnl";
  const device = kernel.stack.devices.items.find((d) => d.kind === kind && isSender(d, inner));
  if (device === undefined || !(isIpv4(inner.dst) ? counts : counts6)(device, type, code)) return;
  if (kind === "ip6tnl") tellSender(kernel, device, skb, inner.carried.packet, inner);
  else kernel.tunnelErrors.set(device.name, (kernel.tunnelErrors.get(device.name) ?? 0) + 1);
}

/** ip_tunnel_lookup(), the other way round; a tunnel without a far end of its own (tunl0) counts none. */
const isSender = ({ tunnel }: Device, outer: Packet): boolean =>
  tunnel?.remote === outer.dst && (tunnel.local === undefined || tunnel.local === outer.src);

function counts({ kind, tunnel }: Device, type: number, code: number): boolean {
  if (type === TIME_EXCEEDED) return code === 0 && typeof tunnel?.ttl === "number" && tunnel.ttl > 0;
  if (type !== UNREACHABLE || code === TOO_BIG || code === SOURCE_ROUTE) return false;
  return kind !== "gre" || code !== PORT;
}

const counts6 = ({ kind }: Device, type: number, code: number): boolean =>
  (type === ICMPV6.unreachable && (kind !== "ip6gre" || code !== UNREACH.port)) ||
  (type === ICMPV6.timeExceeded && code === 0);

/** The quoted packet is answered as if it had just come by the way back to its sender, and had the route into the tunnel. */
function tellSender(kernel: Kernel, device: Device, skb: Skb, sent: Packet, outer: Packet): void {
  const back = ipRouteOutput(kernel, { daddr: sent.src, saddr: undefined, mark: 0, tos: sent.tos, protocol: 4 });
  if (isRouteError(back)) return;
  const cause: Skb = {
    ...skb,
    packet: sent,
    dev: back.device,
    iif6: undefined,
    type: "host",
    route: { type: "unicast", device, table: "none", origins: [device.origin] },
  };
  linkFailure(kernel, cause, { kind: "tunnel-error", remote: outer.dst, device: device.name });
}

/** dst_link_failure(): whoever sent the packet is told that its host cannot be reached. */
export function linkFailure(kernel: Kernel, skb: Skb, why: Decision): void {
  if (isIpv4(skb.packet.dst)) icmpSend(kernel, skb, UNREACHABLE, 1, why);
  else icmpv6Send(kernel, skb, ICMPV6.unreachable, UNREACH.address, why);
}

/** One of the errors that a tunnel remembers is handed on; false: there is none. */
export function takeTunnelError(kernel: Kernel, { name }: Device): boolean {
  const left = kernel.tunnelErrors.get(name) ?? 0;
  if (left > 0) kernel.tunnelErrors.set(name, left - 1);
  return left > 0;
}
