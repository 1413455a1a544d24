import type { ConntrackEntry, Device, Neighbour, Stack, World } from "../../model/index.ts";
import { type Address, familyOf, isLinkLocal } from "../../net/index.ts";
import { type Actors, tokenOf } from "./actors.ts";
import { Answered } from "./answered.ts";
import { Cuts } from "./cuts.ts";
import { countedDrops } from "./elsewhere.ts";
import { HostEntries } from "./host-entries.ts";
import type { Interned } from "./interned.ts";
import { isPort, Nearby, type Placed, portName } from "./nearby.ts";
import { type CalledDevices, PodPorts, type UsedDevices } from "./pod-ports.ts";
import { PointedRules } from "./pointed-rules.ts";
import { PortRules } from "./port-rules.ts";
import { portsNamedBy } from "./ports-named.ts";
import { RuleText } from "./rule-text.ts";
import { Pieces, type Slice, type SlicedTable, Slices } from "./slice.ts";
import { socketText } from "./socket-text.ts";
import { networksIn, StackWays } from "./stack-ways.ts";
import { Tracked } from "./tracked.ts";

/** What does not decide, or is told apart from the rest. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "mac",
  "permanentMac",
  "index",
  "peer",
  "addresses",
  "tunnel",
  "name",
  "statistics",
]);
/** What no walk asks for, and no two machines have alike. */
const OF_THE_MOMENT: ReadonlySet<string> = new Set([
  "net.core.netdev_rss_key",
  "net.ipv4.tcp_fastopen_key",
  "net.netfilter.nf_conntrack_count",
]);
/** A frame that goes out there finds whoever is at the other end, whichever MAC the port itself has. */
const leadsToOne = (device: Device): boolean => isPort(device) && device.master === undefined;
const isOrigin = (key: string): boolean => /origins?$/i.test(key);
const plain = (value: unknown): string =>
  JSON.stringify(value, (key, v: unknown) => (LEFT_OUT.has(key) || isOrigin(key) ? undefined : v)) ?? "";
const withoutOrigin = (value: unknown): string =>
  JSON.stringify(value, (key, v: unknown) => (isOrigin(key) ? undefined : v)) ?? "";

/** Matches and targets that look for a socket by more than the packet's port. */
export const ASKS_FOR_SOCKETS = /TPROXY|tproxy|-m socket|\bsocket\b/;

/** Ports that first packets of connections are for; undefined: any. */
export type Ports = ReadonlySet<number> | undefined;

/** So many texts of rules are kept: those of the last few Services. */
const MOST_TEXTS = 2000;

/** A stack as far as it is the same for all flows through it. */
interface Prepared {
  readonly slices: Slices;
  /** Sysctls, machine, how much was shown: all that names no address. */
  readonly settings: string;
  readonly devices: ReadonlyMap<string, string>;
  readonly links: string;
  /** Its devices that lead to somebody who was shown. */
  readonly linked: ReadonlySet<string>;
  /** What may name a port beside rules: routing rules, VLANs of bridges, sockets. */
  readonly naming: string;
  /** Its own part in the view, by the role it plays and the family that is asked. */
  readonly byRole: Map<string, number>;
  readonly ways: StackWays;
  readonly nearby: Nearby;
  readonly hostEntries: HostEntries;
  readonly portRules: PortRules;
  /** Whether sets, native tables or rules of routing name a device. */
  readonly namesPort: (port: string) => boolean;
  /** Rules of routing that are for somebody. */
  readonly pointed: PointedRules;
  /** Absent: nobody showed a connection. */
  readonly tracked: Tracked | undefined;
  readonly unshareable: boolean;
}

/** What the rules of a stack say to everybody, or to everybody who comes by one of its ports. */
export interface Base {
  readonly rules: RuleText;
  /** Equal: the same but for addresses, and for where these are. */
  readonly shape: number;
  readonly tables: readonly SlicedTable[];
}

