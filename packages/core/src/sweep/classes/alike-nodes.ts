import {
  type Chain,
  chainNamed,
  type IptablesTable,
  type NetworksOfText,
  rulesNaming,
  type Stack,
  type UnreadTable,
  type World,
} from "../../model/index.ts";
import { type Address, isIpv4 } from "../../net/index.ts";
import { networksOfText } from "../../parse/iptables/index.ts";
import { addressSpansOf, ownerOf } from "../../trace/index.ts";
import type { Source } from "../flow.ts";
import type { Flow } from "../plan.ts";
import type { Actors } from "../views/actors.ts";
import type { Cuts } from "../views/cuts.ts";
import { Interned } from "../views/interned.ts";
import { onlyAddress, textOfRule } from "../views/slice.ts";
import type { Base } from "../views/stack-view.ts";
import type { Views } from "../views/views.ts";
import type { Bunches } from "./bunches.ts";
import { Differing } from "./differing.ts";
import type { Met } from "./sharing.ts";

/** Who asks: a node, somebody outside through one, or pods of one of which the same is said. */
export interface Asker {
  readonly node: Stack;
  readonly actors: Actors;
  /** Of the node, and of one of the pods. */
  readonly addresses: ReadonlySet<Address>;
  /** What its node's rules say to everybody, and to whoever comes by the port of the pod. */
  readonly base: Base;
  /** Equal: alike in all that is said of them whomever they ask. */
  readonly look: number;
}

/** What a flow of one of them looked at: others who find the same there go the same way. */
export interface Way {
  readonly asker: Asker;
  /** Stacks on the way that are nobody's part. */
  readonly stacks: readonly Stack[];
  /** Whoever is named there is no asker like the others. */
  readonly named: ReadonlySet<string>;
  readonly addresses: ReadonlySet<Address>;
  /** Who was seen to send there. */
  readonly senders: ReadonlySet<Address>;
  /** Of the way: nobody's who plays a part. */
  readonly explicit: readonly Address[];
  /** Where the asker's base has each of these, and what sets say of it there. */
  readonly places: readonly string[];
  /** Where the addresses of the way lie: in each of these spans one. */
  readonly spans: ReadonlyMap<number, Address>;
  /** What its node should be like counts: it does not get through. */
  readonly isApart: boolean;
}

/**
 * Nodes that find the same on the way to a Service, so that one stands for all. What `Sharing` would hold against each other for every flow is put
 * together here once for each node and for each network that is asked: how it is set up, what others know of its addresses, its routes to where the
 * Service's endpoints are, and in which rules its tables differ from those of others.
 */
export class AlikeNodes {
  readonly #views: Views;
  readonly #bunches: Bunches;
  readonly #looks = new Interned();
  readonly #texts = new Interned();
  /** Where rules, sets and the underlay tell addresses apart; undefined: they reckon with them. */
  readonly spans: ReturnType<typeof addressSpansOf>;
  /** The same, but for what each node has of its own: what its base says, and its sets of single hosts. */
  readonly #shared: ReturnType<typeof addressSpansOf>;
  readonly #nodes: readonly Stack[];
  readonly #homes = new Map<object, number>();
  readonly #named = new Map<Address, boolean>();
  readonly #bySource = new Map<Source, Asker | null>();
  readonly #byBunch = new Map<number, Asker | null>();
  readonly #seen = new Map<Stack, Map<Asker, number>>();
  readonly #routes = new Map<number, Map<Stack, number>>();
  readonly #known = new Map<Stack, Map<Address, number>>();
  readonly #besides = new Map<Asker, number>();
  readonly #bases = new Map<Stack, Base | null>();
  #differing: Differing | undefined;
  #cuts: Cuts | undefined;

