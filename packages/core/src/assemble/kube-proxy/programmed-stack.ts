import {
  formatVersion,
  type Programmed,
  type ProxyConfig,
  type ProxyMode,
  type ProxyNode,
  programme,
} from "../../kubernetes/index.ts";
import { type Text, text } from "../../messages/index.ts";
import {
  assumed,
  type Device,
  type DeviceAddress,
  derived,
  type KubernetesNode,
  type KubernetesObjects,
  type Listener,
  type Netfilter,
  type Origin,
  type Route,
  type Stack,
  type StackProgramme,
  type SysctlEntry,
  TABLE_DEFAULT,
  TABLE_LOCAL,
  TABLE_MAIN,
  unread,
  whole,
  withProgramme,
} from "../../model/index.ts";
import {
  type Address,
  anyPrefix,
  type Family,
  familyOf,
  hostPrefix,
  isIpv4,
  linkLocalOfMac,
  lowBitsOf,
  PROTO,
} from "../../net/index.ts";
import { withLoopback } from "../devices/loopback.ts";
import type { Ledger } from "../ledger.ts";
import { kernelOf } from "../machine.ts";
import { fibAddIfaddr, fibOfAddresses } from "../routes/ifaddr.ts";
import { fibAddIfaddr6, fibOfAddresses6 } from "../routes/ifaddr6.ts";
import { defaultRules } from "../routes/rules.ts";
import { assumedDefault } from "../routes/uplink.ts";
import type { LocalPod } from "./local-pods.ts";
import { madePort, PORT_PREFIX } from "./made-port.ts";
import type { ProxySettings } from "./settings.ts";
import { kubeIpvs0, vipAddress } from "./vips.ts";

const CARD = "eth0";

/** A locally administered MAC made from an address, so that every made-up device has one of its own. */
const macFor = (first: number, n: number): string =>
  [first, 0x5e, n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255]
    .map((b) => b.toString(16).padStart(2, "0"))
    .join(":");

/** A node of which only objects tell: what a host has at least, its pods each behind a veth; without kube-proxy's part. */
export function bareNode(
  node: KubernetesNode,
  pods: readonly LocalPod[],
  config: ProxyConfig,
  healthChecks: readonly Listener[],
): Stack {
  const origin = derived("node without a dump, from its object", node.origin);
  const kernel = node.kernel === undefined ? undefined : kernelOf(node.kernel, node);
  const [own] = node.addresses;
  const speaks6 = [...node.addresses, ...pods.flatMap((p) => p.addresses)].some((a) => !isIpv4(a));
  const linkLocal = (mac: string): readonly DeviceAddress[] =>
    speaks6 ? [{ prefix: { address: linkLocalOfMac(mac), length: 64 }, scope: "link", flags: [], origin }] : [];
  const mac = own === undefined ? undefined : macFor(0x06, lowBitsOf(own));
  const card: Device = {
    name: CARD,
    kind: "ethernet",
    up: true,
    carrier: true,
    ...(mac === undefined ? {} : { mac }),
    addresses: [
      ...node.addresses.map(
        (address): DeviceAddress => ({
          prefix: hostPrefix(address),
          scope: "global",
          flags: [],
          label: CARD,
          origin: derived("InternalIP of the Node", node.origin),
        }),
      ),
      ...linkLocal(mac ?? "02:00:00:00:00:01"),
    ],
    addressesKnown: true,
    origin,
  };
  const prefix = config.detectLocal.mode === "InterfaceNamePrefix" ? config.detectLocal.prefix : PORT_PREFIX;
  const names = new Set<string>();
  const ends = pods.map((pod, i): Device => {
    const end = macFor(0xfe, lowBitsOf(pod.addresses[0]!));
    const own = madePort(prefix, pod.addresses[0]!);
    const name = own === undefined || names.has(own) ? `${prefix}${i}` : own;
    names.add(name);
    return {
      name,
      kind: "veth",
      up: true,
      carrier: true,
      mac: end,
      addresses: linkLocal(end),
      addressesKnown: true,
      origin: pod.origin,
    };
  });
  const devices = withLoopback([card, ...ends]);
  const fib = fibOfAddresses(devices, kernel);
  const toPods = pods.flatMap(({ addresses, origin: from }, i): readonly Route[] => {
    const nexthops = [{ device: ends[i]!.name, weight: 1, flags: [] }];
    return addresses.map((address) =>
      assumedDefault(CARD, { family: familyOf(address), destination: hostPrefix(address), nexthops, origin: from }),
    );
  });
  const tables = (family: Family): Stack["routeTables"] => {
    const own = family === 4 ? fib : fibOfAddresses6(devices);
    const of = (id: number) => own.filter((r) => r.table === id);
    const way = assumedDefault(CARD, { family, destination: anyPrefix(family) });
    const main = [...of(TABLE_MAIN), ...toPods.filter((r) => r.family === family), way];
    return [
      { id: TABLE_LOCAL, family, routes: of(TABLE_LOCAL), extent: "whole" },
      { id: TABLE_MAIN, family, routes: main, extent: "whole" },
    ];
  };
  const unruled = assumed("routing rules of a node without a dump");
  const rules = [...defaultRules(unruled), ...(speaks6 ? defaultRules(unruled, 6) : [])];
  return {
    name: node.name,
    kind: "node",
    machine: { iptables: [], ...(kernel === undefined ? {} : { kernel }) },
    devices: whole(devices),
    routingRules: whole(rules),
    routeTables: [
      ...tables(4),
      { id: TABLE_DEFAULT, family: 4, routes: [], extent: "whole" },
      ...(speaks6 ? tables(6) : []),
    ],
    neighbours: unread,
    fdb: unread,
    bridgeVlans: unread,
    netfilter: { tables: [], nativeNft: [] },
    ipsets: whole([]),
    ipvs: { services: [], connections: [], extent: "whole" },
    conntrack: unread,
    listeners: { items: healthChecks, extent: "partial" },
    sysctls: new Map(),
    fromObjects: true,
    origin,
  };
}

