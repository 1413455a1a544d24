import type { Route, Stack } from "../../model/index.ts";
import { type Address, contains, formatAddress, formatPrefix, isHost, type Prefix } from "../../net/index.ts";
import { type Actors, tokenOf } from "./actors.ts";
import { Cuts } from "./cuts.ts";
import type { Interned } from "./interned.ts";
import { portName } from "./nearby.ts";
import type { PodPorts } from "./pod-ports.ts";

/** A route, apart from whose address its gateway and its source are, and who is behind the ports it leads to. */
interface RouteView {
  readonly text: number;
  /** Its own address may be on many ports, with a route for each: they are one. */
  readonly isLocal: boolean;
  readonly ports: readonly string[];
  readonly gateways: readonly Address[];
  readonly source: Address | undefined;
}

/** What is known of others than a stack itself. */
export interface Elsewhere {
  readonly interned: Interned;
  readonly ports: PodPorts;
  /** Who has an address, as devices show. */
  readonly ownerOf: (address: Address) => string | undefined;
}

/** The networks and routes of a stack as they hold single addresses. */
export class StackWays {
  readonly #stack: Stack;
  readonly #devices: ReadonlyMap<string, string>;
  readonly #known: Elsewhere;
  /** Where they tell addresses apart. */
  readonly #cuts: Cuts;
  readonly #routes = new Map<number | Address, readonly RouteView[]>();
  /** Which of its devices' networks an address is in. */
  readonly #networks = new Map<number | Address, number>();
  #firsts: Set<string> | undefined;
  #byPort: ReadonlyMap<string, readonly Route[]> | undefined;

  /** `devices`: what each of them is, but for a name that is nobody's choice. */
  constructor(stack: Stack, devices: ReadonlyMap<string, string>, known: Elsewhere) {
    this.#stack = stack;
    this.#devices = devices;
    this.#known = known;
    this.#cuts = new Cuts(networksIn(stack));
  }

  /** Equal: held alike, and sent the same way. */
  text(address: Address, actors: Actors): string {
    let view = `${this.#networksOf(address)}`;
    for (const { text, isLocal, ports, gateways, source } of this.#to(address)) {
      view += `|${text}`;
      if (isLocal) view += this.#onPorts(ports, actors);
      else for (const port of ports) view += `=${this.#behind(port, actors)}`;
      for (const gateway of gateways) view += `>${this.#whose(gateway, actors)}`;
      if (source !== undefined) view += `<${tokenOf(source, actors)}`;
    }
    return view;
  }

  /** Whether a port is the first of several that have one address: that one is looked at where this is asked for. */
  isFirst(port: string): boolean {
    if (this.#firsts === undefined) {
      this.#firsts = new Set();
      const first = new Map<Address, string>();
      for (const { routes } of this.#stack.routeTables)
        for (const { destination, type, nexthops } of routes) {
          const device = nexthops[0]?.device;
          if (type !== "local" || device === undefined) continue;
          const known = first.get(destination.address);
          if (known === undefined) first.set(destination.address, device);
          else this.#firsts.add(known);
        }
    }
    return this.#firsts.has(port);
  }

  /** Whom else routes lead to by a port than the one who is known to be behind it. */
  alsoBy(port: string, address: Address): string {
    this.#byPort ??= this.#routesByPort();
    const all = this.#byPort.get(port) ?? [];
    const others = all.filter(({ destination }) => !(isHost(destination) && destination.address === address));
    return others.map(({ type, destination }) => `${type} ${formatPrefix(destination)}`).join();
  }

  #routesByPort(): ReadonlyMap<string, readonly Route[]> {
    const found = new Map<string, Route[]>();
    for (const { routes } of this.#stack.routeTables)
      for (const route of routes)
        for (const { device } of route.nexthops) {
          if (device === undefined) continue;
          const known = found.get(device);
          if (known === undefined) found.set(device, [route]);
          else known.push(route);
        }
    return found;
  }

  gatewaysTo(address: Address): readonly Address[] {
    return this.#to(address).flatMap((r) => r.gateways);
  }

  /** The gateways that routes to an address lead by, and the sources that they give. */
  leadingBy(address: Address): readonly Address[] {
    return this.#to(address).flatMap(({ gateways, source }) =>
      source === undefined ? gateways : [...gateways, source],
    );
  }