/** What each stack of a World looks like to the packets of a flow. */
export class StackViews {
  readonly #world: World;
  readonly #beside: (node: string) => string;
  readonly #interned: Interned;
  readonly #prepared: Map<Stack, Prepared>;
  readonly #texts: Map<string, RuleText>;
  readonly #pieces: Pieces;
  readonly #besides = new Map<string, number>();
  readonly #owners: ReadonlyMap<Address, string>;
  readonly #macs: ReadonlyMap<string, Placed>;
  /** MACs of ports of many nodes. */
  readonly #many: ReadonlySet<string>;
  readonly #answered: Answered;
  readonly #ports: PodPorts;
  readonly #meant: WeakMap<RuleText, Map<string, string>>;
  /** Some MAC is on two cards: what a frame finds then depends on more than roles. */
  readonly ambiguous: boolean;

  /** `before`: of a World that differs in some stacks and in nothing else; what is known of the others stays known. */
  constructor(world: World, interned: Interned, beside: (node: string) => string, before?: StackViews) {
    this.#prepared = before === undefined ? new Map() : before.#prepared;
    this.#texts = before === undefined ? new Map() : before.#texts;
    this.#pieces = before === undefined ? new Pieces() : before.#pieces;
    this.#meant = before === undefined ? new WeakMap() : before.#meant;
    this.#world = world;
    this.#beside = beside;
    this.#interned = interned;
    const owners = new Map<Address, string>();
    const macs = new Map<string, { readonly stack: Stack; readonly devices: Device[] }>();
    const many = new Set<string>();
    let ambiguous = false;
    for (const stack of world.stacks)
      for (const device of stack.devices.items) {
        if (device.kind === "loopback") continue;
        for (const { prefix } of device.addresses)
          if (!owners.has(prefix.address)) owners.set(prefix.address, stack.name);
        if (device.mac === undefined || device.kind === "dummy") continue;
        const before = macs.get(device.mac);
        if (before === undefined) macs.set(device.mac, { stack, devices: [device] });
        else if ([...before.devices, device].every(leadsToOne)) many.add(device.mac);
        else if (before.stack === stack) before.devices.push(device);
        else ambiguous = true;
      }
    for (const mac of many) macs.delete(mac);
    this.#ports = new PodPorts(world);
    this.#owners = owners;
    this.#macs = macs;
    this.#many = many;
    this.#answered = new Answered(world);
    this.ambiguous = ambiguous;
  }

  #asked: ReadonlySet<string | undefined> | undefined;

