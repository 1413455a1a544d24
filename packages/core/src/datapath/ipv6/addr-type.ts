import {
  type Address,
  groupOf,
  groupsOf,
  type Ipv6,
  ipv6Of,
  isIpv4,
  isLinkLocal,
  isLoopback,
  isMulticast,
  isUnspecified,
} from "../../net/index.ts";

/** IPV6_ADDR_SCOPE_*: the smaller, the nearer. */
export const SCOPE_LINKLOCAL = 2;
const SCOPE_SITELOCAL = 5;
export const SCOPE_GLOBAL = 14;

/** Follows ipv6_addr_src_scope() (addrconf_core.c): unique local addresses (fc00::/7) are of global scope. */
export function srcScope(address: Ipv6): number {
  if (isMulticast(address)) return groupOf(address, 0) & 0xf;
  if (isUnspecified(address)) return 0;
  if (isLoopback(address) || isLinkLocal(address)) return SCOPE_LINKLOCAL;
  return groupOf(address, 0) >>> 6 === 0xfec0 >>> 6 ? SCOPE_SITELOCAL : SCOPE_GLOBAL;
}

/** Follows rt6_need_strict() (route.c): such a destination means nothing without its device. */
export const needsDevice = (address: Address): boolean =>
  !isIpv4(address) && (isMulticast(address) || isLinkLocal(address) || isLoopback(address));

export const isLinkLocal6 = (address: Address): boolean => !isIpv4(address) && isLinkLocal(address);

/** IPv4-mapped, IPv4-compatible and loopback addresses: ipv6_saddr_preferred(). */
export const isPreferredType = (address: Ipv6): boolean => {
  const groups = groupsOf(address);
  return groups.slice(0, 5).every((g) => g === 0) && (groups[5] === 0 || groups[5] === 0xffff);
};

/** ipv6_addr_orchid(): 2001:10::/28. */
export const isOrchid = (address: Ipv6): boolean =>
  groupOf(address, 0) === 0x2001 && (groupOf(address, 1) & 0xfff0) === 0x10;

/** addrconf_addr_solict_mult(): the group that whoever has an address listens to. */
export const solicitedNode = (address: Ipv6): Ipv6 =>
  ipv6Of([0xff02, 0, 0, 0, 0, 1, 0xff00 | (groupOf(address, 6) & 0xff), groupOf(address, 7)]);

/** ipv6_addr_diff(): how many leading bits two addresses share. */
export function sharedBits(a: Ipv6, b: Ipv6): number {
  for (let i = 0; i < 8; i++) {
    const differing = groupOf(a, i) ^ groupOf(b, i);
    if (differing !== 0) return i * 16 + Math.clz32(differing) - 16;
  }
  return 128;
}
