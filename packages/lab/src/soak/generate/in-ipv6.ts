import type {
  AddressRange,
  IpSet,
  IptablesTable,
  MaskedAddress,
  Match,
  Negatable,
  Rule,
  Target,
} from "@hairpin/core/model/index.ts";
import {
  type Address,
  bytesOf,
  type Ipv6,
  ipv6Of,
  LOOPBACK6,
  lengthOfMask,
  maskFor,
  networkOf,
  PROTO,
  type Prefix,
} from "@hairpin/core/net/index.ts";

/** An octet a group; no host has 0, which is every subnet's routers' (RFC 4291 2.6.1). */
export function six(address: Address): Ipv6 {
  const [a = 0, b = 0, c = 0, d = 0] = bytesOf(address);
  return a === 127 ? LOOPBACK6 : ipv6Of([0xfd00, 0, 0, 0, a, b, c, 0x100 + d]);
}

/** Hosts and whole octets are all that is drawn, but for what is multicast. */
export function sixPrefix({ address, length }: Prefix): Prefix {
  const [first = 0] = bytesOf(address);
  if (length === 0) return { address: ipv6Of([0, 0, 0, 0, 0, 0, 0, 0]), length };
  if (first === 127) return { address: LOOPBACK6, length: 128 };
  if (first >= 224) return { address: ipv6Of([0xff00, 0, 0, 0, 0, 0, 0, 0]), length: 8 };
  return { address: six(address), length: 64 + length * 2 };
}

export const sixNetwork = (prefix: Prefix): Prefix => networkOf(sixPrefix(prefix));

function masked6({ address, mask }: MaskedAddress): MaskedAddress {
  const prefix = sixNetwork({ address, length: lengthOfMask(mask) ?? 32 });
  return { address: prefix.address, mask: maskFor(prefix.address, prefix.length) };
}

const each = <T>({ value, negated }: Negatable<T>, change: (value: T) => T): Negatable<T> => ({
  value: change(value),
  negated,
});
const range6 = ({ from, to }: AddressRange): AddressRange => ({ from: six(from), to: six(to) });

export const table6 = (table: IptablesTable): IptablesTable => ({
  ...table,
  family: 6,
  chains: table.chains.map((c) => ({ ...c, rules: c.rules.filter(isOfBoth).map(ruleIn6) })),
});

/** `-f` is IPv4's alone, and words of its header mean something else in IPv6's. */
const isOfBoth = ({ fragment, matches }: Rule): boolean =>
  fragment === undefined && !matches.some((m) => m.kind === "other" && m.name === "u32");

export function ruleIn6({ source, destination, protocol, ...rule }: Rule): Rule {
  return {
    ...rule,
    ...(source !== undefined && { source: each(source, masked6) }),
    ...(destination !== undefined && { destination: each(destination, masked6) }),
    ...(protocol !== undefined && { protocol: each(protocol, (p) => (p === PROTO.icmp ? PROTO.icmp6 : p)) }),
    matches: rule.matches.map(match6),
    target: target6(rule.target),
  };
}

/** Sets of IPv6 beside those of IPv4. */
export const nameOfSet6 = (name: string): string => `${name}-6`;

function match6(m: Match): Match {
  switch (m.kind) {
    case "icmp":
      return { ...m, kind: "icmp6", type: 128 };
    case "ttl":
      return { ...m, kind: "hl" };
    case "set":
      return { ...m, name: nameOfSet6(m.name) };
    // A table of xt_recent serves both families by the mask that its first rule gave.
    case "recent":
      return { ...m, name: nameOfSet6(m.name), mask: maskFor(LOOPBACK6, 128) };
    case "connlimit":
      return { ...m, mask: m.mask === 0 ? 0 : 64 + m.mask * 2 };
    case "iprange":
      return {
        ...m,
        ...(m.source !== undefined && { source: each(m.source, range6) }),
        ...(m.destination !== undefined && { destination: each(m.destination, range6) }),
      };
    case "conntrack":
      return {
        ...m,
        ...(m.originalDestination !== undefined && { originalDestination: each(m.originalDestination, masked6) }),
        ...(m.replySource !== undefined && { replySource: each(m.replySource, masked6) }),
      };
    default:
      return m;
  }
}

const REJECTS = new Map([
  ["icmp-port-unreachable", "icmp6-port-unreachable"],
  ["icmp-host-unreachable", "icmp6-addr-unreachable"],
  ["icmp-net-unreachable", "icmp6-no-route"],
  ["icmp-admin-prohibited", "icmp6-adm-prohibited"],
]);

function target6(t: Target): Target {
  switch (t.kind) {
    case "dnat":
    case "snat":
      return { ...t, to: { ...t.to, ...(t.to.addresses !== undefined && { addresses: range6(t.to.addresses) }) } };
    case "netmap": {
      const { address, mask } = masked6({ address: t.address, mask: t.mask });
      return { ...t, address, mask };
    }
    case "set":
      return { ...t, name: nameOfSet6(t.name) };
    case "reject":
      return { ...t, with: REJECTS.get(t.with) ?? t.with };
    case "ttl":
      return { ...t, kind: "hl" };
    default:
      return t;
  }
}

export const set6 = (set: IpSet): IpSet => ({
  ...set,
  name: nameOfSet6(set.name),
  family: 6,
  options: [...set.options, { name: "family", value: "inet6" }],
  entries: set.entries.map((e) => ({
    ...e,
    parts: e.parts.map((p) => {
      if (p.kind !== "address") return p;
      const { address, length } = sixNetwork({ address: p.from, length: p.length });
      return { ...p, from: address, length };
    }),
  })),
});
