import type { AddressType, AddrtypeMatch, Device, Negatable } from "../../model/index.ts";
import { type Address, isMulticast, isUnspecified } from "../../net/index.ts";
import type { MatchContext } from "../iptables/matches/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { isRouteError } from "../route/route-result.ts";
import { needsDevice } from "./addr-type.ts";
import { fib6Lookup } from "./fib6.ts";
import { hasAddress } from "./icmpv6-send.ts";

/** Follows addrtype_mt6() (xt_addrtype.c). */
export function matchAddrtype6({ kernel, skb, state }: MatchContext, m: AddrtypeMatch): boolean {
  const device = m.limitIn ? state.in : m.limitOut ? state.out : undefined;
  const test = (wanted: Negatable<readonly AddressType[]> | undefined, address: Address): boolean =>
    wanted === undefined || hasTypes(kernel, address, wanted.value, device) !== wanted.negated;
  return test(m.source, skb.packet.src) && test(m.destination, skb.packet.dst);
}

/** match_type6(): what the address itself says must all fit; of what routing says any. */
function hasTypes(
  kernel: Kernel,
  address: Address,
  types: readonly AddressType[],
  device: Device | undefined,
): boolean {
  if (types.includes("MULTICAST") && !isMulticast(address)) return false;
  if (types.includes("UNICAST") && (isMulticast(address) || isUnspecified(address))) return false;
  if (types.includes("UNSPEC") && !isUnspecified(address)) return false;
  const routed = types.filter((t) => ROUTED.includes(t));
  return routed.length === 0 || routed.some((t) => lookedUp(kernel, address, device).includes(t));
}

const ROUTED: readonly AddressType[] = ["LOCAL", "ANYCAST", "PROHIBIT", "UNREACHABLE"];

/** match_lookup_rt6(). */
function lookedUp(kernel: Kernel, address: Address, device: Device | undefined): readonly AddressType[] {
  const found = fib6Lookup(kernel, {
    daddr: address,
    saddr: undefined,
    iif: "lo",
    ...(device !== undefined && { oif: device.name }),
    mark: 0,
    tos: 0,
    protocol: 0,
    onlyDevice: needsDevice(address) || device !== undefined,
  });
  const own: readonly AddressType[] = device !== undefined && hasAddress(kernel, address, device) ? ["LOCAL"] : [];
  if (isRouteError(found)) return ["UNREACHABLE"];
  if (found.anycast) return [...own, "ANYCAST"];
  return device === undefined && found.type === "local" ? ["LOCAL"] : own;
}
