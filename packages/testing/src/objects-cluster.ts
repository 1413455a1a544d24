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
  /** Node and pod of each endpoint; pod -1 is the node itself, and -2 somebody of whom there is no object. */
  readonly endpoints: readonly { readonly node: number; readonly pod: number; readonly ready: boolean }[];
}

const nodeAddress = (n: number): string => `10.${n >> 14}.${(n >> 7) & 127}.${(n & 127) + 10}`;
const podAddress = (n: number, p: number): string => `10.${128 + (n >> 8)}.${n & 255}.${p + 10}`;
const serviceAddress = (s: number): string => `172.20.${s >> 7}.${(s & 127) + 1}`;
const PORT = 8080;

/** As `kubectl get … -o json` prints them. */
export function objectsCluster(given: ObjectsCluster): string {
  const items: unknown[] = [];
  for (let n = 0; n < given.nodes; n++) items.push(node(given, n));
  for (let n = 0; n < given.nodes; n++) for (let p = 0; p < given.pods; p++) items.push(pod(n, p));
  for (const [s, service] of given.services.entries()) items.push(...offered(given, service, s));
  items.push({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "kube-proxy", namespace: "kube-system" },
    data: {
      "config.conf": `apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: "${given.mode}"\nclusterCIDR: 10.128.0.0/9\ndetectLocalMode: ${given.detectLocalMode ?? "ClusterCIDR"}\n`,
    },
  });
  return JSON.stringify({ apiVersion: "v1", kind: "List", items }, undefined, 1);
}

const node = ({ zones }: ObjectsCluster, n: number): unknown => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name: `node-${n}`,
    labels: { "kubernetes.io/hostname": `node-${n}`, "topology.kubernetes.io/zone": `zone-${n % zones}` },
  },
  spec: { podCIDR: `${podAddress(n, -10)}/24` },
  status: {
    addresses: [{ type: "InternalIP", address: nodeAddress(n) }],
    conditions: [{ type: "Ready", status: "True" }],
    nodeInfo: { kernelVersion: "6.8.0-generic", kubeletVersion: "v1.33.0" },
  },
});

const pod = (n: number, p: number): unknown => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `pod-${n}-${p}`, namespace: "shop", labels: { app: `${p}` } },
  spec: { nodeName: `node-${n}`, containers: [{ name: "c", ports: [{ containerPort: PORT }] }] },
  status: { podIP: podAddress(n, p), podIPs: [{ ip: podAddress(n, p) }], phase: "Running" },
});

function offered({ nodes }: ObjectsCluster, given: OfferedService, s: number): readonly unknown[] {
  const name = `svc-${s}`;
  const external = given.together === true ? s - 1 : s;
  const endpoints = given.endpoints.map(({ node: on, pod: p, ready }) => {
    const n = on % nodes;
    const address = p === -1 ? nodeAddress(n) : podAddress(n, p === -2 ? 100 + s : p);
    const targetRef = { kind: "Pod", namespace: "shop", name: `pod-${n}-${p}` };
    return { addresses: [address], conditions: { ready }, nodeName: `node-${n}`, ...(p >= 0 && { targetRef }) };
  });
  const slice = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: `${name}-x`, namespace: "shop", labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    ports: [{ name: "p", protocol: "TCP", port: PORT }],
    endpoints,
  };
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace: "shop" },
      spec: {
        type: given.nodePort ? "NodePort" : "ClusterIP",
        clusterIP: serviceAddress(s),
        clusterIPs: [serviceAddress(s)],
        ...(given.external === true && { externalIPs: [`192.168.77.${external + 1}`] }),
        ...(given.local === true && { externalTrafficPolicy: "Local" }),
        ...(given.internalLocal === true && { internalTrafficPolicy: "Local" }),
        ...(given.affinity === true && { sessionAffinity: "ClientIP" }),
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
    },
    ...(given.unlisted === true ? [] : [slice]),
  ];
}
