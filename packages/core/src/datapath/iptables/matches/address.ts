import {
  type AddressType,
  type AddrtypeMatch,
  type IprangeMatch,
  isEthernet,
  type MacMatch,
  type Negatable,
  type PkttypeMatch,
  type RpfilterMatch,
} from "../../../model/index.ts";
import type { AddressRange } from "../../../model/netfilter/index.ts";
import { type Address, ANY4, BROADCAST4, compareAddress, isIpv4, isMulticast, uint32Of } from "../../../net/index.ts";
import { matchAddrtype6 } from "../../ipv6/addrtype6.ts";
import { rpfilter6 } from "../../ipv6/rpfilter6.ts";
import { fibLookup, inetAddrType, routeUsesDevice, shownAddrType } from "../../route/fib.ts";
import { isRouteError } from "../../route/route-result.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";

/** Follows addrtype_mt_v1() (xt_addrtype.c): table local decides; --limit-iface-* looks at that device's entries only. */
export function matchAddrtype(c: MatchContext, m: AddrtypeMatch): MatchAnswer {
  if (!isIpv4(c.skb.packet.dst)) return matchAddrtype6(c, m);
  const device = m.limitIn ? c.state.in?.name : m.limitOut ? c.state.out?.name : undefined;
  const test = (wanted: Negatable<readonly AddressType[]> | undefined, address: Address) =>
    wanted === undefined || wanted.value.includes(inetAddrType(c.kernel, address, device)) !== wanted.negated;
  const { src, dst } = c.skb.packet;
  const notShown = (wanted: Negatable<readonly AddressType[]> | undefined, address: Address) =>
    wanted !== undefined &&
    shownAddrType(c.kernel, address, device) === undefined &&
    c.kernel.network.mayBind(c.kernel, address);
  const sourceNotShown = notShown(m.source, src);
  const destinationNotShown = notShown(m.destination, dst);
  if (!sourceNotShown && !test(m.source, src)) return false;
  if (!destinationNotShown && !test(m.destination, dst)) return false;
  if (!sourceNotShown && !destinationNotShown) return true;
  return { ask: () => test(m.source, src) && test(m.destination, dst) };
}

export function matchIprange(c: MatchContext, m: IprangeMatch): MatchAnswer {
  const test = (wanted: Negatable<AddressRange> | undefined, a: Address) =>
    wanted === undefined ||
    (compareAddress(a, wanted.value.from) >= 0 && compareAddress(a, wanted.value.to) <= 0) !== wanted.negated;
  return test(m.source, c.skb.packet.src) && test(m.destination, c.skb.packet.dst);
}

/** mac_mt(): a packet that came in by no Ethernet device has no source MAC and never matches, negated or not. */
export function matchMac(c: MatchContext, m: MacMatch): MatchAnswer {
  if (c.skb.dev === undefined || !isEthernet(c.skb.dev)) return false;
  if (c.skb.sourceMac === undefined) return "unknown";
  return (c.skb.sourceMac === m.source) !== m.negated;
}

/** pkttype_mt(): loopback traffic is judged by its address. */
export function matchPkttype(c: MatchContext, m: PkttypeMatch): MatchAnswer {
  const type = c.skb.type === "broadcast" || c.skb.type === "multicast" ? c.skb.type : "unicast";
  return (type === m.type) !== m.negated;
}

/** ipv4_is_zeronet(): 0.0.0.0 alone since 5.3. */
const isZeronet = (a: Address): boolean => a === ANY4;
/** ipv4_is_local_multicast(): 224.0.0.0/24. */
const isLocalMulticast = (a: Address): boolean => isIpv4(a) && uint32Of(a) >>> 8 === 0xe00000;

/**
 * Follows rpfilter_mt() (ipt_rpfilter.c): a match, not the sysctl; runs before DNAT in raw or mangle PREROUTING. Its look-up knows neither
 * protocol nor ports.
 */
export function matchRpfilter(c: MatchContext, m: RpfilterMatch): MatchAnswer {
  const { skb, state, kernel } = c;
  if (state.in === undefined || state.in.kind === "loopback") return !m.invert;
  if (!isIpv4(skb.packet.dst)) return rpfilter6(kernel, skb, state.in, m) !== m.invert;
  const { packet } = skb;
  const { dst } = packet;
  if (isZeronet(packet.src) && (dst === BROADCAST4 || isLocalMulticast(dst))) return !m.invert;
  const back = fibLookup(kernel, {
    daddr: packet.src,
    // rpfilter_get_saddr()
    saddr: isMulticast(dst) || dst === BROADCAST4 || isZeronet(dst) ? ANY4 : dst,
    iif: "lo",
    mark: m.validMark ? skb.mark : 0,
    tos: packet.tos,
    protocol: 0,
  });
  let ok = false;
  if (!isRouteError(back)) {
    const typeOk = back.type === "unicast" || (back.type === "local" && m.acceptLocal);
    ok = typeOk && (m.loose || routeUsesDevice(back, state.in.name));
  }
  return ok !== m.invert;
}
