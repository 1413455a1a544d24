import {
  type Chain,
  type IpSet,
  type IptablesTable,
  type Rule,
  ruleCount,
  ruleInPlace,
  type Stack,
} from "../../model/index.ts";
import { type Address, ANY4, type Family, isHostMask, isIpv4 } from "../../net/index.ts";
import { printSave as printSets } from "../../parse/ipset/index.ts";
import { printRule } from "../../parse/iptables/index.ts";
import { printSave as printServers } from "../../parse/ipvs/index.ts";
import { printRuleset } from "../../parse/nft/index.ts";
import {
  asksForDevices,
  devicesTaken,
  type ForDevices,
  inOrderOfDevices,
  takenText,
  withoutDevices,
} from "./device-criteria.ts";
import { hostsOf } from "./host-entries.ts";
import { Interned } from "./interned.ts";
import type { UsedDevices } from "./pod-ports.ts";
import { addressesOf, slicedNft } from "./slice-nft.ts";

/** The one address a criterion asks for. */
export const onlyAddress = (criterion: Rule["source"]): Address | undefined =>
  criterion !== undefined && !criterion.negated && isHostMask(criterion.value.mask)
    ? criterion.value.address
    : undefined;

/** A rule for one address that none of these packets has never matches, and never leads anywhere. */
export function concerns({ source, destination }: Rule, addresses: ReadonlySet<Address>): boolean {
  const [from, to] = [onlyAddress(source), onlyAddress(destination)];
  return (from === undefined || addresses.has(from)) && (to === undefined || addresses.has(to));
}

/**
 * Rules of a chain that may concern packets with these addresses, and others that do not. Of a long chain that is known as text, those for one
 * destination that none of them has are not read.
 */
function* rulesFor(chain: Chain, addresses: ReadonlySet<Address>): Generator<Rule> {
  const { unread } = chain;
  const asked = [...addresses].filter(isIpv4);
  const lists =
    unread === undefined ? [undefined] : (asked.length === 0 ? [ANY4] : asked).map((a) => unread.placesFor(a));
  const known = lists.filter((l) => l !== undefined);
  if (known.length < lists.length) yield* chain.rules;
  else
    for (const place of [...new Set(known.flat())].sort((a, b) => a - b)) {
      const rule = ruleInPlace(chain, place);
      if (rule !== undefined) yield rule;
    }
}

/** Entries for addresses that no packet has are never found. */
function slicedSet(set: IpSet, addresses: ReadonlySet<Address>): IpSet {
  return { ...set, entries: set.entries.filter((e) => hostsOf(e).every((a) => addresses.has(a))) };
}

/** What packets can meet of a stack: equal keys, equal texts. */
export interface Slice {
  readonly key: string;
  /** The chains they can come by. */
  readonly chains: readonly string[];
  /** What each table of iptables came to, in their order. */
  readonly tables: readonly SlicedTable[];
  readonly text: () => string;
}

/** What of a chain concerns some packets, as text, by its number; and where it leads. */
interface Piece {
  readonly id: number;
  readonly jumps: readonly { readonly chain: string; readonly ofNew: boolean }[];
  /** Whom it concerns: no rule of the chain is for single addresses or ports, nor (`all`) for devices. */
  readonly for: "all" | "devices" | "some";
}

/** Under which a piece for everybody is known. */
const FOR_ALL = "";

/** What packets are by which rules take them. */
interface Packets {
  readonly addresses: ReadonlySet<Address>;
  /** Those that first packets of connections are for; undefined: any. */
  readonly ports: ReadonlySet<number> | undefined;
  /** By which they come and go; undefined: any. */
  readonly devices: UsedDevices | undefined;
  /** Equal: the same packets. */
  readonly key: string;
  readonly devicesKey: string;
}

/** Where packets begin: who lists all chains of a table to find these makes tens of thousands. */
const BUILT_IN = ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"] as const;

/** So many kinds of nodes are told apart by their chains. */
const MOST_KINDS = 8;
const MOST_SLICES = 500;

/** What a table came to, and by which of its chains. */
export interface SlicedTable {
  readonly ids: readonly number[];
  readonly names: readonly string[];
  /** Of these, those by which nothing but what begins a connection comes. */
  readonly ofNew: ReadonlySet<string>;
  readonly chains: readonly object[];
  /** Chains that are named and not there. */
  readonly missing: readonly string[];
}

/** Pieces of chains for all stacks of a World: chains with the same lines give the same. */
export class Pieces {
  #interned = new Interned();
  readonly #texts = new Map<number, string>();
  /** Numbers of texts of rules without their addresses. */
  shapes = new Interned();
  /** How often all was forgotten. */
  turn = 0;
  #known = new WeakMap<object, Map<string, Piece>>();

