import type { Device, Neighbour, Route, Stack, World } from "../../model/index.ts";
import { type Address, contains, familyOf, formatAddress } from "../../net/index.ts";
import type { Actors } from "./actors.ts";
import type { Interned } from "./interned.ts";
import { RuleText } from "./rule-text.ts";
import { Slices } from "./slice.ts";

/** Whose name is nobody's choice: one is as good as another. */
const isPort = ({ kind }: Device): boolean => kind === "veth" || kind === "tap";

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
  "flags",
]);
const isOrigin = (key: string): boolean => /origins?$/i.test(key);
const plain = (value: unknown): string =>
  JSON.stringify(value, (key, v: unknown) => (LEFT_OUT.has(key) || isOrigin(key) ? undefined : v)) ?? "";
const withoutOrigin = (value: unknown): string =>
  JSON.stringify(value, (key, v: unknown) => (isOrigin(key) ? undefined : v)) ?? "";

/** A stack as far as it is the same for all flows through it. */
interface Prepared {
  readonly slices: Slices;
  /** Sysctls, machine, how much was shown: all that names no address. */
  readonly settings: number;
  readonly devices: readonly { readonly text: string; readonly device: Device }[];
  readonly routes: Map<Address, readonly Route[]>;
  readonly links: string;
}

/** What each stack of a World looks like to the packets of a flow. */
export class StackViews {
  readonly #world: World;
  readonly #beside: (node: string) => string;
  readonly #interned: Interned;
  readonly #prepared = new Map<Stack, Prepared>();
  readonly #texts = new Map<string, RuleText>();
  readonly #owners: ReadonlyMap<Address, string>;
  readonly #macs: ReadonlyMap<string, string>;
  /** Some MAC is on two devices: what a frame finds then depends on more than roles. */
  readonly ambiguous: boolean;

  constructor(world: World, interned: Interned, beside: (node: string) => string) {
    this.#world = world;
    this.#beside = beside;
    this.#interned = interned;
    const owners = new Map<Address, string>();
    const macs = new Map<string, string>();
    let ambiguous = false;
    for (const stack of world.stacks)
      for (const device of stack.devices.items) {
        if (device.kind === "loopback") continue;
        for (const { prefix } of device.addresses)
          if (!owners.has(prefix.address)) owners.set(prefix.address, stack.name);
        if (device.mac === undefined || device.kind === "dummy") continue;
        const before = macs.get(device.mac);
        if (before !== undefined && before !== stack.name) ambiguous = true;
        macs.set(device.mac, stack.name);
      }
    this.#owners = owners;
    this.#macs = macs;
    this.ambiguous = ambiguous;
  }

