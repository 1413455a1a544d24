import { hexPadded, type Masked, parseMasked, single, U8, type Value } from "../../values/index.ts";

const SYMBOLS: ReadonlyMap<string, number> = new Map([
  ["minimize-delay", 0x10],
  ["maximize-throughput", 0x08],
  ["maximize-reliability", 0x04],
  ["minimize-cost", 0x02],
  ["normal-service", 0x00],
]);

/** `VALUE[/MASK]`, or a symbol, which leaves the two ECN bits alone (mask 0x3f). */
export const tosValue: Value<Masked> = single(
  "VALUE, VALUE/MASK or a symbol such as Minimize-Delay",
  (word) => {
    const symbol = SYMBOLS.get(word.toLowerCase());
    return symbol === undefined ? parseMasked(word, U8) : { value: symbol, mask: 0x3f };
  },
  (m) => `${hexPadded(m.value, 2)}/${hexPadded(m.mask, 2)}`,
);

/** DiffServ classes (RFC 2474, 2597, 3246). */
export const DSCP_CLASSES: ReadonlyMap<string, number> = new Map([
  ...Array.from({ length: 8 }, (_, i) => [`CS${i}`, i << 3] as const),
  ["BE", 0],
  ...[1, 2, 3, 4].flatMap((c) => [1, 2, 3].map((d) => [`AF${c}${d}`, (c << 3) | (d << 1)] as const)),
  ["EF", 0x2e],
  ["VA", 0x2c],
]);