  constructor(views: Views, bunches: Bunches) {
    this.#views = views;
    this.#bunches = bunches;
    this.#nodes = views.world.stacks.filter((s) => s.kind === "node");
    const rules = rulesAlone(views.world);
    this.spans = addressSpansOf(rules);
    this.#shared =
      this.spans === undefined ? undefined : addressSpansOf(this.#withoutOwnHosts(rules), this.#networks());
  }

  #withoutOwnHosts(world: World): World {
    const { stacks: views } = this.#views;
    const own = new Map(this.#views.world.stacks.map((s) => [s.name, s]));
    return {
      ...world,
      stacks: world.stacks.map((s) => ({ ...s, ipsets: views.entriesOf(own.get(s.name)!).rest })),
    };
  }

  /** The networks of what tables have in common, and of those chains of each that its base does not have whole. */
  #networks(): (table: UnreadTable) => Pick<NetworksOfText, "networks" | "irregular"> {
    const owners = new Map<
      UnreadTable,
      { readonly stack: Stack; readonly table: IptablesTable; readonly at: number }
    >();
    const homes = new Set<object>();
    for (const stack of this.#nodes)
      for (const [at, table] of stack.netfilter.tables.entries()) {
        if (table.unread === undefined) continue;
        owners.set(table.unread, { stack, table, at });
        if (table.unread.apart().length === 0) homes.add(table.unread.home);
      }
    return (unread) => {
      const { networks, irregular } = unread.networks!();
      const owner = owners.get(unread);
      const apart = unread.apart();
      // Those of its home are the home's own.
      if (owner === undefined || apart.length === 0 || irregular || !homes.has(unread.home))
        return { networks, irregular };
      const base = this.#baseOf(owner.stack)?.tables[owner.at]?.names ?? [];
      const others = apart.filter((name) => !(base.includes(name) && this.differing.isOfAll(owner.table, name)));
      return { networks: others.flatMap((name) => networksIn(chainNamed(owner.table, name), owner.table)), irregular };
    };
  }

  #baseOf(stack: Stack): Base | undefined {
    let known = this.#bases.get(stack);
    if (known === undefined) {
      known = this.#views.stacks.baseOf(stack) ?? null;
      this.#bases.set(stack, known);
    }
    return known ?? undefined;
  }

  /** Undefined: it is compared by itself. */
  askerOf({ source, target }: Flow): Asker | undefined {
    if (this.spans === undefined || target.node !== null || target.kind === "pod" || target.family !== 4)
      return undefined;
    if (source.kind === "pod") {
      const bunch = this.#bunches.clientOf(source, 4);
      if (bunch < 0) return undefined;
      let known = this.#byBunch.get(bunch);
      if (known === undefined) {
        known = this.#asker({ source, target }) ?? null;
        this.#byBunch.set(bunch, known);
      }
      return known ?? undefined;
    }
    if (source.kind !== "node" && source.kind !== "external") return undefined;
    let known = this.#bySource.get(source);
    if (known === undefined) {
      known = this.#asker({ source, target }) ?? null;
      this.#bySource.set(source, known);
    }
    return known ?? undefined;
  }

