import {
  type ConnlimitMatch,
  type LimitMatch,
  placeOf,
  type RecentMatch,
  type StatisticMatch,
} from "../../../model/index.ts";
import { formatAddress } from "../../../net/index.ts";
import { memo } from "../../kernel/memo.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";

/** `-m statistic`: every branch is walked with its share. */
export function matchStatistic(c: MatchContext, m: StatisticMatch): MatchAnswer {
  const p = m.mode === "random" ? m.probability / 0x80000000 : 1 / m.every;
  const share = m.negated ? 1 - p : p;
  if (share >= 1) return true;
  if (share <= 0) return false;
  const { origin } = c.rule;
  const where = placeOf(origin);
  const options = [
    { label: "drawn", share },
    { label: "not drawn", share: 1 - share },
  ];
  return { ask: () => c.kernel.oracle.chance(`${c.kernel.name}/statistic/${where}`, options) === 0 };
}

/** A single flow stays below a rate limit; said as an assumption. */
export function below(c: MatchContext, limit: string): true {
  const { origin } = c.rule;
  c.kernel.oracle.assume({ kind: "limit", stack: c.kernel.name, at: placeOf(origin) }, "below", {
    kind: "below-limit",
    limit,
    rule: origin,
  });
  return true;
}

/** connlimit_mt(): this connection counts, and others of its kind are taken not to be there. */
export function matchConnlimit(c: MatchContext, m: ConnlimitMatch): MatchAnswer {
  if (m.count > 0) below(c, `${m.count} connections`);
  return (m.test === "above") === 1 > m.count;
}

export const matchLimit = (c: MatchContext, m: LimitMatch): MatchAnswer => below(c, m.rate);

/**
 * xt_recent: what earlier traffic left in the list is not known (session affinity): only what this walk itself put there.
 * A list nobody has seen is taken as empty of this client, and said so.
 */
export function matchRecent(c: MatchContext, m: RecentMatch): MatchAnswer {
  const { kernel, skb } = c;
  const key = `recent/${m.name}`;
  const list = memo(kernel.scratch, key, () => new Set<string>()) as Set<string>;
  const address = formatAddress(m.side === "source" ? skb.packet.src : skb.packet.dst);
  const had = list.has(address);
  switch (m.command) {
    case "set":
      list.add(address);
      return !m.negated;
    case "remove":
      list.delete(address);
      return had !== m.negated;
    default: {
      if (!had) {
        kernel.oracle.assume({ kind: "recent", stack: kernel.name, list: m.name }, "empty", {
          kind: "recent-empty",
          list: m.name,
        });
      }
      const enough = had && (m.hitcount === undefined || m.hitcount <= 1);
      return enough !== m.negated;
    }
  }
}
