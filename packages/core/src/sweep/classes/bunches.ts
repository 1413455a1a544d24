import type { Route, Stack, World } from "../../model/index.ts";
import { type Address, type Family, familyOf, isHost, isIpv4 } from "../../net/index.ts";
import { addressSpansOf } from "../../trace/index.ts";
import type { Source } from "../flow.ts";
import type { Flow } from "../plan.ts";
import { isPort } from "../views/nearby.ts";
import type { Views } from "../views/views.ts";

/** A route to one host by a port: it says which is his. */
const isToPort = ({ devices }: Stack, { destination, nexthops }: Route): boolean => {
  const [hop, another] = nexthops;
  if (!isHost(destination) || hop?.device === undefined || another !== undefined) return false;
  const device = devices.items.find((d) => d.name === hop.device);
  return device !== undefined && isPort(device) && device.master === undefined;
};

/** Whether something else than rules of a text, objects, neighbours, connections, and the way to its own port speaks of an address. */
const unnamed = (world: World): World => ({
  ...world,
  kubernetes: { ...world.kubernetes, pods: [], endpoints: [], services: [] },
  stacks: world.stacks.map((s) => ({
    ...s,
    routeTables: s.routeTables.map((t) => ({ ...t, routes: t.routes.filter((r) => !isToPort(s, r)) })),
    routingRules: { ...s.routingRules, items: [] },
    neighbours: { ...s.neighbours, items: [] },
    fdb: { ...s.fdb, items: [] },
    conntrack: { ...s.conntrack, items: [] },
  })),
});

const NOBODY: ReadonlySet<Address> = new Set();

/**
 * Pods of one node of which the same is said: nothing in the World tells their addresses apart but the rules of Services that they are endpoints of, and
 * whatever objects say of one they say of the other. Whoever does not meet these rules need not be compared with anybody: it goes the way of the first
 * of its bunch.
 */
export class Bunches {
  readonly #views: Views;
  readonly #numbers = new Map<string, number>();
  readonly #clients = new Map<Address, number>();
  readonly #targets = new Map<Address, number>();
  readonly #spans: ReturnType<typeof addressSpansOf>;
  /** Stacks that know somebody as a neighbour. */
  readonly #near: readonly Stack[];
  /** Stacks that route by who sends, or to whom. */
  readonly #pointing: readonly Stack[];
  /** By address, the stacks with a route to it by a port. */
  readonly #leading = new Map<Address, Stack[]>();
  /** Of whom it is known which chains name them. */
  readonly #known = new Set<Address>();
  /** The pods that a chain of some node names. */
  readonly #named = new Map<string, Set<Address>>();

  constructor(views: Views) {
    this.#views = views;
    const { world } = views;
    this.#spans = addressSpansOf(unnamed(world));
    this.#near = world.stacks.filter((s) => !views.stacks.nearbyOf(s).isEmpty);
    this.#pointing = world.stacks.filter((s) => views.stacks.isPointing(s));
    for (const stack of world.stacks)
      for (const { routes } of stack.routeTables)
        for (const route of routes)
          if (isToPort(stack, route)) {
            const known = this.#leading.get(route.destination.address);
            if (known === undefined) this.#leading.set(route.destination.address, [stack]);
            else known.push(stack);
          }
    if (this.#spans !== undefined) this.#index(world);
  }

  #index({ stacks, kubernetes }: World): void {
    const all = this.#known;
    for (const address of this.#leading.keys()) all.add(address);
    for (const { addresses } of kubernetes.pods) for (const a of addresses) all.add(a);
    for (const { endpoints } of kubernetes.endpoints)
      for (const { addresses } of endpoints) for (const a of addresses) all.add(a);
    const homes = new Set<object>();
    for (const { netfilter } of stacks)
      for (const { unread } of netfilter.tables) {
        if (unread === undefined) continue;
        const isKnown = homes.has(unread.home);
        homes.add(unread.home);
        for (const address of all)
          for (const chain of unread.chainsNaming(address, isKnown)) {
            const known = this.#named.get(chain);
            if (known === undefined) this.#named.set(chain, new Set([address]));
            else known.add(address);
          }
      }
  }

  /** A number for all flows that go one way, but for those to whom rules of the Service are about themselves. Undefined: it is compared by itself. */
  of({ source, target }: Flow): number | undefined {
    if (this.#spans === undefined || (source.kind !== "pod" && target.kind !== "pod")) return undefined;
    const from =
      source.kind === "pod"
        ? this.clientOf(source, target.family)
        : this.#one(`${source.kind} ${source.from} ${source.node}`);
    const to =
      target.kind === "pod"
        ? this.#target(target.node, target.address)
        : this.#one(`${String(target.address)} ${target.port}`);
    return from < 0 || to < 0 ? undefined : from * 2 ** 26 + to;
  }

  /** Addresses of pods that rules of these chains are about. */
  about(chains: Iterable<string>): ReadonlySet<Address> {
    let found: Set<Address> | undefined;
    for (const chain of chains) {
      const named = this.#named.get(chain);
      if (named === undefined) continue;
      found ??= new Set();
      for (const address of named) found.add(address);
    }
    return found ?? NOBODY;
  }

  #one(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(text, number);
    }
    return number;
  }

  /** A number for all pods that nothing tells apart; negative: this one is compared by itself. */
  clientOf({ node, addresses }: Source, family: Family): number {
    const own = addresses.length === 1 ? addresses[0]! : addresses.find((a) => familyOf(a) === family);
    if (own === undefined || addresses.length > 1) return -1;
    let known = this.#clients.get(own);
    if (known === undefined) {
      known = this.#bunch("client", node, own, true);
      this.#clients.set(own, known);
    }
    return known;
  }

  #target(node: string | null, address: Address): number {
    let known = this.#targets.get(address);
    if (known === undefined) {
      known = this.#bunch("target", node, address, false);
      this.#targets.set(address, known);
    }
    return known;
  }

  #bunch(as: string, node: string | null, address: Address, isClient: boolean): number {
    const spans = this.#spans?.spans;
    if (spans === undefined || node === null || !isIpv4(address) || spans.isNamed(address)) return -1;
    if (!this.#known.has(address)) return -1;
    const text = this.#views.plainText(address, isClient);
    if (text === undefined) return -1;
    const { stacks } = this.#views;
    const near = this.#near.filter((s) => stacks.nearbyOf(s).names(address));
    // A node knows its pods; whom others know, too, is told apart by who that is.
    if (near.some((s) => s.name !== node)) return -1;
    // So has a node the routes to its pods.
    if (this.#leading.get(address)?.some((s) => s.name !== node) === true) return -1;
    const known = near.map((s) => stacks.nearbyOf(s).alone(address));
    const pointed = this.#pointing.map((s) => stacks.pointedAlone(s, address));
    const { seen } = this.#views;
    if (seen?.isAbout(address) === true) return -1;
    const said = this.#views.elsewhere.of(address, { roleOfStack: (name) => name });
    return this.#one(`${as} ${node} ${spans.of(address)} ${text} ${known} ${pointed} ${seen?.poolOf(address)} ${said}`);
  }
}
