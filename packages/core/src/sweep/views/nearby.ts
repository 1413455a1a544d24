import type { Device, FdbEntry, Neighbour, Stack } from "../../model/index.ts";
import { type Address, formatAddress } from "../../net/index.ts";
import type { Actors } from "./actors.ts";

/** Whose a MAC is, and on which of his devices. */
export interface Placed {
  readonly stack: Stack;
  readonly devices: readonly Device[];
}

/** Who is behind a port of a stack. */
export type Behind = (stack: Stack, port: string) => string;

/** What a stack is asked for about others: by whom an address or a MAC is known. */
export interface Owners {
  readonly ofAddress: (address: Address) => string | undefined;
  /** Undefined: nobody's, or that of ports of many. */
  readonly ofMac: (mac: string) => Placed | undefined;
  /** Ports of many nodes have it: what is said of it is about none of them more than of the others. */
  readonly isMany: (mac: string) => boolean;
  /** Whether anybody takes it for somebody's: packets are sent to it. */
  readonly isAsked: (mac: string) => boolean;
  /** How it was heard, as far as that matters. */
  readonly statesOf: (neighbour: Neighbour) => string;
}

/** Such a name stands for any. */
export function portName({ devices }: Stack, name: string): string {
  const device = devices.items.find((d) => d.name === name);
  return device === undefined ? name : isPort(device) ? "port" : name;
}

const NOBODY: readonly never[] = [];

/** Whose name is nobody's choice: one is as good as another. */
export const isPort = ({ kind }: Device): boolean => kind === "veth" || kind === "tap";

/** Under which a tunnel has those to whom it sends what is for nobody it knows. */
const NOBODYS = "00:00:00:00:00:00";

/** A device's own MAC is known there for good. */
const isItsOwn = ({ flags }: FdbEntry): boolean => flags.includes("permanent");

type Roles = Pick<Actors, "list" | "roleOfStack" | "roleOfAddress">;

const ALONE = (address: Address): Roles => ({
  list: [],
  roleOfStack: (name) => name,
  roleOfAddress: (a) => (a === address ? "0" : undefined),
});

/** Of one host that somebody may have, not of a group. */
const isOneHost = (mac: string): boolean => (Number.parseInt(mac.slice(0, 2), 16) & 1) === 0 && /[1-9a-f]/.test(mac);

/**
 * The neighbours and forwarding entries of a stack as a flow finds them: those of who plays a part, whose addresses its packets carry, or who sends them
 * on. The MAC of somebody who was not shown is one as good as another, and so is the port that it stands behind: they are numbered.
 */
export class Nearby {
  readonly #stack: Stack;
  readonly #owners: Owners;
  readonly #portOf: (name: string) => string;
  readonly #byAddress = new Map<Address, Neighbour[]>();
  readonly #byOwner = new Map<string, Neighbour[]>();
  readonly #entriesByMac = new Map<string, FdbEntry[]>();
  readonly #entriesByOwner = new Map<string, FdbEntry[]>();
  /** MACs by which more than one address is known: whose they are says more than that they are somebody's. */
  readonly #common = new Set<string>();
  /** Behind which devices more than one host was heard. */
  readonly #crowded = new Set<string>();
  readonly isEmpty: boolean;
  /** What is said of each host can be told by itself: no two of them are behind one port, and what is said of a MAC is about one of them. */
  readonly isApart: boolean;

