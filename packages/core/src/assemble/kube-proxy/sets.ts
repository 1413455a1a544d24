import { text } from "../../messages/index.ts";
import {
  derived,
  familyOfProxySet,
  type IpSet,
  type IptablesTable,
  type Ipvs,
  type Origin,
  PROXY_CHAIN,
  PROXY_SET,
  plainSetName,
  proxySetIn,
  type SetEntry,
  type SetPart,
} from "../../model/index.ts";
import {
  type Address,
  anyPrefix,
  compareAddress,
  type Family,
  familyOf,
  formatAddress,
  lastOf,
  maxLength,
  offset,
  PROTO,
  unspecified,
} from "../../net/index.ts";
import type { Ledger } from "../ledger.ts";
import { NODE_PORTS, type Served } from "./served.ts";

export interface KubeSetSources {
  readonly tables: readonly IptablesTable[];
  readonly shown: readonly IpSet[];
  /** Sets that rules name and nobody showed. */
  readonly wanted: ReadonlyMap<string, Origin>;
  readonly ipvs: Ipvs;
  readonly services: readonly Served[];
  readonly nodePorts: readonly Served[];
  /** The node's own addresses of a family are known, so that node ports can be told from Services. */
  readonly nodeKnown: (family: Family) => boolean;
}

const CLUSTER = PROXY_SET.clusterIp;
const BALANCER = PROXY_SET.loadBalancer;
const EXTERNAL = [PROXY_SET.externalIp, PROXY_SET.externalIpLocal] as const;
const RULE = "kube-proxy's set from IPVS and the sets that were shown";

/**
 * kube-proxy's sets that rules name and nobody dumped, as far as they follow from the virtual services and from the sets that
 * were dumped. What is known not to be a member stands as a `nomatch` entry; the rest of such a set stays open.
 */
export function kubeProxySets(sources: KubeSetSources, stack: string, ledger: Ledger): readonly IpSet[] {
  const families = FAMILIES.map((family) => new Kinds(sources, family));
  const sets = [...sources.wanted].flatMap(([name, by]) => {
    const known = families.find((k) => k.family === familyOfProxySet(name))!;
    return derive(name, by, known.sources, known) ?? [];
  });
  if (sets.some((s) => s.dimensions[0] === "port" && s.extent !== "whole")) {
    const { from, to } = NODE_PORTS;
    ledger.assume(`${stack}/node-port-range`, `${from}-${to}`, text("assume.node-ports", { stack, from, to }));
  }
  return sets;
}

const FAMILIES: readonly Family[] = [4, 6];

function derive(name: string, by: Origin, sources: KubeSetSources, known: Kinds): IpSet | undefined {
  const { ipvs, services } = sources;
  const { family } = known;
  const all = ipvs.extent === "whole";
  switch (plainSetName(name)) {
    case CLUSTER: {
      const decided = known.isDecided(BALANCER, ...EXTERNAL);
      const members = decided ? services.filter((s) => !known.has(s, BALANCER, ...EXTERNAL)) : [];
      return ipPortSet(name, by, members, known.members(BALANCER, ...EXTERNAL), all && decided, sources);
    }
    case BALANCER: {
      const decided = known.isDecided(CLUSTER, ...EXTERNAL);
      const members = decided ? services.filter((s) => !known.has(s, CLUSTER, ...EXTERNAL)) : [];
      return ipPortSet(name, by, members, known.members(CLUSTER), all && decided, sources);
    }
    case PROXY_SET.externalIp:
    case PROXY_SET.externalIpLocal:
    case PROXY_SET.loadBalancerLocal:
    case PROXY_SET.loadBalancerSourceRanges:
      return ipPortSet(name, by, [], known.members(CLUSTER), all && services.length === 0, sources);
    case PROXY_SET.loopBack:
      return loopBack(name, by, ipvs);
    case PROXY_SET.bound:
      return all ? addressSet(name, by, services) : undefined;
    case PROXY_SET.nodePortTcp:
      return portSet(name, by, ports(sources, PROTO.tcp), all && sources.nodeKnown(family));
    case PROXY_SET.nodePortUdp:
      return portSet(name, by, ports(sources, PROTO.udp), all && sources.nodeKnown(family));
    case PROXY_SET.nodePortLocalTcp:
    case PROXY_SET.nodePortLocalUdp:
    case PROXY_SET.healthCheckNodePort:
      return portSet(name, by, [], false);
    default:
      return undefined;
  }
}

