import type { QuestionFault } from "../../model/faults/question-fault.ts";
import type { Sees, Stack, Unknown, World } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import {
  type Address,
  contains,
  type Family,
  familyOf,
  formatAddress,
  ipv4Of,
  ipv6Of,
  isIcmp,
  isIpv4,
  isLoopback,
  isUnspecified,
  LOOPBACK4,
  LOOPBACK6,
  PROTO,
  parseAddress,
} from "../../net/index.ts";
import { ownerOf } from "../hosts/owners.ts";
import { placesOf, placeText } from "../hosts/places.ts";
import { placeOfPod, withDeviceCalled, withPodEnd } from "../hosts/pod-end.ts";
import { namedDevice, type Standing, standingOf, withStanding } from "../hosts/standing.ts";
import { extendWorld, type HostNeed, NeedsHost } from "../hosts/synthesise.ts";
import { isUnderlay } from "../hosts/topology.ts";
import { type Canonical, canonicalFrom, canonicalTo, noAsker } from "./canonical-names.ts";
import { addressesOfNode, addressOfFamily, hostOfPod, serviceAddress } from "./named-objects.ts";
import { onlyNode } from "./only-node.ts";
import type { Question } from "./question.ts";

/** A question as people ask it: the options of `trace` and `diagnose`. */
export interface QuestionSpec {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly proto?: string | undefined;
  readonly in?: string | undefined;
  readonly node?: string | undefined;
  readonly via?: string | undefined;
  readonly bind?: string | undefined;
  readonly sport?: number | undefined;
  readonly size?: number | undefined;
  /** Which address of a name is meant; without, its IPv4 one where it has one. */
  readonly family?: Family | undefined;
  /** The asker's word on what the client sees: evidence, and no part of the walk. */
  readonly sees?: Sees | undefined;
  /** `NODE:DEVICE` behind which the client stands, where several places are walked. */
  readonly home?: string | undefined;
}

/** Which part of a question something is wrong with. */
export type QuestionOption = "from" | "to" | "proto" | "family" | "in" | "node" | "bind";

export type Resolved =
  | { readonly ok: true; readonly world: World; readonly question: Question }
  /** The question itself is wrong or names what is not there. */
  | { readonly ok: false; readonly error: QuestionFault; readonly option?: QuestionOption | undefined }
  /** The question is fine, the answer is not known yet. */
  | { readonly ok: "unsupported"; readonly reason: Unknown };

const PROTOCOLS: Readonly<Record<string, number>> = lookup({
  tcp: PROTO.tcp,
  udp: PROTO.udp,
  sctp: PROTO.sctp,
  icmp: PROTO.icmp,
});
/** A small first data packet. */
const DEFAULT_SIZE = 100;
const LOOPBACK = { 4: LOOPBACK4, 6: LOOPBACK6 } as const;
/** What ping(8) sends unless told otherwise. */
const ECHO_SIZE = { 4: 84, 6: 104 } as const;

class BadQuestion extends Error {
  readonly fault: QuestionFault;
  option: QuestionOption | undefined;
  constructor(fault: QuestionFault) {
    super(fault.kind);
    this.fault = fault;
  }
}

/** Whatever is wrong in it is wrong with that part of the question. */
function about<T>(option: QuestionOption, resolving: () => T): T {
  try {
    return resolving();
  } catch (problem) {
    if (problem instanceof BadQuestion) problem.option ??= option;
    throw problem;
  }
}

class Unsupported extends Error {
  readonly reason: Unknown;
  constructor(reason: Unknown) {
    super(reason.kind);
    this.reason = reason;
  }
}

export function resolveQuestion(world: World, spec: QuestionSpec): Resolved {
  try {
    return resolve(world, spec);
  } catch (problem) {
    if (problem instanceof BadQuestion) return { ok: false, error: problem.fault, option: problem.option };
    if (problem instanceof Unsupported) return { ok: "unsupported", reason: problem.reason };
    throw problem;
  }
}

/** The name as it is looked up, or why not. */
function meant(name: Canonical): string {
  if ("error" in name) throw new BadQuestion(name.error);
  return name.ok;
}

