import type { Stack, World } from "../../model/index.ts";
import { type Address, type Family, familyOf, formatAddress, isLinkLocal } from "../../net/index.ts";
import type { Flow } from "../plan.ts";

/**
 * Who takes part in a flow by what it is: the client, its node, what is asked, and the node of that. `A1.`: what the rules of the Service that is asked
 * say of it, in their order: the Service's own address, those of its endpoints, and whose these are; `B1.`: the node of that.
 */
export type Role = "C" | "N" | "D" | "M" | `A${number}.` | `B${number}.`;

export interface Actor {
  readonly role: Role;
  /** Its stack, where it was shown. */
  readonly stack: Stack | undefined;
  readonly addresses: readonly Address[];
}

/** The players of one flow. A flow like it has others in the same roles, and all else the same. */
export interface Actors {
  readonly list: readonly Actor[];
  /** The address that is asked: a node may have several, and a Service, each with rules of its own. */
  readonly asked: Address;
  readonly roleOfStack: (name: string) => string;
  /** `C0`: the client's first address. Undefined: nobody's of these. */
  readonly roleOfAddress: (address: Address) => string | undefined;
  readonly family: Family;
  /** Whose first part it is in is asked by `roleOfAddress`. */
  readonly addressOf: (role: string) => Address | undefined;
  /** The Service that is asked, where it is one of many that may be alike. */
  readonly asks?: AskedService;
}

/** What an address is called: by its role, else as it is. */
export const tokenOf = (address: Address, { roleOfAddress }: Actors): string =>
  roleOfAddress(address) ?? formatAddress(address);

/** A Service as one of many: whatever is said of it under its own name. */
export interface AskedService {
  /** `NAMESPACE/NAME`. */
  readonly name: string;
  /** What objects say of it, in roles. */
  readonly text: (actors: Actors) => string;
}

/** Stacks by name and pods by address, looked up often. */
export class Cast {
  readonly #stacks: ReadonlyMap<string, Stack>;
  readonly #pods = new Map<Address, Stack>();
  readonly #addresses = new Map<Stack, readonly Address[]>();

  constructor({ stacks }: World) {
    this.#stacks = new Map(stacks.map((s) => [s.name, s]));
    for (const stack of stacks)
      if (stack.kind !== "node" && stack.assumed === undefined)
        for (const address of this.addressesOf(stack)) this.#pods.set(address, stack);
  }

  stack(name: string): Stack | undefined {
    return this.#stacks.get(name);
  }

  /** Every address of its devices, in order; those of loopback and of dummies (kube-ipvs0) are everybody's. */
  addressesOf(stack: Stack): readonly Address[] {
    const known = this.#addresses.get(stack);
    if (known !== undefined) return known;
    const devices = stack.devices.items.filter((d) => d.kind !== "loopback" && d.kind !== "dummy");
    const all = [...new Set(devices.flatMap((d) => d.addresses.map((a) => a.prefix.address)))];
    this.#addresses.set(stack, all);
    return all;
  }

  #last: { readonly flow: Flow; readonly actors: Actors } | undefined;

  /** `more`: who takes part beside those by what they are. */
  actorsOf(flow: Flow, more?: readonly Actor[], asks?: AskedService): Actors {
    if (more !== undefined) return this.#actorsOf(flow, more, asks);
    // One flow is looked at in turn from many sides.
    if (this.#last?.flow !== flow) this.#last = { flow, actors: this.#actorsOf(flow, [], undefined) };
    return this.#last.actors;
  }

  #actorsOf(flow: Flow, more: readonly Actor[], asks: AskedService | undefined): Actors {
    const { source, target } = flow;
    const list: Actor[] = [];
    // Every device has one of its own making, and flows of IPv4 ask nobody for it.
    const ownOf = (stack: Stack): readonly Address[] =>
      this.addressesOf(stack).filter((a) => target.family === 6 || familyOf(a) === 4 || !isLinkLocal(a));
    const node = source.node === null ? undefined : this.#stacks.get(source.node);
    if (source.kind === "pod" || source.kind === "endpoint" || source.kind === "host") {
      const own = source.addresses.filter((a) => familyOf(a) === target.family);
      const stack = own.map((a) => this.#pods.get(a)).find((s) => s !== undefined);
      list.push({ role: "C", stack, addresses: own });
    }
    if (node !== undefined) list.push({ role: "N", stack: node, addresses: ownOf(node) });
    if (target.kind === "pod")
      list.push({ role: "D", stack: this.#pods.get(target.address), addresses: [target.address] });
    const there = target.node === null ? undefined : this.#stacks.get(target.node);
    if (there !== undefined && there !== node) list.push({ role: "M", stack: there, addresses: ownOf(there) });
    for (const actor of more) list.push(actor);
    const stacks = new Map<string, string>();
    const addresses = new Map<Address, string>();
    const byRole = new Map<string, Address>();
    for (const { role, stack, addresses: own } of list) {
      if (stack !== undefined && !stacks.has(stack.name)) stacks.set(stack.name, role);
      for (const [i, a] of own.entries()) {
        const called = `${role}${i}`;
        byRole.set(called, a);
        if (!addresses.has(a)) addresses.set(a, called);
      }
    }
    return {
      list,
      asked: target.address,
      roleOfStack: (name) => stacks.get(name) ?? name,
      roleOfAddress: (a) => addresses.get(a),
      family: target.family,
      addressOf: (role) => byRole.get(role),
      ...(asks !== undefined && { asks }),
    };
  }
}
