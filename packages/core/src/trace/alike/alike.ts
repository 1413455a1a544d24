import { memo } from "../../datapath/index.ts";
import type { LinesByOwner, OwnLines, Renaming, World } from "../../model/index.ts";
import { formatAddress, type Ipv4, parseIpv4, uint32Of } from "../../net/index.ts";
import type { QuestionSpec } from "../question/resolve-question.ts";
import { type Said, saidBy } from "./said.ts";

/** More addresses than these are no one Service's. */
const MOST = 64;

/** What a question comes to but for names: all of the same key end alike, with these addresses in the place of one another. */
export interface Alike {
  readonly key: string;
  /** Its own addresses, the asked one first. */
  readonly addresses: readonly Ipv4[];
  /** Whether nothing that is said of them looks at more than whether they are equal. Of one question of a key it is that of all. */
  isPlain(): boolean;
}

interface Prepared extends Said {
  readonly lines: readonly LinesByOwner[];
}

const prepared = new WeakMap<World, { readonly of: Prepared | undefined }>();

/** One pass over all that the World says, for whoever asks many questions of it. */
const prepare = (world: World): Prepared | undefined =>
  memo(prepared, world, () => {
    const said = saidBy(world);
    if (said === undefined || said.tables.length === 0) return { of: undefined };
    const lines = said.tables.map((t) => t.linesByOwner((a) => said.spans.isNamed(a)));
    return { of: lines.some((l) => l === undefined) ? undefined : { ...said, lines: lines as LinesByOwner[] } };
  }).of;

class Numbers implements Renaming {
  readonly addresses: Ipv4[] = [];
  readonly #services: string[] = [];
  readonly #said: Said;
  readonly #others: ReadonlySet<Ipv4>;

  constructor(said: Said, others: ReadonlySet<Ipv4>) {
    this.#said = said;
    this.#others = others;
  }

  address(address: Ipv4): number | undefined {
    const known = this.addresses.indexOf(address);
    if (known >= 0) return known;
    if (this.#others.has(address) || this.#said.spans.isNamed(address)) return undefined;
    return this.addresses.push(address) - 1;
  }

  service(name: string): number | undefined {
    if (this.#said.services.has(name)) return undefined;
    const known = this.#services.indexOf(name);
    return known < 0 ? this.#services.push(name) - 1 : known;
  }
}

const DESTINATION = /^(\d{1,3}(?:\.\d{1,3}){3}):(\d{1,5})$/;
const ADDRESS = /\d{1,3}(?:\.\d{1,3}){3}/g;

/**
 * Questions that differ in nothing but the address they ask for and what is that address's own: the lines about it, its chains, its endpoints.
 * A walk compares addresses, looks them up in networks and hands them on; so it goes the same way for two of which the same is said under
 * other names, and which lie on the same side of every other address and network of the World. Undefined: this one is walked by itself.
 */
export function alike(world: World, spec: QuestionSpec, fixed: ReadonlyMap<string, string>): Alike | undefined {
  const [, address = "", port = ""] = DESTINATION.exec(spec.to ?? "") ?? [];
  const to = parseIpv4(address);
  const known = to === undefined ? undefined : prepare(world);
  if (to === undefined || known === undefined) return undefined;
  const rest = JSON.stringify({ ...spec, to: port });
  const others = new Set<Ipv4>();
  for (const text of [rest, ...fixed.keys()])
    for (const [found] of text.matchAll(ADDRESS)) {
      const other = parseIpv4(found);
      if (other !== undefined) others.add(other);
    }
  for (const other of others) if (known.tables.some((t) => t.naming(other).length > 0)) return undefined;
  const numbers = new Numbers(known, others);
  if (numbers.address(to) === undefined) return undefined;
  const parts: readonly OwnLines[] = known.lines.map((l) => l.linesFor(numbers));
  for (let i = 0; i < numbers.addresses.length; i++)
    if (i > MOST || !parts.every((p) => p.add(numbers.addresses[i]!))) return undefined;
  const { addresses } = numbers;
  // Whether an address is near those of Services is asked by its upper half.
  const where = `${uint32Of(to) >>> 16} ${addresses.map((a) => known.spans.of(a)).join(" ")}`;
  return {
    key: `${rest}\n${where}\n${parts.map((p) => p.text()).join("\n")}`,
    addresses,
    isPlain: () => parts.every((p) => p.isPlain()),
  };
}

/** A text about one question, to be told of the others that are alike. */
export class ToldAlike {
  readonly #parts: readonly (string | number)[];

  constructor(text: string, addresses: readonly Ipv4[]) {
    const own = new Map(addresses.map((a, i) => [formatAddress(a), i]));
    this.#parts = text.split(/(\d{1,3}(?:\.\d{1,3}){3})/).map((part) => own.get(part) ?? part);
  }

  of(addresses: readonly Ipv4[]): string {
    let told = "";
    for (const part of this.#parts) told += typeof part === "number" ? formatAddress(addresses[part]!) : part;
    return told;
  }
}
