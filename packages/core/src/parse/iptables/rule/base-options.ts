import { lookup } from "../../../model/lookup.ts";

/** The options of iptables(8) itself, as far as a rule can carry them. */
export type BaseOption =
  | "source"
  | "destination"
  | "in"
  | "out"
  | "protocol"
  | "fragment"
  | "match"
  | "jump"
  | "goto"
  | "counters"
  | "ignored"
  | "ignored-with-value"
  | "ipv4"
  | "ipv6";

const SHORT: Readonly<Record<string, BaseOption>> = lookup({
  s: "source",
  d: "destination",
  i: "in",
  o: "out",
  p: "protocol",
  f: "fragment",
  m: "match",
  j: "jump",
  g: "goto",
  c: "counters",
  v: "ignored",
  n: "ignored",
  x: "ignored",
  "4": "ipv4",
  "6": "ipv6",
});

const LONG: ReadonlyMap<string, BaseOption> = new Map([
  ["--source", "source"],
  ["--src", "source"],
  ["--destination", "destination"],
  ["--dst", "destination"],
  ["--in-interface", "in"],
  ["--out-interface", "out"],
  ["--protocol", "protocol"],
  ["--proto", "protocol"],
  ["--fragments", "fragment"],
  ["--fragment", "fragment"],
  ["--match", "match"],
  ["--jump", "jump"],
  ["--goto", "goto"],
  ["--set-counters", "counters"],
  ["--verbose", "ignored"],
  ["--numeric", "ignored"],
  ["--exact", "ignored"],
  ["--ipv4", "ipv4"],
  ["--ipv6", "ipv6"],
  ["--modprobe", "ignored-with-value"],
]);

export const LONG_NAMES: readonly string[] = [...LONG.keys()];

export interface OptionWord {
  readonly name: string;
  /** `--name=value`, `-nvalue`. */
  readonly inline: string | undefined;
  readonly base: BaseOption | undefined;
}

/** Takes an option word apart. `-ptcp` is -p with its value glued on. */
export function optionWord(word: string): OptionWord {
  if (word.startsWith("--")) {
    const equals = word.indexOf("=");
    const name = equals < 0 ? word : word.slice(0, equals);
    return { name, inline: equals < 0 ? undefined : word.slice(equals + 1), base: LONG.get(name) };
  }
  const base = SHORT[word[1] ?? ""];
  const glued = word.length > 2 ? word.slice(2) : undefined;
  return { name: word.slice(0, 2), inline: glued, base };
}

/** Names that an abbreviated long option could mean. */
export const baseByPrefix = (prefix: string): readonly BaseOption[] => [
  ...new Set(LONG_NAMES.filter((name) => name.startsWith(prefix)).map((name) => LONG.get(name)!)),
];
