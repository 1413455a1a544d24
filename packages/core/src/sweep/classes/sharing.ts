import type { Askable } from "../../diagnose/index.ts";
import { backEndsDiffer, failingProxy } from "../../explain/index.ts";
import type { KubernetesEndpoints, KubernetesService, Stack, World } from "../../model/index.ts";
import { type Address, contains, familyOf, isHost } from "../../net/index.ts";
import {
  type Acquaintance,
  acquaintanceOf,
  type Exploration,
  isInternal,
  type Owner,
  ownerOf,
  placesOf,
  placeText,
  type Question,
  shownListeners,
  trace,
  type Ways,
} from "../../trace/index.ts";
import type { Flow } from "../plan.ts";
import { type Actors, Cast } from "./actors.ts";
import { ByAddress } from "./by-address.ts";
import type { Cuts } from "./cuts.ts";
import { Elsewhere } from "./elsewhere.ts";
import { Interned } from "./interned.ts";
import { lookedAt } from "./looked-at.ts";
import { Seen } from "./seen.ts";
import { socketText } from "./socket-text.ts";
import { type Ports, StackViews } from "./stack-view.ts";

/** An address that packets of a walk carried: a player's, or the same for all flows like it. */
type Carried = { readonly role: string } | { readonly address: Address };

/** What a walk looked at, in roles: whoever finds the same goes the same way. */
export interface Looked {
  /** Undefined: no flow can be told to be like it. */
  readonly carried: readonly Carried[] | undefined;
  /** Stacks it came through, by role or name. */
  readonly stacks: readonly string[];
  /** Numbers that its packets have for ports. */
  readonly ports: ReadonlySet<number>;
  /** Ports that packets which begin a connection are for; undefined: not all of them are known. */
  readonly asked: Ports;
  /** Some packet of it has no port that was drawn: a connection that was there before may be found for it. */
  readonly isFixed: boolean;
}

/** What a flow looked at, with its own addresses. */
export interface Met {
  readonly addresses: readonly Address[];
  /** Those of them that are nobody's who plays a part. */
  readonly explicit: readonly Address[];
  /** Names of the stacks on its way that play none. */
  readonly stacks: readonly string[];
  readonly asked: Ports;
  /** Connections that were there before count: whoever has some is told apart by them. */
  readonly isTracked: boolean;
  /** It does not get through: what its nodes should be like is looked at, too. */
  readonly isApart: boolean;
}

interface Footprint<Known> {
  /** Equal: what is looked at is the same. */
  readonly id: string;
  readonly carried: readonly Carried[];
  readonly stacks: readonly string[];
  readonly asked: Ports;
  readonly ports: ReadonlySet<number>;
  readonly isFixed: boolean;
  readonly classes: Map<string, Known>;
  /** Keys of flows that do not get through: these are told apart by more. */
  readonly apart: Set<string>;
  /** How the keys of these begin: who differs early is not looked at any further. */
  readonly beginnings: Set<string>;
}

/** Footprints kept for one group of flows: beyond, each is walked for itself. */
const MAX_FOOTPRINTS = 24;
/** Walks of one flow, every branch of it, that are looked at. */
const MAX_RUNS = 400;
/** With more addresses on its way a flow is not compared with others. */
const MAX_CARRIED = 400;

interface Named {
  readonly owner: Owner | undefined;
  readonly text: string;
}

const UNHEARD: Acquaintance = { text: "", router: undefined };

/** What all groups of one sweep look up. */
export class Views {
  readonly world: World;
  readonly cast: Cast;
  readonly stacks: StackViews;
  readonly interned: Interned;
  readonly #clients = new Map<Address, Named>();
  readonly #addresses = new Map<Address, Named>();
  readonly #places = new Map<number | Address, string>();
  #noticed: ReadonlySet<Address | undefined> | undefined;
  #cuts: Cuts | undefined;
  readonly #heard = new Map<Address, Acquaintance>();
  readonly #objects: ByAddress;
  /** Whether flows of this World can be told to be alike at all. */
  readonly shareable: boolean;
  /** What was observed; absent: nothing was. */
  readonly seen: Seen | undefined;

  /** `beside`: what else is known of a node that its flows may be told by. `before`: of a World that differs in nothing but some stacks. */
  constructor(world: World, beside: (node: string) => string, before?: Views, seen?: Seen) {
    this.world = world;
    this.seen = seen;
    this.interned = before?.interned ?? new Interned();
    this.cast = new Cast(world);
    this.#objects = new ByAddress(world.kubernetes);
    this.stacks = new StackViews(world, this.interned, beside, before?.stacks);
    this.shareable = !this.stacks.ambiguous && world.undecidedMode === undefined;
  }

