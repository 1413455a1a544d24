import type { Packet } from "../../model/index.ts";
import { isIpv4 } from "../../net/index.ts";

/** What the protocol field of a walked packet may name that is itself an extension header, or ends the chain of them. */
const IN_CHAIN: ReadonlySet<number> = new Set([0, 43, 44, 50, 51, 59, 60, 135]);
/** IPV6_MIN_MTU: nobody needs to cut what is not longer. */
const MIN_MTU = 1280;

/**
 * Packets that are walked carry no extension headers, except that what is long may be sent in fragments, and that ip6tnl and ip6gre put destination
 * options before what they carry (the encapsulation limit).
 */
export const hasNoExtensions = (packet: Packet): boolean =>
  packet.fragment === undefined &&
  packet.length <= MIN_MTU &&
  !IN_CHAIN.has(packet.protocol) &&
  (isIpv4(packet.dst) || packet.carried === undefined || packet.carried.tunnel === "vxlan");
