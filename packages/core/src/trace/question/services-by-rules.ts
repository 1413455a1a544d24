import {
  type Chain,
  type IptablesTable,
  isAboutService,
  type KubernetesService,
  type PlacedRule,
  PROXY_CHAIN,
  proxyChain,
  type Rule,
  rulesNaming,
  rulesSaying,
  type Stack,
  serviceOfRule,
  type World,
} from "../../model/index.ts";
import { type Address, isHostMask, protocolNumber } from "../../net/index.ts";

/** A Service as far as a question needs it. */
export type KnownService = Pick<
  KubernetesService,
  "namespace" | "name" | "clusterIps" | "externalIps" | "loadBalancerIps" | "proxyLoadBalancerIps" | "headless"
> & {
  readonly type?: string;
  readonly ports: readonly Pick<KubernetesService["ports"][number], "name" | "port" | "protocol" | "nodePort">[];
};

interface Named {
  readonly namespace: string;
  readonly name: string;
  readonly clusterIps: Address[];
  readonly externalIps: Address[];
  readonly loadBalancerIps: Address[];
  readonly ports: { name?: string; port: number; readonly protocol: number; nodePort?: number }[];
}

const cache = new WeakMap<World, readonly KnownService[]>();

/** The Services of a case: those that objects show, and those that only the comments of kube-proxy's rules name. */
export function knownServices(world: World): readonly KnownService[] {
  let known = cache.get(world);
  if (known === undefined) {
    const { services } = world.kubernetes;
    const shown = new Set(services.map((s) => `${s.namespace}/${s.name}`));
    known = [...services, ...byRules(world).filter((s) => !shown.has(`${s.namespace}/${s.name}`))];
    cache.set(world, known);
  }
  return known;
}

/** The same, of a World that differs from another in some stacks and in nothing else: where these have the same rules, its Services are the other's. */
export function knownServicesLike(world: World, before: World): readonly KnownService[] {
  const known = cache.get(before);
  const isSame =
    known !== undefined &&
    world.stacks.length === before.stacks.length &&
    world.stacks.every((s, i) => saysSame(s, before.stacks[i]!));
  if (isSame && !cache.has(world)) cache.set(world, known);
  return knownServices(world);
}

/** False where that is not known without reading. */
const saysSame = (a: Stack, b: Stack): boolean =>
  a === b ||
  (a.fromObjects === b.fromObjects &&
    a.netfilter.tables.length === b.netfilter.tables.length &&
    a.netfilter.tables.every((t, i) => isSameTable(t, b.netfilter.tables[i]!)));

const isSameTable = (a: IptablesTable, b: IptablesTable): boolean =>
  a === b || (a.name === b.name && a.unread !== undefined && b.unread !== undefined && a.unread.isSame(b.unread));

/** Those of them that can have an address. */
export const servicesAt = (world: World, address: Address): readonly KnownService[] =>
  lookedUp(world, (table) => rulesNaming(table, address, NAME_SERVICES));

/** The one of that name, `NAMESPACE/NAME`. */
export const serviceNamed = (world: World, name: string): KnownService | undefined =>
  lookedUp(world, (table) => rulesSaying(table, name, NAME_SERVICES)).find((s) => `${s.namespace}/${s.name}` === name);

/**
 * All Services that some rules are about. Of tables that are known as text nothing else is read: the rules that say the names of
 * these Services.
 */
function lookedUp(world: World, wanted: (table: IptablesTable) => Iterable<PlacedRule>): readonly KnownService[] {
  const tables = world.stacks.flatMap((s) => (s.fromObjects === true ? [] : s.netfilter.tables)).filter(isProxyTable);
  if (cache.has(world) || !tables.every((t) => t.unread !== undefined)) return knownServices(world);
  const names = new Set<string>();
  for (const table of tables)
    for (const { chain, rule } of wanted(table)) {
      const about = namesServices(proxyChain(chain.name)) ? serviceOfRule(rule) : undefined;
      if (about !== undefined) names.add(`${about.namespace}/${about.name}`);
    }
  const { services } = world.kubernetes;
  const shown = new Set(services.map((s) => `${s.namespace}/${s.name}`));
  // Where several have it, which is the first is seen from all of them.
  if (names.size > 1) return knownServices(world);
  const found = new Map<string, Named>();
  for (const name of names)
    for (const table of tables)
      for (const { chain, rule } of rulesSaying(table, name, NAME_SERVICES)) {
        const role = proxyChain(chain.name);
        if (namesServices(role) && isAboutService(rule, name)) note(found, rule, role === "node-ports");
      }
  return [...services, ...[...found].flatMap(([name, service]) => (shown.has(name) ? [] : [service]))];
}

