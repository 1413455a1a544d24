import type { Port } from "../../model/index.ts";
import { bytesOf as octets } from "../../net/index.ts";
import { jhash } from "../kernel/jhash.ts";
import type { RuleLook } from "./expression.ts";
import type { Register } from "./register.ts";

/** More values than any Service has endpoints: a modulus comes from a dump and may be four thousand million. */
const MOST_VALUES = 5000;

/** One of `count` values by chance: each is walked with its share. Undefined: too many to walk. */
export function chosen(look: RuleLook, what: string, count: number): number | undefined {
  if (count > MOST_VALUES) return undefined;
  if (count <= 1) return 0;
  const options = Array.from({ length: count }, (_, i) => ({ label: String(i), share: 1 / count }));
  return look.kernel.oracle.chance(`${look.kernel.name}/${what}`, options);
}

/** The bytes of a key as they lie in nft's registers: addresses in network order, small fields filled up to four bytes. */
function bytesOf(r: Register): number[] | undefined {
  switch (r.kind) {
    case "address":
      return [...octets(r.value)];
    case "number":
      // Ports: two bytes in network order, two of nothing.
      return r.value <= 0xffff ? [(r.value >> 8) & 255, r.value & 255, 0, 0] : undefined;
    case "concat": {
      const parts = r.parts.map(bytesOf);
      return parts.every((p) => p !== undefined) ? parts.flat() : undefined;
    }
    default:
      return undefined;
  }
}

/** The ports of a key. */
export const portsIn = (r: Register): readonly Port[] =>
  r.kind === "port" ? [r.value] : r.kind === "concat" ? r.parts.flatMap(portsIn) : [];

/** nft's `jhash`; undefined where the key's bytes are not known. */
export function hashOf(key: Register, seed: number): number | undefined {
  const bytes = bytesOf(key);
  return bytes === undefined ? undefined : jhash(bytes, seed);
}
