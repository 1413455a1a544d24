import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, test } from "vitest";
import {
  assumed,
  type IptablesTable,
  type KubernetesEndpoint,
  type KubernetesEndpoints,
  type KubernetesService,
} from "../../model/index.ts";
import { ipv4Of } from "../../net/index.ts";
import { printTables, readSave } from "../../parse/iptables/index.ts";
import { sourceOf } from "../../parse/source.ts";
import {
  DEFAULT_CONFIG,
  type DetectLocal,
  NEWEST_MODELLED,
  OLDEST_MODELLED,
  type ProxyInput,
  programme,
} from "../index.ts";

const origin = assumed("test");
const NODES = ["worker-1", "worker-2", "worker-3"] as const;
const ZONES = ["west", "east"] as const;
const flag = fc.boolean();
const policy = fc.constantFrom("Cluster", "Local", undefined);
const given = <T extends object>(record: T): T =>
  Object.fromEntries(Object.entries(record).filter(([, v]) => v !== undefined)) as T;

const endpoint = (subnet: number): fc.Arbitrary<KubernetesEndpoint> =>
  fc
    .record({
      last: fc.integer({ min: 1, max: 6 }),
      ready: flag,
      serving: flag,
      terminating: flag,
      nodeName: fc.constantFrom(...NODES, undefined),
      forZones: fc.option(fc.subarray([...ZONES]), { nil: undefined }),
      forNodes: fc.option(fc.subarray([...NODES]), { nil: undefined }),
    })
    .map(
      ({ last, ...rest }) =>
        given({ addresses: [ipv4Of(0x0af40000 + subnet * 256 + last)], ...rest, origin }) as KubernetesEndpoint,
    );

const port = fc.record({
  name: fc.constantFrom("http", "dns", undefined),
  protocol: fc.constantFrom(6, 17, 132),
  port: fc.integer({ min: 1, max: 65535 }),
  nodePort: fc.option(fc.integer({ min: 30000, max: 32767 }), { nil: undefined }),
});

