import type { Stack } from "../../model/index.ts";
import { type Address, ipv4Of, isIpv4 } from "../../net/index.ts";
import type { AlikeNodes, Asker } from "../classes/alike-nodes.ts";
import type { Source, Target } from "../flow.ts";
import type { Actors } from "../views/actors.ts";
import type { Cuts } from "../views/cuts.ts";
import { Interned } from "../views/interned.ts";
import type { Views } from "../views/views.ts";

/** A node of which the same is said as of the others. */
interface Equal {
  readonly node: Stack;
  readonly source: Source;
  readonly addresses: readonly Address[];
}

/**
 * Nodes that may change places: they are set up alike, each finds each of the others by the same kind of way, and whoever else was shown finds them all
 * alike, and is found alike by all. What a flow comes to by one of them it comes to by another in its place.
 */
export class EqualNodes {
  readonly #views: Views;
  readonly #texts = new Interned();
  readonly #equal = new Map<string, Equal>();
  /** Stacks that stay where they are. */
  readonly #others: readonly Stack[];
  readonly #cuts: Cuts;
  readonly #standings = new Map<string, string | undefined>();
  /** By the address, or the span of all routes and networks that it lies in. */
  readonly #everywhere = new Map<Address | number, boolean>();
  /** Stacks that know an address as a neighbour's. */
  readonly #namers = new Map<Address, Stack[]>();
  #isBesideEqual: boolean | undefined;

