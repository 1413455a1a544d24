/** A cluster of which there are objects and nothing else: what varies in one that a sweep has to tell apart. */
export interface ObjectsCluster {
  readonly mode: "iptables" | "ipvs" | "nftables";
  readonly nodes: number;
  /** Nodes have so many zones. */
  readonly zones: number;
  /** Pods of each node. */
  readonly pods: number;
  readonly services: readonly OfferedService[];
  readonly detectLocalMode?: "ClusterCIDR" | "NodeCIDR";
  /** Nobody showed kube-proxy's configuration. */
  readonly unconfigured?: boolean;
  /** Whose machines nodes are, by `providerID`; MetalLB is known by its speakers. */
  readonly machines?: "gce" | "aws" | "metallb" | undefined;
  /** Every address has one of IPv6 beside it. */
  readonly dual?: boolean;
  /** Cilium's agents run beside kube-proxy, or in its place. */
  readonly cilium?: "beside" | "instead" | undefined;
  /** A policy keeps everybody from these pods. */
  readonly policies?: boolean;
  /** Pods have addresses out of the network of the node before theirs. */
  readonly misplaced?: boolean;
  /** The last node is one that load balancers do not send to, or that says nothing of an address or a network. */
  readonly odd?: "not-ready" | "excluded" | "addressless" | "no-pod-network" | undefined;
  /** Nodes and Services have numbers of one network. */
  readonly close?: boolean;
}

export interface OfferedService {
  readonly nodePort: boolean;
  readonly external?: boolean;
  readonly local?: boolean;
  readonly internalLocal?: boolean;
  readonly affinity?: boolean;
  /** Shares its external address with the Service before it. */
  readonly together?: boolean;
  /** No list of its endpoints is there. */
  readonly unlisted?: boolean;
  /** A load balancer's address, one that is left to it, its name, or one of a node's own (k3s). */
  readonly balanced?: "address" | "proxied" | "named" | "of-node" | undefined;
  readonly sourceRanges?: boolean;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Each endpoint is meant for the zone that it is in. */
  readonly hinted?: boolean;
  /** Node and pod of each endpoint; pod -1 is the node itself, and -2 somebody of whom there is no object. */
  readonly endpoints: readonly { readonly node: number; readonly pod: number; readonly ready: boolean }[];
}

const nodeAddress = (n: number): string => `10.${n >> 14}.${(n >> 7) & 127}.${(n & 127) + 10}`;
const podAddress = (n: number, p: number): string => `10.${128 + (n >> 8)}.${n & 255}.${p + 10}`;
const serviceAddress = ({ close }: ObjectsCluster, s: number): string =>
  close === true ? `10.0.${100 + (s >> 7)}.${(s & 127) + 1}` : `172.20.${s >> 7}.${(s & 127) + 1}`;
/** The same in IPv6. */
const six = (address: string): string =>
  `fd00:${address
    .split(".")
    .map((part) => Number(part).toString(16))
    .join(":")}::1`;
const both = ({ dual }: ObjectsCluster, address: string): readonly string[] =>
  dual === true ? [address, six(address)] : [address];
const PORT = 8080;

const addressOfPod = ({ misplaced, nodes }: ObjectsCluster, n: number, p: number): string =>
  podAddress(misplaced === true ? (n + nodes - 1) % nodes : n, p);

/** As `kubectl get … -o json` prints them. */
export function objectsCluster(given: ObjectsCluster): string {
  const items: unknown[] = [];
  for (let n = 0; n < given.nodes; n++) items.push(node(given, n));
  for (let n = 0; n < given.nodes; n++) for (let p = 0; p < given.pods; p++) items.push(pod(given, n, p));
  for (const [s, service] of given.services.entries()) items.push(...offered(given, service, s));
  items.push(...systemPods(given));
  if (given.policies === true) items.push(POLICY);
  if (given.unconfigured === true) return listOf(items);
  items.push({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "kube-proxy", namespace: "kube-system" },
    data: {
      "config.conf": `apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: "${given.mode}"\nclusterCIDR: 10.128.0.0/9\ndetectLocalMode: ${given.detectLocalMode ?? "ClusterCIDR"}\n`,
    },
  });
  return listOf(items);
}

const listOf = (items: readonly unknown[]): string =>
  JSON.stringify({ apiVersion: "v1", kind: "List", items }, undefined, 1);

const PROVIDER_ID = { gce: "gce://shop/zone/", aws: "aws:///zone/i-", metallb: undefined };

function node(given: ObjectsCluster, n: number): unknown {
  const { zones, machines, odd, nodes } = given;
  const own = n === nodes - 1 ? odd : undefined;
  const prefix = machines === undefined ? undefined : PROVIDER_ID[machines];
  const network = podAddress(n, -10);
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: `node-${n}`,
      labels: {
        "kubernetes.io/hostname": `node-${n}`,
        "topology.kubernetes.io/zone": `zone-${n % zones}`,
        ...(own === "excluded" && { "node.kubernetes.io/exclude-from-external-load-balancers": "" }),
      },
    },
    spec: {
      ...(own !== "no-pod-network" && {
        podCIDR: `${network}/24`,
        podCIDRs: given.dual === true ? [`${network}/24`, `${six(network).slice(0, -1)}/64`] : [`${network}/24`],
      }),
      ...(prefix !== undefined && { providerID: `${prefix}${n}` }),
    },
    status: {
      addresses: (own === "addressless" ? [] : both(given, nodeAddress(n))).map((address) => ({
        type: "InternalIP",
        address,
      })),
      conditions: [{ type: "Ready", status: own === "not-ready" ? "False" : "True" }],
      nodeInfo: { kernelVersion: "6.8.0-generic", kubeletVersion: "v1.33.0" },
    },
  };
}

