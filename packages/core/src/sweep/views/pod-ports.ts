import type { Stack, World } from "../../model/index.ts";
import type { Address } from "../../net/index.ts";
import { ownerOf } from "../../trace/index.ts";
import type { Actors } from "./actors.ts";
import { isPort } from "./nearby.ts";

/** A device that packets came or went by, and how it is called where no name is anybody's choice: by who is behind it. */
export interface UsedDevice {
  readonly name: string;
  readonly called: string;
}

/** All by which the packets of a flow come and go on a stack: one object for equal ones. */
export interface UsedDevices {
  readonly list: readonly UsedDevice[];
  readonly key: string;
}

/** Devices that packets of a walk came or went by on a stack: by the role of who is behind them, else by name. */
export type CalledDevices = readonly string[];

const NOBODY: readonly string[] = [];

/** No device has this in its name. */
const ROLE = "@";

const keyOf = ({ name, called }: UsedDevice): string => ` ${name}=${called}`;
const asItself = (name: string): UsedDevice => ({ name, called: name });

/** Which ports of stacks lead to whom. */
export class PodPorts {
  readonly #world: World;
  readonly #leading = new Map<Address, readonly string[]>();
  /** By a stack's name, the ports of others that it hangs on. */
  readonly #hangsOn = new Map<string, string[]>();
  /** The stacks that hang on a port. */
  readonly #hanging = new Map<string, readonly string[]>();
  readonly #used = new Map<string, UsedDevices>();
  readonly #fixed = new Map<Stack, UsedDevices>();

  constructor(world: World) {
    this.#world = world;
    for (const { type, ends } of world.links)
      for (const { stack } of type === "veth" ? ends : []) {
        const others = ends.filter((e) => e.stack !== stack).map((e) => `${e.stack} ${e.device}`);
        this.#hangsOn.set(stack, [...(this.#hangsOn.get(stack) ?? []), ...others]);
        for (const port of others) this.#hanging.set(port, [...(this.#hanging.get(port) ?? []), stack]);
      }
  }

  /** The ports that lead to somebody: those that his stack hangs on, or the one by which a route leads to him. */
  #to(address: Address): readonly string[] {
    let known = this.#leading.get(address);
    if (known === undefined) {
      const owner = ownerOf(this.#world, address);
      if (owner?.kind === "behind") known = [`${owner.stack.name} ${owner.device.name}`];
      else known = owner?.kind === "device" ? (this.#hangsOn.get(owner.stack.name) ?? []) : [];
      this.#leading.set(address, known);
    }
    return known;
  }

  /** The ports by which those who take part are reached, by stack and device; nodes are reached by none, but whoever is behind a port of theirs. */
  #all(actors: Actors): readonly { readonly port: string; readonly role: string }[] {
    if (this.#last?.actors === actors) return this.#last.ports;
    const ports: { port: string; role: string }[] = [];
    for (const { stack, addresses } of actors.list)
      for (const a of addresses)
        if (stack?.kind !== "node" || ownerOf(this.#world, a)?.kind === "behind")
          for (const port of this.#to(a)) ports.push({ port, role: `${actors.roleOfAddress(a)}` });
    this.#last = { actors, ports };
    return ports;
  }

  #last: { readonly actors: Actors; readonly ports: readonly { port: string; role: string }[] } | undefined;

  /** Those of one stack. */
  ofPlayers({ name }: Stack, actors: Actors): readonly { readonly port: string; readonly role: string }[] {
    const start = `${name} `;
    return this.#all(actors).flatMap(({ port, role }) =>
      port.startsWith(start) ? [{ port: port.slice(start.length), role }] : [],
    );
  }

  /** The roles of those who are behind it. */
  players(stack: Stack, device: string, actors: Actors): readonly string[] {
    const all = this.#all(actors);
    if (all.length === 0) return NOBODY;
    const wanted = `${stack.name} ${device}`;
    return all.flatMap(({ port, role }) => (port === wanted ? [role] : []));
  }

  /** Who is behind a port that somebody was heard by. */
  behind(stack: Stack, device: string, actors: Actors): string {
    return [this.hangingOn(stack, device, actors), ...this.players(stack, device, actors)].join();
  }

  /** Who of those that were shown hangs on a device. */
  hangingOn(stack: Stack, device: string, { roleOfStack }: Pick<Actors, "roleOfStack">): string {
    return this.#hanging.get(`${stack.name} ${device}`)?.map(roleOfStack).join() ?? "";
  }

  /** By the first role of who is behind it, else by its name. */
  called(stack: Stack, device: string, actors: Actors): string {
    const [role] = this.players(stack, device, actors);
    return role === undefined ? device : `${ROLE}${role}`;
  }

  /** Which devices these are in a flow with other players; undefined: somebody has another place in it. */
  usedBy(stack: Stack, devices: CalledDevices, actors: Actors): UsedDevices | undefined {
    const list: UsedDevice[] = [];
    let key = "";
    for (const called of devices) {
      const names = called.startsWith(ROLE) ? this.#portsOf(stack, called.slice(1), actors) : [called];
      if (names.length === 0) return undefined;
      for (const name of names) {
        if (this.called(stack, name, actors) !== called) return undefined;
        list.push({ name, called });
        key += keyOf({ name, called });
      }
    }
    return this.#one(key, list);
  }

  /** Those that are one stack's own choice: what comes by others is left out. */
  fixedOf(stack: Stack): UsedDevices {
    let known = this.#fixed.get(stack);
    if (known === undefined) {
      const list = ["", ...stack.devices.items.filter((d) => !isPort(d)).map((d) => d.name)].map(asItself);
      known = this.#one(list.map(keyOf).join(""), list);
      this.#fixed.set(stack, known);
    }
    return known;
  }

  /** The same, and the port of somebody. */
  withPort(stack: Stack, port: string): UsedDevices {
    const { list, key } = this.fixedOf(stack);
    const own = { name: port, called: ROLE };
    return { list: [...list, own], key: `${key}${keyOf(own)}` };
  }

  #one(key: string, list: readonly UsedDevice[]): UsedDevices {
    let known = this.#used.get(key);
    if (known === undefined) {
      known = { list, key };
      this.#used.set(key, known);
    }
    return known;
  }

  #portsOf({ name }: Stack, role: string, actors: Actors): readonly string[] {
    const address = actors.addressOf(role);
    const start = `${name} `;
    const all = address === undefined ? [] : this.#to(address);
    return all.filter((port) => port.startsWith(start)).map((port) => port.slice(start.length));
  }
}