function resolve(world: World, query: QuestionSpec): Resolved {
  if (!world.stacks.some((stack) => stack.assumed === undefined)) {
    throw new Unsupported({ kind: "unknown-nothing-read" });
  }
  const asker = about("from", () => {
    if (query.from === undefined) throw new BadQuestion(noAsker(world));
    return meant(canonicalFrom(world, query.from));
  });
  const asked = about("to", () => {
    if (query.to === undefined) throw new BadQuestion({ kind: "no-asked" });
    return meant(canonicalTo(world, query.to));
  });
  const spec = { ...query, from: asker, to: asked };
  const protocol = about("proto", () => {
    const known = PROTOCOLS[spec.proto ?? "tcp"];
    if (known === undefined) throw new BadQuestion({ kind: "protocol", given: spec.proto ?? "" });
    return known;
  });
  const to: Destination = about("to", () =>
    spec.to.startsWith("svc/") ? service(world, spec, protocol) : destination(world, spec.to, protocol, spec.family),
  );
  about("family", () => {
    if (spec.family !== undefined && familyOf(to.address) !== spec.family)
      throw new BadQuestion({
        kind: "other-family",
        given: spec.family,
        address: formatAddress(to.address),
        family: familyOf(to.address),
      });
  });
  const arrivalNode = spec.node ?? (spec.in === undefined ? undefined : onlyNode(world)?.name);
  const from = about("from", () =>
    client(withNamed(withObject(world, to.address), arrivalNode, spec.in), spec.from, spec, familyOf(to.address)),
  );
  about("node", () => {
    if (spec.node !== undefined) stackNamed(world, spec.node);
  });
  about("in", () => {
    if (spec.in === undefined || arrivalNode === undefined) return;
    const stack = stackNamed(from.world, arrivalNode);
    if (!hasDevice(stack, spec.in))
      throw new BadQuestion({ kind: "no-device", option: "in", device: spec.in, stack: stack.name });
  });
  const bind = about("bind", () => binding(from.world, from.client, spec.bind ?? to.zone));
  return {
    ok: true,
    world: from.world,
    question: {
      client: from.client,
      ...(from.address !== undefined && { bindAddress: from.address }),
      ...bind,
      ...(spec.sport !== undefined && { sport: spec.sport }),
      // ip_route_output_key_hash_rcu(): to nowhere is to oneself.
      to: isUnspecified(to.address)
        ? (bind.bindAddress ?? from.address ?? oneself(from.world, from.client, bind.bindDevice, familyOf(to.address)))
        : to.address,
      port: to.port,
      protocol: protocol === PROTO.icmp && !isIpv4(to.address) ? PROTO.icmp6 : protocol,
      size: spec.size ?? (protocol === PROTO.icmp ? ECHO_SIZE[familyOf(to.address)] : DEFAULT_SIZE),
      ...(arrivalNode !== undefined && {
        arrival: { stack: arrivalNode, ...(spec.in !== undefined && { device: spec.in }) },
      }),
    },
  };
}

/** Whom an object names is somebody, though no dump shows him. */
function withObject(world: World, address: Address): World {
  const { pods, nodes } = world.kubernetes;
  const named = [...pods.filter((p) => !p.hostNetwork), ...nodes].some((o) => o.addresses.some((a) => a === address));
  if (!named || ownerOf(world, address) !== undefined) return world;
  return extendWorld(world, new NeedsHost({ kind: "far", address, as: "endpoint" }));
}

/** A device that something names is one by which a packet may come in, whether or not a list shows it. */
function withNamed(world: World, node: string | undefined, device: string | undefined): World {
  const stack = world.stacks.find((s) => s.name === node);
  if (stack === undefined || device === undefined || stack.fromObjects === true || hasDevice(stack, device))
    return world;
  const named = namedDevice(stack, device);
  if (named === undefined) return world;
  const grown = { ...stack, devices: { ...stack.devices, items: [...stack.devices.items, named] } };
  return { ...world, stacks: world.stacks.map((s) => (s === stack ? grown : s)) };
}

function binding(
  world: World,
  stackName: string,
  bind: string | undefined,
): Pick<Question, "bindAddress" | "bindDevice"> {
  if (bind === undefined) return {};
  const address = parseAddress(bind);
  if (address !== undefined) return { bindAddress: address };
  const stack = stackNamed(world, stackName);
  if (!hasDevice(stack, bind))
    throw new BadQuestion({ kind: "no-device", option: "bind", device: bind, stack: stack.name });
  return { bindDevice: bind };
}

/** inet_select_addr(): where a device is given, its first address stands for oneself. */
function oneself(world: World, stackName: string, device: string | undefined, family: Family): Address {
  const bound = stackNamed(world, stackName).devices.items.find((d) => d.name === device);
  const own = bound?.addresses.find((a) => familyOf(a.prefix.address) === family);
  return own?.prefix.address ?? LOOPBACK[family];
}

const hasDevice = (stack: Stack, name: string): boolean => stack.devices.items.some((d) => d.name === name);

function stackNamed(world: World, name: string): Stack {
  const exact = world.stacks.find((s) => s.name === name);
  if (exact !== undefined) return exact;
  throw new BadQuestion({ kind: "no-stack", name, names: world.stacks.map((s) => s.name) });
}

