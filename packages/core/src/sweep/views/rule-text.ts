import { hasPodChains, isHashedChain, stemOfPodChain, withoutContainerIds, withoutHash } from "../../model/index.ts";
import {
  type Address,
  bytesOf,
  contains,
  familyOf,
  isHost,
  lengthOfMask,
  type Prefix,
  parseAddress,
  parsePrefix,
} from "../../net/index.ts";
import type { Interned } from "./interned.ts";

/** Addresses, with a length, a mask or the end of a range. */
const IPV4 =
  /(?<![\w.])(\d{1,3}(?:\.\d{1,3}){3})(?:-(\d{1,3}(?:\.\d{1,3}){3})|\/(\d{1,3}(?:\.\d{1,3}){3}|\d{1,2}))?(?![\d.])/g;
const IPV6 =
  /(?<![\w.:])((?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4})(?:-((?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4})|\/(\d{1,3}))?(?![\w:])/g;

const WILDCARD = /(?:-i|-o|--physdev-in|--physdev-out) (\S+)\+|[io]ifname "?([^"\s*]+)\*/g;

/** What decides by a sum over addresses, by time, or by what was before: which addresses lie in which networks does not say how. */
const BY_VALUE =
  /hashlimit|-j SET\b|\b(?:net|bit)mask |-m cluster|HMARK|u32|\bbpf\b|NETMAP|CLUSTERIP|--persistent|persistent|-m recent|connlimit|\bmasquerade persistent|-s (?:dh|sh|mh|lblcr?)\b|meter |\bsymhash|\bjhash|\bct count|dynamic/;

/** A range of translations is drawn from by a sum over addresses. */
const DRAWN = /-to-(?:source|destination) \S*-|\b[sd]nat (?:ip6? )?to \S*[\da-f:\]]-/;

/** Parts of an address, as nft takes them; and MACs, which no role tells apart. */
const BY_PART = /addr\)? (?:[&|^]|<<|>>)|@(?:ll|nh|th|ih),|--mac-source|\bether [sd]addr|\bhash:mac|:ip,mac\b/;

/** What asks which source port a packet has, or from which ports one is drawn: then it matters which of them are taken. */
const BY_SOURCE_PORT =
  /source-port|sports?\b|--ports\b|--to-ports|\bmasquerade to\b|--to-source \S*:\d|\bsnat\b[^\n]*:\s?\d|:\s?\d+-\d+\b|bitmap:port|--match-set \S+ (?:src|dst),src\b(?!,)/;

/**
 * Rules, sets and virtual servers as text, with a number in place of each address: how a packet fares depends on the text,
 * and on which of these numbers stand for networks that its addresses are in.
 */
export class RuleText {
  /** Equal: the texts differ in nothing but addresses, and these are alike where they are. */
  readonly shape: number;
  /** By value: no two addresses can be taken for alike. */
  readonly unshareable: boolean;
  readonly text: string;
  /** It asks for source ports. */
  readonly drawsPorts: boolean;
  /** `eth+`: which devices a rule means by their beginning. */
  readonly wildcards: readonly string[];
  readonly #hosts = new Map<Address, number>();
  readonly #networks: { readonly number: number; readonly has: (a: Address) => boolean }[] = [];
  readonly #profiles = new Map<Address, number>();
  readonly #interned: Interned;
  readonly #shapeText: string;