const service = (i: number): fc.Arbitrary<{ service: KubernetesService; endpoints: readonly KubernetesEndpoints[] }> =>
  fc
    .record({
      type: fc.constantFrom("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
      headless: fc.constantFrom(true, undefined),
      ports: fc.uniqueArray(port, { maxLength: 3, selector: (p) => `${p.name} ${p.protocol}` }),
      external: flag,
      balanced: flag,
      proxied: flag,
      ranges: fc.option(fc.subarray(["0.0.0.0/0", "203.0.113.0/24", " 192.0.2.0/24 ", "::/0", "rubbish"]), {
        nil: undefined,
      }),
      externalTrafficPolicy: policy,
      internalTrafficPolicy: policy,
      clientIpAffinitySeconds: fc.constantFrom(10800, undefined),
      healthCheckNodePort: fc.constantFrom(0, 32100, undefined),
      topologyMode: fc.constantFrom("Auto", "Disabled", undefined),
      endpoints: fc.array(endpoint(i), { maxLength: 5 }),
      target: fc.integer({ min: 1, max: 65535 }),
    })
    .map(({ ports, external, balanced, proxied, ranges, endpoints, target, ...rest }) => {
      const made = given({
        namespace: "shop",
        name: `s${i}`,
        clusterIps: [0x0a600000 + i],
        externalIps: external ? [0xc6336400 + i] : [],
        loadBalancerIps: balanced ? [0xc6336500 + i] : [],
        proxyLoadBalancerIps: proxied ? [0xc6336600 + i] : undefined,
        loadBalancerSourceRanges: ranges,
        ports: ports.map(given),
        form: "object",
        origin,
        ...rest,
      }) as unknown as KubernetesService;
      const slice: KubernetesEndpoints = {
        kind: "EndpointSlice",
        namespace: "shop",
        name: `s${i}-1`,
        service: `s${i}`,
        family: 4,
        ports: ports.map((p) => ({
          protocol: p.protocol,
          port: target,
          ...(p.name === undefined ? {} : { name: p.name }),
        })),
        endpoints,
        form: "object",
        origin,
      };
      return { service: made, endpoints: [slice] };
    });

const detectLocal: fc.Arbitrary<DetectLocal> = fc.constantFrom<DetectLocal>(
  { mode: "none" },
  { mode: "NodeCIDR" },
  { mode: "ClusterCIDR", clusterCidrs: ["10.244.0.0/16"] },
  { mode: "BridgeInterface", bridge: "cni0" },
  { mode: "InterfaceNamePrefix", prefix: "veth" },
);

const input: fc.Arbitrary<ProxyInput> = fc
  .record({
    objects: fc.tuple(service(1), service(2), service(3)),
    minor: fc.integer({ min: OLDEST_MODELLED.minor, max: NEWEST_MODELLED.minor }),
    patch: fc.integer({ min: 0, max: 20 }),
    detectLocal,
    masqueradeAll: flag,
    nodePortAddresses: fc.constantFrom([], ["192.0.2.0/24"], ["127.0.0.0/8"], ["primary"], ["203.0.113.0/24"]),
    localhostNodePorts: flag,
    terminating: fc.constantFrom(true, false, undefined),
  })
  .map(({ objects, minor, patch, terminating, ...config }) => ({
    services: objects.map((o) => o.service),
    endpoints: objects.flatMap((o) => o.endpoints),
    node: {
      name: NODES[0],
      labels: { "topology.kubernetes.io/zone": ZONES[0] },
      addresses: [ipv4Of(0xc000020b)],
      podCidrs: ["10.244.1.0/24"],
      origin,
    },
    config: {
      ...DEFAULT_CONFIG,
      ...config,
      featureGates: terminating === undefined ? {} : { ProxyTerminatingEndpoints: terminating },
    },
    version: { minor, patch },
  }));

function tablesOf(one: ProxyInput): readonly IptablesTable[] {
  const made = programme(one);
  if (made.kind !== "programmed") throw new Error(made.mode);
  return made.families.flatMap((f) => f.tables);
}

describe("whatever the objects are", () => {
  test("rules jump only to chains that are there, and say what they print", () => {
    fc.assert(
      fc.property(input, (one) => {
        for (const table of tablesOf(one)) {
          const names = new Set(table.chains.map((c) => c.name));
          expect(names.size).toBe(table.chains.length);
          const used = table.chains.flatMap((c) =>
            c.rules.flatMap((r) => (r.target.kind === "jump" ? [r.target.chain] : [])),
          );
          expect(used.filter((chain) => !names.has(chain))).toEqual([]);
        }
        const four = tablesOf(one).filter((t) => t.family === 4);
        const text = printTables(four);
        const { document, diagnostics } = readSave(sourceOf("made", text), { command: ["iptables-save"] });
        expect(diagnostics).toEqual([]);
        expect(
          printTables(
            document.parts.flatMap((p) => (p.kind === "table" ? [p.table] : [])),
            { counters: false },
          ),
        ).toBe(text);
      }),
      { numRuns: 150, seed: 20261115 },
    );
  });

  test("a rule is found again by its origin", () => {
    fc.assert(
      fc.property(input, (one) => {
        const origins = tablesOf(one).flatMap((t) => t.chains.flatMap((c) => c.rules.map((r) => r.origin)));
        expect(new Set(origins).size).toBe(origins.length);
      }),
      { numRuns: 30, seed: 20261117 },
    );
  });

  test("a chain that balances sends every packet somewhere, with equal chance", () => {
    fc.assert(
      fc.property(input, (one) => {
        for (const { name, chains } of tablesOf(one))
          for (const chain of chains) {
            if (name !== "nat" || !/^KUBE-(?:SVC|SVL)-/.test(chain.name)) continue;
            const rules = chain.rules.filter(
              (r) =>
                r.target.kind === "jump" &&
                r.target.chain.startsWith("KUBE-SEP-") &&
                r.matches.every((m) => m.kind !== "recent"),
            );
            let left = 1;
            const shares = rules.map((r) => {
              const chance = r.matches.find((m) => m.kind === "statistic");
              const share = left * (chance?.mode === "random" ? chance.probability / 2 ** 31 : 1);
              left -= share;
              return share;
            });
            if (rules.length === 0) continue;
            expect(left).toBeCloseTo(0, 6);
            for (const share of shares) expect(share).toBeCloseTo(1 / rules.length, 6);
          }
      }),
      { numRuns: 150, seed: 20261116 },
    );
  });
});
