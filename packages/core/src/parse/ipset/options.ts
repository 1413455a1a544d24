import type { SetOption } from "../../model/index.ts";
import { append } from "../../net/append.ts";
import {
  compareAddress,
  type Family,
  formatIpv4,
  ipv4Of,
  isIpv4,
  lastOf,
  lowBitsOf,
  networkOf,
  parseIpv4,
  parsePrefix,
  uint32Of,
} from "../../net/index.ts";
import type { EntryProblem, Word } from "./entry.ts";
import type { SetType } from "./types.ts";

/** Options with a value, and flags, that a create command or a Header line may carry. */
const VALUED: ReadonlySet<string> = new Set([
  "family",
  "range",
  "hashsize",
  "maxelem",
  "netmask",
  "bitmask",
  "markmask",
  "timeout",
  "size",
  "bucketsize",
  "initval",
  "probes",
  "resize",
  "gc",
]);
const FLAGS: ReadonlySet<string> = new Set(["counters", "comment", "skbinfo", "forceadd"]);

/** Whether ipset has an option of this name for a set. */
export const isSetOption = (name: string): boolean => VALUED.has(name) || FLAGS.has(name);

export interface ParsedOptions {
  readonly options: readonly SetOption[];
  readonly family: Family;
  readonly exist: boolean;
  readonly problems: readonly EntryProblem[];
}

const span = (word: Word) => ({ column: word.column, length: Math.max(1, word.text.length) });

/**
 * Reads create options in the order they stand. Old spellings become the new ones: `--from A --to B` and `--network N`
 * a range, `-6` a family.
 */
export function parseOptions(words: readonly Word[], type: SetType | undefined): ParsedOptions {
  const options: SetOption[] = [];
  const problems: EntryProblem[] = [];
  let family: Family = 4;
  let exist = false;
  let from: Word | undefined;
  let to: Word | undefined;
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const name = word.text.replace(/^--?(?=[a-z])/, "").replace(/:$/, "");
    const value = words[i + 1];
    if (word.text === "-!" || name === "exist") exist = true;
    else if (FLAGS.has(name)) options.push({ name });
    else if (word.text === "-6" || word.text === "-4") {
      family = word.text === "-6" ? 6 : 4;
      options.push({ name: "family", value: family === 6 ? "inet6" : "inet" });
    } else if (value !== undefined && (name === "from" || name === "to")) {
      if (name === "from") from = value;
      else to = value;
      i++;
    } else if (value !== undefined && name === "network") {
      options.push({ name: "range", value: value.text });
      i++;
    } else if (value !== undefined && VALUED.has(name)) {
      options.push({ name, value: value.text });
      if (name === "family") {
        family = /^(?:inet6|ipv6|-6)$/.test(value.text) ? 6 : 4;
        if (!/^(?:inet6?|ipv[46]|any|unspec|-[46])$/.test(value.text)) {
          problems.push({ ...span(value), message: `\`${value.text}\` is not a family` });
        }
      }
      i++;
    } else {
      options.push({ name: word.text });
      problems.push({ ...span(word), message: `\`${word.text}\` is not an option of a set` });
    }
  }
  if (from !== undefined && to !== undefined) options.push({ name: "range", value: `${from.text}-${to.text}` });
  else if (from !== undefined || to !== undefined) {
    const word = (from ?? to)!;
    problems.push({ ...span(word), message: "a range needs both --from and --to" });
  }
  if (type !== undefined) append(problems, impossible(options, type, words[0]));
  return { options, family, exist, problems };
}

/** What the kernel refuses when the set is made: a bitmap without a range or of more than 65536 elements, two masks. */
function impossible(options: readonly SetOption[], type: SetType, first: Word | undefined): EntryProblem[] {
  const at = first === undefined ? { column: 0, length: 1 } : span(first);
  const optionValue = (name: string) => options.find((o) => o.name === name)?.value;
  const problems: EntryProblem[] = [];
  if (optionValue("netmask") !== undefined && optionValue("bitmask") !== undefined) {
    problems.push({ ...at, message: "a set has a netmask or a bitmask, not both" });
  }
  if (type.method !== "bitmap") return problems;
  const range = optionValue("range");
  const bounds = range === undefined ? undefined : parseRange(range, type.dimensions[0] === "port");
  if (range === undefined) problems.push({ ...at, message: "a bitmap needs a range" });
  else if (bounds === undefined) problems.push({ ...at, message: `\`${range}\` is not a range` });
  else {
    const netmask = Number(optionValue("netmask") ?? 32);
    const size = (bounds.to - bounds.from + 1) / (type.dimensions[0] === "ip" ? 2 ** (32 - netmask) : 1);
    if (size > 65536) problems.push({ ...at, message: `\`${range}\` holds more than the 65536 elements of a bitmap` });
  }
  return problems;
}

/** The bounds of a bitmap: `2.0.0.1-2.1.0.0`, `10.0.0.0/8`, `0-65535`. */
export function parseRange(text: string, ports: boolean): { readonly from: number; readonly to: number } | undefined {
  if (ports) {
    const match = /^(\d{1,5})-(\d{1,5})$/.exec(text);
    const [from, to] = [Number(match?.[1]), Number(match?.[2])];
    return match !== null && from <= to && to <= 65535 ? { from, to } : undefined;
  }
  const dash = text.indexOf("-");
  if (dash > 0) {
    const from = parseIpv4(text.slice(0, dash));
    const to = parseIpv4(text.slice(dash + 1));
    return from !== undefined && to !== undefined && compareAddress(from, to) <= 0
      ? { from: uint32Of(from), to: uint32Of(to) }
      : undefined;
  }
  const prefix = parsePrefix(text);
  if (prefix === undefined || !isIpv4(prefix.address)) return undefined;
  return { from: lowBitsOf(networkOf(prefix).address), to: lowBitsOf(lastOf(prefix)) };
}

export const formatRange = (range: { readonly from: number; readonly to: number }): string =>
  `${formatIpv4(ipv4Of(range.from))}-${formatIpv4(ipv4Of(range.to))}`;

export const formatOptions = (options: readonly SetOption[]): string =>
  options.map((o) => (o.value === undefined ? o.name : `${o.name} ${o.value}`)).join(" ");