  /** What is known of an address beside what stacks say of it: who has it, by which device, and what objects tell. */
  ofAddress(address: Address, addresses: readonly Address[], actors: Actors, ports: Ports): string {
    // Whether a client serves anything is no matter to what it asks.
    const isClient = actors.roleOfAddress(address)?.startsWith("C") === true;
    const { owner, text: known } = this.#known(address, isClient);
    const { text: heard, router } = this.#heardOf(address, actors);
    const homes = this.homesOf(address).map(actors.roleOfStack).sort().join();
    const by = router === undefined ? "" : actors.roleOfStack(router);
    const text = `${known} ${heard} ${by} ${homes} ${isClient ? this.#placesOf(address) : ""}${this.#balancing(address, actors)}`;
    if (owner === undefined) return text;
    const { stack } = owner;
    const device = owner.kind === "bridged" ? owner.bridge : owner.device;
    const there =
      owner.kind === "device" && stack.kind !== "node"
        ? this.#attached(stack, addresses, ports)
        : this.stacks.deviceText(stack, device.name, addresses, ports);
    return `${actors.roleOfStack(stack.name)} ${there} ${text}`;
  }

  /** What is known of where one is that asks, beside whose it is. */
  clientText(address: Address, actors: Actors): string {
    const { text, router } = this.#heardOf(address, actors);
    const by = router === undefined ? "" : actors.roleOfStack(router);
    return `${text} ${by} ${this.homesOf(address).map(actors.roleOfStack).sort()} ${this.#placesOf(address)}`;
  }

  #elsewhere: Elsewhere | undefined;

  /** What stacks that no packet comes by say of addresses. */
  get elsewhere(): Elsewhere {
    this.#elsewhere ??= new Elsewhere(this.world);
    return this.#elsewhere;
  }

