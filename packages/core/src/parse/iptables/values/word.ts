import { single, type Value } from "./value.ts";

/** Blanks and quotes would have to be quoted, and iptables-save does not quote this kind of word. */
const isBare = (text: string): boolean => !/[\s"]/.test(text);

/** A name of its own: without blanks. */
export const word = (expects: string, max = Number.POSITIVE_INFINITY): Value<string> =>
  single(expects, (input) => (input.length > 0 && input.length <= max && isBare(input) ? input : undefined));

/** A name that iptables-save quotes. */
export const phrase = (expects: string, max = Number.POSITIVE_INFINITY): Value<string> =>
  single(expects, (supplied) => (supplied.length > 0 && supplied.length <= max ? supplied : undefined));

/** Any text, cut to what the kernel's structure holds. */
export const text = (max: number): Value<string> => single("a text", (provided) => provided.slice(0, max));

/** One of some names; other spellings stand for one of them. */
export const oneOf = <T extends string>(
  names: readonly T[],
  also: Readonly<Record<string, T>> = {},
  ignoreCase = false,
): Value<T> => {
  const known = new Map<string, T>();
  for (const name of names) known.set(ignoreCase ? name.toLowerCase() : name, name);
  for (const [name, meaning] of Object.entries(also)) known.set(ignoreCase ? name.toLowerCase() : name, meaning);
  return single(`one of ${names.join(", ")}`, (inputs) => known.get(ignoreCase ? inputs.toLowerCase() : inputs));
};

/** A comma-separated list of names, kept in the order in which iptables-save prints them. */
export const listOf = <T extends string>(
  names: readonly T[],
  options: { readonly ignoreCase?: boolean; readonly also?: Readonly<Record<string, T>> } = {},
): Value<readonly T[]> => {
  const one = oneOf(names, options.also, options.ignoreCase);
  return single(
    `a list of ${names.join(", ")}`,
    (given, context) => {
      const chosen = new Set<T>();
      for (const part of given.split(",")) {
        const name = one.read([part], context);
        if (name === undefined) return undefined;
        chosen.add(name);
      }
      return names.filter((name) => chosen.has(name));
    },
    (list) => list.join(","),
  );
};

/** IFNAMSIZ is 16 with the closing zero; a trailing plus is a wildcard. */
export const interfaceName: Value<string> = single("an interface name of at most 15 letters", (given) =>
  given.length > 0 && given.length < 16 && isBare(given) ? given : undefined,
);
