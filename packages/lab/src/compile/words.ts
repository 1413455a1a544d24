import { type Address, formatAddress, formatPrefix, type Prefix } from "@hairpin/core/net/index.ts";

/** A value of the World that no tool may be given: it stays out, and that is said. */
export class Unspeakable extends Error {
  override readonly name = "Unspeakable";
}

const NAME = /^[A-Za-z0-9_.@+][A-Za-z0-9_.:@+-]*$/;

/**
 * A name from a dump, fit to stand as one word of a batch line: no blank, quote, comment or option sign, whatever the
 * dump said. The kernel takes more (dev_valid_name), but no device in use needs it.
 */
export function nameWord(name: string, limit = 15): string {
  if (name.length > limit || !NAME.test(name) || name === "." || name === "..") {
    throw new Unspeakable(`${JSON.stringify(name)} is not a name the lab passes on`);
  }
  return name;
}

/** One of a closed list. */
export function oneOf<T extends string>(value: string, list: readonly T[]): T {
  const found = list.find((item) => item === value);
  if (found === undefined) throw new Unspeakable(`${JSON.stringify(value)} is none of ${list.join(", ")}`);
  return found;
}

export function numberWord(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new Unspeakable(`${value} is not a number the lab passes on`);
  return String(value);
}

export function macWord(mac: string): string {
  if (!/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/.test(mac)) throw new Unspeakable(`${JSON.stringify(mac)} is not a MAC`);
  return mac;
}

export const addressWord = (address: Address): string => formatAddress(address);
export const prefixWord = (prefix: Prefix): string => formatPrefix(prefix);

export const line = (...words: readonly (string | readonly string[])[]): string => words.flat().join(" ");
