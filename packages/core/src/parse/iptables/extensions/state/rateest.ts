import { type OptionValues, option } from "../../rule/extension.ts";
import { flag, single, type Value, word } from "../../values/index.ts";
import { atMostOne, otherMatch, otherTarget } from "../other.ts";

const UNITS: ReadonlyMap<string, number> = new Map([
  ["bit", 1],
  ["kbit", 1e3],
  ["mbit", 1e6],
  ["gbit", 1e9],
  ["tbit", 1e12],
  ["kibit", 1024],
  ["mibit", 1024 ** 2],
  ["gibit", 1024 ** 3],
  ["tibit", 1024 ** 4],
  ["bps", 8],
  ["kbps", 8e3],
  ["mbps", 8e6],
  ["gbps", 8e9],
  ["tbps", 8e12],
]);

/** Bits per second, printed in the largest decimal unit from a million up, as rateest_print_rate() does. */
function formatBits(bits: number): string {
  if (bits >= 1e6 && bits % 1e3 === 0) return bits % 1e6 === 0 ? `${bits / 1e6}Mbit` : `${bits / 1e3}Kbit`;
  return `${bits}bit`;
}

const bits: Value<string> = {
  ...single("a rate such as 8bit or 5kbit", (text) => {
    if (text === "") return "";
    const match = /^(\d{1,12}(?:\.\d{1,6})?)([a-z]*)$/i.exec(text);
    const unit = match && (match[2] === "" ? 8 : UNITS.get(match[2]!.toLowerCase()));
    return unit ? formatBits(Math.floor(Number(match[1]) * unit)) : undefined;
  }),
  optional: true,
  print: (text) => (text === "" ? [] : [text]),
};
const packets: Value<string> = {
  ...single("packets per second", (text) => (/^\d{0,10}$/.test(text) ? text : undefined)),
  optional: true,
  print: (text) => (text === "" ? [] : [text]),
};
const name = word("the name of a rate estimator", 15);

interface Options {
  delta: true;
  one: string;
  only: string;
  bps: string;
  pps: string;
  bps1: string;
  pps1: string;
  lt: true;
  gt: true;
  eq: true;
  bps2: string;
  pps2: string;
  two: string;
}

const comparison = { negatable: true };

export const rateest = otherMatch<Options>({
  name: "rateest",
  fields: {
    delta: option("--rateest-delta", flag),
    one: option("--rateest1", name),
    only: option("--rateest", name),
    bps1: option("--rateest-bps1", bits),
    pps1: option("--rateest-pps1", packets),
    lt: option("--rateest-lt", flag, comparison),
    gt: option("--rateest-gt", flag, comparison),
    eq: option("--rateest-eq", flag, comparison),
    bps: option("--rateest-bps", bits),
    pps: option("--rateest-pps", packets),
    bps2: option("--rateest-bps2", bits),
    pps2: option("--rateest-pps2", packets),
    two: option("--rateest2", name),
  },
  check: (all) => {
    if ((all.one ?? all.only) === undefined) return "--rateest or --rateest1 is needed";
    if (!atMostOne(all, "one", "only")) return "--rateest and --rateest1 are the same";
    if (!all.lt && !all.gt && !all.eq) return "one of --rateest-lt, --rateest-gt and --rateest-eq is needed";
    return atMostOne(all, "lt", "gt", "eq") ? undefined : "only one comparison is possible";
  },
  normal: ({ one, two, ...rest }): OptionValues<Options> =>
    one && !two ? { ...rest, only: one } : { ...rest, ...(one && { one }), ...(two && { two }) },
});

/** `250ms`, printed with one decimal: `250.0ms`. */
const duration: Value<string> = single("a time such as 250ms", (text) => {
  const match = /^(\d{1,9}(?:\.\d{1,6})?)(s|sec|ms|msec|us|usec|)$/.exec(text);
  if (!match) return undefined;
  const scale = { "": 1e6, s: 1e6, sec: 1e6, ms: 1e3, msec: 1e3, us: 1, usec: 1 }[match[2]!] ?? 1;
  const us = Number(match[1]) * scale;
  if (us >= 1e6) return `${(us / 1e6).toFixed(1)}s`;
  return us >= 1e3 ? `${(us / 1e3).toFixed(1)}ms` : `${us}us`;
});

export const RATEEST = otherTarget({
  name: "RATEEST",
  fields: {
    name: option("--rateest-name", name, { required: true }),
    interval: option("--rateest-interval", duration, { required: true }),
    ewma: option("--rateest-ewmalog", duration, { required: true }),
  },
});