  /** What others than its owner know of one who takes part: whether anybody has heard of it. Of whoever takes none, the same is heard in all flows. */
  #heardOf(address: Address, actors: Actors): Acquaintance {
    const { world } = this;
    // Whoever was shown is there, whatever others have heard.
    if (actors.roleOfAddress(address) === undefined || ownerOf(world, address)?.kind === "device") return UNHEARD;
    let heard = this.#heard.get(address);
    if (heard === undefined) {
      heard = acquaintanceOf(world, address);
      this.#heard.set(address, heard);
    }
    return heard;
  }

  /** Where a client can stand but with its owner: that is told by name. */
  #placesOf(address: Address): string {
    const { world } = this;
    const owner = ownerOf(world, address);
    if (owner?.kind === "device") return "";
    const isInside =
      owner?.kind === "bridged" && owner.bridge.addresses.some((a) => !isHost(a.prefix) && contains(a.prefix, address));
    this.#noticed ??= new Set(
      world.stacks.flatMap((s) => [
        ...s.neighbours.items.map((n) => n.address),
        ...(s.sightings ?? []).map((n) => n.source),
      ]),
    );
    // Whom nobody has seen, and no object names, is taken to be where networks and routes have all of his span.
    const isLikeOthers = isInside && !this.#noticed.has(address) && !this.#objects.pods.has(address);
    this.#cuts ??= this.stacks.cutsOf(world.stacks.filter((s) => s.kind === "node"));
    const whose = isLikeOthers ? this.#cuts.of(address) : address;
    let known = this.#places.get(whose);
    if (known === undefined) {
      const places = placesOf(world, address);
      known = places.length > 1 ? ` ${places.map(placeText)}` : "";
      this.#places.set(whose, known);
    }
    return known;
  }

  /** The load balancers at an address, and which of those that take part they send to. */
  #balancing(address: Address, { roleOfStack }: Actors): string {
    return this.world.loadBalancers
      .filter((b) => b.address === address)
      .map(({ name: _, service: __, address: ___, origin: ____, ...b }) => {
        const players = b.targets.map(roleOfStack).filter((role, i) => role !== b.targets[i]);
        return ` ${players.sort()} ${JSON.stringify(b)}`;
      })
      .join("");
  }

  /** What `ofAddress` says, but for what rules make of a device. Undefined: it is a stack's that was shown, and no node's. */
  lookOf(address: Address, actors: Actors): string | undefined {
    const isClient = actors.roleOfAddress(address)?.startsWith("C") === true;
    const { owner, text } = this.#known(address, isClient);
    if (owner === undefined) return text;
    const { stack } = owner;
    if (stack.kind !== "node") return undefined;
    const device = owner.kind === "bridged" ? owner.bridge : owner.device;
    return `${actors.roleOfStack(stack.name)} ${this.stacks.deviceOf(stack, device.name)} ${text}`;
  }

  #known(address: Address, isClient: boolean): Named {
    const store = isClient ? this.#clients : this.#addresses;
    let known = store.get(address);
    if (known === undefined) {
      const { world } = this;
      const owner = ownerOf(world, address);
      const text = `${owner?.kind ?? "nobody"} ${isInternal(world, address)} ${this.#objectsOn(address, isClient)} ${fabricOn(world, address)}`;
      known = { owner, text };
      store.set(address, known);
    }
    return known;
  }

  /** What is known of a pod beside what rules, routes and tables say of its address; undefined: it was shown itself, or nobody knows where it is. */
  plainText(address: Address, isClient: boolean): string | undefined {
    const owner = ownerOf(this.world, address);
    if (owner?.kind !== "bridged" || owner.stack.kind !== "node") return undefined;
    const { world } = this;
    const homes = [...this.homesOf(address)].sort();
    return `${owner.stack.name} ${owner.bridge.name} ${isInternal(world, address)} ${this.#objectsOn(address, isClient)} ${fabricOn(world, address)} ${homes} ${acquaintanceOf(world, address).text}`;
  }

  /** What is known of an address that is nobody's who was shown, whoever else takes part; undefined: it is somebody's, or somewhere. */
  nobodysText(address: Address): string | undefined {
    const { owner, text } = this.#known(address, false);
    const { text: heard, router } = acquaintanceOf(this.world, address);
    if (owner !== undefined || router !== undefined || this.homesOf(address).length > 0) return undefined;
    return this.#isBalanced(address) ? undefined : `${text} ${heard}`;
  }

  /** The same of somebody behind a bridge of a node, and which node that is; undefined: he was shown himself, or others know more of where he is. */
  bridgedText(address: Address): { readonly home: Stack; readonly text: string } | undefined {
    const { owner, text } = this.#known(address, false);
    if (owner?.kind !== "bridged" || owner.stack.kind !== "node" || this.#isBalanced(address)) return undefined;
    const { stack: home, bridge } = owner;
    const { text: heard, router } = acquaintanceOf(this.world, address);
    const homes = this.homesOf(address);
    if ([...homes, router ?? home.name].some((name) => name !== home.name)) return undefined;
    const device = this.stacks.deviceOf(home, bridge.name);
    return { home, text: `${device} ${text} ${heard} ${router === undefined} ${homes.length}` };
  }

  /** Nodes on which objects say that an address is. */
  homesOf(address: Address): readonly string[] {
    return [...(this.#objects.homes.get(address) ?? [])];
  }

  #isBalanced(address: Address): boolean {
    return this.world.loadBalancers.some((b) => b.address === address);
  }

  /** Where objects list anybody: whether one of them has the address. */
  isListed(address: Address): boolean {
    const { pods, endpoints } = this.world.kubernetes;
    const { pods: own, ends, nodes } = this.#objects;
    return (pods.length === 0 && endpoints.length === 0) || own.has(address) || ends.has(address) || nodes.has(address);
  }

  objectsOf(service: string): {
    readonly services: readonly KubernetesService[];
    readonly slices: readonly KubernetesEndpoints[];
  } {
    const { services, slices } = this.#objects;
    return { services: services.get(service) ?? [], slices: slices.get(service) ?? [] };
  }

  /** What objects say of an address, without names: whether it runs and serves, and on which ports. */
  #objectsOn(address: Address, isClient: boolean): string {
    const own = this.#objects.pods.get(address) ?? [];
    const { items, extent, wholeFor } = shownListeners(this.world, address);
    const sockets = `${items.map((l) => socketText(l)).sort()} ${extent} ${JSON.stringify(wholeFor)}`;
    if (isClient && own.length === 1) return `${own[0]!.phase} ${own[0]!.hostNetwork} ${sockets}`;
    const ends = this.#objects.ends.get(address) ?? [];
    return [
      own
        .map(
          (p) =>
            `${p.phase} ${p.ready} ${p.hostNetwork} ${p.ports?.map((c) => `${c.protocol}:${c.port}:${c.hostPort}`).join()}`,
        )
        .join(),
      this.#objects.nodes.get(address) ?? 0,
      [...ends].sort().join(),
      sockets,
    ].join(" ");
  }

  /** What a walk looked at, in the roles that these players have, in the roles that they have by others. */
  inRoles({ carried, stacks, ports, asked, isFixed }: Looked, actors: Actors, roles: Actors): Looked | undefined {
    const addresses = carried === undefined ? undefined : addressesFor(carried, actors);
    const there = stacks.map((name) => stackFor(name, actors, this.cast)?.name);
    if (addresses === undefined || there.some((name) => name === undefined)) return undefined;
    return {
      carried: addresses.map((address): Carried => {
        const role = roles.roleOfAddress(address);
        return role === undefined ? { address } : { role };
      }),
      stacks: [...new Set(there.map((name) => roles.roleOfStack(name!)))].sort(),
      ports,
      asked,
      isFixed,
    };
  }

  /** By which devices of others a stack hangs on them. */
  #attached({ name }: Stack, addresses: readonly Address[], ports: Ports): string {
    return this.world.links
      .filter((l) => l.type === "veth" && l.ends.some((e) => e.stack === name))
      .flatMap((l) => l.ends.filter((e) => e.stack !== name))
      .map((e) => {
        const stack = this.cast.stack(e.stack);
        return stack === undefined ? "" : this.stacks.deviceText(stack, e.device, addresses, ports);
      })
      .join(" ");
  }
}