/**
 * kube-proxy's part in one mode. Rules, sets and virtual servers are made when somebody looks at them: a cluster has many nodes,
 * a question few.
 */
export function programmeOf(
  node: KubernetesNode,
  { services, endpoints, pods }: KubernetesObjects,
  settings: ProxySettings,
  mode: ProxyMode,
  /** Of all its devices; absent: nobody showed them. */
  interfaceAddresses?: readonly Address[],
): StackProgramme {
  const { config, version } = settings;
  const proxyNode: ProxyNode = {
    name: node.name,
    labels: node.labels ?? {},
    addresses: node.addresses,
    podCidrs: node.podCidrs,
    ...(interfaceAddresses !== undefined && { interfaceAddresses }),
    origin: node.origin,
  };
  const input = { services, endpoints, pods, node: proxyNode, config: { ...config, mode }, version };
  // Neither addresses nor switches depend on endpoints, and without IPVS there are no addresses.
  const frame = programme({ ...input, services: mode === "ipvs" ? services : [], endpoints: [] });
  if (frame.kind === "not-modelled") return notModelled(frame.mode, config.origin ?? node.origin);
  let written: readonly Programmed[] | undefined;
  const families = (): readonly Programmed[] => {
    if (written === undefined) {
      const whole = programme(input);
      written = whole.kind === "programmed" ? whole.families : [];
    }
    return written;
  };
  const dummy = dummyOf(frame.families, node.origin);
  const made: StackProgramme = {
    netfilter: rulesOf(families, mode),
    ipsets: lazily("items", () => families().flatMap((f) => f.sets), { extent: "whole" as const }),
    ipvs: lazily("services", () => families().flatMap((f) => f.virtualServers), {
      connections: [],
      extent: "whole" as const,
    }),
    sysctls: new Map(frame.families.flatMap((f) => f.sysctls.map((s): [string, SysctlEntry] => [s.key, s]))),
    devices: dummy === undefined ? [] : [dummy],
    routes: dummy === undefined ? [] : routesOf(dummy),
  };
  const again = (objects: KubernetesObjects): StackProgramme =>
    programmeOf(node, objects, settings, mode, interfaceAddresses);
  behind.set(made.netfilter, { programme: made, again });
  return made;
}

/** A programme, and the same of other objects. */
interface Behind {
  readonly programme: StackProgramme;
  readonly again: (objects: KubernetesObjects) => StackProgramme;
}

const behind = new WeakMap<Netfilter, Behind>();