  /** `shapes`: of texts with the names in them. */
  constructor(text: string, interned: Interned, shapes: Interned) {
    this.text = text;
    this.drawsPorts = BY_SOURCE_PORT.test(text);
    this.wildcards = [...new Set([...text.matchAll(WILDCARD)].map((m) => m[1] ?? m[2]!))];
    this.#interned = interned;
    const numbers = new Map<string, number>();
    let odd = BY_VALUE.test(text) || DRAWN.test(text) || BY_PART.test(text);
    const numbered = (token: string, make: () => Prefix | ((a: Address) => boolean) | undefined): string => {
      const known = numbers.get(token);
      if (known !== undefined) return `§${known}`;
      const made = make();
      if (made === undefined) return token;
      const number = numbers.size;
      numbers.set(token, number);
      if (typeof made === "function") this.#networks.push({ number, has: made });
      else if (isHost(made)) this.#hosts.set(made.address, number);
      else this.#networks.push({ number, has: (a) => contains(made, a) });
      return `§${number}`;
    };
    const shape = withoutPodNames(text)
      .replace(IPV4, (whole, first: string, last: string | undefined, length: string | undefined) => {
        const bare = length === "32" ? first : whole;
        return numbered(bare, () => {
          if (last !== undefined) return between(first, last);
          if (length === undefined || !length.includes("."))
            return parsePrefix(whole.includes("/") ? whole : `${whole}/32`);
          const mask = parseAddress(length);
          const bits = mask === undefined ? undefined : lengthOfMask(mask);
          if (bits === undefined) odd = true;
          return bits === undefined ? undefined : parsePrefix(`${first}/${bits}`);
        });
      })
      .replace(IPV6, (whole, first: string, last: string | undefined) =>
        numbered(whole, () =>
          last === undefined ? parsePrefix(whole.includes("/") ? whole : `${whole}/128`) : between(first, last),
        ),
      );
    this.unshareable = odd;
    this.shape = shapes.of(shape);
    this.#shapeText = shape;
  }

  /** The text without addresses, and without names that are nobody's choice. */
  get bare(): string {
    return this.#shapeText;
  }

  /** Whether a device is called there, but where a chain is called after it. */
  saysDevice(name: string): boolean {
    return this.#shapeText.includes(name);
  }

  /** The addresses that stand there each for itself, in the order in which they are met. */
  get hosts(): Iterable<Address> {
    return this.#hosts.keys();
  }

  readonly #called = new Map<string, number>();

  /** The shape without the names that are one Service's own: its name, and those of chains that are called after a hash. */
  shapeOf(service: string): number {
    let shape = this.#called.get(service);
    if (shape === undefined) {
      const names = new Map<string, string>();
      const numbered = (name: string): string => {
        const known = names.get(name);
        if (known !== undefined) return known;
        const made = `${withoutHash(name)}#${names.size}`;
        names.set(name, made);
        return made;
      };
      const own = new RegExp(`${service.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?=[: "])`, "g");
      const text = this.#shapeText
        .replace(CHAIN_NAMES, (name) => (isHashedChain(name) ? numbered(name) : name))
        .replace(own, "§service");
      shape = this.#interned.of(text);
      this.#called.set(service, shape);
    }
    return shape;
  }

  /** Which of the numbers an address is among. */
  profile(address: Address): number {
    let profile = this.#profiles.get(address);
    if (profile === undefined) {
      profile = this.#interned.of(this.place(address));
      this.#profiles.set(address, profile);
    }
    return profile;
  }

  /** The same, of which no note is taken. */
  place(address: Address): string {
    let all = `${this.#hosts.get(address) ?? ""};`;
    for (const { number, has } of this.#networks) if (has(address)) all += `${number},`;
    return all;
  }
}

const CHAIN_NAMES = /(?<=^:|^-A | -[jg] )\S+/gm;
const COMMENTS = /(?<= --comment )"(?:[^"\\\n]|\\.)*"/g;

/** The names of chains that are one pod's own, numbered as they are met. */
function withoutPodNames(text: string): string {
  if (!hasPodChains(text)) return text;
  const names = new Map<string, string>();
  const numbered = (name: string): string => {
    const stem = stemOfPodChain(name);
    if (stem === undefined) return name;
    const known = names.get(name) ?? `${stem}#${names.size}`;
    names.set(name, known);
    return known;
  };
  return text.replace(CHAIN_NAMES, numbered).replace(COMMENTS, withoutContainerIds);
}

function between(first: string, last: string): ((a: Address) => boolean) | undefined {
  const [from, to] = [parseAddress(first), parseAddress(last)];
  if (from === undefined || to === undefined) return undefined;
  const [low, high] = [order(from), order(to)];
  return (a) => familyOf(a) === familyOf(from) && order(a) >= low && order(a) <= high;
}

/** Of one family, texts sort as addresses do. */
const order = (address: Address): string => String.fromCharCode(...bytesOf(address));