/** What flows of a case are told apart by; undefined where packets were seen, of which it takes the walk to say whose they are: then none is like another. */
export function viewsOf(askable: Askable, world: World = askable.world, before?: Views): Views | undefined {
  const { evidence } = askable;
  // Signs that a node is not as it should be are told of its flows.
  const drift = (node: string): string => {
    const drifts = evidence.driftOf(node).map(({ service, text: { id, params } }) => [service, id, params]);
    return JSON.stringify([drifts, failingProxy({ world }, node) !== undefined]);
  };
  if (evidence.isSilent && world.stacks.every((s) => s.conntrack.items.length === 0))
    return new Views(world, drift, before);
  if (world !== askable.world || evidence.showsPackets) return undefined;
  // Where loss was seen, two back ends that do not agree may be why.
  const conflicts = new Set(world.stacks.flatMap((s) => (backEndsDiffer(s) ? [s.name] : [])));
  const beside = (node: string): string => `${drift(node)} ${conflicts.has(node)}`;
  return new Views(world, beside, undefined, new Seen(world, evidence));
}

/** The Services of which a node does not have what kube-proxy should have programmed. */
export function oddServices({ evidence }: Askable, { stacks }: World): (service: string) => boolean {
  let odd: ReadonlySet<string | undefined> | undefined;
  return (service) => {
    odd ??= new Set(stacks.flatMap((s) => (s.kind === "node" ? evidence.driftOf(s.name).map((d) => d.service) : [])));
    return odd.has(service);
  };
}

/** Which firewalls of the underlay and source ranges of load balancers mean it. */
const fabricOn = ({ fabric, loadBalancers }: World, address: Address): string =>
  fabric.deny.length === 0 && loadBalancers.every((b) => b.sourceRanges === undefined) ? "" : String(address);

/** Which flows of one group go the same way as one that was walked. */
export class Sharing<Known> {
  readonly #views: Views;
  readonly #most: number;
  readonly #footprints: Footprint<Known>[] = [];

  constructor(views: Views, most = MAX_FOOTPRINTS) {
    this.#views = views;
    this.#most = most;
  }

  /** The class that a flow belongs to by what walks of others looked at. */
  find(flow: Flow): Known | undefined {
    return this.#footprints.length === 0 ? undefined : this.findBy(this.#views.cast.actorsOf(flow));
  }

