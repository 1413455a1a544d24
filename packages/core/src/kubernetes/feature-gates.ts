import type { KubernetesVersion } from "./version.ts";

/**
 * When a gate of kube-proxy came, went on by default, and could no longer be switched (pkg/features/kube_features.go). Where a gate lets
 * a field of the API in, it counts as on as soon as it exists: with the gate off the API server drops the field, so that an object
 * which has it says that the gate is on.
 */
interface GateHistory {
  /** First release that knows it; before, the feature is off whatever the gate says. */
  readonly since: number;
  /** First release in which it is on by default. */
  readonly on?: number;
  /** First release in which it can no longer be switched off. */
  readonly locked?: number;
}

const GATES = {
  EndpointSliceProxying: { since: 17, on: 19, locked: 22 },
  IPv6DualStack: { since: 16, on: 21, locked: 23 },
  ServiceInternalTrafficPolicy: { since: 21, on: 21, locked: 26 },
  ProxyTerminatingEndpoints: { since: 22, on: 26, locked: 28 },
  TopologyAwareHints: { since: 21, on: 21, locked: 33 },
  ServiceTrafficDistribution: { since: 30, on: 30, locked: 33 },
  PreferSameTrafficDistribution: { since: 33, on: 33, locked: 35 },
  LoadBalancerIPMode: { since: 29, on: 29, locked: 32 },
  IPTablesOwnershipCleanup: { since: 25, on: 27, locked: 28 },
  AllowServiceExternalIPs: { since: 36, on: 36 },
  KubeProxyNFTablesLocalhostNodePorts: { since: 37 },
} as const satisfies Readonly<Record<string, GateHistory>>;

export type FeatureGate = keyof typeof GATES;
export type FeatureGates = Readonly<Record<string, boolean>>;

export function isEnabled(gate: FeatureGate, version: KubernetesVersion, input: FeatureGates): boolean {
  const { since, on, locked }: GateHistory = GATES[gate];
  if (version.minor < since) return false;
  const byDefault = on !== undefined && version.minor >= on;
  if (locked !== undefined && version.minor >= locked) return byDefault;
  return input[gate] ?? byDefault;
}

/** What of the gates decides where a packet goes, in any mode. */
export interface Features {
  readonly endpointSlices: boolean;
  readonly dualStack: boolean;
  readonly internalTrafficPolicy: boolean;
  readonly terminatingEndpoints: boolean;
  readonly ipMode: boolean;
  readonly externalIps: boolean;
  readonly nodeHints: boolean;
  /** Which value of the Service's annotation lets zone hints be used. */
  readonly zoneHints: ZoneHintRule;
  /** kubelet no longer makes the chains that kube-proxy once shared with it. */
  readonly ownershipCleanup: boolean;
  /** In nftables mode kube-proxy answers for NodePorts on loopback: TCP itself where it is told to, the rest it refuses. */
  readonly localhostNodePorts: boolean;
}

/** `off`; `auto`: annotation says auto; `not-disabled`: it says anything but disabled; `always`: hints alone decide. */
export type ZoneHintRule = "off" | "auto" | "not-disabled" | "always";

/** Follows canUseTopology() and topologyModeFromHints() (pkg/proxy/topology.go). */
function zoneHintRule(version: KubernetesVersion, supplied: FeatureGates): ZoneHintRule {
  if (isEnabled("ServiceTrafficDistribution", version, supplied)) return "always";
  if (!isEnabled("TopologyAwareHints", version, supplied)) return "off";
  return version.minor >= 27 ? "not-disabled" : "auto";
}

export const featuresOf = (version: KubernetesVersion, provided: FeatureGates): Features => ({
  endpointSlices: isEnabled("EndpointSliceProxying", version, provided),
  dualStack: isEnabled("IPv6DualStack", version, provided),
  internalTrafficPolicy: isEnabled("ServiceInternalTrafficPolicy", version, provided),
  terminatingEndpoints: isEnabled("ProxyTerminatingEndpoints", version, provided),
  ipMode: isEnabled("LoadBalancerIPMode", version, provided),
  externalIps: version.minor < 36 || isEnabled("AllowServiceExternalIPs", version, provided),
  nodeHints: isEnabled("PreferSameTrafficDistribution", version, provided),
  zoneHints: zoneHintRule(version, provided),
  ownershipCleanup: isEnabled("IPTablesOwnershipCleanup", version, provided),
  localhostNodePorts: isEnabled("KubeProxyNFTablesLocalhostNodePorts", version, provided),
});
