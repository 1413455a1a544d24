import type { HashlimitMatch } from "../../../../model/index.ts";
import { lookup } from "../../../../model/lookup.ts";
import { type KeyedField, matchExtension, type OptionValues, option, writeFields } from "../../rule/extension.ts";
import { flag, listOf, single, U32, unsigned, type Value, word } from "../../values/index.ts";
import { parseRate } from "./rate.ts";

const BYTE_UNITS: readonly (readonly [string, number])[] = [
  ["mb", 1 << 20],
  ["kb", 1 << 10],
  ["b", 1],
];

/** `400kb`; without a unit undefined. */
function parseBytes(text: string): { count: number; unit: string } | undefined {
  const match = /^(\d{1,10})(b|kb|mb)$/i.exec(text);
  return match ? { count: Number(match[1]), unit: match[2]!.toLowerCase() } : undefined;
}

/** Bytes print in the largest unit that divides them. */
function formatBytes(bytes: number): string {
  const unit = BYTE_UNITS.find(([, size]) => bytes >= size && bytes % size === 0) ?? ["b", 1];
  return `${bytes / unit[1]}${unit[0]}`;
}

const bytesOf = (read: { count: number; unit: string }): number =>
  read.count * (BYTE_UNITS.find(([name]) => name === read.unit)?.[1] ?? 1);

const rate: Value<string> = single("a rate such as 10/sec or 4kb/s", (text) => {
  const packets = parseRate(text);
  if (packets !== undefined) return `${packets.count}/${packets.unit}`;
  const bytes = /^(.*)\/s(?:ec(?:ond)?)?$/i.exec(text);
  const read = bytes && parseBytes(bytes[1]!);
  return read ? `${formatBytes(bytesOf(read))}/s` : undefined;
});

const burst: Value<string> = single("a number of packets, or of bytes such as 1mb", (text) => {
  const bytes = parseBytes(text);
  if (bytes !== undefined) return formatBytes(bytesOf(bytes));
  return /^\d{1,10}$/.test(text) && Number(text) >= 1 && Number(text) <= U32 ? String(Number(text)) : undefined;
});

interface Options {
  upto: string;
  above: string;
  burst: string;
  mode: readonly string[];
  name: string;
  size: number;
  max: number;
  gcInterval: number;
  expire: number;
  sourceMask: number;
  destinationMask: number;
  rateMatch: true;
  rateInterval: number;
}

const fields = {
  upto: option("--hashlimit-upto", rate, { also: ["--hashlimit"], negatable: true }),
  above: option("--hashlimit-above", rate, { negatable: true }),
  burst: option("--hashlimit-burst", burst),
  mode: option("--hashlimit-mode", listOf(["srcip", "srcport", "dstip", "dstport"])),
  name: option("--hashlimit-name", word("a name of at most 255 letters", 255), { required: true }),
  size: option("--hashlimit-htable-size", unsigned(U32)),
  max: option("--hashlimit-htable-max", unsigned(U32)),
  gcInterval: option("--hashlimit-htable-gcinterval", unsigned(U32)),
  expire: option("--hashlimit-htable-expire", unsigned(U32)),
  sourceMask: option("--hashlimit-srcmask", unsigned(128)),
  destinationMask: option("--hashlimit-dstmask", unsigned(128)),
  rateMatch: option("--hashlimit-rate-match", flag),
  rateInterval: option("--hashlimit-rate-interval", unsigned(U32, 1)),
};
const SECONDS: Readonly<Record<string, number>> = lookup({ sec: 1, min: 60, hour: 3600, day: 86_400 });

/** Words of the options after the rate, without the defaults that hashlimit_mt_save() leaves out. */
function words(all: OptionValues<Options>, packets: boolean, unit: string, full: number): readonly string[] {
  const { upto: _, above: __, name: ___, ...rest } = all;
  const shown: Record<string, unknown> = { ...rest };
  if (packets) shown.burst = rest.burst ?? { value: "5", negated: false };
  if (rest.gcInterval?.value === 1000) delete shown.gcInterval;
  if (rest.expire?.value === (packets ? (SECONDS[unit] ?? 1) : 1) * 1000) delete shown.expire;
  if (rest.sourceMask?.value === full) delete shown.sourceMask;
  if (rest.destinationMask?.value === full) delete shown.destinationMask;
  if (rest.rateInterval?.value === 1) delete shown.rateInterval;
  const out: string[] = [];
  const keyed = Object.entries(fields).map(([key, field]) => ({ ...field, key })) as unknown as KeyedField[];
  writeFields(keyed, shown as OptionValues<Record<string, unknown>>, { word: (w) => out.push(w), verbatim: () => {} });
  return out;
}

export const hashlimit = matchExtension<Options, HashlimitMatch>({
  name: "hashlimit",
  fields,
  make: (all, { family }) => {
    const bound = all.upto ?? all.above;
    if (bound === undefined || (all.upto && all.above))
      return "one of --hashlimit-upto and --hashlimit-above is needed";
    if (all.rateInterval && !all.rateMatch) return "--hashlimit-rate-interval goes with --hashlimit-rate-match";
    const packets = !bound.value.endsWith("b/s");
    if (!packets && all.burst !== undefined && !/b$/.test(all.burst.value))
      return "the burst of a byte rate is in bytes";
    return {
      kind: "hashlimit",
      name: all.name!.value,
      test: (all.upto !== undefined) === bound.negated ? "above" : "upto",
      rate: bound.value,
      options: words(all, packets, bound.value.split("/")[1]!, family === 4 ? 32 : 128),
    };
  },
  show: (match) => ({ [match.test]: { value: match.rate, negated: false }, ...parseOptions(match) }),
});

/** The options of a record back into fields, so that the name prints where it belongs: after the mode. */
function parseOptions(match: HashlimitMatch): OptionValues<Options> {
  const out: Record<string, unknown> = { name: { value: match.name, negated: false } };
  const context = { family: 4, backend: "unknown" } as const;
  for (let i = 0; i < match.options.length; ) {
    const name = match.options[i]!;
    const entry = Object.entries(fields).find(([, field]) => field.option === name);
    if (entry === undefined) break;
    const [key, field] = entry;
    const value = (field.value as Value<unknown>).read(match.options.slice(i + 1, i + 2), context);
    if (value !== undefined) out[key] = { value, negated: false };
    i += 1 + field.value.words;
  }
  return out as OptionValues<Options>;
}