  constructor(views: Views, nodes: AlikeNodes, sources: readonly Source[], target: Target) {
    this.#views = views;
    const { stacks } = views.world;
    const shown = stacks.filter((s) => s.kind !== "pod" && s.assumed === undefined);
    for (const stack of shown)
      for (const { address } of stack.neighbours.items) {
        const known = this.#namers.get(address);
        if (known === undefined) this.#namers.set(address, [stack]);
        else if (!known.includes(stack)) known.push(stack);
      }
    this.#cuts = views.stacks.cutsOf(shown);
    const askers = sources.flatMap((source) => {
      const asker = source.kind === "node" ? nodes.askerOf({ source, target }) : undefined;
      return asker === undefined ? [] : [{ source, asker }];
    });
    for (const one of this.#mutual(ofOneLook(askers))) this.#equal.set(one.node.name, one);
    let others = shown.filter((s) => !this.#equal.has(s.name));
    // Whoever is found otherwise by one of the others is one of these, and they are asked of the rest once more.
    for (let isSettled = false; !isSettled; ) {
      const all = [...this.#equal.values()];
      const found = all.map((one) => this.#texts.of(this.#amid(one, others)));
      const most = mostCommon(found);
      for (const [i, { node }] of all.entries()) if (found[i] !== most) this.#equal.delete(node.name);
      isSettled = this.#equal.size === all.length;
      others = shown.filter((s) => !this.#equal.has(s.name));
    }
    this.#others = others;
    // What others know of a flow's hosts cannot be told host by host.
    if (!others.every((s) => views.stacks.isApart(s))) this.#equal.clear();
  }

  get size(): number {
    return this.#equal.size;
  }

  has(name: string): boolean {
    return this.#equal.has(name);
  }

  addressesOf(name: string): readonly Address[] {
    return this.#equal.get(name)?.addresses ?? [];
  }

  /** How all stacks find an address of somebody who stands on one of these nodes: equal, where the nodes may change places with whoever is there. */
  standingOf(address: Address, home: string): string | undefined {
    const span = this.#cuts.of(address);
    const own = this.#equal.get(home);
    if (typeof span !== "number" || own === undefined) return undefined;
    const by = this.#namers.get(address) ?? NOBODY;
    // Whom others know, too, is told apart by who that is.
    if (by.some((stack) => stack !== own.node)) return undefined;
    const key = `${span} ${home}`;
    let standing = this.#standings.get(key);
    if (standing === undefined && !this.#standings.has(key)) {
      standing = this.#standing(address, own);
      this.#standings.set(key, standing);
    }
    if (standing === undefined || by.length === 0) return standing;
    return `${standing} ${this.#texts.of(this.#views.stacks.nearbyOf(own.node).alone(address))}`;
  }

  /** The way by which all of them find an address that is nobody's of them; undefined: some find it by another. */
  wayTo(address: Address): string | undefined {
    const span = this.#cuts.of(address);
    if (typeof span !== "number") return undefined;
    const isKnown = this.#namers.has(address) || this.#views.stacks.ownerOf(address) !== undefined;
    const whose = isKnown ? address : span;
    let known = this.#everywhere.get(whose);
    if (known === undefined) {
      const ways = [...this.#equal.values()].map((one) =>
        this.#found(one.node, [address], this.#roles(one), isKnown ? [address] : []),
      );
      known = new Set(ways).size <= 1;
      this.#everywhere.set(whose, known);
    }
    return known ? `${span}` : undefined;
  }

  /** Whether the same is known of all of them beside what packets meet. */
  get isBesideEqual(): boolean {
    if (this.#isBesideEqual === undefined) {
      const { stacks, elsewhere } = this.#views;
      const besides = [...this.#equal.values()].map((one) => {
        const roles = this.#roles(one);
        return `${stacks.besideOf(one.node)} ${one.addresses.map((a) => elsewhere.ofStopped(a, roles)).join("|")}`;
      });
      this.#isBesideEqual = new Set(besides).size <= 1;
    }
    return this.#isBesideEqual;
  }

  /** What is said of an address wherever no packet comes by, by the node that it stands on. */
  saidOf(address: Address, home: string): string {
    const own = this.addressesOf(home);
    const roleOfAddress = (a: Address): string | undefined => {
      const at = own.indexOf(a);
      return at < 0 ? undefined : `B${at}`;
    };
    return this.#views.elsewhere.ofStopped(address, {
      roleOfAddress,
      roleOfStack: (name) => (name === home ? "B" : name),
    });
  }

  #standing(address: Address, home: Equal): string | undefined {
    let others: string | undefined;
    for (const one of this.#equal.values()) {
      if (one === home) continue;
      const way = this.#found(one.node, [address], this.#roles(one, home));
      if (others !== undefined && others !== way) return undefined;
      others = way;
    }
    const roles = this.#roles(home);
    const rest = this.#others.map((s) => this.#found(s, [address], roles));
    return `${this.#texts.of([others, this.#found(home.node, [address], roles), ...rest].join("\n"))}`;
  }

  /** Those of whom each finds each of the others by the same way; who finds most of them by another, or is found so, is left out first. */
  #mutual(all: readonly Equal[]): readonly Equal[] {
    const ways = all.map((a) => all.map((b) => (a === b ? -1 : this.#way(a, b))));
    const most = mostCommon(ways.flatMap((row) => row.filter((w) => w >= 0)));
    const amiss = all.map((_, i) => all.filter((__, j) => i !== j && (ways[i]![j] !== most || ways[j]![i] !== most)));
    const left = new Map(all.map((one, i) => [one, new Set(amiss[i])]));
    for (;;) {
      const [worst, most] = [...left].reduce<readonly [Equal | undefined, number]>(
        (found, [one, others]) => (others.size > found[1] ? [one, others.size] : found),
        [undefined, 0],
      );
      if (worst === undefined || most === 0) return [...left.keys()];
      left.delete(worst);
      for (const others of left.values()) others.delete(worst);
    }
  }

  /** How one finds another. */
  #way(a: Equal, b: Equal): number {
    return this.#texts.of(this.#found(a.node, b.addresses, this.#roles(a, b), b.addresses));
  }

  /** How it is found by those who are not its equals, and finds them; and who objects say is at its addresses. */
  #amid(one: Equal, others: readonly Stack[]): string {
    const { cast } = this.#views;
    const roles = this.#roles(one);
    return [
      ...one.addresses.map((a) => this.#views.homesOf(a).map(roles.roleOfStack).sort().join()),
      ...others.map((s) => this.#found(s, one.addresses, roles, one.addresses)),
      ...others.map((s) => this.#found(one.node, cast.addressesOf(s), roles, cast.addressesOf(s))),
    ].join("\n");
  }

  /** A stack's ways to addresses, and what it knows of those who send there, and of some of them. */
  #found(stack: Stack, addresses: readonly Address[], roles: Actors, known: readonly Address[] = NONE): string {
    const { stacks } = this.#views;
    const ways = addresses.map((a) => stacks.waysOf(stack).text(a, roles));
    const hops = addresses.flatMap((a) => stacks.waysOf(stack).gatewaysTo(a));
    return `${ways.join("\n")}\n${stacks.nearTo(stack, [...known, ...hops], roles)}`;
  }

  /** One asks, another may be asked. */
  #roles({ source }: Equal, other?: Equal): Actors {
    return this.#views.cast.actorsOf({ source, target: askedOn(other?.node.name ?? null) }, []);
  }
}

/** Something at a node: whose address it is does not matter. */
const askedOn = (node: string | null): Target => ({
  kind: "service",
  name: null,
  namespace: null,
  via: null,
  address: ipv4Of(0),
  port: 0,
  servicePort: null,
  protocol: 0,
  family: 4,
  node,
  endpoints: new Set(),
});
const NONE: readonly Address[] = [];
const NOBODY: readonly Stack[] = [];

/** The most that are alike in all that is said of them whomever they ask. */
function ofOneLook(askers: readonly { readonly source: Source; readonly asker: Asker }[]): readonly Equal[] {
  const most = mostCommon(askers.map(({ asker }) => asker.look));
  return askers
    .filter(({ asker }) => asker.look === most)
    .map(({ source, asker }) => ({ node: asker.node, source, addresses: [...asker.addresses].filter(isIpv4) }));
}

function mostCommon(numbers: readonly number[]): number | undefined {
  const times = new Map<number, number>();
  let most: number | undefined;
  for (const n of numbers) {
    const now = (times.get(n) ?? 0) + 1;
    times.set(n, now);
    if (most === undefined || now > times.get(most)!) most = n;
  }
  return most;
}
