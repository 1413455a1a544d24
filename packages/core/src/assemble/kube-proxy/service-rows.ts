import type { KubernetesEndpoints, KubernetesObjects, KubernetesService, ServicePort } from "../../model/index.ts";

/**
 * Services and endpoints of which only rows of `kubectl get` were shown, as kube-proxy can go by them: a row names no ports, so that the ports of
 * both are told apart by their numbers, and the column ENDPOINTS has no protocol. A Service without a row of endpoints is left out: what nobody
 * showed is not empty.
 */
export function servicesOfRows(objects: KubernetesObjects): KubernetesObjects {
  const paired = objects.services.flatMap((service) => pairOf(service, objects.endpoints));
  return {
    ...objects,
    services: paired.map((p) => p.service),
    endpoints: paired.flatMap((p) => p.endpoints),
  };
}

interface Pair {
  readonly service: KubernetesService;
  readonly endpoints: readonly KubernetesEndpoints[];
}

function pairOf(service: KubernetesService, all: readonly KubernetesEndpoints[]): readonly Pair[] {
  const own = all.filter((e) => e.namespace === service.namespace && e.service === service.name);
  if (own.length === 0) return [];
  const ports = service.ports.map((p): ServicePort => ({ ...p, name: p.name ?? `${p.protocol}-${p.port}` }));
  const endpoints = ports.flatMap((port) =>
    own.flatMap((e): KubernetesEndpoints[] => {
      const led = leadsTo(port, ports, e);
      return led === undefined ? [] : [{ ...e, ports: led }];
    }),
  );
  return endpoints.length === 0 ? [] : [{ service: { ...service, ports }, endpoints }];
}

/** The ports of endpoints that a Service's port leads to; undefined where there is no telling. */
function leadsTo(
  { name, port, targetPort, protocol }: ServicePort,
  ports: readonly ServicePort[],
  { ports: own }: KubernetesEndpoints,
): KubernetesEndpoints["ports"] | undefined {
  const number = typeof targetPort === "number" ? targetPort : port;
  const led = ports.length === 1 ? own : own.filter((p) => p.port === number);
  if (own.length > 0 && led.length === 0) return undefined;
  return led.slice(0, 1).map((p) => ({ ...p, protocol, ...(name !== undefined && { name }) }));
}