function pod(given: ObjectsCluster, n: number, p: number): unknown {
  const addresses = both(given, addressOfPod(given, n, p));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `pod-${n}-${p}`, namespace: "shop", labels: { app: `${p}` } },
    spec: { nodeName: `node-${n}`, containers: [{ name: "c", ports: [{ containerPort: PORT }] }] },
    status: { podIP: addresses[0], podIPs: addresses.map((ip) => ({ ip })), phase: "Running" },
  };
}

/** Agents that are known by their pods: each lives in its node's namespace. */
function systemPods({ nodes, cilium, machines }: ObjectsCluster): readonly unknown[] {
  const agents = [
    ...(cilium === undefined ? [] : [["kube-system", "cilium"]]),
    ...(cilium === "beside" ? [["kube-system", "kube-proxy"]] : []),
    ...(machines === "metallb" ? [["metallb-system", "speaker"]] : []),
  ];
  return agents.flatMap(([namespace, name]) =>
    Array.from({ length: nodes }, (_, n) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `${name}-${n}`, namespace, labels: { "k8s-app": name } },
      spec: { nodeName: `node-${n}`, hostNetwork: true, containers: [{ name: "agent" }] },
      status: { podIP: nodeAddress(n), hostIP: nodeAddress(n), phase: "Running" },
    })),
  );
}

const POLICY = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name: "closed", namespace: "shop" },
  spec: { podSelector: { matchLabels: { app: "0" } }, policyTypes: ["Ingress"], ingress: [] },
};

function offered(cluster: ObjectsCluster, given: OfferedService, s: number): readonly unknown[] {
  const name = `svc-${s}`;
  const external = given.together === true ? s - 1 : s;
  const clusterIP = serviceAddress(cluster, s);
  const balancer = ingressOf(cluster, given, s);
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "shop", ...(given.annotations !== undefined && { annotations: given.annotations }) },
    spec: {
      type: balancer !== undefined ? "LoadBalancer" : given.nodePort ? "NodePort" : "ClusterIP",
      clusterIP,
      clusterIPs: both(cluster, clusterIP),
      ...(given.external === true && { externalIPs: [`192.168.77.${external + 1}`] }),
      ...(given.local === true && { externalTrafficPolicy: "Local" }),
      ...(given.internalLocal === true && { internalTrafficPolicy: "Local" }),
      ...(given.affinity === true && { sessionAffinity: "ClientIP" }),
      ...(given.sourceRanges === true && { loadBalancerSourceRanges: ["10.0.0.0/9", "192.0.2.0/24"] }),
      ...(balancer !== undefined && given.local === true && { healthCheckNodePort: 31_000 + s }),
      ports: [
        {
          name: "p",
          protocol: "TCP",
          port: given.together === true ? 81 : 80,
          targetPort: PORT,
          ...(given.nodePort && { nodePort: 30_000 + s }),
        },
      ],
    },
    ...(balancer !== undefined && { status: { loadBalancer: { ingress: [balancer] } } }),
  };
  if (given.unlisted === true) return [service];
  const slice = sliceOf(cluster, given, s, (a) => a, "IPv4");
  return cluster.dual === true ? [service, slice, sliceOf(cluster, given, s, six, "IPv6")] : [service, slice];
}

function ingressOf(cluster: ObjectsCluster, { balanced }: OfferedService, s: number): unknown {
  const ip = `203.0.${112 + (s >> 7)}.${(s & 127) + 100}`;
  switch (balanced) {
    case "address":
      return { ip };
    case "proxied":
      return { ip, ipMode: "Proxy" };
    case "named":
      return { hostname: `shop-${s}-0123456789abcdef.elb.eu-west-1.amazonaws.com` };
    case "of-node":
      return { ip: nodeAddress(s % cluster.nodes) };
    default:
      return undefined;
  }
}

function sliceOf(
  cluster: ObjectsCluster,
  { endpoints, hinted }: OfferedService,
  s: number,
  told: (address: string) => string,
  addressType: "IPv4" | "IPv6",
): unknown {
  const name = `svc-${s}`;
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: `${name}-${addressType}`, namespace: "shop", labels: { "kubernetes.io/service-name": name } },
    addressType,
    ports: [{ name: "p", protocol: "TCP", port: PORT }],
    endpoints: endpoints.map(({ node: on, pod: p, ready }) => {
      const n = on % cluster.nodes;
      const address = p === -1 ? nodeAddress(n) : addressOfPod(cluster, n, p === -2 ? 100 + s : p);
      const zone = `zone-${n % cluster.zones}`;
      return {
        addresses: [told(address)],
        conditions: { ready },
        nodeName: `node-${n}`,
        zone,
        ...(hinted === true && { hints: { forZones: [{ name: zone }] } }),
        ...(p >= 0 && { targetRef: { kind: "Pod", namespace: "shop", name: `pod-${n}-${p}` } }),
      };
    }),
  };
}
