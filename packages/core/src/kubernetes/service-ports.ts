import type { KubernetesService, ServicePort } from "../model/index.ts";
import { type Address, type Family, familyOf, type Prefix, parsePrefix, protocolName } from "../net/index.ts";
import type { Features } from "./feature-gates.ts";
import { isSince, type KubernetesVersion } from "./version.ts";

/** One port of a Service as one family's proxier sees it. Follows BaseServicePortInfo (pkg/proxy/serviceport.go). */
export interface ProxyServicePort {
  readonly service: KubernetesService;
  /** `ns/name:port`, or `ns/name` where the port has no name (ServicePortName.String()). */
  readonly name: string;
  readonly portName: string;
  readonly protocol: number;
  /** `tcp`, `udp`, `sctp`. */
  readonly protocolName: string;
  readonly clusterIp: Address;
  readonly port: number;
  readonly nodePort?: number;
  readonly externalIps: readonly Address[];
  readonly loadBalancerIps: readonly Address[];
  /** None: everybody may. */
  readonly sourceRanges: readonly Prefix[];
  readonly affinitySeconds?: number;
  readonly healthCheckNodePort?: number;
  readonly externalPolicyLocal: boolean;
  readonly internalPolicyLocal: boolean;
  /** By NodePort, external IP or load balancer IP. */
  readonly externallyAccessible: boolean;
  /** Ever sends to endpoints by the Cluster policy. */
  readonly usesClusterEndpoints: boolean;
  /** Ever sends to endpoints by the Local policy. */
  readonly usesLocalEndpoints: boolean;
}

/** kube-proxy leaves these alone: headless, without an address yet, ExternalName, or given to another proxy. */
export const isProxied = (service: KubernetesService): boolean =>
  service.type !== "ExternalName" && service.headless !== true && service.proxyName === undefined;

const ofFamily = (addresses: readonly Address[], family: Family): readonly Address[] =>
  addresses.filter((a) => familyOf(a) === family);

function sourceRangesOf(service: KubernetesService, family: Family, version: KubernetesVersion): readonly Prefix[] {
  const ranges = (service.loadBalancerSourceRanges ?? [])
    .flatMap((text) => parsePrefix(text.trim()) ?? [])
    .filter((p) => familyOf(p.address) === family);
  // Before, a range that holds everything became a rule without a source test, to the same effect.
  return isSince(version, 34) && ranges.some((p) => p.length === 0) ? [] : ranges;
}

/** Up to 1.18 the colon stood there even where the port has no name, and went into the hash. */
const nameOf = ({ namespace, name }: KubernetesService, port: string, version: KubernetesVersion): string =>
  port === "" && isSince(version, 19) ? `${namespace}/${name}` : `${namespace}/${name}:${port}`;

const nonZero = (port: number | undefined): number | undefined => (port === 0 ? undefined : port);

export function servicePortsOf(
  service: KubernetesService,
  family: Family,
  version: KubernetesVersion,
  features: Features,
): readonly ProxyServicePort[] {
  if (!isProxied(service)) return [];
  const clusterIp = service.clusterIps.find((a) => familyOf(a) === family);
  if (clusterIp === undefined) return [];
  const opened = service.type === "NodePort" || service.type === "LoadBalancer";
  const externalPolicyLocal = opened && service.externalTrafficPolicy === "Local";
  const internalPolicyLocal = features.internalTrafficPolicy && service.internalTrafficPolicy === "Local";
  const externalIps = features.externalIps ? ofFamily(service.externalIps, family) : [];
  const ingress = features.ipMode
    ? service.loadBalancerIps
    : [...service.loadBalancerIps, ...(service.proxyLoadBalancerIps ?? [])];
  const loadBalancerIps = ofFamily(ingress, family);
  const sourceRanges = sourceRangesOf(service, family, version);
  const healthCheckNodePort =
    service.type === "LoadBalancer" && externalPolicyLocal ? nonZero(service.healthCheckNodePort) : undefined;
  return service.ports.map((port: ServicePort): ProxyServicePort => {
    const nodePort = nonZero(port.nodePort);
    const externallyAccessible = nodePort !== undefined || loadBalancerIps.length > 0 || externalIps.length > 0;
    const portName = port.name ?? "";
    return {
      service,
      name: nameOf(service, portName, version),
      portName,
      protocol: port.protocol,
      protocolName: protocolName(port.protocol),
      clusterIp,
      port: port.port,
      externalIps,
      loadBalancerIps,
      sourceRanges,
      externalPolicyLocal,
      internalPolicyLocal,
      externallyAccessible,
      usesClusterEndpoints: !internalPolicyLocal || externallyAccessible,
      usesLocalEndpoints: internalPolicyLocal || (externalPolicyLocal && externallyAccessible),
      ...(nodePort === undefined ? {} : { nodePort }),
      ...(service.clientIpAffinitySeconds === undefined ? {} : { affinitySeconds: service.clientIpAffinitySeconds }),
      ...(healthCheckNodePort === undefined ? {} : { healthCheckNodePort }),
    };
  });
}
