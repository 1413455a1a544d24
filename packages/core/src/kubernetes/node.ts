import type { Labels, Origin } from "../model/index.ts";
import {
  type Address,
  anyPrefix,
  contains,
  type Family,
  familyOf,
  hostPrefix,
  isIpv4,
  isLoopback,
  LOOPBACK4,
  LOOPBACK6,
  loopbackPrefix,
  type Prefix,
  parsePrefix,
} from "../net/index.ts";

/** The node kube-proxy runs on, as far as it looks at it. */
export interface ProxyNode {
  readonly name: string;
  readonly labels: Labels;
  /** Its InternalIPs (what kube-proxy calls nodeIPs), at most one of each family is looked at. */
  readonly addresses: readonly Address[];
  readonly podCidrs: readonly string[];
  /** Addresses of all its devices, lo included. Absent: nobody showed them; the InternalIPs and loopback are taken. */
  readonly interfaceAddresses?: readonly Address[];
  readonly origin: Origin;
}

export const ZONE_LABEL = "topology.kubernetes.io/zone";

export const nodeIpOf = (node: ProxyNode, family: Family): Address | undefined =>
  node.addresses.find((a) => familyOf(a) === family);

const FAMILIES: readonly Family[] = [4, 6];
const LOOPBACK: readonly Address[] = [LOOPBACK4, LOOPBACK6];

/** Follows NodePortAddresses (pkg/proxy/util/nodeport_addresses.go). */
export interface NodePortAddresses {
  readonly cidrs: readonly Prefix[];
  /** Every local address of the family takes NodePorts. */
  readonly matchAll: boolean;
  readonly containsLoopback: boolean;
  /** Loopback is named itself, not only in a range of everything. */
  readonly namesLoopback: boolean;
}

/** expandNodePortAddressKeywords() (cmd/kube-proxy/app/server.go); all but `primary` since 1.37, and refused before. */
function expanded(text: string, node: ProxyNode): readonly Prefix[] {
  switch (text) {
    case "primary":
      // detectNodeIPs(): one of each family, however many the node has.
      return FAMILIES.flatMap((f) => nodeIpOf(node, f) ?? [])
        .filter((a) => !isLoopback(a))
        .map(hostPrefix);
    case "localhost":
      return [loopbackPrefix(4), loopbackPrefix(6)];
    case "all":
      return [anyPrefix(4), anyPrefix(6)];
    default: {
      const prefix = parsePrefix(text);
      return prefix === undefined ? [] : [prefix];
    }
  }
}

export function nodePortAddressesOf(input: readonly string[], node: ProxyNode, family: Family): NodePortAddresses {
  const wanted = input.flatMap((text) => expanded(text.trim(), node));
  const cidrs = wanted.filter((p) => familyOf(p.address) === family);
  const matchAll = cidrs.length === 0 || cidrs.some((p) => p.length === 0);
  const effective = matchAll ? [anyPrefix(family)] : cidrs;
  return {
    cidrs: effective,
    matchAll,
    containsLoopback: effective.some(
      (p) => isIpv4(p.address) && (isLoopback(p.address) || contains(p, loopbackPrefix(4).address)),
    ),
    namesLoopback: effective.some((p) => isLoopback(p.address)),
  };
}

/** Addresses of the node that take NodePorts, in the order of the CIDRs. */
export function nodePortIpsOf(addresses: NodePortAddresses, node: ProxyNode): readonly Address[] {
  const own = node.interfaceAddresses ?? [...LOOPBACK, ...node.addresses];
  return own.filter((a) => addresses.cidrs.some((p) => contains(p, a)));
}
