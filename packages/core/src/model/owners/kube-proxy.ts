import { lookup } from "../lookup.ts";

/** What a chain of kube-proxy is for; of `service` and the following there is one for each port of a Service, of `endpoint` one for each endpoint. */
export type ProxyChain =
  | "services"
  | "external-services"
  | "node-ports"
  | "node-port"
  | "mark-masq"
  | "postrouting"
  | "forward"
  | "proxy-firewall"
  | "source-ranges-firewall"
  | "load-balancer"
  | "ipvs-filter"
  | "ipvs-out-filter"
  | "other"
  | PerService;
export type PerService = "service" | "local" | "local-before-1.24" | "external" | "source-ranges" | "endpoint";

/** The names that are the same on every node, for whoever prints a command about one. */
export const PROXY_CHAIN = {
  services: "KUBE-SERVICES",
  "external-services": "KUBE-EXTERNAL-SERVICES",
  "node-ports": "KUBE-NODEPORTS",
  "node-port": "KUBE-NODE-PORT",
  "mark-masq": "KUBE-MARK-MASQ",
  postrouting: "KUBE-POSTROUTING",
  forward: "KUBE-FORWARD",
  "proxy-firewall": "KUBE-PROXY-FIREWALL",
  "source-ranges-firewall": "KUBE-SOURCE-RANGES-FIREWALL",
  "load-balancer": "KUBE-LOAD-BALANCER",
  "ipvs-filter": "KUBE-IPVS-FILTER",
  "ipvs-out-filter": "KUBE-IPVS-OUT-FILTER",
} as const;

/** The same of its nftables mode: the table of either family, and what it asks about NodePorts there. */
export const PROXY_NFT = {
  table: "kube-proxy",
  nodePorts: "service-nodeports",
  nodePortAddresses: "nodeport-ips",
  services: "service-ips",
  /** Both maps of Services and of NodePorts without endpoints. */
  refusals: "no-endpoint-",
  clusterAddresses: "cluster-ips-check",
  markForMasquerade: "mark-for-masquerade",
} as const;

const FIXED = new Map<string, ProxyChain>(
  Object.entries(PROXY_CHAIN).map(([role, name]) => [name, role as keyof typeof PROXY_CHAIN]),
);

/** By it kube-proxy sees that somebody flushed the rules. */
export const PROXY_CANARY = "KUBE-PROXY-CANARY";

/** The dummy device of its IPVS mode, which has the addresses of Services. */
export const KUBE_IPVS0 = "kube-ipvs0";

const PER_SERVICE: Readonly<Record<string, PerService>> = lookup({
  SVC: "service",
  SVL: "local",
  XLB: "local-before-1.24",
  EXT: "external",
  FW: "source-ranges",
  SEP: "endpoint",
});
const SHORT = Object.fromEntries(Object.entries(PER_SERVICE).map(([short, role]) => [role, short]));

/** The chain of one Service's port, or of an endpoint of it. */
export const serviceChain = (role: PerService, hash: string): string => `KUBE-${SHORT[role]}-${hash}`;

/** kubelet makes these in the same tables. */
export const KUBELET_CHAIN = {
  firewall: "KUBE-FIREWALL",
  "mark-drop": "KUBE-MARK-DROP",
  canary: "KUBE-KUBELET-CANARY",
  hint: "KUBE-IPTABLES-HINT",
} as const;
const KUBELETS: ReadonlySet<string> = new Set(Object.values(KUBELET_CHAIN));

/** kube-router's, which shares the prefix. */
const KUBE_ROUTER = /^KUBE-(?:POD-FW|NWPLCY|ROUTER)/;

/** Whether the name is of the kind that kube-proxy, kubelet and kube-router give their chains and sets. */
export const isKubeName = (name: string): boolean => name.startsWith("KUBE-");
export const isKubeletChain = (name: string): boolean => KUBELETS.has(name);
export const isKubeRouterChain = (name: string): boolean => KUBE_ROUTER.test(name);

/** A chain of kube-proxy by its name; undefined where it is somebody else's. */
export function proxyChain(name: string): ProxyChain | undefined {
  if (!isKubeName(name)) return undefined;
  const fixed = FIXED.get(name);
  if (fixed !== undefined) return fixed;
  const dash = name.indexOf("-", 5);
  const perService = dash < 0 ? undefined : PER_SERVICE[name.slice(5, dash)];
  if (perService !== undefined) return perService;
  return isKubeletChain(name) || isKubeRouterChain(name) ? undefined : "other";
}

const SERVICES_OWN: ReadonlySet<ProxyChain | undefined> = new Set<ProxyChain>(Object.values(PER_SERVICE));
/** A chain that is one Service's, or one endpoint's. */
export const isServiceChain = (name: string): boolean => SERVICES_OWN.has(proxyChain(name));

/** Traffic policy Local: such a chain leads to endpoints of its node only. */
export const isLocalChain = (name: string): boolean => {
  const role = proxyChain(name);
  return role === "local" || role === "local-before-1.24";
};

/** The names of Services' chains end in a hash of the Service: two nodes, or two releases, need not agree in it. */
export const isHashedChain = (name: string): boolean => /^KUBE-[A-Z]+-[A-Z2-7]{16}$/.test(name);

/** What such a chain is for, which stands in front of the hash. */
export const withoutHash = (name: string): string => name.slice(0, name.length - 16);

/** Whether a text that iptables-save printed has chains of kube-proxy or kubelet. */
export const savesKubeChains = (text: string): boolean => /^:KUBE-/m.test(text);

/** The table of its nftables mode. */
export const isKubeProxyTable = (name: string): boolean => name === "kube-proxy";

/** What a chain, set or map of its nftables mode is for, where it is of one Service port. */
export interface ProxyNftName {
  readonly role: "service" | "local" | "external" | "firewall" | "endpoint" | "affinity";
  /** `ns/name:port`, or `ns/name` where the port has no name. */
  readonly service: string;
}

const NFT_NAME =
  /^(service|local|external|firewall|endpoint|affinity)-[A-Z0-9]{8}-([^/\s]+)\/([^/\s]+)\/\w+\/([^/\s]*?)(?:__|$)/;

/** A name such as `service-ULMVA6XW-ns1/svc1/tcp/p80`; undefined where it is no such name, or too long to be whole. */
export function proxyNftName(name: string): ProxyNftName | undefined {
  const [, role, namespace, service, port] = NFT_NAME.exec(name) ?? [];
  if (role === undefined || name.endsWith("...")) return undefined;
  return {
    role: role as ProxyNftName["role"],
    service: `${namespace}/${service}${port === "" ? "" : `:${port}`}`,
  };
}
