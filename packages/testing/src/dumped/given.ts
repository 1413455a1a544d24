/** A cluster of which every node was dumped: kube-proxy in iptables mode, and a network for the pods as one of the usual plugins makes it. */
export interface DumpCluster {
  readonly nodes: number;
  /** Of each node. */
  readonly pods: number;
  readonly services: number;
  readonly endpoints: number;
  /** The last so many have a node port and `externalTrafficPolicy: Local`: their rules differ from node to node. */
  readonly local: number;
  /** Nodes know each other and their pods, and bridges by which port. */
  readonly neighbours?: boolean;
  /** No node has as many pods as the next one: up to so many more. */
  readonly uneven?: number;
  /** The bridge plugin has a chain for each pod. */
  readonly podChains?: boolean;
  /** Absent: `bridge`. */
  readonly network?: NetworkKind;
}

/**
 * - `bridge`: pods on a bridge, host routes between nodes;
 * - `overlay`: the same in a VXLAN, as flannel has it;
 * - `routed`: a route to each pod, as kindnet's ptp has it;
 * - `calico`: the same with Calico's chains for each of them, its sets, and MACs that all nodes have;
 * - `eni`: addresses of the cloud's own network and rules of routing for each pod, as Amazon's plugin has it.
 */
export const NETWORKS = ["bridge", "overlay", "routed", "calico", "eni"] as const;
export type NetworkKind = (typeof NETWORKS)[number];

/** All pods. */
export const CLUSTER = "10.128.0.0/9";
export const PORT = 8080;
export const byte = (n: number): string => n.toString(16).padStart(2, "0");
export const nodeName = (n: number): string => `node-${n}`;
export const nodeAddress = (n: number): string => `10.0.${1 + (n >> 7)}.${(n & 127) + 10}`;
/** Three bytes: the network of a node's pods is a /24. */
export const network = (n: number): string => `10.${128 + (n >> 8)}.${n & 255}`;
export const podsOn = ({ pods, uneven = 0 }: DumpCluster, n: number): number => pods + ((n * 7) % (uneven + 1));
export const podAddress = (n: number, p: number): string => `${network(n)}.${p + 10}`;
export const serviceAddress = (s: number): string => `10.96.${(s + 10) >> 8}.${(s + 10) & 255}`;
/** Names sort as numbers do. */
export const serviceName = (s: number): string => `checkout-backend-of-team-${String(s).padStart(5, "0")}`;

/** `kind` 0 is the node's card, 1 a pod's port, others are the network's own devices. */
export const mac = (n: number, kind: number, p: number): string =>
  `02:${byte(n >> 8)}:${byte(n & 255)}:${byte(kind)}:00:${byte(p)}`;
export const nodeMac = (n: number): string => mac(n, 0, 2);
export const podMac = (n: number, p: number): string => `0a:58:${byte(n >> 8)}:${byte(n & 255)}:00:${byte(p)}`;

/** What is called after a hash: of a pod of a node. */
export const hashOf = (n: number, p: number, length: number): string =>
  (Math.imul(n * 256 + p + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0").repeat(8).slice(0, length);

/** Pods in turn, each on another node. */
export const endpointsOf = (
  { nodes, pods, endpoints }: DumpCluster,
  s: number,
): readonly { readonly node: number; readonly pod: number }[] =>
  Array.from({ length: endpoints }, (_, i) => {
    const at = s * endpoints + i;
    return { node: at % nodes, pod: Math.floor(at / nodes) % pods };
  });

export const all = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
export const othersThan = ({ nodes }: DumpCluster, n: number): readonly number[] => all(nodes).filter((m) => m !== n);
