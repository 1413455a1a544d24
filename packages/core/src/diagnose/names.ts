import { type Lang, MARKS, say, type Text, text, verbatim } from "../messages/index.ts";
import {
  type Chain,
  chainNamed,
  type Device,
  type IptablesTable,
  type KubernetesObjects,
  type LoadBalancer,
  type Packet,
  PROXY_CHAIN,
  proxyChain,
  type Rule,
  rulesNaming,
  type Stack,
  type Step,
  serviceName,
  serviceOfRule,
  type World,
} from "../model/index.ts";
import {
  type Address,
  formatAddress,
  formatEndpoint,
  isHostMask,
  isIpv4,
  isLinkLocal,
  isUnspecified,
  parseAddress,
  protocolName,
} from "../net/index.ts";
import { isUnderlay } from "../trace/hosts/topology.ts";
import { type Branch, legsOf } from "../trace/index.ts";

/** Who an address is, in the words of Kubernetes: `pod default/web-1 on node-a`, `svc kube-system/kube-dns:dns`. */
export interface Names {
  of(address: Address, port?: number, protocol?: number): Text | undefined;
}

const cache = new WeakMap<World, Names>();

export function namesOf(world: World): Names {
  let names = cache.get(world);
  if (names === undefined) {
    names = new WorldNames(world);
    cache.set(world, names);
  }
  return names;
}

const full = (o: { readonly namespace: string; readonly name: string }): string => `${o.namespace}/${o.name}`;

const svc = (service: string): Text => text("name.svc", { service });
const on = (what: Text, node: string | undefined): Text =>
  node === undefined ? what : text("name.on", { what, node });

function balancerName({ hostname, name, service }: LoadBalancer): Text {
  if (hostname !== undefined) return verbatim(hostname);
  if (service !== undefined) return text("name.balancer-of", { service });
  return name === undefined ? text("name.balancer") : text("name.balancer-named", { name });
}

class WorldNames implements Names {
  readonly #world: World;
  readonly #hosts = new Map<string, Text>();
  /** `ADDRESS` and `ADDRESS:PORT/PROTOCOL` of Services. */
  readonly #services = new Map<string, Text>();
  /** `PORT/PROTOCOL` of node ports. */
  readonly #nodePorts = new Map<string, Text>();
  readonly #nodes = new Set<string>();
  #rules: RuleIndex | undefined;

  constructor(world: World) {
    this.#world = world;
    this.#fromObjects(world.kubernetes);
    for (const stack of world.stacks) this.#fromStack(stack);
  }

