import type { Chain, Packet, Rule } from "../../model/index.ts";
import { type Address, isHostMask } from "../../net/index.ts";
import { memo } from "../kernel/memo.ts";

/** Chains shorter than this are walked rule by rule. */
const WORTH_IT = 16;

/** What of a packet rules are looked up by. */
export type Looked = Pick<Packet, "src" | "dst" | "dport">;

/** Positions of rules, ascending, by the one value of a criterion that lets them match. */
class Positions<Key> {
  readonly #by = new Map<Key, number[]>();

  add(key: Key, at: number): void {
    const same = this.#by.get(key);
    if (same === undefined) this.#by.set(key, [at]);
    else same.push(at);
  }

  /** The first under this key that is not before `from`. */
  next(key: Key, from: number, none: number): number {
    const same = this.#by.size === 0 ? undefined : this.#by.get(key);
    return same === undefined ? none : firstFrom(same, from, none);
  }
}

/**
 * The rules of a long chain, each by one criterion that a packet has to meet: the destination of KUBE-SERVICES, the port of
 * KUBE-NODEPORTS, the source of a list of banned addresses, the device of a dispatch chain. A packet meets those that stand under its own
 * values, and those that have no such criterion, in the order of the chain.
 *
 * What it passes over are rules that say no before they ask anything: their header does (ip_packet_match()), or the port that their first
 * extension wants. A rule that asks something first, a set or a limit, is not passed over: what it asks is told.
 */
class ChainIndex {
  readonly #destinations = new Positions<Address>();
  readonly #ports = new Positions<number>();
  readonly #sources = new Positions<Address>();
  readonly #in = new Positions<string>();
  readonly #out = new Positions<string>();
  /** With none of these criteria. */
  readonly #rest: number[] = [];
  /** By a port, whichever: where the packet's own is not one number, all of them are asked. */
  readonly #byPort: number[] = [];
  readonly #length: number;

  constructor(rules: readonly Rule[]) {
    this.#length = rules.length;
    for (const [at, rule] of rules.entries()) this.#place(rule, at);
  }

  #place(rule: Rule, at: number): void {
    const destination = onlyAddress(rule.destination);
    const port = onlyPort(rule);
    const source = onlyAddress(rule.source);
    const into = onlyDevice(rule.inInterface);
    const out = onlyDevice(rule.outInterface);
    if (destination !== undefined) this.#destinations.add(destination, at);
    else if (port !== undefined) {
      this.#byPort.push(at);
      this.#ports.add(port, at);
    } else if (source !== undefined) this.#sources.add(source, at);
    else if (into !== undefined) this.#in.add(into, at);
    else if (out !== undefined) this.#out.add(out, at);
    else this.#rest.push(at);
  }

  next(packet: Looked, inDevice: string, outDevice: string, from: number): number {
    const none = this.#length;
    const { dport } = packet;
    return Math.min(
      this.#destinations.next(packet.dst, from, none),
      typeof dport === "number" ? this.#ports.next(dport, from, none) : firstFrom(this.#byPort, from, none),
      this.#sources.next(packet.src, from, none),
      this.#in.next(inDevice, from, none),
      this.#out.next(outDevice, from, none),
      firstFrom(this.#rest, from, none),
    );
  }
}

const onlyAddress = (wanted: Rule["destination"]): Address | undefined =>
  wanted !== undefined && !wanted.negated && isHostMask(wanted.value.mask) ? wanted.value.address : undefined;

const onlyDevice = (wanted: Rule["inInterface"]): string | undefined =>
  wanted !== undefined && !wanted.negated && !wanted.value.endsWith("+") ? wanted.value : undefined;

/** The port that the first extension wants; tcp_mt() and udp_mt() look at it before the source port. */
function onlyPort({ matches }: Rule): number | undefined {
  const first = matches.find((m) => m.kind !== "comment");
  if (first?.kind !== "tcp" && first?.kind !== "udp") return undefined;
  const { dport } = first;
  return dport !== undefined && !dport.negated && dport.value.from === dport.value.to ? dport.value.from : undefined;
}

/** The first of ascending positions that is not before `from`. */
function firstFrom(positions: readonly number[], from: number, none: number): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positions[middle]! < from) low = middle + 1;
    else high = middle;
  }
  return positions[low] ?? none;
}

const indexes = new WeakMap<Chain, ChainIndex>();

/** Where in a chain the next rule stands that a packet can match; the chain's length: there is none. */
export function nextRule(chain: Chain, from: number, packet: Looked, inDevice: string, outDevice: string): number {
  const { unread } = chain;
  if (unread !== undefined) {
    if (unread.lines < WORTH_IT) return from;
    const places = unread.placesFor(packet.dst);
    // Where most rules are for any destination, they are read once and looked up by what else they want.
    if (places !== undefined && places.length < WORTH_IT) return firstFrom(places, from, unread.lines);
  }
  if (chain.rules.length < WORTH_IT) return from;
  return memo(indexes, chain, () => new ChainIndex(chain.rules)).next(packet, inDevice, outDevice, from);
}