  #prepare(stack: Stack): Prepared {
    const known = this.#prepared.get(stack);
    if (known !== undefined) return known;
    const ports = new Set(stack.devices.items.filter(isPort).map((d) => d.name));
    const perDevice = new Map<string, string[]>();
    const settings: string[] = [];
    for (const [key, { value }] of stack.sysctls) {
      const device = /\.(?:conf|neigh)\.(.+)\.[^.]+$/.exec(key)?.[1]?.replaceAll("/", ".");
      if (device === undefined || !ports.has(device)) settings.push(`${key}=${value}`);
      else {
        const own = perDevice.get(device) ?? [];
        perDevice.set(device, own);
        own.push(`${key.replace(device, "*")}=${value}`);
      }
    }
    const devices = stack.devices.items.map((device) => {
      const own = perDevice.get(device.name)?.sort().join(" ") ?? "";
      return { device, text: `${isPort(device) ? "port" : device.name} ${plain(device)} ${own}` };
    });
    const { machine, devices: listed, neighbours, fdb, bridgeVlans, conntrack, listeners, routingRules } = stack;
    const extents = [listed, neighbours, fdb, bridgeVlans, conntrack, listeners, routingRules].map((l) => l.extent);
    const tables = stack.routeTables.map((t) => `${t.id}/${t.family}/${t.extent}`);
    const how = [stack.kind, stack.assumed, stack.fromObjects, stack.rulesOnly, stack.rulesUncollected].join("/");
    const made: Prepared = {
      slices: new Slices(stack),
      settings: this.#interned.of(
        [
          settings.sort().join("\n"),
          withoutOrigin(machine),
          extents.join(),
          tables.join(),
          how,
          withoutOrigin(bridgeVlans.items),
          withoutOrigin(listeners.wholeFor ?? null),
          this.#beside(stack.name),
        ].join("\n"),
      ),
      devices,
      routes: new Map(),
      links: this.#world.links
        .flatMap((l) =>
          l.ends.filter((e) => e.stack === stack.name).map((e) => `${l.type} ${portName(stack, e.device)}`),
        )
        .sort()
        .join(";"),
    };
    this.#prepared.set(stack, made);
    return made;
  }

  /** What packets with these addresses can meet of its rules. */
  #rulesFor(stack: Stack, addresses: readonly Address[]): RuleText {
    const text = this.#prepare(stack).slices.of(addresses);
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const made = new RuleText(text, this.#interned);
    this.#texts.set(text, made);
    return made;
  }

  /** No flow through it is like another by its roles alone. */
  isUnshareable(stack: Stack, addresses: readonly Address[]): boolean {
    if (stack.conntrack.items.length > 0 || stack.sightings !== undefined || stack.rulesOnly === true) return true;
    if (stack.routeTables.some((t) => t.routes.some((r) => r.nexthops.length > 1))) return true;
    return this.#rulesFor(stack, addresses).unshareable;
  }

  /** The stack as packets with these addresses find it: equal views, equal ways. */
  viewOf(stack: Stack, addresses: readonly Address[], actors: Actors): string {
    const { settings, devices, links } = this.#prepare(stack);
    const rules = this.#rulesFor(stack, addresses);
    const token = (a: Address): string => {
      const at = addresses.indexOf(a);
      return at >= 0 ? `#${at}` : (actors.roleOfAddress(a) ?? "-");
    };
    const inside = (prefix: { readonly address: Address; readonly length: number }): string =>
      addresses
        .flatMap((a, i) => (familyOf(a) === familyOf(prefix.address) && contains(prefix, a) ? [i] : []))
        .join(".");
    const shownDevices = devices.map(({ text, device }) => {
      const own = device.addresses.map(
        (a) =>
          `${token(a.prefix.address)}/${a.prefix.length}(${inside(a.prefix)})${a.scope}${a.flags.join()}${a.peer === undefined ? "" : inside(a.peer)}`,
      );
      const { tunnel } = device;
      const far = [tunnel?.local, tunnel?.remote].map((a) => (a === undefined ? "" : this.#whose(a, actors)));
      const rest =
        tunnel === undefined ? "" : plain({ ...tunnel, local: undefined, remote: undefined, group: undefined });
      return `${text} ${own.join(" ")} ${far.join(">")} ${rest}`;
    });
    const routes = addresses.map((a) =>
      this.#routesTo(stack, a)
        .map((r) => this.#routeText(stack, r, token, actors))
        .join("|"),
    );
    const ruling = stack.routingRules.items.map((r) => {
      const { from, to, origin: _, ...rest } = r;
      return `${JSON.stringify(rest)}${from === undefined ? "" : inside(from)}>${to === undefined ? "" : inside(to)}`;
    });
    const near = stack.neighbours.items
      .filter(
        (n) =>
          addresses.includes(n.address) || actors.roleOfAddress(n.address) !== undefined || this.#isActors(n, actors),
      )
      .map(
        (n) =>
          `${token(n.address)} ${portName(stack, n.device)} ${this.#macOf(n.mac, actors)} ${n.states.join()} ${n.proxy}`,
      );
    const forwarding = stack.fdb.items.flatMap((f) => {
      const who = this.#macOf(f.mac, actors);
      const to = f.destination === undefined ? "" : this.#whose(f.destination, actors);
      return who.length > 1 && to.length > 1 ? [] : [`${who} ${to} ${portName(stack, f.device)} ${f.vlan ?? ""}`];
    });
    const sockets = stack.listeners.items.map(
      (l) =>
        `${l.protocol} ${l.address === undefined ? "*" : token(l.address)} ${l.port} ${l.device ?? ""} ${l.v6only ?? ""}${l.v4only ?? ""}${l.transparent ?? ""}`,
    );
    return [
      rules.shape,
      addresses.map((a) => rules.profile(a)).join(","),
      settings,
      this.#interned.of(shownDevices.sort().join("\n")),
      routes.join(";"),
      ruling.join(";"),
      near.sort().join(";"),
      forwarding.sort().join(";"),
      this.#interned.of(sockets.sort().join(";")),
      links,
    ].join("/");
  }

  /** A device of a stack as its rules see it: by name where they name it, else by what it is. */
  deviceText(stack: Stack, name: string, addresses: readonly Address[]): string {
    const device = this.#prepare(stack).devices.find((d) => d.device.name === name);
    const { text, wildcards } = this.#rulesFor(stack, addresses);
    const meant = wildcards.map((w) => (name.startsWith(w) ? 1 : 0)).join("");
    return `${device?.text ?? "made up"} ${text.includes(name) ? name : ""} ${meant}`;
  }

  #isActors({ mac }: Neighbour, actors: Actors): boolean {
    const owner = mac === undefined ? undefined : this.#macs.get(mac);
    return owner !== undefined && actors.roleOfStack(owner) !== owner;
  }

  /** The role of whoever has it; else its name. */
  #whose(address: Address, actors: Actors): string {
    const owner = this.#owners.get(address);
    return owner === undefined ? formatAddress(address) : actors.roleOfStack(owner);
  }

  #macOf(mac: string | undefined, actors: Actors): string {
    if (mac === undefined) return "?";
    const owner = this.#macs.get(mac);
    return owner === undefined ? mac : actors.roleOfStack(owner);
  }

  #routesTo(stack: Stack, address: Address): readonly Route[] {
    const { routes } = this.#prepare(stack);
    const known = routes.get(address);
    if (known !== undefined) return known;
    const all = stack.routeTables.flatMap((t) =>
      t.routes.filter((r) => familyOf(r.destination.address) === familyOf(address) && contains(r.destination, address)),
    );
    routes.set(address, all);
    return all;
  }

  #routeText(stack: Stack, route: Route, token: (a: Address) => string, actors: Actors): string {
    const { destination, prefSrc, nexthops, origin: _, from, ...rest } = route;
    const hops = nexthops.map(({ gateway, device, ...others }) => {
      const by = gateway === undefined ? "" : this.#whose(gateway, actors);
      return `${by} ${device === undefined ? "" : portName(stack, device)} ${JSON.stringify(others)}`;
    });
    return `${destination.length} ${prefSrc === undefined ? "" : token(prefSrc)} ${hops.join("+")} ${JSON.stringify(rest)} ${from === undefined ? "" : "from"}`;
  }
}

/** Ports have names of nobody's choice. */
function portName(stack: Stack, name: string): string {
  const device = stack.devices.items.find((d) => d.name === name);
  return device === undefined ? name : isPort(device) ? "port" : name;
}
