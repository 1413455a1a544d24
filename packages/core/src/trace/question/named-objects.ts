import type { QuestionFault } from "../../model/faults/question-fault.ts";
import type { Stack, World } from "../../model/index.ts";
import { type Address, type Family, familyOf, formatEndpoint, isIpv4, protocolName } from "../../net/index.ts";
import { others } from "./near-names.ts";
import { type KnownService, knownServices, serviceNamed } from "./services-by-rules.ts";

export interface ServiceAddress {
  readonly address: Address;
  readonly port: number;
}

const nameOf = (o: { readonly namespace: string; readonly name: string }): string => `${o.namespace}/${o.name}`;

/** By which of its addresses a Service is asked. */
interface Way {
  readonly protocol: number;
  readonly via: string | undefined;
  readonly family: Family | undefined;
}

/** The first of that family; of either, the IPv4 one where there is one. */
export const addressOfFamily = (addresses: readonly Address[], family: Family | undefined): Address | undefined =>
  family === undefined ? (addresses.find(isIpv4) ?? addresses[0]) : addresses.find((a) => familyOf(a) === family);

/** Where a Service is reached: its address of that kind, and the port that was asked by number or name. Or why not. */
export function serviceAddress(
  world: World,
  name: string,
  port: string | undefined,
  { protocol, via, family }: Way,
  nodeAddress: () => Address | undefined,
): ServiceAddress | QuestionFault {
  const is = (s: KnownService): boolean => nameOf(s) === name;
  const service: KnownService | undefined = world.kubernetes.services.find(is) ?? serviceNamed(world, name);
  if (service === undefined) {
    return { kind: "no-service", name, others: others(name, knownServices(world).map(nameOf)) };
  }
  if (service.type === "ExternalName") return { kind: "external-name", name };
  const ports = service.ports.filter((p) => p.protocol === protocol);
  const query =
    port === undefined
      ? ports.length === 1
        ? ports[0]
        : undefined
      : (ports.find((p) => p.name === port || String(p.port) === port) ??
        // Whoever asks for a port that the Service has not is told what becomes of it.
        (/^\d{1,5}$/.test(port) && via !== "nodeport" ? { port: Number(port) } : undefined));
  if (query === undefined) {
    const known = ports.map((p) => (p.name === undefined ? String(p.port) : `${p.port} (${p.name})`));
    return { kind: "say-port", name, protocol: protocolName(protocol), ports: known };
  }
  if (via === "nodeport") {
    const address = nodeAddress();
    if (!("nodePort" in query) || query.nodePort === undefined) return { kind: "no-node-port", name, port: query.port };
    return address === undefined ? { kind: "say-node" } : { address, port: query.nodePort };
  }
  if (service.headless === true && (via ?? "clusterip") === "clusterip") return headless(world, service);
  const addresses = addressesOf(world, service, via);
  if (addresses === undefined) return { kind: "via", given: via ?? "" };
  const address = addressOfFamily(addresses, family);
  if (address === undefined) return { kind: "no-service-address", name, family, via: via ?? "clusterip" };
  return { address, port: query.port };
}

/** Its name resolves to its pods. */
function headless(world: World, service: KnownService): QuestionFault {
  const pods = world.kubernetes.endpoints
    .filter((e) => e.namespace === service.namespace && e.service === service.name)
    .flatMap((e) =>
      e.endpoints.flatMap(({ addresses }) => addresses.map((a) => formatEndpoint(a, e.ports[0]?.port ?? "PORT"))),
    );
  return { kind: "headless", name: nameOf(service), pods: pods.slice(0, 4) };
}

function addressesOf(world: World, service: KnownService, via: string | undefined): readonly Address[] | undefined {
  switch (via ?? "clusterip") {
    case "clusterip":
      return service.clusterIps;
    case "loadbalancer":
      // A balancer with a name only has the address that was made up for it.
      return [
        ...service.loadBalancerIps,
        ...(service.proxyLoadBalancerIps ?? []),
        ...world.loadBalancers.filter((b) => b.service === nameOf(service)).map((b) => b.address),
      ];
    case "external":
      return service.externalIps;
    default:
      return undefined;
  }
}

/** The stack of the node that a Pod with hostNetwork runs on: there is no other. */
export function hostOfPod(world: World, name: string): Stack | undefined {
  const pod = world.kubernetes.pods.find((p) => nameOf(p) === name);
  if (pod?.hostNetwork !== true || pod.nodeName === undefined) return undefined;
  return world.stacks.find((s) => s.kind === "node" && s.name === pod.nodeName);
}

/** The addresses that its object tells of a node. */
export const addressesOfNode = (world: World, name: string): readonly Address[] =>
  world.kubernetes.nodes.find((n) => n.name === name)?.addresses ?? [];
