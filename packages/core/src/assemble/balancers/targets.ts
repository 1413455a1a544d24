import type { KubernetesObjects, KubernetesService, LoadBalancer, ServicePort, Stack } from "../../model/index.ts";
import { type Family, familyOf } from "../../net/index.ts";

const EXCLUDED = "node.kubernetes.io/exclude-from-external-load-balancers";

/** Endpoint slices and Endpoints of a Service in one family; undefined where none of the case is about it. */
const endpointsOf = ({ endpoints }: KubernetesObjects, { namespace, name }: KubernetesService, family: Family) => {
  const own = endpoints.filter(
    (e) => e.namespace === namespace && (e.service ?? e.name) === name && (e.family ?? 4) === family,
  );
  return own.length === 0 ? undefined : own;
};

/** Nodes by the names of their stacks, and those of which there is an object only. */
function nodesOf(objects: KubernetesObjects, stacks: readonly Stack[]): readonly { name: string; object: string }[] {
  const named = objects.nodes
    .filter((n) => n.ready !== false && n.labels?.[EXCLUDED] === undefined)
    .map((n) => {
      const stack =
        stacks.find((s) => s.kind === "node" && s.name === n.name) ??
        stacks.find(
          (s) =>
            s.kind === "node" &&
            s.devices.items.some((d) => d.addresses.some((a) => n.addresses.some((x) => x === a.prefix.address))),
        );
      return { name: stack?.name ?? n.name, object: n.name };
    });
  if (objects.nodes.length > 0) return named;
  return stacks.filter((s) => s.kind === "node").map((s) => ({ name: s.name, object: s.name }));
}

/**
 * Which nodes pass the balancer's health check: with externalTrafficPolicy Local those that have a ready endpoint of their
 * own (healthCheckNodePort), else all that are ready.
 */
export function healthyNodes(
  service: KubernetesService,
  family: Family,
  objects: KubernetesObjects,
  stacks: readonly Stack[],
  failsOpen: boolean,
): readonly string[] {
  const all = nodesOf(objects, stacks);
  const slices = endpointsOf(objects, service, family);
  const names = all.map((n) => n.name);
  if (service.externalTrafficPolicy !== "Local" || slices === undefined) return names;
  const endpoints = slices.flatMap((s) => s.endpoints);
  const at = (usable: (e: (typeof endpoints)[number]) => boolean): readonly string[] => {
    const hosts = new Set(endpoints.filter(usable).map((e) => e.nodeName));
    return all.filter((n) => hosts.has(n.object) || hosts.has(n.name)).map((n) => n.name);
  };
  // An Endpoints object or a table says no node: nothing is known of who has one.
  if (endpoints.every((e) => e.nodeName === undefined)) return names;
  const ready = at((e) => e.ready);
  const serving = ready.length > 0 ? ready : at((e) => e.serving && e.terminating);
  return serving.length === 0 && failsOpen ? names : serving;
}

/** Pods that a balancer with pods as targets sends to, for every port of the Service. */
export function podTargets(
  service: KubernetesService,
  family: Family,
  objects: KubernetesObjects,
): NonNullable<LoadBalancer["pods"]> {
  const slices = endpointsOf(objects, service, family) ?? [];
  return service.ports.flatMap((port) =>
    slices.flatMap((slice) => {
      const found = slice.ports.find((p) => p.protocol === port.protocol && fits(p.name, port, slice.ports.length));
      if (found?.port === undefined) return [];
      const targetPort = found.port;
      return slice.endpoints
        .filter((e) => e.ready || service.publishNotReadyAddresses === true)
        .flatMap((e) => e.addresses.filter((a) => familyOf(a) === family))
        .map((address) => ({ port: port.port, protocol: port.protocol, address, targetPort }));
    }),
  );
}

const fits = (name: string | undefined, port: ServicePort, count: number): boolean =>
  (name ?? "") === (port.name ?? "") || (count === 1 && (name === undefined || port.name === undefined));
