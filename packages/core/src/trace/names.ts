import type { Device, KubernetesObjects, Packet, Rule, Stack, Step, World } from "../model/index.ts";
import { type Address, formatAddress, parseAddress, protocolName, sameAddress } from "../net/index.ts";
import type { Branch, Leg } from "./branch.ts";
import { isUnderlay } from "./topology.ts";

/** Who an address is, in the words of Kubernetes: `pod default/web-1 on node-a`, `svc kube-system/kube-dns:dns`. */
export interface Names {
  of(address: Address, port?: number, protocol?: number): string | undefined;
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

class WorldNames implements Names {
  readonly #world: World;
  readonly #hosts = new Map<string, string>();
  /** `ADDRESS` and `ADDRESS:PORT/PROTOCOL` of Services. */
  readonly #services = new Map<string, string>();
  /** `PORT/PROTOCOL` of node ports. */
  readonly #nodePorts = new Map<string, string>();
  readonly #nodes = new Set<string>();
  /** Addresses that rules were searched for already: there may be a hundred thousand of them. */
  readonly #asked = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    this.#fromObjects(world.kubernetes);
    for (const stack of world.stacks) this.#fromStack(stack);
  }

  of(address: Address, port?: number, protocol?: number): string | undefined {
    const shown = formatAddress(address);
    const known = this.#known(shown, port, protocol);
    if (known !== undefined || this.#asked.has(shown)) return known;
    this.#asked.add(shown);
    this.#readRules(address);
    return this.#known(shown, port, protocol);
  }

  #known(shown: string, port: number | undefined, protocol: number | undefined): string | undefined {
    const at = port === undefined ? undefined : `${port}/${protocolName(protocol ?? 6)}`;
    const host = this.#hosts.get(shown);
    const service = (at === undefined ? undefined : this.#services.get(`${shown}:${at}`)) ?? this.#services.get(shown);
    if (service !== undefined) return service;
    const nodePort = at === undefined || !this.#nodes.has(shown) ? undefined : this.#nodePorts.get(at);
    return host !== undefined && nodePort !== undefined ? `${host}, node port of ${nodePort}` : host;
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
        const name = `svc ${full(s)}:${p.name ?? p.port}`;
        const at = `${p.port}/${protocolName(p.protocol)}`;
        for (const a of addresses) put(this.#services, `${formatAddress(a)}:${at}`, name);
        if (p.nodePort !== undefined) put(this.#nodePorts, `${p.nodePort}/${protocolName(p.protocol)}`, name);
      }
      for (const a of addresses) put(this.#services, formatAddress(a), `svc ${full(s)}`);
    }
    for (const pod of pods) {
      if (pod.hostNetwork) continue;
      const on = pod.nodeName === undefined ? "" : ` on ${pod.nodeName}`;
      for (const a of pod.addresses) put(this.#hosts, formatAddress(a), `pod ${full(pod)}${on}`);
    }
    for (const node of nodes) {
      for (const a of [...node.addresses, ...(node.externalAddresses ?? [])]) {
        put(this.#hosts, formatAddress(a), `node ${node.name}`);
        this.#nodes.add(formatAddress(a));
      }
    }
    for (const slice of endpoints) {
      for (const e of slice.endpoints) {
        const on = e.nodeName === undefined ? "" : ` on ${e.nodeName}`;
        const what =
          e.pod === undefined
            ? `endpoint of svc ${slice.namespace}/${slice.service ?? slice.name}`
            : `pod ${full(e.pod)}`;
        for (const a of e.addresses) put(this.#hosts, formatAddress(a), `${what}${on}`);
      }
    }
    for (const b of loadBalancers) {
      const named = b.name === undefined ? "load balancer" : `load balancer ${b.name}`;
      const what = b.hostname ?? (b.service === undefined ? named : `load balancer of ${b.service}`);
      put(this.#hosts, formatAddress(b.address), what);
      if (b.source !== undefined) put(this.#hosts, formatAddress(b.source), `${what}, its own address`);
    }
  }

  #fromStack(stack: Stack): void {
    // A made-up endpoint has no name but its address.
    if (stack.assumed === "endpoint") return;
    for (const device of stack.devices.items) {
      if (device.kind === "loopback" || device.kind === "dummy") continue;
      for (const { prefix } of device.addresses) {
        const shown = formatAddress(prefix.address);
        put(this.#hosts, shown, stack.assumed === "outside" ? "outside" : placed(stack, device));
        if (stack.kind === "node") this.#nodes.add(shown);
      }
    }
  }

  /** Without objects kube-proxy's own comments tell: of the rules that name this address. */
  #readRules(address: Address): void {
    const names = (side: Rule["source"]): boolean => side !== undefined && sameAddress(side.value.address, address);
    for (const stack of this.#world.stacks) {
      for (const table of stack.netfilter.tables) {
        if (table.name !== "nat" && table.name !== "filter") continue;
        for (const chain of table.chains) {
          if (!chain.name.startsWith("KUBE-")) continue;
          const ports = chain.name === "KUBE-NODEPORTS";
          for (const rule of chain.rules)
            if (ports || names(rule.destination) || names(rule.source)) this.#fromRule(chain.name, rule);
        }
      }
    }
  }

  #fromRule(chain: string, rule: Rule): void {
    const comment = rule.matches.find((m) => m.kind === "comment")?.text;
    const named = comment === undefined ? undefined : SERVICE.exec(comment)?.[1];
    if (named === undefined) return;
    const host = (side: Rule["source"]): string | undefined =>
      side === undefined || side.negated || side.value.mask !== 0xffffffff
        ? undefined
        : formatAddress(side.value.address);
    const destination = host(rule.destination);
    const at = portOf(rule);
    if (destination !== undefined && (chain === "KUBE-SERVICES" || chain === "KUBE-EXTERNAL-SERVICES")) {
      if (at !== undefined) put(this.#services, `${destination}:${at}`, `svc ${named}`);
      put(this.#services, destination, `svc ${named.replace(/:[^:/]*$/, "")}`);
    }
    const source = host(rule.source);
    if (source !== undefined && chain.startsWith("KUBE-SEP-")) put(this.#hosts, source, `endpoint of svc ${named}`);
    if (chain === "KUBE-NODEPORTS" && at !== undefined) put(this.#nodePorts, at, `svc ${named}`);
  }
}

/** `ns/name:port cluster IP`, `ns/name:port`: how kube-proxy comments its rules. */
const SERVICE = /^([a-z0-9][a-z0-9.-]{0,252}\/[a-z0-9][a-z0-9.-]{0,252}(?::[\w.-]{1,63})?)(?: |$)/;

const put = (map: Map<string, string>, key: string, value: string): void => {
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

function placed({ kind, name, node }: Stack, device: Device): string {
  const who = `${kind} ${name}${kind === "pod" && node !== undefined ? ` on ${node}` : ""}`;
  return kind === "node" && (device.kind === "bridge" || !isUnderlay(device)) ? `${who}, ${device.name}` : who;
}

/** An IPv4 address that is no prefix, with a port or without. */
const ADDRESS = /(?<![\d.:/-])(\d{1,3}(?:\.\d{1,3}){3})(?::(\d{1,5}|\*))?(?![\d/-]|\.\d)/g;

/** Writes the name of each address beside it, the first time it comes up. */
export class Namer {
  readonly #names: Names;
  readonly #clean: (name: string) => string;
  readonly #said = new Set<string>();

  /** `clean`: for lines that are not made safe for a terminal afterwards. */
  constructor(names: Names, clean: (name: string) => string = (name) => name) {
    this.#names = names;
    this.#clean = clean;
  }

  line(text: string, protocol?: number): string {
    return text.replace(ADDRESS, (whole, host: string, port: string | undefined) => {
      const address = parseAddress(host);
      if (address === undefined || this.#said.has(whole)) return whole;
      const name = this.#names.of(address, port === undefined || port === "*" ? undefined : Number(port), protocol);
      if (name === undefined) return whole;
      this.#said.add(whole);
      const again = `${host} ${name}`;
      if (this.#said.has(again)) return whole;
      this.#said.add(again);
      return `${whole} (${this.#clean(name)})`;
    });
  }
}

const packetsOf = (step: Step): readonly Packet[] => ("before" in step ? [step.packet, step.before] : [step.packet]);

/** For JSON: every address of the walk that has a name, and with its port where that says more. */
export function namesJson(world: World, branches: readonly Branch[]): Readonly<Record<string, string>> {
  const names = namesOf(world);
  const found = new Map<string, string>();
  const add = (address: Address, port: unknown, protocol: number): void => {
    const shown = formatAddress(address);
    const plain = names.of(address);
    if (plain !== undefined) found.set(shown, plain);
    const exact = typeof port === "number" && port > 0 ? names.of(address, port, protocol) : undefined;
    if (exact !== undefined && exact !== plain) found.set(`${shown}:${String(port)}`, exact);
  };
  const visit = (p: Packet): void => {
    add(p.src, p.sport, p.protocol);
    add(p.dst, p.dport, p.protocol);
    if (p.carried !== undefined) visit(p.carried.packet);
  };
  const legs = (b: Branch): readonly Leg[] => [b.request, ...(b.reply === null ? [] : [b.reply]), ...b.data];
  const seen = new Set<Packet>();
  for (const leg of branches.flatMap(legs)) {
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