const isProxyTable = ({ name }: IptablesTable): boolean => name === "nat" || name === "filter";

const namesServices = (role: ReturnType<typeof proxyChain>): boolean =>
  role === "node-ports" || role === "services" || role === "external-services";
/** By their names, which are the same on every node. */
const NAME_SERVICES = [PROXY_CHAIN["node-ports"], PROXY_CHAIN.services, PROXY_CHAIN["external-services"]];

/** Of a table that is known as text, without making the other chains. */
const namingServices = (table: IptablesTable): readonly Chain[] =>
  table.unread === undefined
    ? table.chains
    : NAME_SERVICES.flatMap((name) => table.unread!.chainNamed(name) ?? []).sort((a, b) => lineOf(a) - lineOf(b));

const lineOf = ({ origin }: Chain): number => (origin.kind === "read" ? origin.line : 0);

function byRules({ stacks }: World): readonly KnownService[] {
  const found = new Map<string, Named>();
  const told = new Set<object>();
  for (const { netfilter, fromObjects } of stacks) {
    if (fromObjects === true) continue;
    for (const table of netfilter.tables.filter(isProxyTable)) {
      for (const chain of namingServices(table)) {
        const role = proxyChain(chain.name);
        // What the same lines said on another node is known.
        const lineage = chain.unread?.lineage ?? chain;
        if (!namesServices(role) || told.has(lineage)) continue;
        told.add(lineage);
        for (const rule of chain.rules) note(found, rule, role === "node-ports");
      }
    }
  }
  return [...found.values()];
}

function note(found: Map<string, Named>, rule: Rule, nodePorts: boolean): void {
  const about = serviceOfRule(rule);
  const at = portOf(rule);
  if (about === undefined || at === undefined) return;
  const { namespace, name, port: portName, rest: kind } = about;
  // Where `externalTrafficPolicy: Local` drops what no endpoint is for, the port is the node's: a Service's own stands beside its address.
  const isNodePort = nodePorts || hostOf(rule) === undefined;
  const key = `${namespace}/${name}`;
  const service: Named = found.get(key) ?? {
    namespace,
    name,
    clusterIps: [],
    externalIps: [],
    loadBalancerIps: [],
    ports: [],
  };
  found.set(key, service);
  const called = portName === "" ? {} : { name: portName };
  const same = service.ports.find((p) => p.protocol === at.protocol && (p.name ?? "") === portName);
  if (isNodePort) {
    if (same === undefined) service.ports.push({ ...called, port: at.port, protocol: at.protocol, nodePort: at.port });
    else same.nodePort = at.port;
    return;
  }
  if (same === undefined) service.ports.push({ ...called, port: at.port, protocol: at.protocol });
  else same.port = at.port;
  const address = hostOf(rule);
  if (address === undefined) return;
  const list = kind.startsWith("loadbalancer")
    ? service.loadBalancerIps
    : kind.startsWith("external")
      ? service.externalIps
      : service.clusterIps;
  if (!list.includes(address)) list.push(address);
}

const hostOf = ({ destination }: Rule): Address | undefined =>
  destination === undefined || destination.negated || !isHostMask(destination.value.mask)
    ? undefined
    : destination.value.address;

function portOf(rule: Rule): { readonly port: number; readonly protocol: number } | undefined {
  for (const m of rule.matches) {
    if (m.kind !== "tcp" && m.kind !== "udp" && m.kind !== "sctp") continue;
    const range = m.dport;
    const protocol = protocolNumber(m.kind);
    if (range !== undefined && !range.negated && range.value.from === range.value.to && protocol !== undefined)
      return { port: range.value.from, protocol };
  }
  return undefined;
}
