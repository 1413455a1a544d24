import { memo } from "../../datapath/index.ts";
import type { LinesByOwner, OwnLines, Renaming, World } from "../../model/index.ts";
import { formatAddress, type Ipv4, parseIpv4, uint32Of } from "../../net/index.ts";
import type { QuestionSpec } from "../question/resolve-question.ts";
import { type AddressSpans, addressSpansOf } from "./address-spans.ts";
import { addressesIn } from "./addresses-in.ts";

/** More addresses than these are no one Service's. */
const MOST = 64;
/** So much is remembered of each kind. */
const KEPT = 100_000;

/** What a question comes to but for names: all of the same key end alike, with these addresses in the place of one another. */
export interface Alike {
  readonly key: string;
  /** Its own addresses, the asked one first. */
  readonly addresses: readonly Ipv4[];
}

/** What is an address's own: the number of what is said of it, and the addresses that say it is about, itself first. */
interface Own {
  readonly said: number;
  readonly addresses: readonly Ipv4[];
}

interface Prepared extends AddressSpans {
  readonly lines: readonly LinesByOwner[];
}

const prepared = new WeakMap<World, { readonly of: Prepared | undefined }>();

/** One pass over all that the World says, for whoever asks many questions of it. */
const prepare = (world: World): Prepared | undefined =>
  memo(prepared, world, () => {
    const said = addressSpansOf(world);
    if (said === undefined || said.tables.length === 0) return { of: undefined };
    const lines = said.tables.map((t) => t.linesByOwner((a) => said.spans.isNamed(a)));
    return { of: lines.some((l) => l === undefined) ? undefined : { ...said, lines: lines as LinesByOwner[] } };
  }).of;

class Numbers implements Renaming {
  readonly addresses: Ipv4[] = [];
  readonly #services: string[] = [];
  readonly #said: AddressSpans;

  constructor(said: AddressSpans) {
    this.#said = said;
  }

  address(address: Ipv4): number | undefined {
    const known = this.addresses.indexOf(address);
    if (known >= 0) return known;
    if (this.#said.spans.isNamed(address)) return undefined;
    return this.addresses.push(address) - 1;
  }

  service(name: string): number | undefined {
    if (this.#said.services.has(name)) return undefined;
    const known = this.#services.indexOf(name);
    return known < 0 ? this.#services.push(name) - 1 : known;
  }
}

const DESTINATION = /^(\d{1,3}(?:\.\d{1,3}){3}):(\d{1,5})$/;

/**
 * Questions that differ in nothing but the address they ask for and what is that address's own: the lines about it, its chains, its endpoints.
 * A walk compares addresses, looks them up in networks and hands them on; so it goes the same way for two of which the same is said under
 * other names, and which lie on the same side of every other address and network of the World.
 */
export class AlikeQuestions {
  readonly #known: Prepared | undefined;
  readonly #fixed: ReadonlyMap<string, string>;
  /** Who else is named in a question, by what it says beside the destination; undefined: lines are about one of them. */
  readonly #others = new Map<string, ReadonlySet<Ipv4> | undefined>();
  /** By destination; null: it is like no other. */
  readonly #own = new Map<Ipv4, Own | null>();
  /** All that is said of some destination, numbered; -1: it looks at more than whether addresses are equal. */
  readonly #said = new Map<string, number>();

  constructor(world: World, fixed: ReadonlyMap<string, string>) {
    this.#known = prepare(world);
    this.#fixed = fixed;
  }

  /** Undefined: this one is walked by itself. */
  of(spec: QuestionSpec): Alike | undefined {
    const known = this.#known;
    const [, address = "", port = ""] = (known && DESTINATION.exec(spec.to ?? "")) ?? [];
    const to = parseIpv4(address);
    if (to === undefined || known === undefined) return undefined;
    const own = this.#ownOf(to, known);
    const rest = JSON.stringify({ ...spec, to: port });
    const others = own === null ? undefined : this.#namedBeside(rest, known);
    if (own === null || others === undefined || own.addresses.some((a) => others.has(a))) return undefined;
    return { key: `${own.said} ${rest}`, addresses: own.addresses };
  }

  #ownOf(to: Ipv4, known: Prepared): Own | null {
    const before = this.#own.get(to);
    if (before !== undefined) return before;
    const own = this.#gather(to, known);
    if (this.#own.size >= KEPT) this.#own.clear();
    this.#own.set(to, own);
    return own;
  }

  #gather(to: Ipv4, known: Prepared): Own | null {
    const numbers = new Numbers(known);
    if (numbers.address(to) === undefined) return null;
    const parts: readonly OwnLines[] = known.lines.map((l) => l.linesFor(numbers));
    const { addresses } = numbers;
    for (let i = 0; i < addresses.length; i++)
      for (const part of parts) if (i > MOST || !part.add(addresses[i]!)) return null;
    // Whether an address is near those of Services is asked by its upper half.
    let text = String(uint32Of(to) >>> 16);
    for (const own of addresses) text += ` ${known.spans.of(own)}`;
    for (const part of parts) text += `\n${part.text()}`;
    let said = this.#said.get(text);
    if (said === undefined) {
      said = parts.every((p) => p.isPlain()) && this.#said.size < KEPT ? this.#said.size : -1;
      if (this.#said.size < KEPT) this.#said.set(text, said);
    }
    return said < 0 ? null : { said, addresses };
  }

  #namedBeside(rest: string, { tables }: Prepared): ReadonlySet<Ipv4> | undefined {
    if (!this.#others.has(rest)) {
      const named = addressesIn([rest, ...this.#fixed.keys()]);
      const free = [...named].every((a) => tables.every((t) => t.naming(a).length === 0));
      if (this.#others.size >= KEPT) this.#others.clear();
      this.#others.set(rest, free ? named : undefined);
    }
    return this.#others.get(rest);
  }
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
