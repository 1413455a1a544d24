import type { ObjectsCase, Probe } from "./objects-harness.ts";

type Json = Readonly<Record<string, unknown>>;

/** Objects of our own, one Service for each thing that the modes treat in a way of their own. The node asked is worker-a. */
interface OwnService {
  readonly name: string;
  readonly spec: Json;
  readonly ingress?: string;
  /** Address, node, and what else its endpoint says. */
  readonly endpoints: readonly (readonly [address: string, node: string, conditions?: Json])[];
}

const NODE = "worker-a";
const OTHER = "worker-b";
const LOCAL = { externalTrafficPolicy: "Local" };

const SERVICES: readonly OwnService[] = [
  {
    name: "web",
    spec: { type: "LoadBalancer", ports: [{ port: 80, nodePort: 30080 }], externalIPs: ["198.51.100.70"] },
    ingress: "203.0.113.80",
    endpoints: [
      ["10.244.1.10", NODE],
      ["10.244.2.10", OTHER],
    ],
  },
  {
    name: "near",
    spec: { type: "LoadBalancer", ports: [{ port: 80, nodePort: 30081 }], healthCheckNodePort: 31081, ...LOCAL },
    ingress: "203.0.113.81",
    endpoints: [
      ["10.244.1.11", NODE],
      ["10.244.2.11", OTHER],
    ],
  },
  {
    name: "far",
    spec: { type: "LoadBalancer", ports: [{ port: 80, nodePort: 30082 }], healthCheckNodePort: 31082, ...LOCAL },
    ingress: "203.0.113.82",
    endpoints: [["10.244.2.12", OTHER]],
  },
  {
    name: "inside",
    spec: { ports: [{ port: 5432 }], internalTrafficPolicy: "Local" },
    endpoints: [["10.244.2.13", OTHER]],
  },
  {
    name: "empty",
    spec: { type: "LoadBalancer", ports: [{ port: 80, nodePort: 30084 }], externalIPs: ["198.51.100.74"] },
    ingress: "203.0.113.84",
    endpoints: [],
  },
  {
    name: "leaving",
    spec: { type: "NodePort", ports: [{ port: 80, nodePort: 30085 }] },
    endpoints: [
      ["10.244.1.15", NODE, { ready: false, serving: true, terminating: true }],
      ["10.244.2.15", OTHER, { ready: false, serving: false, terminating: true }],
    ],
  },
  {
    name: "guarded",
    spec: {
      type: "LoadBalancer",
      ports: [{ port: 443, nodePort: 30086 }],
      loadBalancerSourceRanges: ["198.51.100.0/24"],
    },
    ingress: "203.0.113.86",
    endpoints: [["10.244.2.16", OTHER]],
  },
  {
    name: "sticky",
    spec: {
      ports: [{ port: 80 }],
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 600 } },
    },
    endpoints: [
      ["10.244.1.17", NODE],
      ["10.244.2.17", OTHER],
    ],
  },
  {
    name: "dns",
    spec: { type: "NodePort", ports: [{ port: 53, nodePort: 30088, protocol: "UDP" }] },
    endpoints: [["10.244.2.18", OTHER]],
  },
];

const clusterIp = (i: number): string => `10.96.0.${10 + i}`;

const serviceObject = ({ name, spec, ingress }: OwnService, i: number): Json => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "shop" },
  spec: { type: "ClusterIP", clusterIP: clusterIp(i), clusterIPs: [clusterIp(i)], ...spec },
  status: { loadBalancer: ingress === undefined ? {} : { ingress: [{ ip: ingress }] } },
});

interface Port {
  readonly port: number;
  readonly nodePort?: number;
  readonly protocol?: string;
}
const portOf = ({ spec }: OwnService): Port => (spec.ports as readonly Port[])[0]!;

const sliceObject = (service: OwnService): Json => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: {
    name: `${service.name}-x7k2p`,
    namespace: "shop",
    labels: { "kubernetes.io/service-name": service.name },
  },
  addressType: "IPv4",
  endpoints: service.endpoints.map(([address, nodeName, conditions]) => ({
    addresses: [address],
    conditions: conditions ?? { ready: true, serving: true, terminating: false },
    nodeName,
  })),
  ports: [{ name: "", port: 8080, protocol: portOf(service).protocol ?? "TCP" }],
});

const NODE_IP = "192.0.2.11";
const CLIENT = "10.244.1.99";
const SOURCES: readonly (readonly [from: string, address: string])[] = [
  ["pod", CLIENT],
  ["node", NODE_IP],
  ["external", "203.0.113.7"],
];

/** Every address of a Service × who may ask. */
function probesOf(service: OwnService, i: number): readonly Probe[] {
  const { port, nodePort, protocol = "TCP" } = portOf(service);
  const external = (service.spec.externalIPs as readonly string[] | undefined) ?? [];
  const targets: (readonly [target: string, address: string, port: number])[] = [
    ["ClusterIP", clusterIp(i), port],
    ...external.map((a) => ["ExternalIP", a, port] as const),
    ...(service.ingress === undefined ? [] : [["LoadBalancerIP", service.ingress, port] as const]),
    ...(nodePort === undefined ? [] : [["NodePort", NODE_IP, nodePort] as const]),
  ];
  const probe = (target: string, destIP: string, destPort: number, from: string, sourceIP: string): Probe => ({
    service: `shop/${service.name}`,
    target,
    from,
    sourceIP,
    destIP,
    destPort,
    protocol: protocol.toLowerCase(),
    observed: { verdict: "nobody looked" },
  });
  return [
    ...targets.flatMap(([target, address, p]) =>
      SOURCES.map(([from, source]) => probe(target, address, p, from, source)),
    ),
    ...service.endpoints
      .slice(0, 1)
      .map(([source]) => probe("ClusterIP", clusterIp(i), port, "endpoint-itself", source)),
    probe("ClusterIP-undefined-port", clusterIp(i), port + 1000, "pod", SOURCES[0]![1]),
    ...(nodePort === undefined
      ? []
      : [probe("NodePort@localhost", "127.0.0.1", nodePort, "node-loopback", "127.0.0.1")]),
  ];
}

/** For a release: the same objects, whatever the mode. */
export const ownCase = (version: string): ObjectsCase => ({
  name: `own objects, ${version}`,
  mode: "iptables",
  ipFamily: "IPv4",
  versions: [version],
  nodeName: NODE,
  nodeIPs: [NODE_IP],
  config: { detectLocal: { mode: "ClusterCIDR", clusterCIDR: "10.244.0.0/16" } },
  services: SERVICES.map(serviceObject),
  slices: SERVICES.map(sliceObject),
  endpoints: [],
  pods: [
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "client", namespace: "shop" },
      spec: { nodeName: NODE },
      status: { phase: "Running", podIP: CLIENT, podIPs: [{ ip: CLIENT }] },
    },
  ],
  probes: SERVICES.flatMap(probesOf),
  recorded: { name: "own objects" },
});
