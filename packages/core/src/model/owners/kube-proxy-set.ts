import type { Family } from "../../net/index.ts";

/** What a set of kube-proxy's IPVS mode holds. */
export const PROXY_SET = {
  clusterIp: "KUBE-CLUSTER-IP",
  loadBalancer: "KUBE-LOAD-BALANCER",
  loadBalancerLocal: "KUBE-LOAD-BALANCER-LOCAL",
  loadBalancerSourceRanges: "KUBE-LOAD-BALANCER-FW",
  externalIp: "KUBE-EXTERNAL-IP",
  externalIpLocal: "KUBE-EXTERNAL-IP-LOCAL",
  loopBack: "KUBE-LOOP-BACK",
  bound: "KUBE-IPVS-IPS",
  nodePortTcp: "KUBE-NODE-PORT-TCP",
  nodePortUdp: "KUBE-NODE-PORT-UDP",
  nodePortLocalTcp: "KUBE-NODE-PORT-LOCAL-TCP",
  nodePortLocalUdp: "KUBE-NODE-PORT-LOCAL-UDP",
  healthCheckNodePort: "KUBE-HEALTH-CHECK-NODE-PORT",
} as const;

/** IPSET_MAXNAMELEN, without the end of the text. */
const MAX_NAME = 31;

/** Both families may be there at once, so those of IPv6 are called differently, and cut to what ipset allows (NewIPSet()). */
export const proxySetName = (set: string, family: Family): string =>
  family === 6 ? `KUBE-6-${set}`.slice(0, MAX_NAME) : `KUBE-${set}`;

/** Addresses that are a Service's outside the cluster. */
export const EXTERNAL_SETS: readonly string[] = [
  PROXY_SET.loadBalancer,
  PROXY_SET.externalIp,
  PROXY_SET.loadBalancerLocal,
  PROXY_SET.externalIpLocal,
];

/** Addresses of load balancers. */
export const BALANCER_SETS: ReadonlySet<string> = new Set([PROXY_SET.loadBalancer, PROXY_SET.loadBalancerLocal]);

/** Addresses that kube-proxy binds on kube-ipvs0. */
export const isBoundSet = (name: string): boolean => /^KUBE-(?:6-)?(?:CLUSTER-IP|LOAD-BALANCER)/.test(name);

export const isClusterIpSet = (name: string): boolean => /^KUBE-(?:6-)?CLUSTER-IP$/.test(name);

export const isNodePortSet = (name: string): boolean => /^KUBE-(?:6-)?NODE-PORT/.test(name);

/** Of Services whose policy is Local: what is in it is not masqueraded. */
export const isLocalSet = (name: string): boolean => /^KUBE-.*-LOCAL(-TCP|-UDP|-SCTP-HASH)?$/.test(name);

/** Whether a set is one that kube-proxy fills. */
export const isProxySet = (name: string): boolean =>
  /^KUBE-(?:6-)?(?:CLUSTER-IP|LOAD-BALANCER|NODE-PORT|LOOP-BACK|EXTERNAL-IP|HEALTH-CHECK)/.test(name);

/** `KUBE-6-` leaves room for so much of a name. */
const ROOM = MAX_NAME - 7;

/** Which family a set is for, by its name. */
export const familyOfProxySet = (name: string): Family => (name.startsWith("KUBE-6-") ? 6 : 4);

/** The name that a set of IPv4 has in a family. */
export const proxySetIn = (family: Family, name: string): string => proxySetName(name.slice("KUBE-".length), family);

/** The name a set would have for IPv4. */
export const plainSetName = (name: string): string => `KUBE-${name.replace(/^KUBE-(?:6-)?/, "").slice(0, ROOM)}`;
