import type { Fact, IpSet, Packet, Port, SetEntry, SetPart } from "../../model/index.ts";
import { isLaterFragment, maskOfSet, portKey } from "../../model/index.ts";
import { append } from "../../net/append.ts";
import {
  type Address,
  applyMask,
  compareAddress,
  contains,
  type Family,
  familyOf,
  formatAddress,
  hasPorts,
  maskFor,
  maxLength,
  PROTO,
  protocolName,
} from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { memo } from "../kernel/memo.ts";
import { portInRange } from "../kernel/ports.ts";
import type { Skb } from "../kernel/skb.ts";
import type { HookState } from "../netfilter/nf-hooks.ts";
import { changedElement, isOfFamily, markMask } from "./ip-set-change.ts";
import type { Element } from "./ip-set-counter.ts";

/** An entry and its place in the dump. */
interface Placed {
  readonly entry: SetEntry;
  readonly place: number;
}

/** The networks of one length, by their first address. */
interface Networks {
  readonly family: Family;
  readonly length: number;
  readonly entries: Map<Address, Placed[]>;
}

const networkOf = (address: Address, length: number): Address => applyMask(address, maskFor(address, length));

/** A set indexed by the address or network of its first dimension, length by length; entries without one are kept in a list. */
export class CompiledSet {
  readonly set: IpSet;
  readonly member: (name: string) => CompiledSet | undefined;
  readonly #byAddress = new Map<Address, SetEntry[]>();
  readonly #networks: Networks[] = [];
  readonly #rest: Placed[] = [];
  readonly hasUnknown: boolean;
  /** netmask or bitmask: what the packet's address is cut to before it is looked up. */
  readonly #mask: Address | undefined;

