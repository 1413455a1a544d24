import type { EvidenceOfCase } from "../../diagnose/index.ts";
import { tellsOfLoss } from "../../evidence/index.ts";
import type { ConntrackEntry, World } from "../../model/index.ts";
import { type Address, contains, formatAddress, PROTO } from "../../net/index.ts";
import { ownerOf } from "../../trace/index.ts";
import type { Actors } from "./actors.ts";
import { tokenOf } from "./actors.ts";

/** Entries to one address that somebody may be told by: by who sent, each said once. */
interface Sent {
  readonly bySource: Map<Address, Map<string, Entry>>;
  /** Senders whom a stack has on a device, by that stack; and those whom nobody has on one. */
  readonly byOwner: Map<string, Set<Address>>;
  readonly nobodys: Set<Address>;
}

interface Entry {
  readonly entry: ConntrackEntry;
  readonly stack: string;
}

/** A packet that a log says was refused. */
interface Refused {
  readonly src: Address;
  readonly dst: Address;
  readonly stack: string;
  readonly text: string;
}

/**
 * What was observed beside the World, as far as it may be about one flow and not about another: by the addresses that packets of a walk carry. What is
 * about a node and about no packet (counters, full tables, settings) is told of every flow alike and needs no key.
 */
export class Seen {
  readonly #world: World;
  readonly #disagreeing: ReadonlySet<string>;
  readonly #complaints: readonly string[];
  readonly #complained = new Map<Address, boolean>();
  readonly #sent = new Map<Address, Sent>();
  readonly #refused = new Map<Address, Refused[]>();

  constructor(world: World, evidence: EvidenceOfCase) {
    this.#world = world;
    this.#disagreeing = evidence.disagreeing;
    const { serviceLines, martians } = evidence.observed().observations;
    const errors = serviceLines.filter((l) => l.event === undefined && /^(?:error|fatal)$/.test(l.severity ?? ""));
    this.#complaints = [...new Set(errors.map((l) => l.text))];
    for (const { kind, src, dst, place, device } of martians)
      this.#note({ src, dst, stack: place.stack ?? place.node, text: `${kind} ${device}` });
    for (const { event, place } of serviceLines)
      if (event?.what === "policy-denied") {
        const { src, dst, sport, dport, protocol } = event;
        this.#note({ src, dst, stack: place.node, text: `policy ${protocol} ${sport} ${dport}` });
      }
    for (const { name, conntrack } of world.stacks)
      for (const entry of conntrack.items) if (isTelling(entry)) this.#add({ entry, stack: name });
  }

  #note(refused: Refused): void {
    for (const address of new Set([refused.src, refused.dst])) {
      const known = this.#refused.get(address);
      if (known === undefined) this.#refused.set(address, [refused]);
      else known.push(refused);
    }
  }

  #add(found: Entry): void {
    const { src, dst } = found.entry.original;
    let sent = this.#sent.get(dst);
    if (sent === undefined) {
      sent = { bySource: new Map(), byOwner: new Map(), nobodys: new Set() };
      this.#sent.set(dst, sent);
    }
    let own = sent.bySource.get(src);
    if (own === undefined) {
      own = new Map();
      sent.bySource.set(src, own);
      const owner = ownerOf(this.#world, src);
      if (owner === undefined) sent.nobodys.add(src);
      else if (owner.kind === "device")
        sent.byOwner.set(owner.stack.name, (sent.byOwner.get(owner.stack.name) ?? new Set()).add(src));
    }
    const text = textOf(found, formatAddress);
    if (!own.has(text)) own.set(text, found);
  }

  /** Whether two dumps of a stack cannot both be true. */
  disagreesOn(stack: string): boolean {
    return this.#disagreeing.has(stack);
  }

  /** Whether something is said of this very address, whoever sends there: nobody else is like it. */
  isAbout(address: Address): boolean {
    return this.#sent.has(address) || this.#refused.has(address) || this.#isComplainedOf(address);
  }

  /** Who is seen to have sent to one of these: of them something is said that is not said of others who ask the same. */
  sendersTo(addresses: Iterable<Address>): ReadonlySet<Address> {
    const found = new Set<Address>();
    for (const address of addresses) for (const src of this.#sent.get(address)?.bySource.keys() ?? []) found.add(src);
    return found;
  }

  /** In which of the plugin's pools it is. */
  poolOf(address: Address): number {
    return this.#world.kubernetes.ipPools.findIndex((p) => contains(p.cidr, address));
  }

  /** What may be about a flow whose packets carry these addresses and ports, by these stacks. */
  of(addresses: readonly Address[], ports: ReadonlySet<number>, stacks: readonly string[], actors: Actors): string {
    const told = new Set<string>();
    const token = (a: Address): string => tokenOf(a, actors);
    const senders = new Set([...addresses, ...actors.list.flatMap((a) => a.addresses)]);
    for (const address of addresses) {
      if (this.#isComplainedOf(address)) told.add(`! ${token(address)}`);
      for (const { src, dst, stack, text } of this.#refused.get(address) ?? [])
        told.add(`x ${actors.roleOfStack(stack)} ${token(src)} ${token(dst)} ${text}`);
      for (const found of this.#sentTo(address, senders, stacks))
        if (ports.has(found.entry.original.dport)) told.add(textOf(found, token, actors));
    }
    const pools = this.#world.kubernetes.ipPools;
    const inPools = pools.length === 0 ? [] : addresses.map((a) => this.poolOf(a));
    return `${[...told].sort().join(";")}${inPools.join()}`;
  }

  /** Of what was sent to an address: what these may have sent, and what is nobody else's for sure. */
  *#sentTo(address: Address, senders: Iterable<Address>, stacks: readonly string[]): Generator<Entry> {
    const sent = this.#sent.get(address);
    if (sent === undefined) return;
    const all = new Set([...senders, ...sent.nobodys]);
    for (const stack of stacks) for (const a of sent.byOwner.get(stack) ?? []) all.add(a);
    for (const src of all) yield* sent.bySource.get(src)?.values() ?? [];
  }

  /** A service's log names it in an error. */
  #isComplainedOf(address: Address): boolean {
    if (this.#complaints.length === 0) return false;
    let known = this.#complained.get(address);
    if (known === undefined) {
      const text = formatAddress(address);
      known = this.#complaints.some((line) => line.includes(text));
      this.#complained.set(address, known);
    }
    return known;
  }
}

/** It may tell of a loss, or be what an old translation of datagrams has left. */
const isTelling = (entry: ConntrackEntry): boolean => tellsOfLoss(entry) || isTranslated(entry);

const isTranslated = ({ original, reply }: ConntrackEntry): boolean =>
  original.protocol === PROTO.udp && reply.src !== original.dst;

/** All of it but the port of who sent, which nobody asks for. */
function textOf({ entry, stack }: Entry, token: (a: Address) => string, actors?: Actors): string {
  const { original, reply, unreplied, tcpState } = entry;
  const state = `${unreplied ? "unreplied" : ""} ${tcpState === "SYN_RECV" ? tcpState : ""}`;
  const became = isTranslated(entry) ? ` > ${token(reply.src)} ${actors?.roleOfStack(stack) ?? stack}` : "";
  return `${original.protocol} ${token(original.src)} ${token(original.dst)} ${original.dport} ${state}${became}`;
}