  /** The number of a text. */
  idOf(text: string): number {
    const id = this.#interned.of(text);
    this.#texts.set(id, text);
    return id;
  }

  text(id: number): string {
    return this.#texts.get(id)!;
  }

  #slices = new WeakMap<object, Map<string, SlicedTable[]>>();

  /** Of a table that shares its chains with others, what one of them came to, where all chains of that are here, too. */
  slicedAs({ unread }: IptablesTable, key: string): SlicedTable | undefined {
    if (unread === undefined) return undefined;
    const known = this.#slices.get(unread.home)?.get(key);
    return known?.find(
      ({ chains, missing }) =>
        chains.every((c) => unread.holds(c)) && missing.every((name) => unread.chainNamed(name) === undefined),
    );
  }

  noteSliced({ unread }: IptablesTable, key: string, made: SlicedTable): void {
    if (unread === undefined) return;
    let known = this.#slices.get(unread.home);
    if (known === undefined) {
      known = new Map();
      this.#slices.set(unread.home, known);
    }
    const list = known.get(key);
    if (list === undefined) known.set(key, [made]);
    else if (list.length < MOST_KINDS) list.push(made);
  }

  /** Nothing of what is known is asked for again: the next flows are to another Service. */
  forget(): void {
    this.#known = new WeakMap();
    this.#slices = new WeakMap();
    this.#texts.clear();
    this.shapes = new Interned(this.shapes.next);
    this.turn++;
    this.#interned = new Interned(this.#interned.next);
  }

  /** `devices`: the key of packets that go by these devices, whoever they are. */
  of(chain: Chain, key: string, devices: string, make: () => Piece): Piece {
    const lineage = chain.unread?.lineage ?? chain;
    let known = this.#known.get(lineage);
    if (known === undefined) {
      known = new Map();
      this.#known.set(lineage, known);
    }
    let piece = known.get(FOR_ALL) ?? known.get(devices) ?? known.get(key);
    if (piece === undefined) {
      piece = make();
      known.set(piece.for === "all" ? FOR_ALL : piece.for === "devices" ? devices : key, piece);
    }
    return piece;
  }
}

const ANY_DEVICE = {};
const NOTHING = { addresses: [], ports: undefined, devices: undefined };

/** The rules, sets and virtual servers of a stack that packets with given addresses can meet, as text. */
export class Slices {
  readonly #stack: Stack;
  readonly #pieces: Pieces;
  /** Addresses that single rules are for: which of them packets have decides what they can meet. */
  readonly #singled: Set<Address>;
  /** Tables that are known as text: whether they name an address is asked when it comes. */
  readonly #unread: readonly IptablesTable[];
  readonly #builtIn = new Map<IptablesTable, readonly Chain[]>();
  readonly #rest: string;
  readonly #known = new Map<string, Slice>();
  readonly #texts = new WeakMap<Rule, string>();
  #turn = 0;

