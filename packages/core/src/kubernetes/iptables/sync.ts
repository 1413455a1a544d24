import { derived, type Origin } from "../../model/index.ts";
import type { ProxyServicePort } from "../service-ports.ts";
import { TableBuilder } from "../table-builder.ts";
import type { ProxyView } from "../view.ts";

/** One run of syncProxyRules() (pkg/proxy/iptables/proxier.go). */
export interface Sync {
  readonly view: ProxyView;
  readonly nat: TableBuilder;
  readonly filter: TableBuilder;
  /** More than a thousand endpoints: comments on rules of endpoints are left out. */
  readonly terse: boolean;
  /** Of what does not come from any Service. */
  readonly origin: Origin;
}

const LARGE_CLUSTER_ENDPOINTS = 1000;

export function newSync(view: ProxyView): Sync {
  const known = view.version.minor >= 21;
  let endpoints = 0;
  for (const port of view.ports)
    endpoints += known ? port.endpoints.length : port.endpoints.filter((e) => e.ready).length;
  const { config, node } = view;
  return {
    view,
    nat: new TableBuilder("nat"),
    filter: new TableBuilder("filter"),
    terse: endpoints > LARGE_CLUSTER_ENDPOINTS,
    origin: derived("what kube-proxy writes on every node", config.origin ?? node.origin),
  };
}

/** Where the rules for one port come from: the line of the field that asks for them. */
export interface PortOrigins {
  readonly service: Origin;
  readonly clusterIp: Origin;
  readonly externalIp: Origin;
  readonly internalPolicy: Origin;
  readonly externalPolicy: Origin;
  readonly sourceRanges: Origin;
  readonly affinity: Origin;
}

export function originsOf({ service, name }: ProxyServicePort): PortOrigins {
  const rule = `kube-proxy's rules for ${name}`;
  const own = derived(rule, service.origin);
  const of = (field: string): Origin => {
    const line = service.fieldOrigins?.[field];
    return line === undefined ? own : derived(rule, line);
  };
  return {
    service: own,
    clusterIp: of("clusterIP"),
    externalIp: of("externalIPs"),
    internalPolicy: of("internalTrafficPolicy"),
    externalPolicy: of("externalTrafficPolicy"),
    sourceRanges: of("loadBalancerSourceRanges"),
    affinity: of("sessionAffinity"),
  };
}
