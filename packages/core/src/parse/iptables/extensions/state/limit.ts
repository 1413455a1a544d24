import type { LimitMatch } from "../../../../model/index.ts";
import { given, matchExtension, option } from "../../rule/extension.ts";
import { single, U32, unsigned, type Value } from "../../values/index.ts";
import { formatPeriod, parseRate } from "./rate.ts";

/** XT_LIMIT_SCALE: the kernel keeps the time per packet in ten-thousandths of a second. */
const SCALE = 10_000;
/** The largest burst that libxt_limit takes. */
const MAX_BURST = 10_000;

const rate: Value<string> = single("a rate such as 3/hour", (word, { backend }) => {
  const read = parseRate(word);
  if (read === undefined) return undefined;
  const period = Math.floor((SCALE * read.seconds) / read.count);
  if (period === 0 || period > U32) return undefined;
  // iptables-nft keeps the rate itself, iptables-legacy the time per packet, which rounds.
  return backend === "legacy" ? formatPeriod(period, SCALE) : `${read.count}/${read.unit}`;
});

export const limit = matchExtension<{ rate: string; burst: number }, LimitMatch>({
  name: "limit",
  fields: {
    rate: option("--limit", rate),
    burst: option("--limit-burst", unsigned(MAX_BURST)),
  },
  make: (all) => ({ kind: "limit", rate: all.rate?.value ?? "3/hour", burst: all.burst?.value ?? 5 }),
  show: (match) => ({ rate: given(match.rate), ...(match.burst !== 5 && { burst: given(match.burst) }) }),
});