  of(address: Address, port?: number, protocol?: number): Text | undefined {
    const shown = formatAddress(address);
    const at = port === undefined ? undefined : `${port}/${protocolName(protocol ?? 6)}`;
    const service = (at === undefined ? undefined : this.#services.get(`${shown}:${at}`)) ?? this.#services.get(shown);
    if (service !== undefined) return service;
    const host = this.#hosts.get(shown) ?? this.#commented(address, at);
    if (host === undefined || at === undefined || !this.#nodes.has(shown)) return host;
    const nodePort = this.#nodePort(at);
    return nodePort === undefined ? host : text("name.node-port", { host, service: nodePort });
  }

  #fromObjects({ services, pods, nodes, endpoints }: KubernetesObjects): void {
    const { loadBalancers } = this.#world;
    for (const s of services) {
      const made = loadBalancers.filter((b) => b.service === full(s) && b.hostname !== undefined).map((b) => b.address);
      const addresses = [
        ...s.clusterIps,
        ...s.externalIps,
        ...s.loadBalancerIps,
        ...(s.proxyLoadBalancerIps ?? []),
        ...made,
      ];
      for (const p of s.ports) {
        const name = svc(`${full(s)}:${p.name ?? p.port}`);
        const at = `${p.port}/${protocolName(p.protocol)}`;
        for (const a of addresses) put(this.#services, `${formatAddress(a)}:${at}`, name);
        if (p.nodePort !== undefined) put(this.#nodePorts, `${p.nodePort}/${protocolName(p.protocol)}`, name);
      }
      for (const a of addresses) put(this.#services, formatAddress(a), svc(full(s)));
    }
    for (const pod of pods) {
      if (pod.hostNetwork) continue;
      const name = on(text("name.pod", { pod: full(pod) }), pod.nodeName);
      for (const a of pod.addresses) put(this.#hosts, formatAddress(a), name);
    }
    for (const node of nodes) {
      for (const a of [...node.addresses, ...(node.externalAddresses ?? [])]) {
        // Of an object that was cut the name may be missing.
        if (node.name !== "") put(this.#hosts, formatAddress(a), text("name.node", { name: node.name }));
        this.#nodes.add(formatAddress(a));
      }
    }
    for (const slice of endpoints) {
      for (const e of slice.endpoints) {
        const what =
          e.pod === undefined
            ? text("name.endpoint", { service: `${slice.namespace}/${slice.service ?? slice.name}` })
            : text("name.pod", { pod: full(e.pod) });
        for (const a of e.addresses) put(this.#hosts, formatAddress(a), on(what, e.nodeName));
      }
    }
    for (const b of loadBalancers) {
      const what = balancerName(b);
      put(this.#hosts, formatAddress(b.address), what);
      if (b.source !== undefined) put(this.#hosts, formatAddress(b.source), text("name.own-address", { what }));
    }
  }

  #fromStack(stack: Stack): void {
    // A made-up endpoint has no name but its address.
    if (stack.assumed === "endpoint") return;
    for (const device of stack.devices.items) {
      if (device.kind === "loopback" || device.kind === "dummy") continue;
      for (const { prefix } of device.addresses) {
        const shown = formatAddress(prefix.address);
        put(this.#hosts, shown, stack.assumed === "outside" ? text("name.outside") : placed(stack, device));
        if (stack.kind === "node") this.#nodes.add(shown);
      }
    }
  }

  /** What kube-proxy's own comments tell. */
  #commented(address: Address, at: string | undefined): Text | undefined {
    const services = this.#index.destinations(address);
    const exact = services.find((r) => at !== undefined && portOf(r) === at);
    const service = exact ?? services[0];
    const named = service === undefined ? undefined : serviceIn(service);
    if (named !== undefined) return svc(exact === undefined ? withoutPort(named) : named);
    // Nobody has the address that stands for none.
    const endpoint = isUnspecified(address) ? undefined : this.#index.source(address);
    const served = endpoint === undefined ? undefined : serviceIn(endpoint);
    return served === undefined ? undefined : text("name.endpoint", { service: served });
  }

  #nodePort(at: string): Text | undefined {
    const known = this.#nodePorts.get(at);
    if (known !== undefined) return known;
    const rule = this.#index.nodePorts.find((r) => portOf(r) === at);
    const named = rule === undefined ? undefined : serviceIn(rule);
    return named === undefined ? undefined : svc(named);
  }

  get #index(): RuleIndex {
    this.#rules ??= new RuleIndex(this.#world);
    return this.#rules;
  }
}

/** Rules of kube-proxy by the address they are about, of which there may be a hundred thousand. */
class RuleIndex {
  readonly #tables: readonly (IndexedTable | IptablesTable)[];

  constructor({ stacks }: World) {
    this.#tables = stacks
      .flatMap((s) => s.netfilter.tables)
      .filter((t) => t.name === "nat" || t.name === "filter")
      .map((t) => (t.unread === undefined ? new IndexedTable(t) : t));
  }

  /** Of Services: those for an address. */
  destinations(address: Address): readonly Rule[] {
    return this.#tables.flatMap((t) =>
      t instanceof IndexedTable
        ? (t.destinations.get(address) ?? [])
        : [...rulesNaming(t, address, OF_SERVICES)].flatMap(({ rule }) =>
            hostOf(rule.destination) === address ? [rule] : [],
          ),
    );
  }

  /** Of an endpoint: the first from an address. */
  source(address: Address): Rule | undefined {
    for (const t of this.#tables) {
      const found =
        t instanceof IndexedTable
          ? t.sources.get(address)
          : [...rulesNaming(t, address)].find(
              ({ chain, rule }) => proxyChain(chain.name) === "endpoint" && hostOf(rule.source) === address,
            )?.rule;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  get nodePorts(): readonly Rule[] {
    return this.#tables.flatMap((t) =>
      t instanceof IndexedTable
        ? t.chains.flatMap((c) => (proxyChain(c.name) === "node-ports" ? c.rules : []))
        : (chainNamed(t, PROXY_CHAIN["node-ports"])?.rules ?? []),
    );
  }
}

const isOfServices = ({ name }: Chain): boolean => {
  const role = proxyChain(name);
  return role === "services" || role === "external-services";
};

/** By their names, which are the same on every node. */
const OF_SERVICES = [PROXY_CHAIN.services, PROXY_CHAIN["external-services"]];

/** A table all of whose rules were read. */
class IndexedTable {
  readonly chains: readonly Chain[];
  readonly destinations = new Map<Address, Rule[]>();
  readonly sources = new Map<Address, Rule>();

  constructor({ chains }: IptablesTable) {
    this.chains = chains;
    for (const chain of chains) {
      if (isOfServices(chain)) this.#services(chain.rules);
      else if (proxyChain(chain.name) === "endpoint") this.#endpoint(chain.rules);
    }
  }

  #services(rules: readonly Rule[]): void {
    for (const rule of rules) {
      const address = hostOf(rule.destination);
      if (address === undefined) continue;
      const known = this.destinations.get(address);
      if (known === undefined) this.destinations.set(address, [rule]);
      else known.push(rule);
    }
  }

  #endpoint(rules: readonly Rule[]): void {
    for (const rule of rules) {
      const address = hostOf(rule.source);
      if (address !== undefined && !this.sources.has(address)) this.sources.set(address, rule);
    }
  }
}

const hostOf = (side: Rule["source"]): Address | undefined =>
  side === undefined || side.negated || !isHostMask(side.value.mask) ? undefined : side.value.address;

const serviceIn = (rule: Rule): string | undefined => {
  const about = serviceOfRule(rule);
  return about === undefined ? undefined : serviceName(about);
};

const withoutPort = (named: string): string => named.replace(/:[^:/]*$/, "");

const put = (map: Map<string, Text>, key: string, value: Text): void => {
  if (!map.has(key)) map.set(key, value);
};

function portOf(rule: Rule): string | undefined {
  for (const m of rule.matches) {
    if (m.kind !== "tcp" && m.kind !== "udp" && m.kind !== "sctp") continue;
    const range = m.dport;
    if (range !== undefined && !range.negated && range.value.from === range.value.to)
      return `${range.value.from}/${m.kind}`;
  }
  return undefined;
}

function placed({ kind, name, node }: Stack, device: Device): Text {
  const host = kind === "pod" ? on(text("name.pod", { pod: name }), node) : text(`name.${kind}`, { name });
  return kind === "node" && (device.kind === "bridge" || !isUnderlay(device))
    ? text("name.device", { host, device: device.name })
    : host;
}

const PORT = String.raw`(?::(\d{1,5}|\*))?`;
const FOUR = String.raw`(?<![\d.:/-])(\d{1,3}(?:\.\d{1,3}){3})${PORT}(?![\d/-]|\.\d)`;
const BRACKETED = String.raw`\[([0-9a-f]{0,4}:[0-9a-f:]+)\]${PORT}`;
const SIX = String.raw`(?<![\w.:/[-])([0-9a-f]{0,4}:[0-9a-f:]*[0-9a-f])(?![\w/%\]-]|:\w|\.\d)`;
/** An address that is no prefix, with a port or without; one of IPv6 has it behind brackets. What only looks like one (a MAC, a time) is sorted out by its reader. */
const ADDRESS = new RegExp(`${FOUR}|${BRACKETED}|${SIX}`, "g");

/** Writes the name of each address beside it, the first time it comes up. */
export class Namer {
  readonly #names: Names;
  readonly #lang: Lang;
  readonly #clean: (name: string) => string;
  readonly #said = new Set<string>();

  /** `clean`: for lines that are not made safe for a terminal afterwards. */
  constructor(names: Names, lang: Lang = "en", clean: (name: string) => string = (name) => name) {
    this.#names = names;
    this.#lang = lang;
    this.#clean = clean;
  }

  line(text: string, protocol?: number): string {
    const named = this.#named(text, protocol);
    // A blank stands between Chinese and an address, none behind a bracket.
    return this.#lang === "zh" ? named.replace(/） (?=[\u3400-\u9fff])/g, "）") : named;
  }

  #named(text: string, protocol: number | undefined): string {
    return text.replace(ADDRESS, (whole, ...found: (string | undefined)[]) => {
      const [four, port4, bracketed, port6, six] = found;
      const host = four ?? bracketed ?? six ?? "";
      const port = port4 ?? port6;
      const address = parseAddress(host);
      // A link-local address is somebody else on every link.
      if (address === undefined || this.#said.has(whole) || (!isIpv4(address) && isLinkLocal(address))) return whole;
      const who = this.#names.of(address, port === undefined || port === "*" ? undefined : Number(port), protocol);
      if (who === undefined) return whole;
      const name = say(who, this.#lang);
      this.#said.add(whole);
      const again = `${host} ${name}`;
      if (this.#said.has(again)) return whole;
      this.#said.add(again);
      const [open, close] = MARKS[this.#lang].brackets;
      return `${whole}${open}${this.#clean(name)}${close}`;
    });
  }
}

const packetsOf = (step: Step): readonly Packet[] => ("before" in step ? [step.packet, step.before] : [step.packet]);

/** For JSON and the report: every address of the walk that has a name, and with its port where that says more. */
export function namesJson(
  world: World,
  branches: readonly Branch[],
  lang: Lang = "en",
): Readonly<Record<string, string>> {
  const names = namesOf(world);
  const found = new Map<string, string>();
  const add = (address: Address, port: unknown, protocol: number): void => {
    const shown = formatAddress(address);
    const phrase = (of: Text | undefined): string | undefined => (of === undefined ? undefined : say(of, lang));
    const plain = phrase(names.of(address));
    if (plain !== undefined) found.set(shown, plain);
    const exact = typeof port === "number" && port > 0 ? phrase(names.of(address, port, protocol)) : undefined;
    if (exact !== undefined && exact !== plain) found.set(formatEndpoint(address, String(port)), exact);
  };
  const visit = (p: Packet): void => {
    add(p.src, p.sport, p.protocol);
    add(p.dst, p.dport, p.protocol);
    if (p.carried !== undefined) visit(p.carried.packet);
  };
  const seen = new Set<Packet>();
  for (const leg of branches.flatMap(legsOf)) {
    for (const p of [leg.final, ...leg.steps.flatMap(packetsOf)]) {
      if (seen.has(p)) continue;
      seen.add(p);
      visit(p);
    }
    for (const step of leg.steps) {
      if (step.kind === "route" && step.gateway !== undefined) add(step.gateway, undefined, 0);
      if (step.kind === "arp") add(step.target, undefined, 0);
    }
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
