import { type Text, text } from "../messages/index.ts";
import { assumed, type KubernetesEndpoints, type KubernetesService, type Origin } from "../model/index.ts";
import { isProxied } from "./service-ports.ts";
import type { ProxyInput } from "./view.ts";

/** Something kube-proxy knew and the model was not shown; what it went by instead is in the text. */
export interface Gap {
  /** Absent: of the node as a whole. */
  readonly service?: KubernetesService;
  readonly text: Text;
  readonly origin: Origin;
}

function gapsOfService(service: KubernetesService, endpoints: readonly KubernetesEndpoints[]): readonly Gap[] {
  const { origin } = service;
  const params = { service: `${service.namespace}/${service.name}` };
  const gaps: Gap[] = [];
  if (service.form === "row") gaps.push({ service, text: text("kube-proxy.service-row", params), origin });
  if (endpoints.length === 0) gaps.push({ service, text: text("kube-proxy.endpoints-unseen", params), origin });
  const cut = endpoints.find((e) => e.cut === true);
  if (cut !== undefined) gaps.push({ service, text: text("kube-proxy.endpoints-cut", params), origin: cut.origin });
  const row = endpoints.find((e) => e.form === "row");
  if (row !== undefined) gaps.push({ service, text: text("kube-proxy.endpoints-row", params), origin: row.origin });
  return gaps;
}

/** A Service's controllers make an object for its endpoints even while there are none, so its absence means that it was not shown. */
export function gapsOf({
  services,
  endpoints,
  config,
}: Pick<ProxyInput, "services" | "endpoints" | "config">): readonly Gap[] {
  const by = new Map<string, KubernetesEndpoints[]>();
  for (const one of endpoints) {
    const key = `${one.namespace}/${one.service}`;
    const list = by.get(key);
    if (list === undefined) by.set(key, [one]);
    else list.push(one);
  }
  const gates = ["AllAlpha", "AllBeta"].filter((gate) => config.featureGates[gate] !== undefined);
  const origin = config.origin ?? assumed("kube-proxy's configuration");
  const unconfigured = config.origin === undefined ? [{ text: text("kube-proxy.no-configuration"), origin }] : [];
  return [
    ...unconfigured,
    ...gates.map((gate): Gap => ({ text: text("kube-proxy.gates-at-once", { gate }), origin })),
    ...services
      .filter((s) => isProxied(s) && s.clusterIps.length > 0)
      .flatMap((s) => gapsOfService(s, by.get(`${s.namespace}/${s.name}`) ?? [])),
  ];
}
