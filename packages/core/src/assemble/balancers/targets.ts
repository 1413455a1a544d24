import type {
  KubernetesEndpoints,
  KubernetesNode,
  KubernetesObjects,
  KubernetesService,
  LoadBalancer,
  ServicePort,
  Stack,
} from "../../model/index.ts";
import { type Family, familyOf } from "../../net/index.ts";

const EXCLUDED = "node.kubernetes.io/exclude-from-external-load-balancers";

/** Endpoint slices and Endpoints, by the Service that they are of. */
export function slicesByService({ endpoints }: KubernetesObjects): ReadonlyMap<string, readonly KubernetesEndpoints[]> {
  const found = new Map<string, KubernetesEndpoints[]>();
  for (const slice of endpoints) {
    const name = `${slice.namespace}/${slice.service ?? slice.name}`;
    const known = found.get(name);
    if (known === undefined) found.set(name, [slice]);
    else known.push(slice);
  }
  return found;
}

/** Nodes that balancers send to, by the names of their stacks and those of their objects. */
export interface Candidates {
  readonly names: readonly string[];
  readonly objects: readonly string[];
}

/** Those of which there is an object only are among them. */
export function candidatesOf(objects: KubernetesObjects, stacks: readonly Stack[]): Candidates {
  const shown = stacks.filter((s) => s.kind === "node");
  const shownNames = shown.map((s) => s.name);
  if (objects.nodes.length === 0) return { names: shownNames, objects: shownNames };
  const known = new Set(shownNames);
  const nodes = objects.nodes.filter(takesBalanced);
  const hasAddressOf = ({ devices }: Stack, { addresses }: KubernetesNode): boolean =>
    devices.items.some((d) => d.addresses.some((a) => addresses.some((x) => x === a.prefix.address)));
  return {
    names: nodes.map((n) => (known.has(n.name) ? n.name : (shown.find((s) => hasAddressOf(s, n))?.name ?? n.name))),
    objects: nodes.map((n) => n.name),
  };
}

/** Balancers send to it. */
export const takesBalanced = ({ ready, labels }: KubernetesNode): boolean =>
  ready !== false && labels?.[EXCLUDED] === undefined;

const inFamily = (slices: readonly KubernetesEndpoints[], family: Family): readonly KubernetesEndpoints[] =>
  slices.filter((s) => (s.family ?? 4) === family);

/**
 * Which nodes pass the balancer's health check: with externalTrafficPolicy Local those that have a ready endpoint of their
 * own (healthCheckNodePort), else all that are ready.
 */
export function healthyNodes(
  service: KubernetesService,
  family: Family,
  slices: readonly KubernetesEndpoints[],
  { names, objects }: Candidates,
  failsOpen: boolean,
): readonly string[] {
  const own = inFamily(slices, family);
  if (service.externalTrafficPolicy !== "Local" || own.length === 0) return names;
  const endpoints = own.flatMap((s) => s.endpoints);
  const at = (usable: (e: (typeof endpoints)[number]) => boolean): readonly string[] => {
    const hosts = new Set(endpoints.filter(usable).map((e) => e.nodeName));
    return names.filter((name, i) => hosts.has(objects[i]) || hosts.has(name));
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
  slices: readonly KubernetesEndpoints[],
): NonNullable<LoadBalancer["pods"]> {
  const own = inFamily(slices, family);
  return service.ports.flatMap((port) =>
    own.flatMap((slice) => {
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