  #asker(flow: Flow): Asker | undefined {
    const { cast, stacks } = this.#views;
    const actors = cast.actorsOf(flow);
    const node = flow.source.node === null ? undefined : cast.stack(flow.source.node);
    if (node === undefined || node.assumed !== undefined) return undefined;
    const everywhere = stacks.everywhere(node, actors);
    const base = this.#askersBase(flow, node);
    if (everywhere === undefined || base === undefined || this.#shared === undefined) return undefined;
    const { seen } = this.#views;
    const parts = [everywhere, base.shape, `${seen?.disagreesOn(node.name)}`];
    for (const { unread } of node.netfilter.tables) parts.push(unread === undefined ? "-" : this.#home(unread.home));
    const all = new Set<Address>();
    for (const { role, stack, addresses } of actors.list) {
      parts.push(`${role}${addresses.length}${stack === undefined ? "-" : "+"}`);
      for (const address of addresses) {
        all.add(address);
        if (seen?.isAbout(address) === true) return undefined;
        parts.push(`${seen?.poolOf(address)} ${this.#views.elsewhere.of(address, actors)}`);
        if (!isIpv4(address)) continue;
        const look = this.#views.lookOf(address, actors);
        // Rules that speak of a pod are looked for where it asks; a node they speak of is like no other.
        if (look === undefined || this.#shared.spans.isNamed(address)) return undefined;
        if (role !== "C" && this.#isNamed(address, node)) return undefined;
        parts.push(
          `${this.#shared.spans.of(address)} ${this.#placeOf(base, node, address)} ${stacks.waysOf(node).text(address, actors)} ${look}`,
        );
        if (role === "C") parts.push(this.#views.clientText(address, actors));
      }
    }
    parts.push(`${stacks.nearTo(node, [...all], actors)}`);
    return { node, actors, addresses: all, base, look: this.#looks.of(parts.join("\n")) };
  }

  /** Whoever is behind a port of a node comes by it. */
  #askersBase({ source }: Flow, node: Stack): Base | undefined {
    const [address] = source.addresses;
    const owner = source.kind === "pod" && address !== undefined ? ownerOf(this.#views.world, address) : undefined;
    return owner?.kind === "behind" ? this.#views.stacks.baseOf(node, owner.device.name) : this.#baseOf(node);
  }

  /** Where a base has an address, and what its node's sets say of it. */
  #placeOf(base: Base, node: Stack, address: Address): string {
    return `${base.rules.place(address)} ${this.#views.stacks.entriesOf(node).of(address)}`;
  }

  #home(home: object): string {
    let number = this.#homes.get(home);
    if (number === undefined) {
      number = this.#homes.size;
      this.#homes.set(home, number);
    }
    return `${number}`;
  }

  /** Whether a line of a table that is known as text says it; on its own node, as one of whom it is. */
  #isNamed(address: Address, own: Stack): boolean {
    let known = this.#named.get(address);
    if (known === undefined) {
      const isAbout = (table: IptablesTable): boolean => {
        for (const { rule } of rulesNaming(table, address))
          if (onlyAddress(rule.source) !== undefined || onlyAddress(rule.destination) !== undefined) return true;
        return false;
      };
      known = this.#views.world.stacks.some((stack) =>
        stack.netfilter.tables.some((t) => t.unread?.mayName(address) === true && (stack !== own || isAbout(t))),
      );
      this.#named.set(address, known);
    }
    return known;
  }

  /** In which rules nodes differ that have most of their text in common. */
  get differing(): Differing {
    this.#differing ??= new Differing(this.#nodes);
    return this.#differing;
  }

  /** Whether what a flow looked at may come to something else on another node of the same home, whose base says the same. */
  mayDiffer(node: Stack, { addresses, asked, devices }: Met, base?: Base): boolean {
    const slice = this.#views.stacks.sliceFor(node, addresses, asked, devices.get(node.name));
    return this.differing.mayMeet(node.netfilter.tables, slice, new Set(addresses), asked, base);
  }

  /** What others have to find to go the way of this one; undefined: nobody can be told to. */
  wayOf(asker: Asker, looked: Met): Way | undefined {
    const { explicit, stacks: names, isApart, isTracked } = looked;
    if (isTracked) return undefined;
    const { cast, stacks: views, world } = this.#views;
    const { node } = asker;
    const stacks = names.flatMap((name) => cast.stack(name) ?? []);
    if (stacks.length < names.length || !stacks.every((s) => views.isApart(s))) return undefined;
    const named = new Set(names);
    const met = new Set(explicit);
    const spans = new Map<number, Address>();
    this.#cuts ??= views.cutsOf(this.#nodes);
    for (const address of explicit) {
      const span = this.#cuts.of(address);
      if (typeof span !== "number") return undefined;
      spans.set(span, address);
      const owner = ownerOf(world, address)?.stack;
      if (owner !== undefined) named.add(owner.name).add(owner.node ?? owner.name);
      if (isApart) named.add(this.#views.elsewhere.homeOf(address) ?? "");
      for (const stack of stacks)
        for (const other of views.waysOf(stack).leadingBy(address)) {
          met.add(other);
          named.add(views.ownerOf(other) ?? "");
        }
    }
    if (named.has(node.name) || [...met].some((a) => asker.addresses.has(a))) return undefined;
    const senders = this.#views.seen?.sendersTo(looked.addresses) ?? NOBODY;
    if (this.mayDiffer(node, looked, asker.base) || isAmong(senders, asker)) return undefined;
    const places = explicit.map((a) => this.#placeOf(asker.base, node, a));
    return { asker, senders, stacks, named, addresses: met, explicit, places, spans, isApart };
  }

  /** Whether it goes the way of the one that was walked: all that a flow of it would be held against is the same. */
  goes(asker: Asker, way: Way): boolean {
    const { asker: first } = way;
    if (asker.look !== first.look || way.named.has(asker.node.name) || isAmong(way.senders, asker)) return false;
    for (const address of asker.addresses) if (way.addresses.has(address)) return false;
    for (const stack of way.stacks) if (this.#seenBy(stack, asker) !== this.#seenBy(stack, first)) return false;
    for (const [span, address] of way.spans)
      if (this.#routesTo(span, address, asker) !== this.#routesTo(span, address, first)) return false;
    for (const [i, address] of way.explicit.entries()) {
      if (this.#knownBy(asker, address) !== this.#knownBy(first, address)) return false;
      if (this.#placeOf(asker.base, asker.node, address) !== way.places[i]) return false;
    }
    if (!way.isApart) return true;
    return this.#besideOf(asker) === this.#besideOf(first);
  }

  /** What its node should be like, and what others say of its addresses. */
  #besideOf(asker: Asker): number {
    let known = this.#besides.get(asker);
    if (known === undefined) {
      const { node, actors, addresses } = asker;
      const { stacks, elsewhere } = this.#views;
      const said = [...addresses].map((a) => elsewhere.ofStopped(a, actors));
      known = this.#texts.of(`${stacks.besideOf(node)} ${said.join("|")}`);
      this.#besides.set(asker, known);
    }
    return known;
  }

  /** Neighbours and forwarding entries of the asker's node that are about one address. */
  #knownBy({ node, actors }: Asker, address: Address): number {
    const { stacks } = this.#views;
    // Of most nobody says anything.
    if (stacks.ownerOf(address) === undefined && !stacks.nearbyOf(node).names(address)) return -1;
    let row = this.#known.get(node);
    if (row === undefined) {
      row = new Map();
      this.#known.set(node, row);
    }
    let known = row.get(address);
    if (known === undefined) {
      known = stacks.nearTo(node, [address], actors);
      row.set(address, known);
    }
    return known;
  }

  /** The asker's addresses as another stack's routes and networks hold them. */
  #seenBy(stack: Stack, asker: Asker): number {
    let row = this.#seen.get(stack);
    if (row === undefined) {
      row = new Map();
      this.#seen.set(stack, row);
    }
    let known = row.get(asker);
    if (known === undefined) {
      const { stacks } = this.#views;
      const own = [...asker.addresses].filter(isIpv4);
      const ways = own.map((a) => stacks.waysOf(stack).text(a, asker.actors));
      const hops = own.flatMap((a) => stacks.waysOf(stack).gatewaysTo(a));
      const base = this.#baseOf(stack);
      const places = base === undefined ? [] : own.map((a) => this.#placeOf(base, stack, a));
      known = this.#texts.of([...ways, ...places, stacks.nearTo(stack, [...own, ...hops], asker.actors)].join("\n"));
      row.set(asker, known);
    }
    return known;
  }

  /** The way from the asker's node to an address, and to all others of its span. */
  #routesTo(span: number, address: Address, { node, actors }: Asker): number {
    let row = this.#routes.get(span);
    if (row === undefined) {
      row = new Map();
      this.#routes.set(span, row);
    }
    let known = row.get(node);
    if (known === undefined) {
      const { stacks } = this.#views;
      const hops = stacks.waysOf(node).gatewaysTo(address);
      known = this.#texts.of(`${stacks.waysOf(node).text(address, actors)}\n${stacks.nearTo(node, hops, actors)}`);
      row.set(node, known);
    }
    return known;
  }
}

const NOBODY: ReadonlySet<Address> = new Set();

/** The networks that rules of a chain speak of, as first and last address. */
function networksIn(chain: Chain | undefined, { family }: IptablesTable): readonly (readonly [number, number])[] {
  const text = (chain?.rules ?? []).map((r) => textOfRule(r, "", family)).join("\n");
  return networksOfText(text);
}

const isAmong = (senders: ReadonlySet<Address>, { addresses }: Asker): boolean =>
  senders.size > 0 && [...addresses].some((a) => senders.has(a));

/** Nothing but what rules, sets and the underlay say: addresses that these do not tell apart are alike to them. */
const rulesAlone = (world: World): World => ({
  ...world,
  links: [],
  kubernetes: { ...world.kubernetes, nodes: [], pods: [], endpoints: [], services: [] },
  stacks: world.stacks.map((stack) => ({
    ...stack,
    devices: { ...stack.devices, items: [] },
    neighbours: { ...stack.neighbours, items: [] },
    fdb: { ...stack.fdb, items: [] },
    conntrack: { ...stack.conntrack, items: [] },
    routeTables: [],
    listeners: { ...stack.listeners, items: [] },
  })),
});