  constructor(stack: Stack, pieces: Pieces) {
    this.#stack = stack;
    this.#pieces = pieces;
    const singled = new Set<Address>();
    this.#unread = stack.netfilter.tables.filter((t) => t.unread !== undefined);
    // Who asks a table that is known as text for its chains makes all of them.
    for (const table of stack.netfilter.tables)
      for (const { rules } of table.unread === undefined ? table.chains : [])
        for (const { source, destination } of rules)
          for (const address of [onlyAddress(source), onlyAddress(destination)])
            if (address !== undefined) singled.add(address);
    for (const { key } of stack.ipvs.services) if (key.kind === "address") singled.add(key.address);
    for (const set of stack.ipsets.items)
      for (const entry of set.entries) for (const a of hostsOf(entry)) singled.add(a);
    const { tables, nft = [], ...others } = stack.netfilter;
    for (const { sets } of nft)
      for (const { elements } of sets) for (const { key } of elements) for (const a of addressesOf(key)) singled.add(a);
    this.#singled = singled;
    this.#rest = [
      tables.map((t) => `${t.family}${t.name}${t.backend}${t.extent}`).join(" "),
      nft.map((t) => `${t.family}${t.name}${t.extent}`).join(" "),
      JSON.stringify(others, (key, value: unknown) => (/origins?$/i.test(key) ? undefined : value)),
      stack.ipsets.extent,
      stack.ipvs.extent,
    ].join("\n");
  }

  /** What was asked for last: of one flow a stack is looked at many times. */
  #last: Pick<Packets, "ports" | "devices"> & { readonly addresses: readonly Address[] } = NOTHING;
  #lastSlice: Slice | undefined;

  /** `ports`: those that first packets of connections are for; undefined: any. `devices`: by which they come and go; undefined: any. */
  of(addresses: readonly Address[], ports?: ReadonlySet<number>, devices?: UsedDevices): Slice {
    if (this.#turn !== this.#pieces.turn) {
      this.#known.clear();
      this.#last = NOTHING;
      this.#turn = this.#pieces.turn;
    }
    const last = this.#last;
    if (last.addresses === addresses && last.ports === ports && last.devices === devices) return this.#lastSlice!;
    const slice = this.#of(addresses, ports, devices);
    this.#last = { addresses, ports, devices };
    this.#lastSlice = slice;
    return slice;
  }

  #of(addresses: readonly Address[], ports: ReadonlySet<number> | undefined, devices: UsedDevices | undefined): Slice {
    const own = addresses.filter((a) => this.#isSingled(a));
    const devicesKey = devices?.key ?? "*";
    const key = `${own.map(String).sort().join(" ")};${ports === undefined ? "" : [...ports].join(" ")};${devicesKey}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const wanted = new Set(own);
    const packets = { addresses: wanted, ports, devices, key, devicesKey };
    const { netfilter, ipvs, ipsets } = this.#stack;
    const servers = ipvs.services.filter((s) => s.key.kind !== "address" || wanted.has(s.key.address));
    const others = [
      printRuleset((netfilter.nft ?? []).map((t) => slicedNft(t, wanted))),
      printSets(ipsets.items.map((s) => slicedSet(s, wanted))),
      printServers(servers),
    ].join("\n");
    const pieces = this.#pieces;
    const tables = netfilter.tables.map((t) => this.#sliced(t, packets));
    const ids = [...tables.flatMap((t) => t.ids), pieces.idOf(others), pieces.idOf(this.#rest)];
    const slice: Slice = {
      key: ids.join(),
      chains: tables.flatMap((t) => t.names),
      tables,
      text: () => ids.map((id) => pieces.text(id)).join("\n"),
    };
    if (this.#known.size > MOST_SLICES) this.#known.clear();
    this.#known.set(key, slice);
    return slice;
  }

  /** All of it but for the chains of tables that are known as text, with these sets in place of its own. */
  beyondChains(sets: readonly IpSet[]): string {
    const { netfilter, ipvs } = this.#stack;
    const read = netfilter.tables.filter((t) => t.unread === undefined);
    return [
      printRuleset(netfilter.nft ?? []),
      printSets(sets),
      printServers(ipvs.services),
      ...read.flatMap((t) =>
        t.chains.map((c) => [
          `*${t.name} ${t.family} :${c.name} ${c.policy ?? "-"} ${c.extent}`,
          ...c.rules.map((r) => this.#text(r, c.name, t.family)),
        ]),
      ),
      this.#rest,
    ]
      .flat()
      .join("\n");
  }

  #isSingled(address: Address): boolean {
    return this.#singled.has(address) || this.#unread.some((t) => t.unread!.mayName(address));
  }

  /** Chains that a rule which concerns them leads to, from the built-in ones on. */
  #sliced(table: IptablesTable, packets: Packets): SlicedTable {
    const { name, family, unread, extent } = table;
    const key = `${extent} ${packets.key}`;
    const before = this.#pieces.slicedAs(table, key);
    if (before !== undefined) return before;
    const all = unread === undefined ? new Map(table.chains.map((c) => [c.name, c])) : undefined;
    const named = (chain: string): Chain | undefined => all?.get(chain) ?? unread?.chainNamed(chain);
    let builtIn = this.#builtIn.get(table);
    if (builtIn === undefined) {
      builtIn = BUILT_IN.flatMap((own) => named(own) ?? []).filter((c) => c.policy !== undefined);
      this.#builtIn.set(table, builtIn);
    }
    // Only what begins a connection comes by the rules of nat.
    const isNat = name === "nat";
    const ofNew = new Map<Chain, boolean>(builtIn.map((c) => [c, isNat]));
    const pieceOf = (chain: Chain): Piece => {
      const ports = ofNew.get(chain) === true ? packets.ports : undefined;
      return this.#pieces.of(
        chain,
        `${family}${ports === undefined ? "" : "n"};${key}`,
        `${family};${extent} ${packets.devicesKey}`,
        () => this.#piece(chain, family, { ...packets, ports }),
      );
    };
    // Until nothing changes: a chain that somebody comes to by another way is met by more packets.
    for (const queue = [...builtIn]; queue.length > 0; ) {
      const chain = queue.pop()!;
      for (const jump of pieceOf(chain).jumps) {
        const next = named(jump.chain);
        if (next === undefined) continue;
        const isNew = jump.ofNew || ofNew.get(chain) === true;
        const before = ofNew.get(next);
        if (before === false || before === isNew) continue;
        ofNew.set(next, isNew);
        queue.push(next);
      }
    }
    const queue = [...builtIn];
    const seen = new Set(queue);
    const ids = [this.#pieces.idOf(`*${name} ${family}`)];
    const missing = new Set<string>(BUILT_IN.filter((own) => !builtIn.some((c) => c.name === own)));
    for (let chain = queue.shift(); chain !== undefined; chain = queue.shift()) {
      const { id, jumps } = pieceOf(chain);
      ids.push(id);
      for (const jump of jumps) {
        const next = named(jump.chain);
        if (next === undefined) missing.add(jump.chain);
        if (next === undefined || seen.has(next)) continue;
        seen.add(next);
        queue.push(next);
      }
    }
    const lineages = [...seen].map((c) => c.unread?.lineage ?? c);
    const made: SlicedTable = {
      ids,
      names: [...seen].map((c) => c.name),
      ofNew: new Set([...seen].filter((c) => ofNew.get(c) === true).map((c) => c.name)),
      chains: lineages,
      missing: [...missing],
    };
    this.#pieces.noteSliced(table, key, made);
    return made;
  }

  #piece(chain: Chain, family: Family, { addresses, ports, devices }: Packets): Piece {
    const met: (ForDevices & { readonly rule: Rule })[] = [];
    for (const rule of rulesFor(chain, addresses)) {
      if (!concerns(rule, addresses) || (ports !== undefined && asksForOtherPorts(rule, ports))) continue;
      const isOfSome = devices !== undefined && asksForDevices(rule);
      const taken = isOfSome ? devicesTaken(rule, devices.list) : ANY_DEVICE;
      if (taken === undefined) continue;
      const text = isOfSome
        ? textOfRule(withoutDevices(rule), chain.name, family)
        : this.#text(rule, chain.name, family);
      met.push({ line: `${text}${takenText(taken)}`, taken, rule });
    }
    const ordered = devices === undefined ? met : inOrderOfDevices(met);
    const lines = [`:${chain.name} ${chain.policy ?? "-"} ${chain.extent}`, ...ordered.map((m) => m.line)];
    const jumps = ordered.flatMap(({ rule }) =>
      rule.target.kind === "jump" ? [{ chain: rule.target.chain, ofNew: isOfNew(rule) }] : [],
    );
    return { id: this.#pieces.idOf(lines.join("\n")), jumps, for: this.#whom(chain) };
  }

  #whom(chain: Chain): Piece["for"] {
    if (ruleCount(chain) > SHORT || !chain.rules.every(isForAll)) return "some";
    return chain.rules.some(asksForDevices) ? "devices" : "all";
  }

  #text(rule: Rule, chain: string, family: Family): string {
    let text = this.#texts.get(rule);
    if (text === undefined) {
      text = textOfRule(rule, chain, family);
      this.#texts.set(rule, text);
    }
    return text;
  }
}

/** A rule as it is compared: how many packets came by does not count. */
export const textOfRule = (rule: Rule, chain: string, family: Family): string =>
  printRule(rule, chain, family).replace(/\[\d+:\d+\]/g, "");

/** So many rules are looked at to see whether they are for everybody. */
const SHORT = 32;

/** It is for no single address, and for no single port. */
export const isForAll = ({ source, destination, matches }: Rule): boolean =>
  onlyAddress(source) === undefined &&
  onlyAddress(destination) === undefined &&
  !matches.some((m) => m.kind === "tcp" || m.kind === "udp" || m.kind === "sctp");

/** Whether nothing but what begins a connection matches it. */
const isOfNew = ({ matches }: Rule): boolean =>
  matches.some(
    (m) =>
      (m.kind === "conntrack" &&
        m.states !== undefined &&
        !m.states.negated &&
        m.states.value.every((state) => state === "NEW")) ||
      (m.kind === "state" && !m.negated && m.states.every((state) => state === "NEW")),
  );

/** A rule for a port that none of the packets is for never matches. */
export const asksForOtherPorts = ({ matches }: Rule, ports: ReadonlySet<number>): boolean =>
  matches.some((m) => {
    if (m.kind !== "tcp" && m.kind !== "udp" && m.kind !== "sctp") return false;
    const { dport } = m;
    if (dport === undefined || dport.negated) return false;
    for (const port of ports) if (port >= dport.value.from && port <= dport.value.to) return false;
    return true;
  });