const ports = (sources: KubeSetSources, protocol: number): readonly Served[] =>
  sources.nodePorts.filter((s) => s.protocol === protocol);

const key = (s: { readonly protocol: number; readonly address: Address; readonly port: number }): string =>
  `${s.protocol} ${formatAddress(s.address)} ${s.port}`;

/** Which of the three kinds of Service address the sets that were shown hold. */
class Kinds {
  readonly #members = new Map<string, Map<string, Served>>();
  readonly #decided = new Set<string>();
  readonly family: Family;
  /** Of this family alone. */
  readonly sources: KubeSetSources;

  constructor(all: KubeSetSources, family: Family) {
    const { tables, shown, wanted } = all;
    const own = (list: readonly Served[]): readonly Served[] => list.filter((s) => familyOf(s.address) === family);
    this.family = family;
    this.sources = { ...all, services: own(all.services), nodePorts: own(all.nodePorts) };
    const named = (name: string): string => proxySetIn(family, name);
    const chain = tables
      .filter((t) => t.name === "nat" && t.family === family)
      .flatMap((t) => t.chains)
      .find((c) => c.name === PROXY_CHAIN.services);
    for (const name of [CLUSTER, BALANCER, ...EXTERNAL]) {
      const set = shown.find((s) => s.name === named(name));
      const members = new Map<string, Served>();
      for (const entry of set?.entries ?? []) {
        const served = servedOf(entry);
        if (served !== undefined && !entry.nomatch) members.set(key(served), served);
      }
      this.#members.set(name, members);
      // kube-proxy writes a set's rules only while the set has members.
      const unused = set === undefined && chain?.extent === "whole" && !wanted.has(named(name));
      if (set?.extent === "whole" || unused) this.#decided.add(name);
    }
  }

