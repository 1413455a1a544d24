import type { Askable } from "../../diagnose/index.ts";
import { backEndsDiffer, failingProxy } from "../../explain/index.ts";
import type { KubernetesEndpoints, KubernetesService, Stack, World } from "../../model/index.ts";
import { type Address, contains, isHost } from "../../net/index.ts";
import {
  type Acquaintance,
  acquaintanceOf,
  isInternal,
  type Owner,
  ownerOf,
  placesOf,
  placeText,
  shownListeners,
} from "../../trace/index.ts";
import { type Actors, Cast } from "./actors.ts";
import { ByAddress } from "./by-address.ts";
import type { Cuts } from "./cuts.ts";
import { Elsewhere } from "./elsewhere.ts";
import { Interned } from "./interned.ts";
import type { CalledDevices } from "./pod-ports.ts";
import { Seen } from "./seen.ts";
import { socketText } from "./socket-text.ts";
import { type Ports, StackViews } from "./stack-view.ts";

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
  ofAddress(
    address: Address,
    addresses: readonly Address[],
    actors: Actors,
    ports: Ports,
    devices: ReadonlyMap<string, CalledDevices>,
  ): string {
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
        ? this.#attached(stack, addresses, actors, ports, devices)
        : this.#deviceText(stack, device.name, addresses, actors, ports, devices);
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
    const by =
      owner.kind === "behind"
        ? this.stacks.portText(stack, device.name, address)
        : this.stacks.deviceOf(stack, device.name);
    return by === undefined ? undefined : `${actors.roleOfStack(stack.name)} ${by} ${text}`;
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
    const { world } = this;
    const owner = ownerOf(world, address);
    if (owner === undefined || owner.kind === "device" || owner.stack.kind !== "node") return undefined;
    const by =
      owner.kind === "bridged" ? owner.bridge.name : this.stacks.portText(owner.stack, owner.device.name, address);
    if (by === undefined) return undefined;
    const homes = [...this.homesOf(address)].sort();
    return `${owner.stack.name} ${owner.kind} ${by} ${isInternal(world, address)} ${this.#objectsOn(address, isClient)} ${fabricOn(world, address)} ${homes} ${acquaintanceOf(world, address).text}`;
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

  /** By which devices of others a stack hangs on them. */
  #attached(
    { name }: Stack,
    addresses: readonly Address[],
    actors: Actors,
    ports: Ports,
    devices: ReadonlyMap<string, CalledDevices>,
  ): string {
    return this.world.links
      .filter((l) => l.type === "veth" && l.ends.some((e) => e.stack === name))
      .flatMap((l) => l.ends.filter((e) => e.stack !== name))
      .map((e) => {
        const stack = this.cast.stack(e.stack);
        return stack === undefined ? "" : this.#deviceText(stack, e.device, addresses, actors, ports, devices);
      })
      .join(" ");
  }

  /** Where no packet comes by, no rule takes any. */
  #deviceText(
    stack: Stack,
    name: string,
    addresses: readonly Address[],
    actors: Actors,
    ports: Ports,
    devices: ReadonlyMap<string, CalledDevices>,
  ): string {
    const used = this.stacks.usedBy(stack, devices.get(stack.name) ?? [], actors);
    return this.stacks.deviceText(stack, name, addresses, actors, ports, used);
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