  /** `portOf`: what is known of a device, but for a name that is nobody's choice. */
  constructor(stack: Stack, owners: Owners, portOf: (name: string) => string) {
    const { neighbours, fdb, devices } = stack;
    this.#stack = stack;
    this.#owners = owners;
    this.#portOf = portOf;
    this.isEmpty = neighbours.items.length === 0 && fdb.items.length === 0;
    const ports = new Map(devices.items.filter(isPort).map((d) => [d.name, d.mac]));
    const behind = new Map<string, string>();
    let isApart = true;
    const stands = (device: string, mac: string): void => {
      if (!ports.has(device)) return;
      isApart &&= (behind.get(device) ?? mac) === mac;
      behind.set(device, mac);
    };
    const addresses = new Map<string, Address>();
    for (const n of neighbours.items) {
      put(this.#byAddress, n.address, n);
      if (n.mac === undefined) {
        isApart &&= !ports.has(n.device);
        continue;
      }
      stands(n.device, n.mac);
      put(this.#byOwner, owners.ofMac(n.mac)?.stack.name, n);
      const before = addresses.get(n.mac) ?? n.address;
      if (before !== n.address) this.#common.add(n.mac);
      addresses.set(n.mac, before);
    }
    const heard = new Map<string, string>();
    for (const entry of fdb.items) {
      // A port is there for what is for itself; nobody sends it that.
      if (isItsOwn(entry) && ports.get(entry.device) === entry.mac && !owners.isAsked(entry.mac)) continue;
      if (!isItsOwn(entry)) stands(entry.device, entry.mac);
      const isSomebodys = owners.ofMac(entry.mac) !== undefined || !isOneHost(entry.mac);
      isApart &&= isSomebodys || (entry.destination === undefined && entry.via === undefined);
      const before = heard.get(entry.device) ?? entry.mac;
      if (before !== entry.mac && !isItsOwn(entry)) this.#crowded.add(entry.device);
      if (!isItsOwn(entry)) heard.set(entry.device, before);
      put(this.#entriesByMac, entry.mac, entry);
      const owner = owners.ofMac(entry.mac)?.stack.name;
      put(this.#entriesByOwner, owner, entry);
      const end = entry.destination === undefined ? undefined : owners.ofAddress(entry.destination);
      if (end !== owner) put(this.#entriesByOwner, end, entry);
    }
    this.isApart = isApart;
  }

  /** The same of one address by itself, whoever else takes part. */
  alone(address: Address): string {
    const macs = (this.#byAddress.get(address) ?? NOBODY).flatMap((n) => n.mac ?? []);
    const entries = macs.flatMap((mac) => this.#entriesByMac.get(mac) ?? []);
    // Who stands behind the same port as another is told apart from those who have one of their own.
    const beside = entries.map((e) => (this.#crowded.has(e.device) ? e.device : ""));
    return `${this.text([address], ALONE(address), () => "")} ${beside.join()}`;
  }

  names(address: Address): boolean {
    return this.#byAddress.has(address);
  }

  /** `behind`: who that was shown is behind a port. */
  text(addresses: readonly Address[], actors: Roles, behind: Behind): string {
    if (this.isEmpty) return "";
    const numbers = new Map<string, number>();
    const macOf = (mac: string): string => {
      const owner = this.#owners.ofMac(mac);
      if (owner !== undefined) {
        const { stack, devices } = owner;
        const all = devices.map((d) => (isPort(d) ? `port ${behind(stack, d.name)}` : d.name));
        return `${actors.roleOfStack(stack.name)} ${all.sort()}`;
      }
      if (this.#owners.isMany(mac) || this.#common.has(mac) || !isOneHost(mac)) return mac;
      return `mac${numberIn(numbers, mac)}`;
    };
    const ports = new Map<string, number>();
    const portText = (name: string): string =>
      `${this.#portOf(name)} ${numberIn(ports, name)} ${behind(this.#stack, name)}`;
    const near = this.#near(addresses, actors);
    const lines = near.map(
      ({ said, neighbour: n }) => `${said} ${portText(n.device)} ${n.mac === undefined ? "?" : macOf(n.mac)}`,
    );
    const entries = new Set<FdbEntry>();
    const add = (list: readonly FdbEntry[] = NOBODY): void => {
      for (const entry of list) entries.add(entry);
    };
    for (const { stack } of actors.list) if (stack !== undefined) add(this.#entriesByOwner.get(stack.name));
    for (const address of addresses) add(this.#entriesByOwner.get(this.#owners.ofAddress(address) ?? ""));
    for (const { neighbour } of near) if (neighbour.mac !== undefined) add(this.#entriesByMac.get(neighbour.mac));
    add(this.#entriesByMac.get(NOBODYS));
    const said = [...entries].map((entry) => ({
      said: `${macOf(entry.mac)} ${this.#entryText(entry, actors)}`,
      entry,
    }));
    said.sort((a, b) => (a.said < b.said ? -1 : a.said > b.said ? 1 : 0));
    return [...lines, ...said.map((e) => `${e.said} ${portText(e.entry.device)}`)].join(";");
  }

  /** In an order that names nobody: by whose they are. */
  #near(addresses: readonly Address[], actors: Roles): readonly { said: string; neighbour: Neighbour }[] {
    const found = new Set<Neighbour>();
    const add = (list: readonly Neighbour[] = NOBODY): void => {
      for (const n of list) found.add(n);
    };
    for (const address of addresses) add(this.#byAddress.get(address));
    for (const { stack, addresses: own } of actors.list) {
      if (stack !== undefined) add(this.#byOwner.get(stack.name));
      for (const address of own) add(this.#byAddress.get(address));
    }
    return [...found]
      .map((neighbour) => {
        const { address, proxy, router, flags = [] } = neighbour;
        const who = actors.roleOfAddress(address) ?? formatAddress(address);
        return { said: [who, this.#owners.statesOf(neighbour), proxy, router, flags.join()].join(" "), neighbour };
      })
      .sort((a, b) => (a.said < b.said ? -1 : a.said > b.said ? 1 : 0));
  }

  #entryText({ destination, vlan, vni, port, via, nexthopId, flags, master }: FdbEntry, actors: Roles): string {
    const end = destination === undefined ? undefined : this.#owners.ofAddress(destination);
    const to =
      end !== undefined ? actors.roleOfStack(end) : destination === undefined ? "" : formatAddress(destination);
    return [to, vlan, vni, port, via, nexthopId, flags.join(), master].join(" ");
  }
}

function put<Key, Value>(lists: Map<Key, Value[]>, key: Key | undefined, value: Value): void {
  if (key === undefined) return;
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [value]);
  else known.push(value);
}

function numberIn(numbers: Map<string, number>, name: string): number {
  let number = numbers.get(name);
  if (number === undefined) {
    number = numbers.size;
    numbers.set(name, number);
  }
  return number;
}