  /** Whom else a stack is asked for: those by whom its routes to these addresses lead. */
  hops(addresses: readonly Address[]): readonly Address[] {
    const hops = new Set(addresses);
    for (const a of addresses)
      for (const { gateways } of this.#to(a)) for (const gateway of gateways) hops.add(gateway);
    return [...hops];
  }

  #networksOf(address: Address): number {
    const span = this.#cuts.of(address);
    const known = this.#networks.get(span);
    if (known !== undefined) return known;
    const inside = this.#stack.devices.items.flatMap((d) => {
      const own = d.addresses.filter(
        (a) => contains(a.prefix, address) || (a.peer !== undefined && contains(a.peer, address)),
      );
      return own.map((a) => `${portName(this.#stack, d.name)}/${a.prefix.length}`);
    });
    const made = this.#known.interned.of(inside.join(" "));
    this.#networks.set(span, made);
    return made;
  }

  #to(address: Address): readonly RouteView[] {
    const span = this.#cuts.of(address);
    const known = this.#routes.get(span);
    if (known !== undefined) return known;
    const stack = this.#stack;
    const made: RouteView[] = [];
    for (const { id, routes } of stack.routeTables)
      for (const { destination, prefSrc, nexthops, origin: _, from, ...rest } of routes) {
        if (!contains(destination, address)) continue;
        const hops = nexthops.map(({ gateway: __, device, ...others }) => [
          device === undefined ? "" : portName(stack, device),
          others,
        ]);
        const text = this.#known.interned.of(JSON.stringify([id, destination.length, hops, rest, from !== undefined]));
        const gateways = nexthops.flatMap((h) => h.gateway ?? []);
        const ports = nexthops.flatMap(({ device: d }) => (d !== undefined && portName(stack, d) !== d ? [d] : []));
        const isLocal = rest.type === "local" && ports.length > 0;
        const last = made.at(-1);
        if (last?.isLocal === true && isLocal && last.text === text && last.source === prefSrc)
          made[made.length - 1] = { ...last, ports: [...last.ports, ...ports] };
        else made.push({ text, isLocal, ports, gateways, source: prefSrc });
      }
    this.#routes.set(span, made);
    return made;
  }

  /** Who of those that take part is behind a port; nobody: its name and what it is, as if that were its own choice. */
  #behind(name: string, actors: Actors): string {
    const who = this.#known.ports.players(this.#stack, name, actors).join(" ");
    return who === "" ? `${name} ${this.#textOf(name)}` : who;
  }

  /** Whose ports are among those that have an address: of the first, and of all. */
  #onPorts(names: readonly string[], actors: Actors): string {
    const { ports } = this.#known;
    const players = ports.ofPlayers(this.#stack, actors);
    const roles = players.flatMap(({ port, role }) => (names.includes(port) ? [role] : []));
    const texts = new Set(names.map((name) => this.#textOf(name)));
    return `=${ports.players(this.#stack, names[0]!, actors)}~${roles}~${[...texts]}`;
  }

  #textOf(device: string): number {
    return this.#known.interned.of(this.#devices.get(device) ?? "made up");
  }

  /** The role of whoever has it; else its name. */
  #whose(address: Address, actors: Actors): string {
    const owner = this.#known.ownerOf(address);
    return owner === undefined ? formatAddress(address) : actors.roleOfStack(owner);
  }
}

/** Networks that its routes and devices name. */
export const networksIn = ({ routeTables, devices }: Stack): readonly Prefix[] => [
  ...routeTables.flatMap((t) => t.routes.map((r) => r.destination)),
  ...devices.items.flatMap((d) => d.addresses.flatMap((a) => (a.peer === undefined ? [a.prefix] : [a.prefix, a.peer]))),
];
