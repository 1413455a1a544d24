/** What a set of kube-proxy's IPVS mode holds. */
export const PROXY_SET = {
  clusterIp: "KUBE-CLUSTER-IP",
  loadBalancer: "KUBE-LOAD-BALANCER",
  loadBalancerLocal: "KUBE-LOAD-BALANCER-LOCAL",
  externalIp: "KUBE-EXTERNAL-IP",
  externalIpLocal: "KUBE-EXTERNAL-IP-LOCAL",
} as const;

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

export const isNodePortSet = (name: string): boolean => /^KUBE-(?:6-)?NODE-PORT/.test(name);

/** Of Services whose policy is Local: what is in it is not masqueraded. */
export const isLocalSet = (name: string): boolean => /^KUBE-.*-LOCAL(-TCP|-UDP|-SCTP-HASH)?$/.test(name);

/** Whether a set is one that kube-proxy fills. */
export const isProxySet = (name: string): boolean =>
  /^KUBE-(?:6-)?(?:CLUSTER-IP|LOAD-BALANCER|NODE-PORT|LOOP-BACK|EXTERNAL-IP|HEALTH-CHECK)/.test(name);

/** `KUBE-6-` leaves room for so much of a name (IPSET_MAXNAMELEN). */
const ROOM = 24;

/** The name a set would have for IPv4. */
export const plainSetName = (name: string): string => `KUBE-${name.replace(/^KUBE-(?:6-)?/, "").slice(0, ROOM)}`;
