import type { Stack } from "../../model/index.ts";
import { type Address, familyOf } from "../../net/index.ts";
import { type Exploration, type Question, trace, type Ways } from "../../trace/index.ts";
import type { Flow } from "../plan.ts";
import type { Actors, Cast } from "../views/actors.ts";
import type { CalledDevices, UsedDevices } from "../views/pod-ports.ts";
import type { Ports } from "../views/stack-view.ts";
import type { Views } from "../views/views.ts";
import { lookedAt } from "./looked-at.ts";

/** An address that packets of a walk carried: a player's, or the same for all flows like it. */
type Carried = { readonly role: string } | { readonly address: Address };

/** What a walk looked at, in roles: whoever finds the same goes the same way. */
export interface Looked {
  /** Undefined: no flow can be told to be like it. */
  readonly carried: readonly Carried[] | undefined;
  /** Stacks it came through, by role or name. */
  readonly stacks: readonly string[];
  /** By which devices of each of these. */
  readonly devices: readonly CalledDevices[];
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
  /** By which devices packets come and go on each stack that they come by, by its name. */
  readonly devices: ReadonlyMap<string, UsedDevices | undefined>;
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
  readonly devices: readonly CalledDevices[];
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
const MAX_FOOTPRINTS = 64;
/** Walks of one flow, every branch of it, that are looked at. */
const MAX_RUNS = 400;
/** With more addresses on its way a flow is not compared with others. */
const MAX_CARRIED = 400;

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
    const { carried, stacks, devices, asked, ports, isFixed } = this.#met;
    const { cast, stacks: views, seen } = this.#views;
    const actors = cast.actorsOf(flow);
    const explicit = carried.flatMap((c) => ("address" in c ? [c.address] : []));
    const names = stacks.filter((name) => !actors.list.some((a) => a.role === name));
    const addresses = addressesFor(carried, actors)!;
    const looksAtEntries = (name: string): boolean =>
      views.looksAtEntries(stackFor(name, actors, cast)!, addresses, asked, isFixed ? ports : undefined);
    const isTracked = seen !== undefined && stacks.some(looksAtEntries);
    const by = new Map<string, UsedDevices | undefined>();
    for (const [i, name] of stacks.entries()) {
      const stack = stackFor(name, actors, cast)!;
      by.set(stack.name, views.usedBy(stack, devices[i]!, actors));
    }
    return { addresses, explicit, stacks: names, devices: by, asked, isApart: this.#isApart, isTracked };
  }

