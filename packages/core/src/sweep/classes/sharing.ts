import type { Askable } from "../../diagnose/index.ts";
import type { KubernetesObjects, Stack, World } from "../../model/index.ts";
import { type Address, familyOf } from "../../net/index.ts";
import { type Exploration, isInternal, legsOf, type Owner, ownerOf, type Question, trace } from "../../trace/index.ts";
import type { Flow } from "../plan.ts";
import { type Actors, Cast } from "./actors.ts";
import { Interned } from "./interned.ts";
import { StackViews } from "./stack-view.ts";

/** An address that packets of a walk carried: a player's, or the same for all flows like it. */
type Carried = { readonly role: string } | { readonly address: Address };

/** What a walk looked at, in roles: whoever finds the same goes the same way. */
interface Footprint<Known> {
  readonly carried: readonly Carried[];
  /** Stacks it came through, by role or name. */
  readonly stacks: readonly string[];
  readonly classes: Map<string, Known>;
  /** How the keys of these begin: who differs early is not looked at any further. */
  readonly beginnings: Set<string>;
}

/** Footprints kept for one group of flows: beyond, each is walked for itself. */
const MAX_FOOTPRINTS = 24;
/** Walks of one flow, every branch of it, that are looked at. */
const MAX_RUNS = 400;
/** With more addresses on its way a flow is not compared with others. */
const MAX_CARRIED = 400;

/** What all groups of one sweep look up. */
export class Views {
  readonly world: World;
  readonly cast: Cast;
  readonly stacks: StackViews;
  readonly interned = new Interned();
  readonly #clients = new Map<Address, { readonly owner: Owner | undefined; readonly text: string }>();
  readonly #addresses = new Map<Address, { readonly owner: Owner | undefined; readonly text: string }>();
  /** Whether flows of this World can be told to be alike at all. */
  readonly shareable: boolean;

  /** `beside`: what else is known of a node that its flows may be told by. */
  constructor(world: World, beside: (node: string) => string) {
    this.world = world;
    this.cast = new Cast(world);
    this.stacks = new StackViews(world, this.interned, beside);
    this.shareable = !this.stacks.ambiguous && world.undecidedMode === undefined;
  }

  /** What is known of an address beside what stacks say of it: who has it, by which device, and what objects tell. */
  ofAddress(address: Address, addresses: readonly Address[], actors: Actors): string {
    // Whether a client serves anything is no matter to what it asks.
    const isClient = actors.roleOfAddress(address)?.startsWith("C") === true;
    const store = isClient ? this.#clients : this.#addresses;
    let known = store.get(address);
    if (known === undefined) {
      const { world } = this;
      const owner = ownerOf(world, address);
      const text = `${owner?.kind ?? "nobody"} ${isInternal(world, address)} ${objectsOn(world.kubernetes, address, isClient)} ${fabricOn(world, address)}`;
      known = { owner, text };
      store.set(address, known);
    }
    const { owner, text } = known;
    if (owner === undefined) return text;
    const { stack } = owner;
    const device = owner.kind === "bridged" ? owner.bridge : owner.device;
    const there =
      owner.kind === "device" && stack.kind !== "node"
        ? this.#attached(stack, addresses)
        : this.stacks.deviceText(stack, device.name, addresses);
    return `${actors.roleOfStack(stack.name)} ${there} ${text}`;
  }

  /** By which devices of others a stack hangs on them. */
  #attached({ name }: Stack, addresses: readonly Address[]): string {
    return this.world.links
      .filter((l) => l.type === "veth" && l.ends.some((e) => e.stack === name))
      .flatMap((l) => l.ends.filter((e) => e.stack !== name))
      .map((e) => {
        const stack = this.cast.stack(e.stack);
        return stack === undefined ? "" : this.stacks.deviceText(stack, e.device, addresses);
      })
      .join(" ");
  }
}

/** What flows of a case are told apart by; undefined where something was seen of single flows, so that none is like another. */
export function viewsOf(askable: Askable, world: World = askable.world): Views | undefined {
  if (!askable.evidence.isSilent) return undefined;
  // Signs that a node is not as it should be are told of its flows.
  const drift = (node: string): string =>
    JSON.stringify(askable.evidence.driftOf(node).map(({ service, text: { id, params } }) => [service, id, params]));
  return new Views(world, drift);
}

/** What objects say of an address, without names: whether it runs and serves, and on which ports. */
function objectsOn({ pods, nodes, endpoints }: KubernetesObjects, address: Address, isClient: boolean): string {
  const own = pods.filter((p) => p.addresses.includes(address));
  if (isClient && own.length === 1) return `${own[0]!.phase} ${own[0]!.hostNetwork}`;
  const ends = endpoints.flatMap((s) =>
    s.endpoints
      .filter((e) => e.addresses.includes(address))
      .map((e) => `${s.ports.map((p) => `${p.protocol}:${p.port}`).join()} ${e.ready} ${e.serving} ${e.terminating}`),
  );
  return [
    own
      .map(
        (p) =>
          `${p.phase} ${p.ready} ${p.hostNetwork} ${p.ports?.map((c) => `${c.protocol}:${c.port}:${c.hostPort}`).join()}`,
      )
      .join(),
    nodes.filter((n) => n.addresses.includes(address)).length,
    ends.sort().join(),
  ].join(" ");
}

/** Which firewalls of the underlay and source ranges of load balancers mean it. */
const fabricOn = ({ fabric, loadBalancers }: World, address: Address): string =>
  fabric.deny.length === 0 && loadBalancers.every((b) => b.sourceRanges === undefined) ? "" : String(address);

