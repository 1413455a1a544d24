import { isFailed, type Kernel, memo } from "../../datapath/index.ts";
import {
  type Absence,
  type Device,
  type IptablesTable,
  type Ipvs,
  isOver,
  type KubernetesEndpoints,
  type KubernetesObjects,
  type Neighbour,
  type Netfilter,
  type Origin,
  proxyChain,
  type Rule,
  type Stack,
  serviceOfRule,
  type World,
} from "../../model/index.ts";
import { type Address, contains, formatAddress, parsePrefix } from "../../net/index.ts";
import { devicesWith } from "./owners.ts";

/** An EndpointSlice holds no more: one that is full may have a second that was not shown. */
const FULL_SLICE = 100;

/**
 * Who says that nobody has an address to which packets are sent: the endpoints of the Service whose rules lead there, the list of
 * pods, a pod that is over. Undefined where nobody does; what was dumped, or answered ARP lately, is there.
 */
export function absenceOf(world: World, address: Address): Absence | undefined {
  const { kubernetes } = world;
  const has = (list: readonly Address[]): boolean => list.some((a) => a === address);
  const dumped = world.stacks.some((s) => s.assumed === undefined && devicesWith(s, address).length > 0);
  if (dumped || kubernetes.nodes.some((n) => has(n.addresses)) || isObserved(world, address)) return undefined;
  const pods = kubernetes.pods.filter((p) => has(p.addresses));
  if (pods.some((p) => !isOver(p))) return undefined;
  if (kubernetes.endpoints.some((s) => s.endpoints.some((e) => has(e.addresses)))) return undefined;
  // Without either nobody says so, and no rule need be looked for.
  if (kubernetes.endpoints.length === 0 && kubernetes.pods.length === 0) return undefined;
  const services = servicesAt(world, address);
  for (const service of services) {
    const listed = kubernetes.endpoints.filter((s) => `${s.namespace}/${s.service}` === service && s.family === 4);
    if (listed.length > 0 && listed.every(isWhole)) return { by: "endpoints", service, origins: listed.map(originOf) };
  }
  const [over] = pods;
  if (over !== undefined)
    return { by: "pod", ...named(services), pod: `${over.namespace}/${over.name}`, origins: [over.origin] };
  const all = services.find((s) => podsOf(kubernetes, s) !== undefined);
  if (all !== undefined) return { by: "pods", service: all, origins: podsOf(kubernetes, all)!.map(originOf) };
  if (showsAllPods(kubernetes) && isOfPods(kubernetes, address))
    return { by: "pods", ...named(services), origins: kubernetes.pods.slice(0, 1).map(originOf) };
  return undefined;
}

/**
 * The same by the stack that sends: its neighbour table says that nobody answered, or all ports of its bridge lead to somebody who was
 * dumped. `open`: somebody nobody dumped may be behind the device.
 */
export function absenceBehind(
  { stack, compiled }: Kernel,
  device: Device,
  address: Address,
  open: boolean,
): Absence | undefined {
  const entry = stack.neighbours.items.find((n) => n.device === device.name && !n.proxy && n.address === address);
  if (entry !== undefined && isFailed(entry)) return { by: "neighbour", origins: [entry.origin] };
  if (open || device.kind !== "bridge" || stack.devices.extent !== "whole" || stack.assumed !== undefined)
    return undefined;
  const ports = compiled.ports(device.name);
  // Where somebody had to be made up already, the list does not show all ports.
  const known = ports.length > 0 && ports.every((p) => p.origin.kind !== "assumed");
  return known ? { by: "ports", origins: [device.origin] } : undefined;
}

const originOf = ({ origin }: { readonly origin: Origin }): Origin => origin;
const named = ([service]: readonly string[]) => (service === undefined ? {} : { service });

/** A row of `kubectl get` says where it left some out; whom it lists without, it lists as an object does. */
const isWhole = ({ cut, kind, endpoints }: KubernetesEndpoints): boolean =>
  cut !== true && (kind === "Endpoints" || endpoints.length < FULL_SLICE);

/** It answered ARP within the last half minute, or so the table of one that was dumped says. */
export const isObserved = ({ stacks }: World, address: Address): boolean =>
  stacks.some(
    (s) =>
      s.assumed === undefined &&
      s.neighbours.items.some(
        (n) =>
          n.address === address &&
          n.mac !== undefined &&
          !n.proxy &&
          (n.states.includes("PERMANENT") || (n.states.includes("REACHABLE") && !isUnplugged(s, n))),
      ),
  );

/**
 * Its answer came through a port of the bridge that is gone: with a port the bridge forgets who was behind it (br_fdb_delete_by_port), while the
 * neighbour stays REACHABLE until its time is up. Only where the bridge is seen to learn.
 */
