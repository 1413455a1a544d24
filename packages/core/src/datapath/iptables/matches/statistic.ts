import { placeOf, type Rule, type StatisticMatch, type Target } from "../../../model/index.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { memo } from "../../kernel/memo.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";

type Nth = StatisticMatch & { readonly mode: "nth" };

/** Follows statistic_mt() (xt_statistic.c). Random: every branch is walked with its share. */
export function matchStatistic(c: MatchContext, m: StatisticMatch): MatchAnswer {
  if (m.mode === "nth") return m.every === 1 ? !m.negated : { ask: () => countNth(c, m) !== m.negated, counts: true };
  const p = m.probability / 0x80000000;
  const share = m.negated ? 1 - p : p;
  if (share >= 1) return true;
  if (share <= 0) return false;
  const options = [
    { label: "drawn", share },
    { label: "not drawn", share: 1 - share },
  ];
  const what = `${c.kernel.name}/statistic/${placeOf(c.rule.origin)}`;
  return { ask: () => c.kernel.oracle.chance(what, options) === 0 };
}

/** A rule that counts, as packets of this walk have met it. */
interface Counter {
  readonly match: Nth;
  /** Whether packets that it matched went on to the rules behind it. */
  readonly goesOn: boolean;
  count: number;
}

interface Counters {
  /** How many packets like the first of this walk came by since the rules were loaded: chance, within one round of all counters. */
  readonly before: number;
  readonly byRule: Map<Rule, Counter>;
  /** Those met, in this order, by packets like the first. */
  readonly met: Counter[];
}

/** Rounds longer than this are not told apart. */
const MAX_ROUND = 60;

/**
 * Each rule has a counter of its own and matches where it wraps, the first time at the packet that `--packet` names. Rules one behind the other are one sequence:
 * how many packets a later one has seen follows from what the earlier ones let pass.
 */
function countNth({ kernel, rule }: MatchContext, m: Nth): boolean {
  const counters = memo(kernel.scratch, "nth", () => begin(kernel)) as Counters;
  let own = counters.byRule.get(rule);
  if (own === undefined) {
    own = { match: m, goesOn: goesOn(rule.target), count: startOf(m) };
    counters.met.push(own);
    counters.byRule.set(rule, own);
    own.count = countAfter(counters.met, counters.before);
  }
  own.count = own.count >= m.every - 1 ? 0 : own.count + 1;
  kernel.counted++;
  return own.count === 0;
}

function begin(kernel: Kernel): Counters {
  const everys = kernel.stack.netfilter.tables.flatMap((t) =>
    t.chains.flatMap((c) =>
      c.rules.flatMap((r) => r.matches.flatMap((m) => (m.kind === "statistic" && m.mode === "nth" ? [m.every] : []))),
    ),
  );
  const round = everys.reduce((all, n) => Math.min(MAX_ROUND, leastCommonMultiple(all, n)), 1);
  const options = Array.from({ length: round }, (_, i) => ({ label: `packet ${i + 1}`, share: 1 / round }));
  return { before: kernel.oracle.chance(`${kernel.name}/nth`, options), byRule: new Map(), met: [] };
}

/** As iptables loads it: `--packet 0` matches the first packet. */
const startOf = ({ every, packet }: Nth): number => every - 1 - packet;

/** Where the last of these counters stands after that many packets have come by. */
function countAfter(counters: readonly Counter[], packets: number): number {
  const counts = counters.map((c) => startOf(c.match));
  for (let packet = 0; packet < packets; packet++) {
    for (const [i, { match, goesOn: on }] of counters.entries()) {
      counts[i] = counts[i]! >= match.every - 1 ? 0 : counts[i]! + 1;
      const matched = (counts[i] === 0) !== match.negated;
      if (matched && !on) break;
    }
  }
  return counts[counts.length - 1]!;
}

const ON: ReadonlySet<Target["kind"]> = new Set<Target["kind"]>([
  "none",
  "mark",
  "connmark",
  "log",
  "nflog",
  "ct",
  "set",
  "tcpmss",
  "tos",
  "dscp",
  "ttl",
  "hl",
  "checksum",
  "classify",
  "trace",
]);
const goesOn = (target: Target): boolean => ON.has(target.kind);

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
const leastCommonMultiple = (a: number, b: number): number => (a / gcd(a, b)) * b;
