import type { Packet, Rule } from "../../../model/index.ts";
import { type HashlimitMatch, type LimitMatch, placeOf, portKey } from "../../../model/index.ts";
import { lookup } from "../../../model/lookup.ts";
import { type Address, applyMask, formatAddress, maskFor, PROTO } from "../../../net/index.ts";
import { memo } from "../../kernel/memo.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";

/** Seconds until a bucket has another token. */
const PERIOD: Readonly<Record<string, number>> = lookup({ s: 1, m: 60, h: 3600, d: 86400 });
function periodOf(rate: string): number | undefined {
  const [, count, unit] = /^(\d+)\/(s|m|h|d)[a-z]*$/.exec(rate) ?? [];
  const seconds = unit === undefined ? undefined : PERIOD[unit];
  return seconds === undefined || Number(count) === 0 ? undefined : seconds / Number(count);
}

/** TCP sends again what a bucket kept; a walk does not wait longer than a client does. */
const PATIENCE = 1;

/** Other traffic is taken to leave a bucket full, and that is said. */
export function below({ kernel, rule: { origin } }: MatchContext, limit: string): void {
  kernel.oracle.assume({ kind: "limit", stack: kernel.name, at: placeOf(origin) }, "below", {
    kind: "below-limit",
    limit,
    rule: origin,
  });
}

interface Bucket {
  tokens: number;
}

/** The flow's own packets take tokens out of a full bucket, which fills too slowly to matter unless a retry gets through. */
function take(c: MatchContext, of: Rule | string, burst: number, rate: string): boolean {
  below(c, rate);
  const period = periodOf(rate);
  if (period === undefined || (period <= PATIENCE && c.skb.packet.protocol === PROTO.tcp)) return true;
  const buckets = memo(c.kernel.scratch, "limit", () => new Map<Rule | string, Bucket>()) as Map<Rule | string, Bucket>;
  const bucket = memo(buckets, of, (): Bucket => ({ tokens: burst }));
  if (bucket.tokens < 1) return false;
  bucket.tokens--;
  return true;
}

/** Follows limit_mt() (xt_limit.c). */
export const matchLimit = (c: MatchContext, m: LimitMatch): MatchAnswer => ({
  ask: () => take(c, c.rule, m.burst, m.rate),
  counts: true,
});

const HASHLIMIT_BURST = 5;

/** Follows hashlimit_mt() (xt_hashlimit.c): a bucket for each value of what `--hashlimit-mode` names, shared by all rules of one name. */
export function matchHashlimit(c: MatchContext, m: HashlimitMatch): MatchAnswer {
  const option = (name: string): string | undefined => {
    const at = m.options.indexOf(name);
    return at < 0 ? undefined : m.options[at + 1];
  };
  const burst = Number(option("--hashlimit-burst") ?? HASHLIMIT_BURST);
  const modes = option("--hashlimit-mode")?.split(",") ?? [];
  const masks = { src: option("--hashlimit-srcmask"), dst: option("--hashlimit-dstmask") };
  // Rates in bytes count what is not known of others' packets.
  if (!Number.isFinite(burst)) {
    below(c, m.rate);
    return m.test === "upto";
  }
  const key = modes.map((mode) => keyPart(c.skb.packet, mode, masks)).join(" ");
  return { ask: () => take(c, `${m.name}/${key}`, burst, m.rate) === (m.test === "upto"), counts: true };
}

function keyPart(
  p: Packet,
  mode: string,
  masks: { readonly src?: string | undefined; readonly dst?: string | undefined },
) {
  const cut = (a: Address, length: string | undefined): string =>
    formatAddress(length === undefined ? a : applyMask(a, maskFor(a, Number(length))));
  switch (mode) {
    case "srcip":
      return cut(p.src, masks.src);
    case "dstip":
      return cut(p.dst, masks.dst);
    case "srcport":
      return portKey(p.sport);
    case "dstport":
      return portKey(p.dport);
    default:
      return "";
  }
}