  isDecided(...names: readonly string[]): boolean {
    return names.every((n) => this.#decided.has(n));
  }

  has(served: Served, ...names: readonly string[]): boolean {
    return names.some((n) => this.#members.get(n)!.has(key(served)));
  }

  members(...names: readonly string[]): readonly Served[] {
    return names.flatMap((n) => [...this.#members.get(n)!.values()]);
  }
}

/** The address and port of an entry of a hash:ip,port set. */
export function servedOf(entry: SetEntry): Served | undefined {
  const [ip, port] = entry.parts;
  if (ip?.kind !== "address" || ip.length !== maxLength(ip.from)) return undefined;
  if (port?.kind !== "port" || port.protocol === undefined || port.from !== port.to) return undefined;
  return { protocol: port.protocol, address: ip.from, port: port.from, origin: entry.origin };
}

const ipPart = (address: Address): SetPart => ({ kind: "address", from: address, length: maxLength(address) });
const portPart = ({ protocol, port }: Served): SetPart => ({ kind: "port", protocol, from: port, to: port });
const entryOf = (parts: readonly SetPart[], from: Origin, nomatch = false): SetEntry => ({
  parts,
  nomatch,
  origin: derived(nomatch ? "known not to be a member" : RULE, from),
});

const setOf = (
  name: string,
  by: Origin,
  type: Pick<IpSet, "method" | "dimensions">,
  entries: readonly SetEntry[],
  whole: boolean,
): IpSet => ({
  name,
  ...type,
  family: familyOfProxySet(name),
  options: type.method === "bitmap" ? [{ name: "range", value: "0-65535" }] : [],
  entries,
  extent: whole ? "whole" : "partial",
  origin: derived(RULE, by),
});

function ipPortSet(
  name: string,
  by: Origin,
  members: readonly Served[],
  others: readonly Served[],
  decided: boolean,
  { ipvs, services }: KubeSetSources,
): IpSet {
  const whole = decided || (ipvs.extent === "whole" && services.length === 0);
  const yes = members.map((s) => entryOf([ipPart(s.address), portPart(s)], s.origin));
  const no = whole ? [] : others.map((s) => entryOf([ipPart(s.address), portPart(s)], s.origin, true));
  // Every member is served: where all virtual services are known, nothing else can be in the set.
  const rest = whole || ipvs.extent !== "whole" ? [] : notServed(services, familyOfProxySet(name), by);
  return setOf(name, by, { method: "hash", dimensions: ["ip", "port"] }, [...yes, ...no, ...rest], whole);
}

/** Everything that no virtual service is for: the addresses between those served, and their other ports. */
function notServed(services: readonly Served[], family: Family, by: Origin): readonly SetEntry[] {
  const entries: SetEntry[] = [];
  const none = (address: SetPart, protocol: number, from: number, to: number): void => {
    if (from <= to) entries.push(entryOf([address, { kind: "port", protocol, from, to }], by, true));
  };
  const byAddress = new Map<Address, Served[]>();
  for (const s of services) {
    const same = byAddress.get(s.address);
    if (same === undefined) byAddress.set(s.address, [s]);
    else same.push(s);
  }
  const addresses = [...byAddress.keys()].sort(compareAddress);
  const last = lastOf(anyPrefix(family));
  for (const protocol of [PROTO.tcp, PROTO.udp, PROTO.sctp]) {
    let next: Address | undefined = unspecified(family);
    for (const address of addresses) {
      if (next !== address) none({ kind: "range", from: next!, to: offset(address, -1) }, protocol, 0, 65535);
      next = address === last ? undefined : offset(address, 1);
      const open = byAddress.get(address)!.flatMap((s) => (s.protocol === protocol ? [s.port] : []));
      let port = 0;
      for (const served of [...new Set(open)].sort((a, b) => a - b)) {
        none(ipPart(address), protocol, port, served - 1);
        port = served + 1;
      }
      none(ipPart(address), protocol, port, 65535);
    }
    if (next !== undefined) none({ kind: "range", from: next, to: last }, protocol, 0, 65535);
  }
  return entries;
}

/** Each endpoint paired with itself: only a connection that IPVS sent back to where it came from is in it. */
function loopBack(name: string, by: Origin, ipvs: Ipvs): IpSet {
  const entries = new Map<string, SetEntry>();
  for (const { key: service, realServers } of ipvs.services) {
    if (service.kind !== "address") continue;
    for (const { address, port, origin } of realServers) {
      if (familyOf(address) !== familyOfProxySet(name)) continue;
      const served: Served = { protocol: service.protocol, address, port, origin };
      entries.set(key(served), entryOf([ipPart(address), portPart(served), ipPart(address)], origin));
    }
  }
  return setOf(name, by, { method: "hash", dimensions: ["ip", "port", "ip"] }, [...entries.values()], true);
}

function addressSet(name: string, by: Origin, services: readonly Served[]): IpSet {
  const byAddress = new Map(services.map((s) => [s.address, s.origin]));
  const entries = [...byAddress].map(([address, origin]) => entryOf([ipPart(address)], origin));
  return setOf(name, by, { method: "hash", dimensions: ["ip"] }, entries, true);
}

function portSet(name: string, by: Origin, members: readonly Served[], whole: boolean): IpSet {
  const range = (from: number, to: number): SetPart => ({ kind: "port", from, to });
  const unique = new Map(members.map((s) => [s.port, s.origin]));
  const yes = [...unique].map(([port, origin]) => entryOf([range(port, port)], origin));
  const outside = [range(0, NODE_PORTS.from - 1), range(NODE_PORTS.to + 1, 65535)];
  const no = whole ? [] : outside.map((part) => entryOf([part], by, true));
  return setOf(name, by, { method: "bitmap", dimensions: ["port"] }, [...yes, ...no], whole);
}
