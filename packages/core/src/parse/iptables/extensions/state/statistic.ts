import type { StatisticMatch } from "../../../../model/index.ts";
import { given, matchExtension, option } from "../../rule/extension.ts";
import { oneOf, single, U32, unsigned, type Value } from "../../values/index.ts";

/** The kernel compares 31 random bits with this; libxt_statistic rounds with lround(). */
const ONE = 0x80000000;

export function parseProbability(text: string): number | undefined {
  if (!/^(?:\d{1,9}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE]-?\d{1,3})?$/.test(text)) return undefined;
  const value = Number(text);
  return value >= 0 && value <= 1 ? Math.round(value * ONE) : undefined;
}

const probability: Value<number> = single("a number from 0 to 1", parseProbability, (p) => (p / ONE).toFixed(11));

interface Options {
  mode: "random" | "nth";
  probability: number;
  every: number;
  packet: number;
}

export const statistic = matchExtension<Options, StatisticMatch>({
  name: "statistic",
  fields: {
    mode: option("--mode", oneOf(["random", "nth"]), { required: true }),
    probability: option("--probability", probability, { negatable: true }),
    every: option("--every", unsigned(U32, 1), { negatable: true }),
    packet: option("--packet", unsigned(U32)),
  },
  make: (all) => {
    if (all.mode!.value === "random") {
      if (all.every || all.packet) return "--every and --packet go with --mode nth";
      if (all.probability === undefined) return "--mode random needs --probability";
      return {
        kind: "statistic",
        mode: "random",
        probability: all.probability.value,
        negated: all.probability.negated,
      };
    }
    if (all.probability) return "--probability goes with --mode random";
    if (all.every === undefined || all.packet === undefined) return "--mode nth needs --every and --packet";
    if (all.packet.value >= all.every.value) return "--packet is less than --every";
    return {
      kind: "statistic",
      mode: "nth",
      every: all.every.value,
      packet: all.packet.value,
      negated: all.every.negated,
    };
  },
  show: (match) =>
    match.mode === "random"
      ? { mode: given(match.mode), probability: given(match.probability, match.negated) }
      : { mode: given(match.mode), every: given(match.every, match.negated), packet: given(match.packet) },
});