  /** Whether some stack has a MAC for a neighbour's. */
  #isAsked(mac: string): boolean {
    this.#asked ??= new Set(this.#world.stacks.flatMap((s) => s.neighbours.items.map((n) => n.mac)));
    return this.#asked.has(mac);
  }

  #prepare(stack: Stack): Prepared {
    const known = this.#prepared.get(stack);
    if (known !== undefined) return known;
    const ports = new Set(stack.devices.items.filter(isPort).map((d) => d.name));
    const perDevice = new Map<string, string[]>();
    const settings: string[] = [];
    for (const [key, { value }] of stack.sysctls) {
      if (OF_THE_MOMENT.has(key)) continue;
      const device = /\.(?:conf|neigh)\.(.+)\.[^.]+$/.exec(key)?.[1]?.replaceAll("/", ".");
      if (device === undefined || !ports.has(device)) settings.push(`${key}=${value}`);
      else {
        const own = perDevice.get(device) ?? [];
        perDevice.set(device, own);
        own.push(`${key.replace(device, "*")}=${value}`);
      }
    }
    const { machine, devices: listed, neighbours, fdb, bridgeVlans, conntrack, listeners, routingRules } = stack;
    const extents = [listed, neighbours, fdb, bridgeVlans, conntrack, listeners, routingRules].map((l) => l.extent);
    const tables = stack.routeTables.map((t) => `${t.id}/${t.family}/${t.extent}`);
    const how = [stack.kind, stack.assumed, stack.fromObjects, stack.rulesOnly, stack.rulesUncollected].join("/");
    const ends = this.#world.links.flatMap(({ type, ends: both }) =>
      both.filter((e) => e.stack === stack.name).map(({ device }) => ({ type, device })),
    );
    const tracked = conntrack.items.length === 0 ? undefined : new Tracked(stack);
    const owners = {
      ofAddress: (address: Address) => this.#owners.get(address),
      ofMac: (mac: string) => this.#macs.get(mac),
      isMany: (mac: string) => this.#many.has(mac),
      isAsked: (mac: string) => this.#isAsked(mac),
      statesOf: (neighbour: Neighbour) => this.#answered.statesOf(stack, neighbour),
    };
    const devices = new Map(
      stack.devices.items.map((device) => {
        const own = perDevice.get(device.name)?.sort().join(" ") ?? "";
        const mac = device.mac !== undefined && this.#many.has(device.mac) ? device.mac : "";
        return [device.name, `${isPort(device) ? "port" : device.name} ${plain(device)} ${own}${mac}`];
      }),
    );
    const slices = new Slices(stack, this.#pieces);
    const made: Prepared = {
      slices,
      hostEntries: new HostEntries(stack),
      portRules: new PortRules(stack, slices, this.#ports),
      namesPort: portsNamedBy(stack),
      nearby: new Nearby(stack, owners, (name) => devices.get(name) ?? name),
      settings: [
        settings.sort().join("\n"),
        withoutOrigin(machine),
        extents.join(),
        tables.join(),
        how,
        withoutOrigin(bridgeVlans.items),
        withoutOrigin(listeners.wholeFor ?? null),
        tracked?.families,
        countedDrops(stack),
      ].join("\n"),
      devices,
      links: someOf(ends.map((e) => `${e.type} ${portName(stack, e.device)}`)).join(";"),
      linked: new Set(ends.map((e) => e.device)),
      naming: withoutOrigin([routingRules.items, bridgeVlans.items, listeners.items.map((l) => l.device)]),
      byRole: new Map(),
      ways: new StackWays(stack, devices, {
        interned: this.#interned,
        ports: this.#ports,
        ownerOf: (address) => this.#owners.get(address),
      }),
      pointed: new PointedRules(stack),
      tracked,
      unshareable:
        stack.sightings !== undefined ||
        // Where the next connection of a client goes.
        stack.ipvs.connections.length > 0 ||
        stack.rulesOnly === true ||
        // A way that is drawn by a sum over addresses.
        stack.routeTables.some((t) => t.routes.some((r) => r.nexthops.length > 1)) ||
        // Who is at the far end is told by nobody's role.
        stack.devices.items.some((d) => d.tunnel?.remote !== undefined || d.tunnel?.group !== undefined),
    };
    this.#prepared.set(stack, made);
    return made;
  }

  /** Between two groups of flows, where nobody else is amid one: what was said of other Services is not asked for again. */
  rest(): void {
    if (this.#texts.size < MOST_TEXTS) return;
    this.#texts.clear();
    this.#pieces.forget();
  }

  /** What packets with these addresses can meet of its rules. `devices`: by which they come and go; undefined: by any. */
  #rulesFor(stack: Stack, addresses: readonly Address[], ports: Ports, devices?: UsedDevices): RuleText {
    const { key, text } = this.#prepare(stack).slices.of(addresses, ports, devices);
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const made = new RuleText(text(), this.#interned, this.#pieces.shapes);
    this.#texts.set(key, made);
    return made;
  }

  /** The stack as packets with these addresses find it: equal views, equal ways. Undefined: it can be told by no role. */
  viewOf(
    stack: Stack,
    addresses: readonly Address[],
    actors: Actors,
    ports: Ports,
    devices: CalledDevices,
    found: Ports = undefined,
  ): string | undefined {
    const prepared = this.#prepare(stack);
    if (prepared.unshareable) return undefined;
    const used = this.#ports.usedBy(stack, devices, actors);
    const rules = used === undefined ? undefined : this.#rulesFor(stack, addresses, ports, used);
    if (rules === undefined || rules.unshareable) return undefined;
    const begun = `${this.#own(stack, prepared, actors)}/${shapeFor(rules, actors)}`;
    const view = this.#withAddresses(begun, prepared, rules, addresses, actors);
    if (prepared.tracked === undefined || !asksForEntries(stack, rules, ports, found)) return view;
    const entries = prepared.tracked.met(addresses, found).map((e) => entryText(e, actors));
    return entries.length === 0 ? view : `${view};${this.#interned.of(entries.join(";"))}`;
  }

  /**
   * The same as far as packets that get through look at it: sockets of these ports alone, and nothing of what it should be like. Where a rule asks for
   * sockets, all of them.
   */
  metOn(
    stack: Stack,
    addresses: readonly Address[],
    actors: Actors,
    ports: ReadonlySet<number>,
    asked: Ports,
    devices: CalledDevices,
  ): string | undefined {
    const prepared = this.#prepare(stack);
    if (prepared.unshareable || prepared.tracked !== undefined) return undefined;
    const used = this.#ports.usedBy(stack, devices, actors);
    const rules = used === undefined ? undefined : this.#rulesFor(stack, addresses, asked, used);
    if (rules === undefined || rules.unshareable) return undefined;
    const isMet = ASKS_FOR_SOCKETS.test(rules.text) ? () => true : (port: number) => ports.has(port);
    const own = this.#interned.of(`${prepared.settings}\n\n${this.#parts(stack, prepared, actors, isMet)}`);
    return this.#withAddresses(`${own}/${rules.shape}`, prepared, rules, addresses, actors);
  }

  /** Whether its connection table is looked at, too: which ports are taken there, or what was translated before. */
  looksAtEntries(stack: Stack, addresses: readonly Address[], ports: Ports, found: Ports): boolean {
    if (this.#prepare(stack).tracked === undefined) return false;
    return asksForEntries(stack, this.#rulesFor(stack, addresses, ports), ports, found);
  }

  /** How a device is called in the flows of others, by who is behind it. */
  called(stack: Stack, device: string, actors: Actors): string {
    return this.#ports.called(stack, device, actors);
  }

  /** Which devices these are in a flow; undefined: somebody has another place in it. */
  usedBy(stack: Stack, devices: CalledDevices, actors: Actors): UsedDevices | undefined {
    return this.#ports.usedBy(stack, devices, actors);
  }

  /** What packets with these addresses can meet of its rules, chain by chain. */
  sliceFor(stack: Stack, addresses: readonly Address[], ports: Ports, devices?: UsedDevices): Slice {
    return this.#prepare(stack).slices.of(addresses, ports, devices);
  }

  /** All that is looked at of it whichever packets come, but for chains that are known as text. Undefined: it can be told by no role. */
  everywhere(stack: Stack, actors: Actors): string | undefined {
    const prepared = this.#prepare(stack);
    if (prepared.unshareable || !prepared.nearby.isApart || !prepared.pointed.isEmpty) return undefined;
    const { items } = prepared.hostEntries.rest;
    return `${this.#own(stack, prepared, actors)} ${this.#interned.of(prepared.slices.beyondChains(items))}`;
  }

  /** What its sets say of hosts, each by itself. */
  entriesOf(stack: Stack): HostEntries {
    return this.#prepare(stack).hostEntries;
  }

  /**
   * What its rules say to everybody who comes or goes by its own devices, or by a port beside: those for no single address and for no single port.
   * Undefined: they tell addresses apart by more than whether these are equal, or in a network.
   */
  baseOf(stack: Stack, port?: string): Base | undefined {
    const { portRules, unshareable } = this.#prepare(stack);
    const slice = unshareable ? undefined : port === undefined ? portRules.ofNone() : portRules.of(port);
    if (slice === undefined) return undefined;
    const rules = new RuleText(slice.text(), this.#interned, this.#pieces.shapes);
    return rules.unshareable ? undefined : { rules, shape: this.#interned.of(rules.bare), tables: slice.tables };
  }

  /** A port of a node, and the way to whom a route leads by it, as they are told whoever else takes part. Undefined: they cannot be told apart from others. */
  portText(stack: Stack, port: string, address: Address): string | undefined {
    const prepared = this.#prepare(stack);
    const base = this.baseOf(stack, port);
    if (base === undefined) return undefined;
    const { rules, shape } = base;
    if (rules.saysDevice(port) || prepared.namesPort(port)) return undefined;
    const alone = aloneAt(address);
    return [
      this.#interned.of(prepared.devices.get(port) ?? "made up"),
      this.#ports.hangingOn(stack, port, alone),
      rules.wildcards.map((w) => port.startsWith(w)),
      shape,
      rules.place(address),
      prepared.ways.text(address, alone),
      prepared.ways.isFirst(port),
      prepared.ways.alsoBy(port, address),
    ].join(" ");
  }

  /** Whether it routes by who sends, or to whom. */
  isPointing(stack: Stack): boolean {
    return !this.#prepare(stack).pointed.isEmpty;
  }

  /** How it routes for one who takes part, whoever else does. */
  pointedAlone(stack: Stack, address: Address): number {
    return this.#interned.of(this.#pointedText(this.#prepare(stack), [address], aloneAt(address)));
  }

  /** What neighbours and forwarding entries there say of some addresses, and of whoever takes part. */
  nearTo(stack: Stack, addresses: readonly Address[], actors: Actors): number {
    const { nearby } = this.#prepare(stack);
    if (nearby.isEmpty) return -1;
    return this.#interned.of(nearby.text(addresses, actors, (at, port) => this.#ports.behind(at, port, actors)));
  }

  /** Its networks and routes as they hold single addresses. */
  waysOf(stack: Stack): StackWays {
    return this.#prepare(stack).ways;
  }

  /** Whether all that is known there of others can be told host by host. */
  isApart(stack: Stack): boolean {
    return this.#prepare(stack).nearby.isApart;
  }

  /** Neighbours and forwarding entries by which one address is known there. */
  nearbyOf(stack: Stack): Nearby {
    return this.#prepare(stack).nearby;
  }

  /** Where routes and networks of some stacks tell addresses apart. */
  cutsOf(stacks: readonly Stack[]): Cuts {
    return new Cuts(stacks.flatMap(networksIn));
  }

  /** A device, but for what rules say of it. */
  deviceOf(stack: Stack, name: string): string {
    return `${portName(stack, name)} ${this.#interned.of(this.#prepare(stack).devices.get(name) ?? "made up")}`;
  }

  /** The addresses that the rules for one of them speak of; the same object for stacks on which these are the same. */
  spokenOf(stack: Stack, address: Address, port: number): { readonly hosts: Iterable<Address> } {
    return this.#rulesFor(stack, [address], new Set([port]), this.#ports.fixedOf(stack));
  }

  /** Who has an address, as devices show. */
  ownerOf(address: Address): string | undefined {
    return this.#owners.get(address);
  }

  #withAddresses(
    begun: string,
    prepared: Prepared,
    rules: RuleText,
    addresses: readonly Address[],
    actors: Actors,
  ): string {
    let view = begun;
    for (const address of addresses) {
      view += `/${rules.profile(address)},${prepared.ways.text(address, actors)}`;
    }
    if (prepared.nearby.isEmpty && prepared.pointed.isEmpty) return view;
    const hops = prepared.ways.hops(addresses);
    if (!prepared.pointed.isEmpty) view += `;${this.#interned.of(this.#pointedText(prepared, hops, actors))}`;
    if (prepared.nearby.isEmpty) return view;
    const near = prepared.nearby.text(hops, actors, (at, port) => this.#ports.behind(at, port, actors));
    return `${view};${this.#interned.of(near)}`;
  }

  /** Who sends the frames is looked up, too. */
  #pointedText({ pointed }: Prepared, addresses: readonly Address[], actors: Actors): string {
    const all = new Set([...addresses, ...actors.list.flatMap((a) => a.addresses)]);
    return pointed.text([...all], (a) => tokenOf(a, actors));
  }

  /** All of it that is the same for every flow in which it plays this role. */
  #own(stack: Stack, prepared: Prepared, actors: Actors): number {
    const role = `${actors.family} ${actors.roleOfStack(stack.name)}`;
    const known = prepared.byRole.get(role);
    if (known !== undefined) return known;
    const parts = this.#parts(stack, prepared, actors, () => true);
    const made = this.#interned.of(`${prepared.settings}\n\n\n${parts}`);
    prepared.byRole.set(role, made);
    return made;
  }

  /** What else a node is told by, where a flow does not get through: whether it is as it should be takes all of its rules to say. */
  besideOf({ name }: Stack): number {
    let known = this.#besides.get(name);
    if (known === undefined) {
      known = this.#interned.of(this.#beside(name));
      this.#besides.set(name, known);
    }
    return known;
  }

  #parts(stack: Stack, prepared: Prepared, actors: Actors, isMet: (port: number) => boolean): string {
    const devices = stack.devices.items.map((device) => {
      const own = device.addresses.map((a) =>
        [ownText(a.prefix.address, actors), a.prefix.length, a.scope, a.flags.join(), a.peer?.length].join(" "),
      );
      const { tunnel } = device;
      const local = tunnel?.local === undefined ? "" : tokenOf(tunnel.local, actors);
      const rest = tunnel === undefined ? "" : plain({ ...tunnel, local: undefined });
      return `${prepared.devices.get(device.name)} ${own.join(" ")} ${local} ${rest} ${prepared.linked.has(device.name)}`;
    });
    const met = stack.listeners.items.filter((l) => isMet(l.port));
    const sockets = met.map((l) => socketText(l, (a) => tokenOf(a, actors)));
    return [
      someOf(devices).join("\n"),
      sockets.sort().join("\n"),
      prepared.pointed.isEmpty ? withoutOrigin(stack.routingRules.items) : "pointed",
      prepared.links,
    ].join("\n\n");
  }

  /** A device of a stack as its rules see it: by name where they name it, else by what it is. */
  deviceText(
    stack: Stack,
    name: string,
    addresses: readonly Address[],
    actors: Actors,
    ports: Ports,
    used: UsedDevices | undefined,
  ): string {
    const rules = this.#rulesFor(stack, addresses, ports, used);
    let meant = this.#meant.get(rules);
    if (meant === undefined) {
      meant = new Map();
      this.#meant.set(rules, meant);
    }
    let by = meant.get(name);
    if (by === undefined) {
      const bits = rules.wildcards.map((w) => (name.startsWith(w) ? 1 : 0)).join("");
      by = `${rules.saysDevice(name) ? name : ""} ${bits}`;
      meant.set(name, by);
    }
    const { devices, naming } = this.#prepare(stack);
    return `${this.#interned.of(devices.get(name) ?? "made up")} ${by} ${naming.includes(`"${name}"`) ? name : ""}${this.#ports.hangingOn(stack, name, actors)}`;
  }
}

/** Somebody who takes part, and nobody else. */
const aloneAt = (address: Address): Actors => ({
  list: [{ role: "C", stack: undefined, addresses: [address] }],
  asked: address,
  roleOfStack: (name) => name,
  roleOfAddress: (a) => (a === address ? "C0" : undefined),
  family: familyOf(address),
  addressOf: (role) => (role === "C0" ? address : undefined),
});

const asksForEntries = ({ routingRules }: Stack, { drawsPorts }: RuleText, ports: Ports, found: Ports): boolean =>
  found !== undefined || ports === undefined || drawsPorts || routingRules.items.some((r) => r.sport !== undefined);

const shapeFor = (rules: RuleText, { asks }: Actors): number =>
  asks === undefined ? rules.shape : rules.shapeOf(asks.name);

/** Sorted, and of what is alike two: of ports that nothing tells apart it matters whether there is one and whether there are more. */
const someOf = (texts: readonly string[]): readonly string[] =>
  [...texts].sort().filter((text, i, all) => text !== all[i - 2]);

/** Flows of IPv4 ask nobody for addresses that devices of IPv6 have by themselves. */
const ownText = (address: Address, actors: Actors): string =>
  actors.family === 4 && familyOf(address) === 6 && isLinkLocal(address) ? "fe80" : tokenOf(address, actors);

/** All of an entry but its age and where it was read. */
const entryText = ({ original, reply, timeout: _, origin: __, ...rest }: ConntrackEntry, actors: Actors): string =>
  [original, reply]
    .map((t) => `${t.protocol} ${tokenOf(t.src, actors)} ${t.sport} ${tokenOf(t.dst, actors)} ${t.dport}`)
    .concat(JSON.stringify(rest))
    .join(" ");