function named(world: World, text: string): Stack | undefined {
  const slash = text.indexOf("/");
  const kind = slash < 0 ? "" : text.slice(0, slash);
  const name = text.slice(slash + 1);
  switch (kind) {
    case "node":
      if (!world.stacks.some((s) => s.name === name) && addressesOfNode(world, name).length > 0) return undefined;
      return stackNamed(world, name);
    case "stack":
      return stackNamed(world, name);
    case "pod": {
      const pod = world.stacks.find((s) => s.kind === "pod" && (s.name === name || s.name.endsWith(`/${name}`)));
      if (pod !== undefined) return pod;
      const host = hostOfPod(world, name);
      if (host !== undefined) return host;
      const object = world.kubernetes.pods.find((p) => `${p.namespace}/${p.name}` === name);
      if (object === undefined) throw new BadQuestion({ kind: "no-pod", name });
      return undefined;
    }
    case "svc":
      throw new BadQuestion({ kind: "service-asks", name: text });
    default:
      return undefined;
  }
}

/** The address by which objects know a pod or a node; undefined: the text names neither. */
function objectAddress(world: World, text: string, family: Family | undefined): Address | undefined {
  const isNode = text.startsWith("node/");
  if (!isNode && !text.startsWith("pod/")) return undefined;
  const name = text.slice(isNode ? 5 : 4);
  const addresses = isNode
    ? addressesOfNode(world, name)
    : (world.kubernetes.pods.find((p) => `${p.namespace}/${p.name}` === name)?.addresses ?? []);
  const found = addressOfFamily(addresses, family);
  if (found === undefined && addresses.length > 0)
    throw new BadQuestion({ kind: "no-family-address", name: text, family });
  return found;
}

interface Client {
  readonly world: World;
  readonly client: string;
  /** Bound, as by bind(2). */
  readonly address?: Address;
}

function client(world: World, text: string, spec: QuestionSpec, family: Family): Client {
  if (text === "external") return outside(world, freeAddress(world, family));
  const stack = named(world, text);
  if (stack !== undefined) return { world, client: stack.name };
  const address = objectAddress(world, text, family) ?? parseAddress(text);
  if (address === undefined) throw new BadQuestion({ kind: "nobody-so-written", side: "from", given: text });
  if (isLoopback(address)) {
    const node = spec.node === undefined ? onlyNode(world) : stackNamed(world, spec.node);
    if (node === undefined) throw new BadQuestion({ kind: "several-nodes" });
    return { world, client: node.name, address };
  }
  const self = ownAddress(world, address, spec);
  if (self !== undefined) return { world, client: self.name, address };
  // A VIP on a dummy device is nobody's client address: whoever carries it as a source is outside (a load balancer's probe).
  const owner = ownerOf(world, address);
  if (owner?.kind === "device") return { world, client: owner.stack.name, address };
  const places = spec.in === undefined ? placesOf(world, address) : [];
  const home = places.find((p) => (spec.home === undefined ? isAt(p, spec.node) : placeText(p) === spec.home));
  // Seen at one node, it is not at the first that has such a network.
  const elsewhere = owner !== undefined && home !== undefined && owner.stack !== home.stack;
  if (home !== undefined && (places.length > 1 || elsewhere)) return behind(world, home, address);
  const at =
    spec.node !== undefined ? stackNamed(world, spec.node) : spec.in === undefined ? undefined : onlyNode(world);
  // Objects place it on another node, and the question says where its packet comes in.
  if (owner?.stack.fromObjects === true && at !== undefined && at !== owner.stack) return outside(world, address);
  const place = owner === undefined ? placeOfPod(world, address, at, spec.in) : undefined;
  if (place !== undefined) {
    const need: HostNeed = { kind: "behind", address, stack: place.node.name, device: place.device };
    return added(withPodEnd(world, place, address), need, address);
  }
  const { in: device } = spec;
  if (owner?.kind === "behind" && at?.fromObjects === true && device !== undefined && !hasDevice(at, device)) {
    const need: HostNeed = { kind: "behind", address, stack: at.name, device };
    return added(withDeviceCalled(world, at, owner.device.name, device), need, address);
  }
  const need: HostNeed | undefined =
    owner?.kind === "behind"
      ? { kind: "behind", address, stack: owner.stack.name, device: owner.device.name }
      : owner?.kind === "bridged"
        ? { kind: "bridged", address, stack: owner.stack.name, bridge: owner.bridge.name }
        : undefined;
  if (need !== undefined) return added(world, need, address);
  const standing = spec.in === undefined ? standingOf(world, address, at) : undefined;
  return standing === undefined ? outside(world, address) : behind(world, standing, address);
}

/** Without a node that the question names, the first of several places is as good as any. */
const isAt = ({ stack }: Standing, node: string | undefined): boolean => node === undefined || stack.name === node;