/** Which flows of one group go the same way as one that was walked. */
export class Sharing<Known> {
  readonly #views: Views;
  readonly #footprints: Footprint<Known>[] = [];

  constructor(views: Views) {
    this.#views = views;
  }

  /** The class that a flow belongs to by what walks of others looked at. */
  find(flow: Flow): Known | undefined {
    if (this.#footprints.length === 0) return undefined;
    const actors = this.#views.cast.actorsOf(flow);
    for (const [i, footprint] of this.#footprints.entries()) {
      const key = this.#keyOf(footprint, actors, false);
      const known = key === undefined ? undefined : footprint.classes.get(key);
      if (known === undefined) continue;
      // The next flow is likely to be like this one.
      if (i > 0) this.#footprints.unshift(...this.#footprints.splice(i, 1));
      return known;
    }
    return undefined;
  }

  /**
   * Takes note of what a walk looked at; every branch of it, those of equal fate too. Gives back the stacks it came through, by role or name;
   * undefined: not all of them are known.
   */
  learn(flow: Flow, question: Question, walked: Exploration, known: Known): readonly string[] | undefined {
    if (!this.#views.shareable || walked.overflow) return undefined;
    const exploration = trace(walked.world, question, { fixed: walked.fixed, every: true, runs: MAX_RUNS });
    if (exploration.overflow) return undefined;
    const actors = this.#views.cast.actorsOf(flow);
    const looked = lookedAt(exploration, actors);
    this.#keep(flow, actors, looked, known);
    return looked.stacks;
  }

  #keep(flow: Flow, actors: Actors, { addresses, stacks }: ReturnType<typeof lookedAt>, known: Known): void {
    if (addresses.length > MAX_CARRIED) return;
    if (addresses.some((a) => familyOf(a) !== flow.target.family)) return;
    const carried = addresses.map((address): Carried => {
      const role = actors.roleOfAddress(address);
      return role === undefined ? { address } : { role };
    });
    const same = this.#footprints.find(
      (f) =>
        JSON.stringify(f.stacks) === JSON.stringify(stacks) && JSON.stringify(f.carried) === JSON.stringify(carried),
    );
    const footprint = same ?? { carried, stacks, classes: new Map<string, Known>(), beginnings: new Set<string>() };
    const key = this.#keyOf(footprint, actors, true);
    if (key === undefined) return;
    footprint.classes.set(key, known);
    if (same === undefined && this.#footprints.length < MAX_FOOTPRINTS) this.#footprints.push(footprint);
  }

  /** All that the walk looked at, as this flow finds it; undefined: something on its way is told by no role. */
  #keyOf({ carried, stacks, beginnings }: Footprint<Known>, actors: Actors, learning: boolean): string | undefined {
    const { cast, stacks: views } = this.#views;
    const byRole: ReadonlyMap<string, Address> = new Map(
      actors.list.flatMap(({ role, addresses }) => addresses.map((a, i) => [`${role}${i}`, a] as const)),
    );
    const addresses: Address[] = [];
    for (const c of carried) {
      const address = "role" in c ? byRole.get(c.role) : c.address;
      if (address === undefined) return undefined;
      // Whoever plays a part in this flow stands by the way of the other.
      if (actors.roleOfAddress(address) !== ("role" in c ? c.role : undefined)) return undefined;
      addresses.push(address);
    }
    let key = actors.list.map((a) => `${a.role}${a.addresses.length}${a.stack === undefined ? "-" : "+"}`).join(" ");
    for (const name of stacks) {
      const actor = actors.list.find((a) => a.role === name);
      const stack = actor === undefined ? cast.stack(name) : actor.stack;
      if (stack === undefined || (actor === undefined && actors.roleOfStack(name) !== name)) return undefined;
      const view = views.viewOf(stack, addresses, actors);
      if (view === undefined) return undefined;
      key += `\n${view}`;
      if (learning) beginnings.add(key);
      else if (!beginnings.has(key)) return undefined;
    }
    for (const address of addresses) key += `\n${this.#views.ofAddress(address, addresses, actors)}`;
    return key;
  }
}

/** The addresses that packets carried, and the shown stacks they came through. */
function lookedAt(
  { branches, world }: Exploration,
  actors: Actors,
): { readonly addresses: readonly Address[]; readonly stacks: readonly string[] } {
  const addresses = new Set<Address>();
  const names = new Set<string>();
  for (const branch of branches) {
    for (const leg of [...legsOf(branch), ...branch.aftermath]) {
      names.add(leg.stack);
      for (const packet of [leg.final, ...leg.steps.map((s) => s.packet)]) {
        addresses.add(packet.src).add(packet.dst);
        if (packet.carried !== undefined) addresses.add(packet.carried.packet.src).add(packet.carried.packet.dst);
      }
      for (const step of leg.steps) names.add(step.stack);
    }
    for (const { original, reply } of branch.connections)
      for (const tuple of [original, reply]) addresses.add(tuple.src).add(tuple.dst);
  }
  const shown = new Set(world.stacks.filter((s) => s.assumed === undefined).map((s) => s.name));
  // Whoever plays a part is looked at whether or not a packet came there.
  const players = actors.list.flatMap((a) => (a.stack === undefined ? [] : [a.role]));
  const others = [...names].filter((n) => shown.has(n)).map(actors.roleOfStack);
  return { addresses: [...addresses], stacks: [...new Set([...players, ...others])].sort() };
}
