import type { Decision } from "../../model/index.ts";
import { isIpv4 } from "../../net/index.ts";
import { icmpSend } from "../ip/icmp-send.ts";
import { ICMPV6, icmpv6Send, UNREACH } from "../ipv6/icmpv6-send.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";

type What = "host unreachable" | "port unreachable" | "time exceeded" | "too big";

/** Type and code: of ICMP, of ICMPv6. */
const ERRORS: Readonly<Record<What, readonly [readonly [number, number], readonly [number, number]]>> = {
  // dst_link_failure(): ipv4_link_failure() and ip6_link_failure().
  "host unreachable": [
    [3, 1],
    [ICMPV6.unreachable, UNREACH.address],
  ],
  "port unreachable": [
    [3, 3],
    [ICMPV6.unreachable, UNREACH.port],
  ],
  "time exceeded": [
    [11, 0],
    [ICMPV6.timeExceeded, 0],
  ],
  "too big": [
    [3, 4],
    [ICMPV6.tooBig, 0],
  ],
};

/** What IPVS answers instead of forwarding, in the packet's own family. */
export function ipVsError(kernel: Kernel, skb: Skb, what: What, why: Decision, mtu?: number): void {
  const [four, six] = ERRORS[what];
  if (isIpv4(skb.packet.dst)) icmpSend(kernel, skb, ...four, why, mtu);
  else icmpv6Send(kernel, skb, ...six, why, mtu);
}