  constructor(set: IpSet, member: (name: string) => CompiledSet | undefined) {
    this.set = set;
    this.member = member;
    this.#mask = maskOfSet(set);
    let unknown = false;
    for (const [place, entry] of set.entries.entries()) {
      const first = entry.parts[0];
      if (entry.parts.some((p) => p.kind === "unknown")) unknown = true;
      if (first?.kind === "address" && first.length === maxLength(first.from)) {
        const same = this.#byAddress.get(first.from);
        if (same === undefined) this.#byAddress.set(first.from, [entry]);
        else same.push(entry);
      } else if (first?.kind === "address" && first.length >= 0 && first.length < maxLength(first.from))
        memo(this.#ofLength(first.from, first.length), networkOf(first.from, first.length), () => []).push({
          entry,
          place,
        });
      else this.#rest.push({ entry, place });
    }
    this.hasUnknown = unknown;
  }

  masked(address: Address): Address {
    return this.#mask === undefined ? address : applyMask(address, this.#mask);
  }

  #ofLength(address: Address, length: number): Map<Address, Placed[]> {
    const family = familyOf(address);
    const known = this.#networks.find((n) => n.length === length && n.family === family);
    if (known !== undefined) return known.entries;
    const entries = new Map<Address, Placed[]>();
    this.#networks.push({ family, length, entries });
    return entries;
  }

  /** The entries whose first part holds the address, or is none: those of the address itself first, then in the order of the dump. */
  candidates(address: Address | undefined): readonly SetEntry[] {
    const found: Placed[] = [];
    if (address !== undefined)
      for (const { family, length, entries } of this.#networks)
        if (family === familyOf(address)) append(found, entries.get(networkOf(address, length)) ?? []);
    append(found, this.#rest);
    found.sort((a, b) => a.place - b.place);
    const exact = address === undefined ? undefined : this.#byAddress.get(address);
    const others = found.map(({ entry }) => entry);
    return exact === undefined ? others : exact.concat(others);
  }
}

type Direction = "src" | "dst";
export type SetAnswer = boolean | { readonly ask: () => boolean };

/**
 * Follows ip_set_test() (ip_set_core.c): a set needs as many directions as it has dimensions, more are ignored, fewer
 * never match. Of several networks that fit, the most specific decides, and `nomatch` turns it into a miss.
 */
export function ipSetTest(
  kernel: Kernel,
  name: string,
  set: CompiledSet | undefined,
  skb: Skb,
  state: HookState,
  directions: readonly Direction[],
  returnNomatch = false,
): SetAnswer {
  if (set === undefined) return notShown(kernel, name, skb, directions);
  const { dimensions, method, extent } = set.set;
  if (method === "list") return listTest(kernel, set, skb, state, directions, returnNomatch);
  if (directions.length < dimensions.length) return false;
  if (!isOfFamily(set.set, skb)) return false;
  const changed = changedElement(kernel, set, skb, state, directions);
  if (changed !== undefined) return changed.added;
  const best = bestEntry(kernel, set, skb, state, directions);
  if (best !== undefined) return !best.nomatch || returnNomatch;
  return extent === "whole" && !set.hasUnknown ? false : notShown(kernel, name, skb, directions);
}

/** The entry that decides about a packet. */
function bestEntry(
  kernel: Kernel,
  set: CompiledSet,
  skb: Skb,
  state: HookState,
  directions: readonly Direction[],
): SetEntry | undefined {
  const { dimensions } = set.set;
  const packet = skb.packet;
  const address = set.masked(addressOf(packet, directions[0]!));
  let best: SetEntry | undefined;
  let bestLength = -1;
  for (const entry of set.candidates(dimensions[0] === "ip" || dimensions[0] === "net" ? address : undefined)) {
    kernel.network.work.look(1);
    if (!entryMatches(kernel, set, entry, skb, state, directions)) continue;
    const length = specificity(entry);
    if (length > bestLength) {
      best = entry;
      bestLength = length;
    }
  }
  return best;
}

/** What counts a packet in a set that is no list: an element that this walk put down, or an entry of the dump. */
export function ipSetElement(
  kernel: Kernel,
  set: CompiledSet,
  skb: Skb,
  state: HookState,
  directions: readonly Direction[],
): Element | undefined {
  const changed = changedElement(kernel, set, skb, state, directions);
  if (changed !== undefined) return changed.element;
  return bestEntry(kernel, set, skb, state, directions);
}

/** The entry of a set, or of a member of a list, that a packet is met by. */
export function ipSetEntry(
  kernel: Kernel,
  set: CompiledSet | undefined,
  skb: Skb,
  state: HookState,
  directions: readonly Direction[],
): SetEntry | undefined {
  if (set === undefined) return undefined;
  if (set.set.method !== "list")
    return directions.length < set.set.dimensions.length || !isOfFamily(set.set, skb)
      ? undefined
      : bestEntry(kernel, set, skb, state, directions);
  for (const { parts } of set.set.entries) {
    const member = parts[0]?.kind === "set" ? set.member(parts[0].name) : undefined;
    const found = member?.set.method === "list" ? undefined : ipSetEntry(kernel, member, skb, state, directions);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** list_set_ktest(): members in order; the first that matches decides. */
function listTest(
  kernel: Kernel,
  list: CompiledSet,
  skb: Skb,
  state: HookState,
  directions: readonly Direction[],
  returnNomatch: boolean,
): SetAnswer {
  const questions: { ask: () => boolean }[] = [];
  for (const entry of list.set.entries) {
    const part = entry.parts[0];
    if (part?.kind !== "set") continue;
    kernel.network.work.look(1);
    const member = list.member(part.name);
    // list_set_uadt(): no list is taken into a list (IPSET_ERR_LOOP), whatever a dump says.
    if (member?.set.method === "list") continue;
    const answer = ipSetTest(kernel, part.name, member, skb, state, directions, returnNomatch);
    if (answer === true) return true;
    if (answer !== false) questions.push(answer);
  }
  if (list.set.extent !== "whole") questions.push(notShown(kernel, list.set.name, skb, directions));
  return questions.length === 0 ? false : { ask: () => questions.some((q) => q.ask()) };
}

/** Nobody showed this set, or only part of it: whether it holds the packet's values is an open fact of its own. */
function notShown(
  kernel: Kernel,
  name: string,
  skb: Skb,
  directions: readonly Direction[],
): { readonly ask: () => boolean } {
  const { packet } = skb;
  const shown = directions
    .map((d) => {
      const port = d === "src" ? packet.sport : packet.dport;
      return hasPorts(packet.protocol)
        ? `${formatAddress(addressOf(packet, d))}:${portKey(port)}`
        : formatAddress(addressOf(packet, d));
    })
    .join(",");
  const entry = `${protocolName(packet.protocol)} ${shown} ${directions.join(",")}`;
  const fact: Fact = { kind: "ipset", stack: kernel.name, set: name, entry };
  return { ask: () => kernel.oracle.fact(fact, ["in the set", "not in the set"]) === "in the set" };
}

const addressOf = (p: Packet, d: Direction): Address => (d === "src" ? p.src : p.dst);

/** Prefix lengths of the entry's networks, the first one weighing most. */
function specificity(entry: SetEntry): number {
  let n = 0;
  for (const part of entry.parts) if (part.kind === "address") n = n * 256 + part.length;
  return n;
}

function entryMatches(
  kernel: Kernel,
  set: CompiledSet,
  entry: SetEntry,
  skb: Skb,
  state: HookState,
  directions: readonly Direction[],
): boolean {
  for (const [i, part] of entry.parts.entries()) {
    if (!partMatches(kernel, set, part, skb, state, directions[i] ?? "src")) return false;
  }
  return true;
}

function partMatches(
  kernel: Kernel,
  set: CompiledSet,
  part: SetPart,
  skb: Skb,
  state: HookState,
  d: Direction,
): boolean {
  const { packet } = skb;
  switch (part.kind) {
    case "address":
      return contains({ address: part.from, length: part.length }, set.masked(addressOf(packet, d)));
    case "range": {
      const a = addressOf(packet, d);
      return compareAddress(a, part.from) >= 0 && compareAddress(a, part.to) <= 0;
    }
    case "port": {
      if (isLaterFragment(packet)) return false;
      // ip_set_get_ip_port(): bitmap:port takes tcp and udp alike and stores no protocol.
      if (part.protocol !== undefined ? part.protocol !== packet.protocol : !tcpOrUdp(packet.protocol)) return false;
      const port: Port = hasPorts(packet.protocol) ? (d === "src" ? packet.sport : packet.dport) : 0;
      return portInRange(kernel, port, part);
    }
    case "icmp":
      return (
        packet.protocol === part.protocol &&
        packet.icmp !== undefined &&
        !isLaterFragment(packet) &&
        packet.icmp.type === part.type &&
        packet.icmp.code === part.code
      );
    case "mac":
      return (d === "src" ? skb.sourceMac : skb.destinationMac) === part.mac;
    case "iface": {
      // hash_netiface4_kadt(): a bridge port is looked up with IPSET_FLAG_PHYSDEV alone, which neither xt_set nor em_ipset sets.
      const name = part.physdev ? undefined : (d === "src" ? state.in : state.out)?.name;
      if (name === undefined) return false;
      return part.wildcard ? name.startsWith(part.name) : name === part.name;
    }
    case "mark":
      return (skb.mark & markMask(set)) >>> 0 === part.value;
    case "set":
    case "unknown":
      return false;
  }
}

const tcpOrUdp = (protocol: number): boolean => protocol === PROTO.tcp || protocol === PROTO.udp;
