import type { ProxyEndpoint } from "./endpoints.ts";
import type { Features } from "./feature-gates.ts";
import { type ProxyNode, ZONE_LABEL } from "./node.ts";
import type { ProxyServicePort } from "./service-ports.ts";
import { isSince, type KubernetesVersion } from "./version.ts";

/** Follows CategorizeEndpoints() (pkg/proxy/topology.go, 1.24 on), and what the proxiers did themselves before. */
export interface ChosenEndpoints {
  /** By the Cluster policy, topology applied. */
  readonly cluster: readonly ProxyEndpoint[];
  /** By the Local policy. */
  readonly local: readonly ProxyEndpoint[];
  /** Every one that this node may send to. */
  readonly reachable: readonly ProxyEndpoint[];
  /** Anybody in the cluster would serve, even if nobody that this node may send to. */
  readonly hasAny: boolean;
}

export interface ChoiceContext {
  readonly node: ProxyNode;
  readonly version: KubernetesVersion;
  readonly features: Features;
}

export const chooseEndpoints = (
  endpoints: readonly ProxyEndpoint[],
  port: ProxyServicePort,
  context: ChoiceContext,
): ChosenEndpoints =>
  isSince(context.version, 24) ? categorise(endpoints, port, context) : filterFirst(endpoints, port, context);

const isReady = (e: ProxyEndpoint): boolean => e.ready;
const isServingTerminating = (e: ProxyEndpoint): boolean => e.serving && e.terminating;

function categorise(
  endpoints: readonly ProxyEndpoint[],
  port: ProxyServicePort,
  { node, features }: ChoiceContext,
): ChosenEndpoints {
  let cluster: readonly ProxyEndpoint[] = [];
  let hinted: ((e: ProxyEndpoint) => boolean) | undefined;
  if (port.usesClusterEndpoints) {
    const ready = endpoints.filter(isReady);
    hinted = topologyOf(ready, port, node, features);
    cluster = hinted === undefined ? ready : ready.filter(hinted);
    if (cluster.length === 0 && features.terminatingEndpoints) cluster = endpoints.filter(isServingTerminating);
  }
  if (!port.usesLocalEndpoints) return { cluster, local: [], reachable: cluster, hasAny: cluster.length > 0 };

  const usable = (e: ProxyEndpoint) => e.ready || (features.terminatingEndpoints && isServingTerminating(e));
  const hasAny = cluster.length > 0 || endpoints.some(usable);
  const own = endpoints.filter((e) => e.isLocal);
  const localReady = own.filter(isReady);
  const fallBack = localReady.length === 0 && features.terminatingEndpoints;
  const local = fallBack ? own.filter(isServingTerminating) : localReady;
  if (!port.usesClusterEndpoints) return { cluster, local, reachable: local, hasAny };
  const superset = hinted === undefined && (!fallBack || local.length === 0);
  return { cluster, local, reachable: superset ? cluster : union(cluster, local), hasAny };
}

function union(a: readonly ProxyEndpoint[], b: readonly ProxyEndpoint[]): readonly ProxyEndpoint[] {
  const seen = new Set(a.map((e) => e.text));
  return [...a, ...b.filter((e) => !seen.has(e.text))];
}

/** Which ready endpoints hints leave to this node; undefined: all. Hints count as a whole or not at all. */
function topologyOf(
  ready: readonly ProxyEndpoint[],
  port: ProxyServicePort,
  node: ProxyNode,
  features: Features,
): ((e: ProxyEndpoint) => boolean) | undefined {
  if (ready.length === 0) return undefined;
  if (features.nodeHints && ready.every((e) => e.nodeHints.length > 0)) {
    const here = (e: ProxyEndpoint) => e.nodeHints.includes(node.name);
    if (ready.some(here)) return here;
  }
  const zone = node.labels[ZONE_LABEL] ?? "";
  if (zone === "" || !hintsWanted(port, features)) return undefined;
  const near = (e: ProxyEndpoint) => e.zoneHints.includes(zone);
  return ready.every((e) => e.zoneHints.length > 0) && ready.some(near) ? near : undefined;
}

function hintsWanted(port: ProxyServicePort, features: Features): boolean {
  const annotation = port.service.topologyMode ?? "";
  switch (features.zoneHints) {
    case "off":
      return false;
    case "auto":
      return annotation === "Auto" || annotation === "auto";
    case "not-disabled":
      return annotation !== "" && annotation !== "Disabled" && annotation !== "disabled";
    case "always":
      return true;
  }
}

/**
 * Up to 1.23: FilterEndpoints() first, whatever their state, then the proxier took the ready ones. Terminating endpoints only
 * stood in where the external policy is Local (1.22 and 1.23, behind the gate).
 */
function filterFirst(
  endpoints: readonly ProxyEndpoint[],
  port: ProxyServicePort,
  { node, version, features }: ChoiceContext,
): ChosenEndpoints {
  const known = isSince(version, 21) ? endpoints : endpoints.filter(isReady);
  const filtered = filterEndpoints(known, port, node, features);
  const cluster = filtered.filter(isReady);
  const own = port.externalPolicyLocal ? filtered.filter((e) => e.isLocal) : [];
  const localReady = own.filter(isReady);
  const terminating = features.terminatingEndpoints && port.externalPolicyLocal;
  const local = localReady.length === 0 && terminating ? own.filter(isServingTerminating) : localReady;
  // Until 1.22.4 even endpoints of no use kept packets from being rejected.
  const countsUnready = version.minor === 22 && version.patch < 4;
  const hasAny = countsUnready
    ? filtered.length > 0
    : cluster.length > 0 || (terminating && filtered.some(isServingTerminating));
  return { cluster, local, reachable: union(cluster, local), hasAny };
}

function filterEndpoints(
  endpoints: readonly ProxyEndpoint[],
  port: ProxyServicePort,
  node: ProxyNode,
  features: Features,
): readonly ProxyEndpoint[] {
  if (port.externalPolicyLocal) return endpoints;
  if (port.internalPolicyLocal) return endpoints.filter((e) => e.isLocal);
  const hinted = topologyOf(endpoints, port, node, features);
  return hinted === undefined ? endpoints : endpoints.filter(hinted);
}
