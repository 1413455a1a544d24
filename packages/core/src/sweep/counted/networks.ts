import { type Address, contains, familyOf, type Prefix, parsePrefix } from "../../net/index.ts";

/** Of which kernels and registries know more than a number. */
const SPECIAL: readonly string[] = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/8",
  "64:ff9b::/96",
  "2000::/3",
  "2001:db8::/32",
  "fc00::/7",
  "fe80::/10",
  "ff00::/8",
];

const PREFIX = /[0-9a-fA-F.:]+\/\d{1,3}/g;

/** Which networks an address is in, of those that some configuration names: addresses in the same ones are told apart by none. */
export class Networks {
  readonly #all: readonly Prefix[];
  readonly #known = new Map<Address, string>();

  constructor(...named: readonly unknown[]) {
    const found = new Map<string, Prefix>();
    for (const text of SPECIAL) found.set(text, parsePrefix(text)!);
    for (const prefix of prefixesIn(named)) found.set(`${String(prefix.address)}/${prefix.length}`, prefix);
    this.#all = [...found.values()];
  }

  of(address: Address): string {
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    const family = familyOf(address);
    const own = this.#all.flatMap((p, i) => (familyOf(p.address) === family && contains(p, address) ? [i] : []));
    const made = `${family}:${own.join(",")}`;
    this.#known.set(address, made);
    return made;
  }
}

/** Every network in some records, as text or as a prefix. */
function* prefixesIn(value: unknown): Generator<Prefix> {
  if (typeof value === "string") {
    for (const [text] of value.matchAll(PREFIX)) {
      const prefix = parsePrefix(text);
      if (prefix !== undefined) yield prefix;
    }
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const { address, length } = value as Partial<Prefix>;
  if (address !== undefined && typeof length === "number") yield { address, length };
  for (const one of Object.values(value)) yield* prefixesIn(one);
}
