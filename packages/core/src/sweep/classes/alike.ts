import type { KubernetesEndpoints, KubernetesService, Stack } from "../../model/index.ts";
import { type Address, familyOf, formatAddress, parseAddress } from "../../net/index.ts";
import { ownerOf } from "../../trace/index.ts";
import type { Answer } from "../answer.ts";
import type { Target } from "../flow.ts";
import type { Flow } from "../plan.ts";
import type { Actor, Actors, AskedService } from "../views/actors.ts";
import type { Views } from "../views/views.ts";
import { type Others, retold } from "./retold.ts";
import { inRoles, type Looked, Sharing } from "./sharing.ts";

/** Beyond, a Service is like no other. */
const MOST_SPOKEN_OF = 40;
/** So many ways to come by a Service are told apart. */
const MOST_WAYS = 400;

/** What one walk came to, for Services that are like the one it asked for. */
export interface ToldClass {
  readonly answer: Answer;
  /** Stacks that packets came by. */
  readonly cameBy: ReadonlySet<string>;
  readonly looked: Looked;
}

/** The walk of another Service's flow, and who plays which part in both. */
interface Known extends ToldClass {
  readonly actors: Actors;
}

/**
 * Answers that hold for other Services: of most nothing else is said than of another but for their addresses, the names of their chains and their own.
 * Who takes part in a flow has a role (the Service, its endpoints, their nodes); what a walk looked at is compared in roles, as among flows to one
 * Service. What fails is not told so: it is walked, and told with its own lines.
 */
export class AlikeServices {
  readonly #views: Views;
  readonly #isOdd: (service: string) => boolean;
  readonly #sharing = new Map<string, Sharing<Known>>();
  /** By what is said of a Service: on most nodes that is the same. */
  readonly #parts = new WeakMap<object, Map<string, readonly Actor[] | null>>();

  /** `isOdd`: something is said of this Service by itself. */
  constructor(views: Views, isOdd: (service: string) => boolean) {
    this.#views = views;
    this.#isOdd = isOdd;
  }