function behind(world: World, standing: Standing, address: Address): Client {
  const { stack, device } = standing;
  const there: HostNeed =
    device.kind === "bridge"
      ? { kind: "bridged", address, stack: stack.name, bridge: device.name }
      : { kind: "behind", address, stack: stack.name, device: device.name };
  return added(withStanding(world, standing, address), there, address);
}

/**
 * A node's process that calls an address of the node itself has that very address as its source, a VIP on a dummy device too:
 * so the kernel chooses. Nobody else calls an address from itself.
 */
function ownAddress(world: World, address: Address, spec: QuestionSpec): Stack | undefined {
  const to = spec.to ?? "";
  const requested = parseAddress(/^\[([^\]%]+)/.exec(to)?.[1] ?? to.split(":")[0]!);
  if (requested === undefined || requested !== address || spec.in !== undefined) return undefined;
  const node = spec.node === undefined ? onlyNode(world) : stackNamed(world, spec.node);
  const has = node?.devices.items.some((d) => d.addresses.some((a) => a.prefix.address === address));
  return has ? node : undefined;
}

function added(world: World, need: HostNeed, address: Address): Client {
  const extended = extendWorld(world, new NeedsHost(need));
  return { world: extended, client: extended.stacks[extended.stacks.length - 1]!.name, address };
}

const outside = (world: World, address: Address): Client =>
  added(world, { kind: "far", address, as: "outside" }, address);

/** Whom somebody outside is taken for: addresses of documentation ranges. */
export const OUTSIDERS: readonly Address[] = [
  ...[0xcb00714d, 0xc633644d, 0xc000024d].map(ipv4Of),
  ...[0xffff, 0xfffe].map((group) => ipv6Of([0x2001, 0xdb8, group, 0, 0, 0, 0, 0x4d])),
];

/** Somebody outside: an address that nothing in the World covers. */
function freeAddress(world: World, family: Family): Address {
  const covered = (a: Address) =>
    world.stacks.some((s) => s.devices.items.some((d) => d.addresses.some((x) => contains(x.prefix, a))));
  const candidates = OUTSIDERS.filter((a) => familyOf(a) === family);
  return candidates.find((a) => !covered(a)) ?? candidates[0]!;
}

/** `svc/NS/NAME[:PORT]`, the port by number or name. */
function service(
  world: World,
  spec: QuestionSpec,
  protocol: number,
): { readonly address: Address; readonly port: number } {
  const [name = "", port] = spec.to!.slice(4).split(":");
  const node = () => {
    const stack = spec.node === undefined ? onlyNode(world) : stackNamed(world, spec.node);
    return stack === undefined ? undefined : primaryAddress(stack, spec.family);
  };
  const found = serviceAddress(world, name, port, { protocol, via: spec.via, family: spec.family }, node);
  if ("kind" in found) throw new BadQuestion(found);
  return found;
}

interface Destination {
  readonly address: Address;
  readonly port: number;
  /** The device of a link-local address, as its asker calls it: `fe80::1%eth0`. */
  readonly zone?: string;
}

function destination(world: World, text: string, protocol: number, family: Family | undefined): Destination {
  const bare = parseAddress(text.split("%")[0]!) === undefined ? text : `[${text}]`;
  const match = /^(?:\[([^\]]+)\]|([^[\]]*?))(?::(\d{1,5}))?$/.exec(bare);
  const [host, zone] = (match?.[1] ?? match?.[2] ?? "").split("%");
  if (match === null || host === undefined || host === "") throw new BadQuestion({ kind: "no-target", given: text });
  const port = match[3] === undefined ? 0 : Number(match[3]);
  if (match[3] === undefined && !isIcmp(protocol)) throw new BadQuestion({ kind: "port-needed", given: text });
  if (port > 65535) throw new BadQuestion({ kind: "no-such-port", given: text });
  const stack = named(world, host);
  const address =
    stack === undefined ? (objectAddress(world, host, family) ?? parseAddress(host)) : primaryAddress(stack, family);
  if (address === undefined) {
    throw new BadQuestion(
      stack === undefined
        ? { kind: "nobody-so-written", side: "to", given: text }
        : { kind: "no-address", stack: stack.name, family },
    );
  }
  return { address, port, ...(zone !== undefined && zone !== "" && { zone }) };
}

/** The address a node is known by: the first global one on a card. */
function primaryAddress(stack: Stack, family: Family | undefined): Address | undefined {
  const devices = [...stack.devices.items].sort((a, b) => Number(isUnderlay(b)) - Number(isUnderlay(a)));
  const global = devices.flatMap((d) => d.addresses.filter((a) => a.scope === "global").map((a) => a.prefix.address));
  return addressOfFamily(global, family);
}
