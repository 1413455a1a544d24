import { isOver, type Stack, type World } from "../model/index.ts";
import { type Address, familyOf, PROTO, parseAddress } from "../net/index.ts";
import { type KnownService, knownServices } from "../trace/index.ts";
import type { Source, Target, TargetKind, Via } from "./flow.ts";
import { addressesOf, nodeAddresses } from "./sources.ts";

export const KUBELET_PORT = 10_250;
const DNS_PORT = 53;

const NOBODY: ReadonlySet<Address> = new Set();

/** All that can be asked: Services by each of their addresses, pods by each port that is known of them, every node's kubelet. */
export function targetsOf(world: World, sources: readonly Source[]): readonly Target[] {
  const nodes = world.stacks.filter((s) => s.kind === "node" && s.assumed === undefined);
  const found = new Map<string, Target>();
  const add = (target: Omit<Target, "family" | "servicePort"> & Partial<Pick<Target, "servicePort">>): void => {
    const { kind, address, port, protocol } = target;
    const key = `${kind === "pod" || kind === "kubelet" ? kind : "service"} ${String(address)} ${port} ${protocol}`;
    if (!found.has(key)) found.set(key, { servicePort: null, ...target, family: familyOf(address) });
  };
  const services = knownServices(world);
  const endpoints = endpointsByService(world);
  const addresses = new Map(nodes.map((node) => [node, nodeAddresses(world, node)]));
  for (const service of services) addService(world, service, endpoints, addresses, add);
  for (const { address, ports, service } of world.loadBalancers)
    for (const { port, protocol } of ports)
      add({
        kind: "service",
        name: service ?? null,
        namespace: service?.split("/")[0] ?? null,
        via: "loadbalancer",
        address,
        port,
        protocol,
        node: null,
        endpoints: NOBODY,
      });
  const nodePorts = new Set(services.flatMap((s) => s.ports.map((p) => `${p.protocol} ${p.nodePort ?? ""}`)));
  addVirtualServers(nodes, nodePorts, add);
  addPods(world, sources, add);
  for (const node of nodes)
    for (const address of nodeAddresses(world, node))
      add({
        kind: "kubelet",
        name: node.name,
        namespace: null,
        via: null,
        address,
        port: KUBELET_PORT,
        protocol: PROTO.tcp,
        node: node.name,
        endpoints: NOBODY,
      });
  return [...found.values()];
}

type Add = (target: Omit<Target, "family" | "servicePort"> & Partial<Pick<Target, "servicePort">>) => void;

/** The cluster's DNS and its API are told apart from other Services. */
export const kindOfService = (
  { namespace, name }: Pick<KnownService, "namespace" | "name">,
  port: number,
): TargetKind =>
  port === DNS_PORT ? "dns" : `${namespace}/${name}` === "default/kubernetes" ? "apiserver" : "service";

function endpointsByService({ kubernetes }: World): ReadonlyMap<string, ReadonlySet<Address>> {
  const found = new Map<string, Set<Address>>();
  for (const { namespace, service, endpoints } of kubernetes.endpoints) {
    if (service === undefined) continue;
    const name = `${namespace}/${service}`;
    const own = found.get(name) ?? new Set();
    found.set(name, own);
    for (const { addresses } of endpoints) for (const address of addresses) own.add(address);
  }
  return found;
}

function addService(
  world: World,
  service: KnownService,
  known: ReadonlyMap<string, ReadonlySet<Address>>,
  nodes: ReadonlyMap<Stack, readonly Address[]>,
  add: Add,
): void {
  if (service.type === "ExternalName") return;
  const { namespace } = service;
  const name = `${namespace}/${service.name}`;
  const endpoints = known.get(name) ?? NOBODY;
  const balanced = world.loadBalancers.filter((b) => b.service === name).map((b) => b.address);
  const ways: readonly (readonly [Via, readonly Address[]])[] = [
    ["clusterip", service.clusterIps],
    ["external", service.externalIps],
    ["loadbalancer", [...service.loadBalancerIps, ...(service.proxyLoadBalancerIps ?? []), ...balanced]],
  ];
  for (const { port, protocol, nodePort } of service.ports) {
    const kind = kindOfService(service, port);
    const base = { kind, name, namespace, protocol, endpoints };
    for (const [via, addresses] of ways)
      for (const address of addresses) add({ ...base, via, address, port, node: null });
    if (nodePort === undefined) continue;
    for (const [node, own] of nodes)
      for (const address of own)
        add({ ...base, via: "nodeport", address, port: nodePort, servicePort: port, node: node.name });
  }
}

/** Virtual servers of which no object and no comment tells whose they are; IPVS keeps one for a node port on each address of its node. */
function addVirtualServers(nodes: readonly Stack[], nodePorts: ReadonlySet<string>, add: Add): void {
  for (const node of nodes) {
    const { ipvs, fromObjects } = node;
    if (fromObjects === true) continue;
    const own = new Set(addressesOf(node));
    for (const { key, realServers } of ipvs.services) {
      if (key.kind !== "address" || key.port === 0) continue;
      const { address, port, protocol } = key;
      if (own.has(address) && nodePorts.has(`${protocol} ${port}`)) continue;
      const endpoints = new Set(realServers.map((r) => r.address));
      add({
        kind: "service",
        name: null,
        namespace: null,
        via: "clusterip",
        address,
        port,
        protocol,
        node: null,
        endpoints,
      });
    }
  }
}

/** The ports that a pod's object, its sockets or a Service's endpoints tell of. */
function addPods(world: World, sources: readonly Source[], add: Add): void {
  const ports = new Map<Address, { readonly port: number; readonly protocol: number }[]>();
  const note = (address: Address, port: number | undefined, protocol: number): void => {
    if (port === undefined || port === 0) return;
    const known = ports.get(address) ?? [];
    ports.set(address, known);
    if (!known.some((k) => k.port === port && k.protocol === protocol)) known.push({ port, protocol });
  };
  for (const pod of world.kubernetes.pods) {
    if (pod.hostNetwork || isOver(pod)) continue;
    for (const address of pod.addresses) for (const p of pod.ports ?? []) note(address, p.port, p.protocol);
  }
  for (const slice of world.kubernetes.endpoints)
    for (const { addresses, ready } of slice.endpoints)
      for (const address of ready ? addresses : []) for (const p of slice.ports) note(address, p.port, p.protocol);
  for (const stack of world.stacks) {
    if (stack.kind !== "pod" || stack.assumed !== undefined) continue;
    const own = stack.devices.items.filter((d) => d.kind !== "loopback").flatMap((d) => d.addresses);
    for (const { address, port, protocol } of stack.listeners.items)
      for (const { prefix } of own)
        if (address === undefined || address === prefix.address) note(prefix.address, port, protocol);
  }
  for (const { kind, from, node, namespace, addresses } of sources) {
    if (kind !== "pod") continue;
    const name = parseAddress(from) === undefined ? from.slice(from.indexOf("/") + 1) : from;
    for (const address of addresses)
      for (const { port, protocol } of ports.get(address) ?? [])
        add({ kind: "pod", name, namespace, via: null, address, port, protocol, node, endpoints: NOBODY });
  }
}