function isUnplugged({ devices, fdb }: Stack, { device, mac }: Neighbour): boolean {
  if (fdb.extent !== "whole" || devices.items.find((d) => d.name === device)?.kind !== "bridge") return false;
  const learnt = fdb.items.filter(
    (e) => e.master === device && !e.flags.some((f) => f === "permanent" || f === "self"),
  );
  return learnt.length > 0 && !fdb.items.some((e) => e.mac === mac);
}

/** The pods of a Service's namespace, where they were listed and the Service chooses among them; what they lack is not there. */
function podsOf({ pods, services, partialPods }: KubernetesObjects, service: string) {
  if (partialPods === true || services.find((s) => `${s.namespace}/${s.name}` === service)?.selector === undefined)
    return undefined;
  const [namespace] = service.split("/");
  const own = pods.filter((p) => p.namespace === namespace);
  return own.length > 1 ? own : undefined;
}

/** Pods of the system beside others: somebody listed all namespaces. */
const showsAllPods = ({ pods, partialPods }: KubernetesObjects): boolean =>
  partialPods !== true &&
  pods.some((p) => p.namespace === "kube-system") &&
  pods.some((p) => p.namespace !== "kube-system");

const isOfPods = ({ nodes }: KubernetesObjects, address: Address): boolean =>
  nodes.some((n) =>
    n.podCidrs.some((c) => {
      const prefix = parsePrefix(c);
      return prefix !== undefined && contains(prefix, address);
    }),
  );

const byServers = new WeakMap<Ipvs, ReadonlyMap<string, readonly string[]>>();

/** The Services of which some node counts an address among the endpoints, by kube-proxy's comments or by its virtual servers. */
function servicesAt({ stacks, kubernetes }: World, address: Address): readonly string[] {
  const shown = formatAddress(address);
  const found = new Set<string>();
  for (const stack of stacks) {
    // What follows from the objects cannot be at odds with them, and is not made for this question.
    if (stack.kind !== "node" || stack.fromObjects === true) continue;
    for (const name of endpointOf(stack.netfilter, address)) found.add(name);
    for (const vip of memo(byServers, stack.ipvs, () => serversIn(stack.ipvs)).get(shown) ?? []) {
      const service = kubernetes.services.find((s) =>
        [...s.clusterIps, ...s.loadBalancerIps, ...s.externalIps].some((a) => formatAddress(a) === vip),
      );
      if (service !== undefined) found.add(`${service.namespace}/${service.name}`);
    }
  }
  return [...found];
}

/** The Services that kube-proxy's chains have this endpoint for, by their comments. */
function endpointOf({ tables }: Netfilter, address: Address): ReadonlySet<string> {
  const found = new Set<string>();
  for (const table of tables) {
    if (table.name !== "nat" || table.family !== 4 || table.origin.kind === "assumed") continue;
    for (const { target, matches } of endpointRules(table, address)) {
      if (target.kind !== "dnat" || target.to.addresses?.from !== address) continue;
      const about = serviceOfRule({ matches });
      if (about !== undefined && about.rest === "") found.add(`${about.namespace}/${about.name}`);
    }
  }
  return found;
}

const byAddress = new WeakMap<IptablesTable, ReadonlyMap<Address, readonly Rule[]>>();

/** Rules of chains of endpoints that translate to an address. */
function endpointRules(table: IptablesTable, address: Address): readonly Rule[] {
  if (table.unread === undefined) return memo(byAddress, table, () => translationsOf(table)).get(address) ?? [];
  return table.unread
    .naming(address)
    .flatMap(({ chain, rule }) => (proxyChain(chain.name) === "endpoint" ? [rule] : []));
}

function translationsOf({ chains }: IptablesTable): ReadonlyMap<Address, readonly Rule[]> {
  const found = new Map<Address, Rule[]>();
  for (const { name, rules } of chains) {
    if (proxyChain(name) !== "endpoint") continue;
    for (const rule of rules) {
      const to = rule.target.kind === "dnat" ? rule.target.to.addresses?.from : undefined;
      if (to === undefined) continue;
      const known = found.get(to);
      if (known === undefined) found.set(to, [rule]);
      else known.push(rule);
    }
  }
  return found;
}

function serversIn({ services }: Ipvs): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { key, realServers } of services) {
    if (key.kind !== "address") continue;
    for (const { address } of realServers) {
      const known = found.get(formatAddress(address));
      if (known === undefined) found.set(formatAddress(address), [formatAddress(key.address)]);
      else known.push(formatAddress(key.address));
    }
  }
  return found;
}
