import {
  derived,
  isOver,
  type KubernetesEndpoints,
  type KubernetesPod,
  type KubernetesService,
  type ServicePort,
} from "../model/index.ts";
import { isIpv4 } from "../net/index.ts";

/**
 * Where no Endpoints and no EndpointSlices were shown, a list that is not there is not an empty one: what the endpoints controller makes
 * follows from a Service's selector, the pods that carry its labels, and their readiness (podToEndpoint(), FindPort()). Only for
 * namespaces of which pods were shown; a Service without a selector has what somebody gave it by hand.
 */
export function derivedEndpoints(
  services: readonly KubernetesService[],
  pods: readonly KubernetesPod[],
): readonly KubernetesEndpoints[] {
  const whole = pods.filter((p) => p.form === "object");
  const namespaces = new Set(whole.map((p) => p.namespace));
  return services
    .filter((s) => s.form !== "row" && namespaces.has(s.namespace) && Object.keys(s.selector ?? {}).length > 0)
    .flatMap((service) => endpointsOf(service, whole));
}

const carries = ({ labels = {} }: KubernetesPod, { selector = {} }: KubernetesService): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

/** The container's port that a Service's port leads to in this pod. */
function portIn(pod: KubernetesPod, { targetPort, port, protocol }: ServicePort): number | undefined {
  if (typeof targetPort === "number") return targetPort;
  if (targetPort === undefined || targetPort === "") return port;
  return pod.ports?.find((p) => p.name === targetPort && p.protocol === protocol)?.port;
}

/** Pods whose ports resolve alike stand in one of them, as in one subset of an Endpoints object. */
function endpointsOf(service: KubernetesService, pods: readonly KubernetesPod[]): readonly KubernetesEndpoints[] {
  const { namespace, name } = service;
  const backing = pods.filter(
    (p) => p.namespace === namespace && !isOver(p) && p.addresses.some(isIpv4) && carries(p, service),
  );
  const origin = derived("endpoints from the selector and the pods", service.origin, ...backing.map((p) => p.origin));
  const base = { kind: "Endpoints", namespace, name, service: name, family: 4, form: "object", origin } as const;
  const groups = new Map<string, KubernetesPod[]>();
  for (const pod of backing) {
    const key = service.ports.map((p) => portIn(pod, p)).join(",");
    groups.set(key, [...(groups.get(key) ?? []), pod]);
  }
  if (groups.size === 0) return [{ ...base, ports: [], endpoints: [] }];
  return [...groups.values()].map(
    (group): KubernetesEndpoints => ({
      ...base,
      ports: service.ports.flatMap((p) => {
        const port = portIn(group[0]!, p);
        return port === undefined
          ? []
          : [{ protocol: p.protocol, port, ...(p.name === undefined ? {} : { name: p.name }) }];
      }),
      endpoints: group.map((pod) => {
        const ready = pod.ready ?? pod.phase === "Running";
        return {
          addresses: pod.addresses.filter(isIpv4),
          ready: ready || service.publishNotReadyAddresses === true,
          serving: ready,
          terminating: false,
          ...(pod.nodeName === undefined ? {} : { nodeName: pod.nodeName }),
          pod: { namespace: pod.namespace, name: pod.name },
          origin: pod.origin,
        };
      }),
    }),
  );
}
