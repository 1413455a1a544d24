import type { LinesByOwner, Renaming, Stack, UnreadTable } from "../../model/index.ts";
import { type Address, type Ipv4, isIpv4, uint32Of } from "../../net/index.ts";
import type { AddressSpans } from "../../trace/index.ts";
import { servicesText } from "../classes/alike.ts";
import type { AlikeNodes } from "../classes/alike-nodes.ts";
import type { Target } from "../flow.ts";
import type { Views } from "../views/views.ts";
import type { EqualNodes } from "./equal-nodes.ts";

/** With more addresses than these, its endpoints', a Service is like no other. */
const MOST = 64;
/** So many texts of rules are looked through for each Service. */
const MOST_HOMES = 24;

/** What is said of a Service anywhere, with numbers in place of what is its own. */
export interface Said {
  /** Equal: the same is said of both. */
  readonly key: string;
  /** Its own address first, then those that its lines speak of. */
  readonly addresses: readonly Address[];
  /** Its own name, and those of others whose endpoints these are, too. */
  readonly services: readonly string[];
  /** The nodes on which these are, each once. */
  readonly homes: readonly string[];
}

/** Addresses and Services of lines by numbers, but for what something else in the World says of them. */
class Numbers implements Renaming {
  readonly addresses: Ipv4[] = [];
  readonly services: string[] = [];
  readonly #spans: AddressSpans["spans"];

  constructor(spans: AddressSpans["spans"]) {
    this.#spans = spans;
  }

  address(address: Ipv4): number | undefined {
    const known = this.addresses.indexOf(address);
    if (known >= 0) return known;
    return this.#spans.isNamed(address) ? undefined : this.addresses.push(address) - 1;
  }

  service(name: string): number {
    const known = this.services.indexOf(name);
    return known < 0 ? this.services.push(name) - 1 : known;
  }
}

/**
 * What rules, objects, routes and networks say of a Service and of its endpoints. Its lines are looked up in what the tables of all nodes have in common;
 * of a Service for which a node has lines of its own nothing is told.
 */
export class SaidOfServices {
  readonly #views: Views;
  readonly #nodes: AlikeNodes;
  readonly #equal: EqualNodes;
  readonly #spans: AddressSpans["spans"];
  readonly #lines: readonly LinesByOwner[];
  /** By the text itself: whether its lines look at nothing but whether addresses are equal. */
  readonly #plain = new Map<string, boolean>();

  private constructor(
    views: Views,
    nodes: AlikeNodes,
    equal: EqualNodes,
    spans: AddressSpans["spans"],
    lines: readonly LinesByOwner[],
  ) {
    this.#views = views;
    this.#nodes = nodes;
    this.#equal = equal;
    this.#spans = spans;
    this.#lines = lines;
  }

  /** Undefined: of this World it is not known what is said of one Service alone. */
  static of(views: Views, nodes: AlikeNodes, equal: EqualNodes): SaidOfServices | undefined {
    const { spans } = nodes.spans ?? {};
    const { stacks, kubernetes } = views.world;
    const homes = spans === undefined ? undefined : homesOf(stacks);
    if (spans === undefined || homes === undefined || kubernetes.networkPolicies?.length) return undefined;
    const lines = homes.map((t) => t.homeLinesByOwner((a) => spans.isNamed(a)));
    if (lines.some((l) => l === undefined)) return undefined;
    return new SaidOfServices(views, nodes, equal, spans, lines as readonly LinesByOwner[]);
  }

  /** Undefined: more is said of it than that, or of somebody who is like nobody else. */
  of(target: Target): Said | undefined {
    const { address, name, kind, via, port, servicePort, protocol } = target;
    if (!isIpv4(address) || name === null) return undefined;
    const numbers = new Numbers(this.#spans);
    if (numbers.address(address) === undefined) return undefined;
    numbers.service(name);
    const parts = this.#lines.map((l) => l.linesFor(numbers));
    const { addresses, services } = numbers;
    for (let i = 0; i < addresses.length; i++)
      for (const part of parts) if (i > MOST || !part.add(addresses[i]!)) return undefined;
    if (parts.some((p) => this.#nodes.differing.isAbout(p.chains, [])) || this.#nodes.differing.isAbout([], addresses))
      return undefined;
    const lines = parts.map((p) => p.text()).join("\n\n");
    let isPlain = this.#plain.get(lines);
    if (isPlain === undefined) {
      isPlain = parts.every((p) => p.isPlain());
      this.#plain.set(lines, isPlain);
    }
    if (!isPlain) return undefined;
    const homes: string[] = [];
    // Whether an address is near those of Services is asked by its upper half.
    let key = `${kind} ${via} ${port} ${servicePort} ${protocol} ${uint32Of(address) >>> 16}\n${lines}`;
    for (const own of addresses) {
      const where = own === address ? this.#nobodys(own) : (this.#endpoints(own, homes) ?? this.#nobodys(own));
      if (where === undefined) return undefined;
      key += `\n${this.#spans.of(own)} ${where}`;
    }
    return { key: `${key}\n${this.#objects(name, addresses, homes)}`, addresses, services, homes };
  }

  /** Of an address that is a Service's: its own, or that of another with the same endpoints. */
  #nobodys(address: Address): string | undefined {
    const way = this.#equal.wayTo(address);
    const text = way === undefined ? undefined : this.#views.nobodysText(address);
    return text === undefined ? undefined : `${way} ${text} ${this.#equal.saidOf(address, "")}`;
  }

  #endpoints(address: Address, homes: string[]): string | undefined {
    const said = this.#views.isListed(address) ? this.#views.bridgedText(address) : undefined;
    const standing = said === undefined ? undefined : this.#equal.standingOf(address, said.home.name);
    return said === undefined || standing === undefined
      ? undefined
      : `${numberIn(homes, said.home.name)} ${standing} ${said.text} ${this.#equal.saidOf(address, said.home.name)}`;
  }

  #objects(name: string, addresses: readonly Address[], homes: readonly string[]): string {
    const { services, slices } = this.#views.objectsOf(name);
    if (services.length === 0 && slices.length === 0) return "";
    return servicesText(services, slices, {
      roleOfAddress: (a) => (addresses.includes(a) ? `A${addresses.indexOf(a)}.` : undefined),
      roleOfStack: (node) => (homes.includes(node) ? `B${homes.indexOf(node)}.` : node),
    });
  }
}

function numberIn(list: string[], name: string): number {
  const known = list.indexOf(name);
  return known < 0 ? list.push(name) - 1 : known;
}

/** One table of each home; undefined: rules that are not known as text may speak of a Service, or they are too many. */
function homesOf(stacks: readonly Stack[]): readonly UnreadTable[] | undefined {
  const homes = new Map<object, UnreadTable>();
  for (const { kind, netfilter } of stacks)
    for (const { unread } of netfilter.tables) {
      if (unread === undefined) continue;
      if (kind !== "node" || unread.changed !== undefined) return undefined;
      homes.set(unread.home, unread);
    }
  return homes.size === 0 || homes.size > MOST_HOMES ? undefined : [...homes.values()];
}