  /** The chains that packets of the flow that was asked for last can come by; undefined: that is not known of all of its way. */
  chainsMet(flow: Flow): ReadonlySet<string> | undefined {
    if (this.#met === undefined) return undefined;
    const { cast, stacks: views } = this.#views;
    const { carried, stacks, devices, asked } = this.#met;
    const actors = cast.actorsOf(flow);
    const addresses = addressesFor(carried, actors)!;
    const found = new Set<string>();
    for (const [i, name] of stacks.entries()) {
      const stack = stackFor(name, actors, cast)!;
      const used = views.usedBy(stack, devices[i]!, actors);
      for (const chain of views.sliceFor(stack, addresses, asked, used).chains) found.add(chain);
    }
    return found;
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
    const { addresses, stacks, devices: by, ports, asked, isFixed } = lookedAt(exploration, actors, tried);
    const isApart = addresses.length > MAX_CARRIED || addresses.some((a) => familyOf(a) !== flow.target.family);
    const carried = addresses.map((address): Carried => {
      const role = actors.roleOfAddress(address);
      return role === undefined ? { address } : { role };
    });
    const { cast, stacks: views } = this.#views;
    const devices = stacks.map((name): CalledDevices => {
      const stack = stackFor(name, actors, cast);
      if (stack === undefined) return [];
      return [...new Set([...(by.get(stack.name) ?? [])].map((d) => views.called(stack, d, actors)))].sort();
    });
    const looked = { carried: isApart ? undefined : carried, stacks, devices, ports, asked, isFixed };
    this.teach(flow, looked, known, getsThrough);
    return looked;
  }

  /** The same of a flow whose walk is known to look at this. */
  teach(flow: Flow, looked: Looked, known: Known, getsThrough: boolean): void {
    this.teachBy(this.#views.cast.actorsOf(flow), looked, known, getsThrough);
  }

  teachBy(
    actors: Actors,
    { carried, stacks, devices, ports, asked, isFixed }: Looked,
    known: Known,
    getsThrough: boolean,
  ): void {
    if (carried === undefined) return;
    this.#met = undefined;
    // What it has for ports matters beside connections that were there before.
    const tracked = this.#views.seen === undefined ? [] : [...ports].sort((a, b) => a - b);
    const id = JSON.stringify([stacks, devices, carried, asked && [...asked], tracked, isFixed]);
    const same = this.#footprints.find((f) => f.id === id);
    const footprint = same ?? {
      id,
      carried,
      stacks,
      devices,
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
    { carried, stacks, devices, ports, asked }: Looked,
    changed: ReadonlySet<string>,
    { cast: castBefore, stacks: viewsBefore }: Views,
  ): boolean {
    const { cast, stacks: views } = this.#views;
    const [actors, before] = [cast.actorsOf(flow), castBefore.actorsOf(flow)];
    const addresses = carried === undefined ? undefined : addressesFor(carried, actors);
    if (addresses === undefined) return false;
    const names = new Set<string>();
    for (const [i, name] of stacks.entries()) {
      const [now, then] = [stackFor(name, actors, cast), stackFor(name, before, castBefore)];
      if (now === undefined || then === undefined) return false;
      names.add(now.name);
      if (!changed.has(now.name)) continue;
      const view = views.metOn(now, addresses, actors, ports, asked, devices[i]!);
      if (view === undefined || view !== viewsBefore.metOn(then, addresses, before, ports, asked, devices[i]!))
        return false;
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
    { carried, stacks, devices, asked, ports, isFixed, beginnings }: Footprint<Known>,
    actors: Actors,
    learning: boolean,
  ): string | undefined {
    const { cast, stacks: views, seen } = this.#views;
    const addresses = addressesFor(carried, actors);
    if (addresses === undefined) return undefined;
    const found = isFixed ? ports : undefined;
    const names: string[] = [];
    const by = new Map<string, CalledDevices>();
    let key = actors.roleOfAddress(actors.asked) ?? String(actors.asked);
    for (const a of actors.list) key += ` ${a.role}${a.addresses.length}${a.stack === undefined ? "-" : "+"}`;
    for (const [i, name] of stacks.entries()) {
      const stack = stackFor(name, actors, cast);
      if (stack === undefined) return undefined;
      const view = views.viewOf(stack, addresses, actors, asked, devices[i]!, found);
      if (view === undefined) return undefined;
      names.push(stack.name);
      by.set(stack.name, devices[i]!);
      key += `\n${view}${seen?.disagreesOn(stack.name) === true ? " disputed" : ""}`;
      if (learning) beginnings.add(key);
      else if (!beginnings.has(key)) return undefined;
    }
    if (seen !== undefined) key += `\n${seen.of(addresses, ports, names, actors)}`;
    if (actors.asks !== undefined) key += `\n${actors.asks.text(actors)}`;
    for (const address of addresses) key += `\n${this.#views.ofAddress(address, addresses, actors, asked, by)}`;
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

/** What a walk looked at, in the roles that these players have, in the roles that they have by others. */
export function inRoles(
  { cast, stacks: views }: Views,
  { carried, stacks, devices, ports, asked, isFixed }: Looked,
  actors: Actors,
  roles: Actors,
): Looked | undefined {
  const addresses = carried === undefined ? undefined : addressesFor(carried, actors);
  if (addresses === undefined) return undefined;
  const there = new Map<string, CalledDevices>();
  for (const [i, name] of stacks.entries()) {
    const stack = stackFor(name, actors, cast);
    const used = stack === undefined ? undefined : views.usedBy(stack, devices[i]!, actors);
    if (stack === undefined || used === undefined) return undefined;
    const called = used.list.map((d) => views.called(stack, d.name, roles));
    const before = there.get(roles.roleOfStack(stack.name)) ?? [];
    there.set(roles.roleOfStack(stack.name), [...new Set([...before, ...called])].sort());
  }
  const names = [...there.keys()].sort();
  return {
    carried: addresses.map((address): Carried => {
      const role = roles.roleOfAddress(address);
      return role === undefined ? { address } : { role };
    }),
    stacks: names,
    devices: names.map((name) => there.get(name)!),
    ports,
    asked,
    isFixed,
  };
}
