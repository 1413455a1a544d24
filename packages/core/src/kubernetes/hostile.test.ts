import { fc } from "@hairpin/testing/property.ts";
import { worldOf } from "@hairpin/testing/world.ts";
import { describe, expect, test } from "vitest";
import { resolveQuestion, trace } from "../trace/index.ts";

/** Addresses from a small pool, so that they collide: of nodes, pods, Services and nobody. */
const address = fc.constantFrom(
  "192.0.2.11",
  "192.0.2.12",
  "10.96.0.1",
  "10.96.0.2",
  "10.244.1.1",
  "203.0.113.9",
  "127.0.0.1",
  "0.0.0.0",
  "255.255.255.255",
  "fd00::1",
  "::1",
  "None",
  "",
  "not an address",
);
const port = fc.constantFrom(0, 1, 80, 30080, 65535, 70000, -1, "http", null);
const policy = fc.constantFrom("Local", "Cluster", "local", "", null);
const node = fc.constantFrom("a", "b", "elsewhere", "");

const service = fc.record({
  apiVersion: fc.constant("v1"),
  kind: fc.constant("Service"),
  metadata: fc.record({ name: fc.constantFrom("web", "db", "kubernetes"), namespace: fc.constantFrom("x", "default") }),
  spec: fc.record(
    {
      type: fc.constantFrom("ClusterIP", "NodePort", "LoadBalancer", "ExternalName", "Nothing"),
      clusterIP: address,
      externalIPs: fc.array(address, { maxLength: 2 }),
      ports: fc.array(
        fc.record(
          {
            name: fc.constantFrom("", "p"),
            port,
            nodePort: port,
            protocol: fc.constantFrom("TCP", "UDP", "SCTP", "X"),
          },
          { requiredKeys: [] },
        ),
        { maxLength: 3 },
      ),
      externalTrafficPolicy: policy,
      internalTrafficPolicy: policy,
      loadBalancerSourceRanges: fc.array(
        fc.constantFrom("10.0.0.0/8", "0.0.0.0/0", "fd00::/8", "x", " 192.0.2.11/32 "),
      ),
      sessionAffinity: fc.constantFrom("ClientIP", "None"),
      healthCheckNodePort: port,
    },
    { requiredKeys: [] },
  ),
  status: fc.record({ loadBalancer: fc.record({ ingress: fc.array(fc.record({ ip: address }), { maxLength: 2 }) }) }),
});

const slice = fc.record({
  apiVersion: fc.constant("discovery.k8s.io/v1"),
  kind: fc.constant("EndpointSlice"),
  metadata: fc.record({
    name: fc.constantFrom("s1", "s2", "s3"),
    namespace: fc.constantFrom("x", "default"),
    labels: fc.record({ "kubernetes.io/service-name": fc.constantFrom("web", "db", "kubernetes") }),
  }),
  addressType: fc.constantFrom("IPv4", "IPv6", "FQDN", ""),
  endpoints: fc.array(
    fc.record(
      {
        addresses: fc.array(address, { maxLength: 2 }),
        nodeName: node,
        conditions: fc.record({ ready: fc.boolean(), serving: fc.boolean() }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 4 },
  ),
  ports: fc.array(fc.record({ name: fc.constantFrom("", "p"), port, protocol: fc.constantFrom("TCP", "UDP") }), {
    maxLength: 2,
  }),
});

const nodeObject = fc.record({
  apiVersion: fc.constant("v1"),
  kind: fc.constant("Node"),
  metadata: fc.record({ name: node }),
  spec: fc.record({ podCIDR: fc.constantFrom("10.244.1.0/24", "x", "") }),
  status: fc.record({
    addresses: fc.array(fc.record({ type: fc.constant("InternalIP"), address }), { maxLength: 2 }),
    nodeInfo: fc.record({ kubeProxyVersion: fc.constantFrom("v1.18.0", "v1.24.3", "v1.37.0", "v9.9", "") }),
  }),
});

const config = fc.record({
  apiVersion: fc.constant("kubeproxy.config.k8s.io/v1alpha1"),
  kind: fc.constant("KubeProxyConfiguration"),
  mode: fc.constantFrom("", "iptables", "ipvs", "nftables", "x"),
  clusterCIDR: fc.constantFrom("10.244.0.0/16", "x", ",", "fd00::/64,10.0.0.0/8"),
  detectLocalMode: fc.constantFrom("", "ClusterCIDR", "NodeCIDR", "BridgeInterface", "InterfaceNamePrefix", "x"),
  detectLocal: fc.record({
    bridgeInterface: fc.constantFrom("", "cni0"),
    interfaceNamePrefix: fc.constantFrom("", "cali"),
  }),
  nodePortAddresses: fc.array(fc.constantFrom("0.0.0.0/0", "192.0.2.0/24", "127.0.0.0/8", "primary", "x"), {
    maxLength: 2,
  }),
});

const objects = fc.tuple(
  fc.array(service, { minLength: 1, maxLength: 4 }),
  fc.array(slice, { maxLength: 4 }),
  fc.array(nodeObject, { minLength: 1, maxLength: 3 }),
  fc.array(config, { maxLength: 2 }),
);

const DISPOSITIONS = new Set(["delivered", "forwarded", "dropped", "rejected", "undetermined"]);

describe("objects that no API server would let pass", () => {
  test("are answered, refused plainly or left undetermined; nothing is thrown", () => {
    fc.assert(
      fc.property(
        objects,
        fc.constantFrom("10.244.1.1", "192.0.2.11", "203.0.113.7", "node/a"),
        ([s, e, n, c], from) => {
          const list = { apiVersion: "v1", kind: "List", items: [...s, ...e, ...n, ...c] };
          const world = worldOf({ "objects.json": JSON.stringify(list, null, 1) });
          for (const to of ["10.96.0.1:80", "192.0.2.11:30080", "203.0.113.9:80"]) {
            const resolved = resolveQuestion(world, { from, to });
            if (resolved.ok !== true) continue;
            const { branches } = trace(resolved.world, resolved.question);
            expect(branches.every((b) => DISPOSITIONS.has(b.request.disposition))).toBe(true);
          }
        },
      ),
      { numRuns: Number(process.env.HAIRPIN_RUNS ?? 100) },
    );
  });
});