  /** Undefined: its walk is not known by that of another. */
  find(flow: Flow): ToldClass | undefined {
    const actors = isOfService(flow) ? this.#actorsOf(flow) : undefined;
    const found = actors && this.#sharing.get(keyOf(flow, actors))?.findBy(actors);
    if (actors === undefined || found === undefined || this.#saysMore(found.answer, flow)) return undefined;
    const looked = inRoles(this.#views, found.looked, actors, this.#views.cast.actorsOf(flow));
    const { answer: known, actors: from } = found;
    const answer = known.verdict === "reachable" ? known : retold(known, namesIn(from, actors), flow);
    if (looked === undefined || answer === undefined) return undefined;
    const cameBy = new Set([...found.cameBy].map((name) => otherStack(name, found.actors, actors) ?? name));
    return { answer, cameBy, looked };
  }

  learn(flow: Flow, told: ToldClass): void {
    const { verdict, causes } = told.answer;
    if (causes.length > 0 || (verdict !== "reachable" && verdict !== "undetermined")) return;
    const actors = isOfService(flow) ? this.#actorsOf(flow) : undefined;
    if (actors === undefined || this.#saysMore(told.answer, flow)) return;
    const key = keyOf(flow, actors);
    let sharing = this.#sharing.get(key);
    if (sharing === undefined) {
      sharing = new Sharing<Known>(this.#views, MOST_WAYS);
      this.#sharing.set(key, sharing);
    }
    const looked = inRoles(this.#views, told.looked, this.#views.cast.actorsOf(flow), actors);
    if (looked !== undefined)
      sharing.teachBy(actors, looked, { ...told, looked, actors }, told.answer.verdict === "reachable");
  }

  /** What does not get through may be told by what is odd about its Service. */
  #saysMore({ verdict }: Answer, { target }: Flow): boolean {
    return verdict !== "reachable" && this.#isOdd(target.name ?? "");
  }

  #actorsOf(flow: Flow): Actors | undefined {
    const { target, source } = flow;
    const { name, address, port } = target;
    const { cast, stacks, world } = this.#views;
    const node = source.node === null ? undefined : cast.stack(source.node);
    if (name === null || node === undefined || world.kubernetes.networkPolicies?.length) return undefined;
    const said = stacks.spokenOf(node, address, port);
    let known = this.#parts.get(said);
    if (known === undefined) {
      known = new Map();
      this.#parts.set(said, known);
    }
    let parts = known.get(String(address));
    if (parts === undefined) {
      parts = this.#partsOf(target, said.hosts) ?? null;
      known.set(String(address), parts);
    }
    return parts === null ? undefined : this.#views.cast.actorsOf(flow, parts, this.#asked(flow, name));
  }

  /** The Service, and whoever its rules on the client's node speak of. */
  #partsOf({ address, family }: Target, spokenOf: Iterable<Address>): readonly Actor[] | undefined {
    const { world, cast } = this.#views;
    const others = [...spokenOf].filter((a) => a !== address);
    if (others.length > MOST_SPOKEN_OF || others.some((a) => familyOf(a) !== family)) return undefined;
    const parts: Actor[] = [{ role: "A0.", stack: undefined, addresses: [address] }];
    const nodes: Actor[] = [];
    for (const [i, other] of others.entries()) {
      const owner = ownerOf(world, other)?.stack;
      if (owner === undefined || !this.#views.isListed(other)) return undefined;
      const own = owner.kind === "node" ? owner : undefined;
      parts.push({ role: `A${i + 1}.`, stack: owner, addresses: [other, ...cast.addressesOf(owner)] });
      const on: Stack | undefined = own === undefined && owner.node !== undefined ? cast.stack(owner.node) : undefined;
      if (on !== undefined) nodes.push({ role: `B${i + 1}.`, stack: on, addresses: cast.addressesOf(on) });
    }
    return [...parts, ...nodes];
  }

  #asked({ target }: Flow, name: string): AskedService {
    const { services, slices } = this.#views.objectsOf(name);
    return { name, text: (actors) => `${target.servicePort} ${servicesText(services, slices, actors)}` };
  }
}

/** Flows that can be compared: to a Service's own address. */
const isOfService = ({ target: { kind, via } }: Flow): boolean =>
  via !== null && via !== "nodeport" && kind !== "pod" && kind !== "kubelet";

/** What is asked, and who of those that take part is whom: nobody else is like it. */
const keyOf = (
  { source, target: { kind, via, port, protocol, family } }: Flow,
  { list, roleOfStack }: Actors,
): string =>
  [
    source.kind,
    kind,
    via,
    port,
    protocol,
    family,
    ...list.map(({ stack }) => (stack === undefined ? "-" : roleOfStack(stack.name))),
  ].join(" ");

/** What is the Service's own, or said of it alone. */
const OWN = new Set(["name", "namespace", "service", "pod", "origin", "origins", "fieldOrigins", "selector"]);

/** All that objects say of a Service, in roles. */
export function servicesText(
  services: readonly KubernetesService[],
  slices: readonly KubernetesEndpoints[],
  actors: Pick<Actors, "roleOfAddress" | "roleOfStack">,
): string {
  const addresses = (list: readonly unknown[]): readonly unknown[] =>
    list.map((a) => {
      const address = typeof a === "string" ? parseAddress(a) : (a as Address);
      return address === undefined ? a : (actors.roleOfAddress(address) ?? formatAddress(address));
    });
  return JSON.stringify([services, slices], (key, value: unknown) => {
    if (OWN.has(key)) return undefined;
    // Nobody asks by it here: that there is one is all.
    if (/nodePort$/i.test(key)) return value === undefined ? undefined : "§";
    if (/ips$|addresses$/i.test(key) && Array.isArray(value)) return addresses(value);
    return key === "nodeName" && typeof value === "string" ? actors.roleOfStack(value) : value;
  });
}

/** Whose stack plays that one's part. */
const otherStack = (name: string, from: Actors, to: Actors): string | undefined => {
  const role = from.roleOfStack(name);
  return role === name ? undefined : to.list.find((a) => a.role === role)?.stack?.name;
};

/** Who plays which part in another flow, by the names they have here. */
function namesIn(from: Actors, to: Actors): Others {
  const addresses = new Map<string, string>();
  for (const { role, addresses: own } of from.list)
    for (const [i, address] of own.entries()) {
      const other = to.list.find((a) => a.role === role)?.addresses[i];
      if (from.roleOfAddress(address) === `${role}${i}` && other !== undefined)
        addresses.set(formatAddress(address), formatAddress(other));
    }
  const stacks = new Map<string, string>();
  for (const { stack } of from.list)
    if (stack !== undefined) stacks.set(stack.name, otherStack(stack.name, from, to) ?? stack.name);
  return { services: from.asks === undefined ? [] : [from.asks.name], addresses, stacks };
}