/** A stack whose rules are kube-proxy's programme and nothing else, as other objects would have it; undefined: they are not. */
export function reprogrammed(stack: Stack, objects: KubernetesObjects): Stack | undefined {
  const known = behind.get(stack.netfilter);
  return known && withProgramme(stack, known.again(objects), known.programme);
}

/** The same of a programme that is a hypothesis. */
export const programmedAgain = (programme: StackProgramme, objects: KubernetesObjects): StackProgramme | undefined =>
  behind.get(programme.netfilter)?.again(objects);

function rulesOf(families: () => readonly Programmed[], mode: ProxyMode): Netfilter {
  const rules = lazily("tables", () => families().flatMap((f) => f.tables), { nativeNft: [] });
  return mode === "nftables" ? lazily("nft", () => families().flatMap((f) => f.nft ?? []), rules) : rules;
}

/** A record one of whose fields is computed once, when it is first read. */
function lazily<K extends string, T, R extends object>(key: K, make: () => T, rest: R): R & { readonly [P in K]: T } {
  let made: { readonly value: T } | undefined;
  const get = (): T => {
    made ??= { value: make() };
    return made.value;
  };
  return Object.defineProperty(rest, key, { get, enumerable: true }) as R & { readonly [P in K]: T };
}

/** The walk stops at what it cannot read, as at rules of nft that a dump shows. */
function notModelled(mode: string, origin: Origin): StackProgramme {
  return {
    netfilter: { tables: [], nativeNft: [{ name: `what kube-proxy writes in ${mode} mode`, origin }] },
    ipsets: whole([]),
    ipvs: { services: [], connections: [], extent: "whole" },
    sysctls: new Map(),
    devices: [],
    routes: [],
  };
}

/** Its addresses as the kernel routes them. */
export const routesOf = (dummy: Device): readonly Route[] =>
  dummy.addresses.flatMap((a) => [...fibAddIfaddr(dummy, a), ...fibAddIfaddr6(dummy, a)]);

/** kube-ipvs0 of a node, in IPVS mode. */
export function dummyOf(families: readonly Programmed[], of: Origin): Device | undefined {
  if (!families.some((f) => f.mode === "ipvs")) return undefined;
  const origin = derived("kube-proxy binds the addresses of Services here in IPVS mode", of);
  const addresses = families
    .flatMap((f) => f.addresses.map((a) => ({ address: a })))
    .map(({ address }) => vipAddress(address, origin));
  return { ...kubeIpvs0(origin), addresses, addressesKnown: true };
}

/** The ports on which kube-proxy itself answers load balancers that ask for local endpoints (NeedsHealthCheck()). */
export const healthCheckListeners = ({ services }: KubernetesObjects): readonly Listener[] =>
  services.flatMap((s): readonly Listener[] =>
    s.type === "LoadBalancer" && s.externalTrafficPolicy === "Local" && (s.healthCheckNodePort ?? 0) > 0
      ? [{ protocol: PROTO.tcp, port: s.healthCheckNodePort!, process: "kube-proxy", origin: s.origin }]
      : [],
  );

export interface MadeUpNode {
  readonly node: KubernetesNode;
  readonly settings: ProxySettings;
}

/** One line for all nodes that are alike: a cluster has many. */
export function listAssumptions(nodes: readonly MadeUpNode[], ledger: Ledger): void {
  const alike = new Map<string, { readonly names: string[]; readonly version: string; readonly mode: Text | string }>();
  for (const { node, settings } of nodes) {
    const version = formatVersion(settings.version);
    const kind = `kube-proxy ${version} in ${settings.modes.join(" or ")} mode`;
    const [one = "", other] = settings.modes;
    const mode = other === undefined ? one : text("assume.or", { one, other });
    const known = alike.get(kind);
    if (known === undefined) alike.set(kind, { names: [node.name], version, mode });
    else known.names.push(node.name);
  }
  for (const [kind, { names, version, mode }] of alike) {
    ledger.assume(
      `${names[0]}/kube-proxy/programme`,
      kind,
      text("assume.programmed", { nodes: shortList(names), version, mode }),
    );
  }
  const all = nodes.map((n) => n.node.name);
  ledger.assume(`${all[0]}/devices`, CARD, text("assume.programmed-devices", { nodes: shortList(all), device: CARD }));
}

const shortList = (names: readonly string[]): Text | readonly string[] =>
  names.length > 4 ? text("assume.and-more-nodes", { names: names.slice(0, 3), count: names.length - 3 }) : names;
