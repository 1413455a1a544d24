import { haveReference, referenceJson } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import {
  chooseEndpoints,
  featuresOf,
  nodePortAddressesOf,
  nodePortIpsOf,
  type ProxyEndpoint,
  type ProxyServicePort,
  parseVersion,
} from "../../packages/core/src/kubernetes/index.ts";
import { assumed, type Labels } from "../../packages/core/src/model/index.ts";
import { ANY4, formatAddress, parseAddress } from "../../packages/core/src/net/index.ts";

interface TopologyCase {
  readonly name: string;
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly nodeName: string;
  readonly nodeLabels: Labels | null;
  readonly service: {
    readonly externalTrafficPolicyLocal: boolean;
    readonly internalTrafficPolicyLocal: boolean;
    readonly nodePort: number;
    readonly loadBalancerVIPs: readonly string[] | null;
    readonly externalIPs: readonly string[] | null;
  };
  readonly endpoints: readonly {
    readonly endpoint: string;
    readonly isLocal: boolean;
    readonly ready: boolean;
    readonly serving: boolean;
    readonly terminating: boolean;
    readonly zoneHints: readonly string[];
    readonly nodeHints: readonly string[];
  }[];
  readonly expected: {
    readonly clusterEndpoints: readonly string[] | null;
    readonly localEndpoints: readonly string[] | null;
    readonly allReachableEndpoints: readonly string[] | null;
    readonly hasAnyEndpoints: boolean;
  };
}

const origin = assumed("test");

function portOf({ service }: TopologyCase): ProxyServicePort {
  const { externalTrafficPolicyLocal: external, internalTrafficPolicyLocal: internal } = service;
  const accessible =
    service.nodePort !== 0 || (service.loadBalancerVIPs ?? []).length > 0 || (service.externalIPs ?? []).length > 0;
  return {
    service: {
      namespace: "ns",
      name: "svc",
      type: "ClusterIP",
      clusterIps: [],
      externalIps: [],
      loadBalancerIps: [],
      ports: [],
      origin,
    },
    name: "ns/svc",
    portName: "",
    protocol: 6,
    protocolName: "tcp",
    clusterIp: ANY4,
    port: 80,
    externalIps: [],
    loadBalancerIps: [],
    sourceRanges: [],
    externalPolicyLocal: external,
    internalPolicyLocal: internal,
    externallyAccessible: accessible,
    usesClusterEndpoints: !internal || accessible,
    usesLocalEndpoints: internal || (external && accessible),
  };
}

const cases = haveReference
  ? referenceJson<{ readonly cases: readonly TopologyCase[] }>("kube-proxy", "tables", "topology-endpoints.json").cases
  : [];

describe.skipIf(!haveReference)("endpoints are chosen as kube-proxy's own tests expect", () => {
  test.each(cases.map((c) => [c.name, c] as const))("%s", (_, c) => {
    const endpoints = c.endpoints.map(
      (e): ProxyEndpoint => ({ ...e, text: e.endpoint, address: ANY4, port: 80, origin }),
    );
    // The gate of node hints could still be switched in 1.34.
    const version = parseVersion("v1.34.0")!;
    const features = featuresOf(version, c.featureGates);
    const node = { name: c.nodeName, labels: c.nodeLabels ?? {}, addresses: [], podCidrs: [], origin };
    const chosen = chooseEndpoints(endpoints, portOf(c), { node, version, features });
    const texts = (list: readonly ProxyEndpoint[]) => list.map((e) => e.text).sort();
    expect({
      cluster: texts(chosen.cluster),
      local: texts(chosen.local),
      reachable: texts(chosen.reachable),
      hasAny: chosen.hasAny,
    }).toEqual({
      cluster: [...(c.expected.clusterEndpoints ?? [])].sort(),
      local: [...(c.expected.localEndpoints ?? [])].sort(),
      reachable: [...(c.expected.allReachableEndpoints ?? [])].sort(),
      hasAny: c.expected.hasAnyEndpoints,
    });
  });
});

interface AddressesCase {
  readonly name: string;
  readonly nodePortAddresses: readonly string[] | null;
  readonly interfaces: readonly { readonly addresses: readonly string[] }[];
  readonly expected: Readonly<
    Record<"IPv4" | "IPv6", { readonly ips: readonly string[] | null; readonly matchAll: boolean }>
  >;
}

const addressCases = haveReference
  ? referenceJson<{ readonly cases: readonly AddressesCase[] }>("kube-proxy", "tables", "nodeport-addresses.json").cases
  : [];

describe.skipIf(!haveReference)("addresses for NodePorts are taken as kube-proxy's own tests expect", () => {
  test.each(addressCases.map((c) => [c.name, c] as const))("%s", (_, c) => {
    const own = c.interfaces.flatMap((i) => i.addresses).map((a) => parseAddress(a.split("/")[0]!)!);
    const node = { name: "n", labels: {}, addresses: [], podCidrs: [], interfaceAddresses: own, origin };
    for (const [family, name] of [[4, "IPv4"] as const, [6, "IPv6"] as const]) {
      const addresses = nodePortAddressesOf(c.nodePortAddresses ?? [], node, family);
      const { ips, matchAll } = c.expected[name];
      expect(addresses.matchAll, name).toBe(matchAll);
      if (ips !== null) expect(nodePortIpsOf(addresses, node).map(formatAddress).sort(), name).toEqual([...ips].sort());
    }
  });
});