  findBy(actors: Actors): Known | undefined {
    this.#met = undefined;
    for (const [i, footprint] of this.#footprints.entries()) {
      const key = this.#keyOf(footprint, actors, false);
      if (key === undefined) continue;
      let known = footprint.classes.get(key);
      this.#isApart = known === undefined;
      if (known === undefined && footprint.apart.has(key))
        known = footprint.classes.get(this.#apart(key, footprint, actors));
      if (known === undefined) continue;
      // The next flow is likely to be like this one.
      if (i > 0) this.#footprints.unshift(...this.#footprints.splice(i, 1));
      this.#met = footprint;
      return known;
    }
    return undefined;
  }

  /** What the flow looked at that was asked for last. */
  #met: Footprint<Known> | undefined;
  #isApart = false;

  /** That, with its own addresses; undefined: it is not known of all of its way. */
  met(flow: Flow): Met | undefined {
    if (this.#met === undefined) return undefined;
    const { carried, stacks, asked, ports, isFixed } = this.#met;
    const { cast, stacks: views, seen } = this.#views;
    const actors = cast.actorsOf(flow);
    const explicit = carried.flatMap((c) => ("address" in c ? [c.address] : []));
    const names = stacks.filter((name) => !actors.list.some((a) => a.role === name));
    const addresses = addressesFor(carried, actors)!;
    const looksAtEntries = (name: string): boolean =>
      views.looksAtEntries(stackFor(name, actors, cast)!, addresses, asked, isFixed ? ports : undefined);
    const isTracked = seen !== undefined && stacks.some(looksAtEntries);
    return { addresses, explicit, stacks: names, asked, isApart: this.#isApart, isTracked };
  }

  /** The chains that packets of the flow that was asked for last can come by; undefined: that is not known of all of its way. */
  chainsMet(flow: Flow): ReadonlySet<string> | undefined {
    if (this.#met === undefined) return undefined;
    const { cast, stacks: views } = this.#views;
    const { carried, stacks, asked } = this.#met;
    const actors = cast.actorsOf(flow);
    const addresses = addressesFor(carried, actors)!;
    return new Set(stacks.flatMap((name) => views.sliceFor(stackFor(name, actors, cast)!, addresses, asked).chains));
  }

  /** What more walks look at is not kept. */
  full = false;

  /** Whether it may be, when so many more are taught. */
  mayBeFullWith(more: number): boolean {
    return this.full || this.#footprints.length + more > this.#most;
  }

  /**
   * Takes note of what a walk looked at; every branch of it, those of equal fate too. `tried`: by which ways its causes were found, behind a fault that
   * was taken away. Undefined: not all of that is known.
   */
  learn(
    flow: Flow,
    question: Question,
    walked: Exploration,
    known: Known,
    getsThrough: boolean,
    tried?: Ways,
  ): Looked | undefined {
    if (!this.#views.shareable || walked.overflow) return undefined;
    const exploration = trace(walked.world, question, { fixed: walked.fixed, every: true, runs: MAX_RUNS });
    if (exploration.overflow) return undefined;
    const actors = this.#views.cast.actorsOf(flow);
    const { addresses, stacks, ports, asked, isFixed } = lookedAt(exploration, actors, tried);
    const isApart = addresses.length > MAX_CARRIED || addresses.some((a) => familyOf(a) !== flow.target.family);
    const carried = addresses.map((address): Carried => {
      const role = actors.roleOfAddress(address);
      return role === undefined ? { address } : { role };
    });
    const looked = { carried: isApart ? undefined : carried, stacks, ports, asked, isFixed };
    this.teach(flow, looked, known, getsThrough);
    return looked;
  }

  /** The same of a flow whose walk is known to look at this. */
  teach(flow: Flow, looked: Looked, known: Known, getsThrough: boolean): void {
    this.teachBy(this.#views.cast.actorsOf(flow), looked, known, getsThrough);
  }

  teachBy(
    actors: Actors,
    { carried, stacks, ports, asked, isFixed }: Looked,
    known: Known,
    getsThrough: boolean,
  ): void {
    if (carried === undefined) return;
    this.#met = undefined;
    // What it has for ports matters beside connections that were there before.
    const tracked = this.#views.seen === undefined ? [] : [...ports].sort((a, b) => a - b);
    const id = JSON.stringify([stacks, carried, asked && [...asked], tracked, isFixed]);
    const same = this.#footprints.find((f) => f.id === id);
    const footprint = same ?? {
      id,
      carried,
      stacks,
      asked,
      ports,
      isFixed,
      classes: new Map<string, Known>(),
      apart: new Set<string>(),
      beginnings: new Set<string>(),
    };
    const key = this.#keyOf(footprint, actors, true);
    if (key === undefined) return;
    if (!getsThrough) footprint.apart.add(key);
    footprint.classes.set(getsThrough ? key : this.#apart(key, footprint, actors), known);
    this.#met = footprint;
    this.#isApart = !getsThrough;
    if (same !== undefined) return;
    if (this.#footprints.length < this.#most) this.#footprints.push(footprint);
    else this.full = true;
  }

  /** Whether packets that got through before find all that they looked at as it was, on stacks that are not what they were. */
  findsTheSame(
    flow: Flow,
    { carried, stacks, ports, asked }: Looked,
    changed: ReadonlySet<string>,
    { cast: castBefore, stacks: viewsBefore }: Views,
  ): boolean {
    const { cast, stacks: views } = this.#views;
    const [actors, before] = [cast.actorsOf(flow), castBefore.actorsOf(flow)];
    const addresses = carried === undefined ? undefined : addressesFor(carried, actors);
    if (addresses === undefined) return false;
    const names = new Set<string>();
    for (const name of stacks) {
      const [now, then] = [stackFor(name, actors, cast), stackFor(name, before, castBefore)];
      if (now === undefined || then === undefined) return false;
      names.add(now.name);
      if (!changed.has(now.name)) continue;
      const view = views.metOn(now, addresses, actors, ports, asked);
      if (view === undefined || view !== viewsBefore.metOn(then, addresses, before, ports, asked)) return false;
    }
    // What is known of an address of somebody else may have changed with him.
    return addresses.every((a) => {
      const owner = views.ownerOf(a);
      return owner === undefined || names.has(owner) || !changed.has(owner);
    });
  }

  /** The key of a flow that does not get through: what else its nodes are told by may be why, and what others say of its addresses. */
  #apart(key: string, { stacks, carried }: Footprint<Known>, actors: Actors): string {
    const { cast, stacks: views } = this.#views;
    const beside = stacks.map((name) => views.besideOf(stackFor(name, actors, cast)!));
    const { elsewhere } = this.#views;
    const all = new Set([...addressesFor(carried, actors)!, actors.asked, ...actors.list.flatMap((a) => a.addresses)]);
    const said = [...all].map((a) => elsewhere.ofStopped(a, actors));
    return `${key}\n~${beside.join()} ${said.join("|")}`;
  }

  /** All that the walk looked at, as this flow finds it; undefined: something on its way is told by no role. */
  #keyOf(
    { carried, stacks, asked, ports, isFixed, beginnings }: Footprint<Known>,
    actors: Actors,
    learning: boolean,
  ): string | undefined {
    const { cast, stacks: views, seen } = this.#views;
    const addresses = addressesFor(carried, actors);
    if (addresses === undefined) return undefined;
    const found = isFixed ? ports : undefined;
    const names: string[] = [];
    let key = actors.roleOfAddress(actors.asked) ?? String(actors.asked);
    for (const a of actors.list) key += ` ${a.role}${a.addresses.length}${a.stack === undefined ? "-" : "+"}`;
    for (const name of stacks) {
      const stack = stackFor(name, actors, cast);
      if (stack === undefined) return undefined;
      const view = views.viewOf(stack, addresses, actors, asked, found);
      if (view === undefined) return undefined;
      names.push(stack.name);
      key += `\n${view}${seen?.disagreesOn(stack.name) === true ? " disputed" : ""}`;
      if (learning) beginnings.add(key);
      else if (!beginnings.has(key)) return undefined;
    }
    if (seen !== undefined) key += `\n${seen.of(addresses, ports, names, actors)}`;
    if (actors.asks !== undefined) key += `\n${actors.asks.text(actors)}`;
    for (const address of addresses) key += `\n${this.#views.ofAddress(address, addresses, actors, asked)}`;
    const { elsewhere } = this.#views;
    for (const [i, address] of [...addresses, actors.asked, ...actors.list.flatMap((a) => a.addresses)].entries()) {
      const said = elsewhere.of(address, actors);
      if (said !== "") key += `\n${i}: ${said}`;
    }
    return key;
  }
}

/** The addresses of these players in the places of those who were walked; undefined: somebody has no such part, or another one. */
function addressesFor(carried: readonly Carried[], actors: Actors): readonly Address[] | undefined {
  const addresses: Address[] = [];
  for (const c of carried) {
    const address = "role" in c ? actors.addressOf(c.role) : c.address;
    if (address === undefined) return undefined;
    // Whoever plays a part in this flow stands by the way of the other.
    if (actors.roleOfAddress(address) !== ("role" in c ? c.role : undefined)) return undefined;
    addresses.push(address);
  }
  return addresses;
}

function stackFor(name: string, actors: Actors, cast: Cast): Stack | undefined {
  const actor = actors.list.find((a) => a.role === name);
  if (actor !== undefined) return actor.stack;
  return actors.roleOfStack(name) === name ? cast.stack(name) : undefined;
}
