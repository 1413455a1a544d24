import type { NftElement, NftLimit, NftQuota, NftSetReference, NftStatement } from "../../model/index.ts";
import { memo } from "../kernel/memo.ts";
import { lengthOf } from "../kernel/skb.ts";
import { setNamed } from "./lookup.ts";
import type { Answer } from "./register.ts";
import type { StatementLook } from "./statement.ts";

type CtCount = Extract<NftStatement, { kind: "ct count" }>;

interface Bucket {
  used: number;
}

/** nft_limit_eval(): a full bucket when it is loaded; the walk's own packets come at once. */
export function withinLimit(look: StatementLook, id: string, s: NftLimit): boolean {
  const bucket = memo(look.kernel.scratch, `nft-limit/${id}`, () => ({ used: 0 })) as Bucket;
  const room = s.unit === "packets" ? (s.burst ?? 5) : s.rate + (s.burst ?? 0);
  const cost = s.unit === "packets" ? 1 : lengthOf(look.skb);
  const fits = bucket.used + cost <= Math.max(room, s.unit === "packets" ? 1 : 0);
  if (fits) bucket.used += cost;
  if (room > 1) assumeBelow(look, id, `${s.rate}/${s.per}`);
  return fits !== s.over;
}

/** nft_quota_do_eval(): what was used counts, and so do the walk's own packets. */
export function withinQuota(look: StatementLook, id: string, s: NftQuota): boolean {
  const bucket = memo(look.kernel.scratch, `nft-quota/${id}`, () => ({ used: s.used })) as Bucket;
  bucket.used += lengthOf(look.skb);
  return bucket.used > s.bytes === s.over;
}

/**
 * nft_connlimit_do_eval(): this connection, and those that came by the rule before. Which of a dump's did, nobody can say: where they
 * could be too many it is open, and where they cannot, only those that nobody showed are left out.
 */
export function connectionsPass(look: StatementLook, s: CtCount): Answer {
  const { ct } = look.skb;
  if (ct === undefined) return false;
  const { kernel } = look;
  const before = kernel.stack.conntrack.items.length;
  if (s.count > 0 && 1 + before > s.count) return "unknown";
  if (s.count > 0 && kernel.stack.conntrack.extent !== "whole") assumeBelow(look, look.rule, `${s.count} connections`);
  return s.over === 1 > s.count;
}

/** nft_set_elem_update_expr(): an element that was found has its own limit, quota or count, which may end the rule. */
export function elementPasses(look: StatementLook, set: NftSetReference, e: NftElement): boolean {
  if (e.decides === undefined || set.kind === "anonymous") return true;
  const at = setNamed(look.table, set.name)?.elements.indexOf(e) ?? -1;
  const id = `${look.table.family} ${look.table.name}/${set.name}/#${at}`;
  return e.decides.every((s) => {
    switch (s.kind) {
      case "limit":
        return withinLimit(look, id, s);
      case "quota":
        return withinQuota(look, id, s);
      case "ct count":
        return connectionsPass(look, s) !== false;
      default:
        return true;
    }
  });
}

function assumeBelow({ kernel, origin }: StatementLook, at: string, limit: string): void {
  kernel.oracle.assume({ kind: "limit", stack: kernel.name, at }, "below", {
    kind: "below-limit",
    limit,
    rule: origin,
  });
}
