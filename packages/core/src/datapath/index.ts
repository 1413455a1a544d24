/** The front door: what the round trip (`trace`), comparisons and the lab use of the kernel's parts. Nothing outside imports past it. */
export type { Conntrack, Tuple } from "./conntrack/nf-conntrack.ts";
export { icmpSend } from "./ip/icmp-send.ts";
export { inetIif } from "./ip/inet-iif.ts";
export { heldFragments, ipDefrag } from "./ip/ip-defrag.ts";
export { ipLocalOut } from "./ip/ip-output.ts";
export { ipDoRedirect, ipRtSendRedirect } from "./ip/ip-redirect.ts";
export { finishHeader } from "./ip/ip-send.ts";
export { EPHEMERAL, localPortRange } from "./ip/local-port-range.ts";
export { forgetHeard, noteHeard } from "./ip/tcp-early-demux.ts";
export { tcpHeaders } from "./ip/tcp-mss.ts";
export { hasAddress, ICMPV6, icmpv6Send, UNREACH } from "./ipv6/icmpv6-send.ts";
export { ipVsExpireNodest } from "./ipvs/ip-vs-expire.ts";
export { notingStacks, notingWays, type Ways } from "./kernel/came-by.ts";
export { jhash } from "./kernel/jhash.ts";
export { type Drop, Kernel, type Network, type Resolution } from "./kernel/kernel.ts";
export { macOf } from "./kernel/mac-of.ts";
export { memo } from "./kernel/memo.ts";
export { type ChanceOption, type Oracle, Undetermined } from "./kernel/oracle.ts";
export type { OwnerId } from "./kernel/owner.ts";
export { portInRange, portsLeft } from "./kernel/ports.ts";
export {
  type ArpFrame,
  icmp6Packet,
  icmpPacket,
  isIcmpError,
  isRedirect,
  isTooBig,
  newSkb,
  type Skb,
  scrub,
  tcpPacket,
  udpPacket,
} from "./kernel/skb.ts";
export { CONSULTED_CONF6, CONSULTED_SYSCTLS, devConf, sysctl } from "./kernel/sysctl.ts";
export { Work } from "./kernel/work.ts";
export { arpProcess, mayKeepQuiet } from "./link/arp.ts";
export { allowedEgress, allowedIngress, type Vid } from "./link/br-vlan.ts";
export { letsIn, portForwards } from "./link/bridge.ts";
export { dropTooLong, isSkbForwardable } from "./link/is-skb-forwardable.ts";
export { FABRIC_MAC, isFailed } from "./link/neighbour.ts";
export { netifReceive } from "./link/netif-receive.ts";
export { sendReset } from "./netfilter/nf-reject.ts";
export { passesArp } from "./nft/arp-hook.ts";
export { dstMtu, takePathMtu } from "./route/dst-mtu.ts";
export { type FlowKey, fibLookup, inetAddrType } from "./route/fib.ts";
export { ipRouteOutput } from "./route/ip-route-output.ts";
export { recordRoute } from "./route/record-route.ts";
export { isRouteError, type RouteErrno, type RouteError, type RouteResult } from "./route/route-result.ts";
export { decapsulate } from "./tunnel/iptunnel.ts";
export { tunnelErr } from "./tunnel/tunnel-err.ts";
export { VXLAN_OVERHEAD, vxlanPort, vxlanVni } from "./tunnel/vxlan.ts";
