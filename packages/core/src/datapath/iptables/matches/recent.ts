import type { RecentMatch } from "../../../model/index.ts";
import { applyMask, formatAddress } from "../../../net/index.ts";
import { memo } from "../../kernel/memo.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";

/** When an address was put down: packets of one walk are within any number of seconds, so that it is counted only. */
interface Entry {
  stamps: number;
  ttl: number;
}

/** ip_pkt_list_tot, as the module is loaded unless somebody says otherwise. */
const MOST_STAMPS = 20;

/**
 * Follows recent_mt() (xt_recent.c). What earlier traffic left in the list is not known (session affinity): only what this walk itself put
 * there. A list nobody has seen is taken as empty of this client, and said so.
 */
export const matchRecent = (c: MatchContext, m: RecentMatch): MatchAnswer => ({ ask: () => look(c, m), counts: true });

function look({ kernel, skb, state }: MatchContext, m: RecentMatch): boolean {
  const list = memo(kernel.scratch, `recent/${m.name}`, () => new Map<string, Entry>()) as Map<string, Entry>;
  const whole = m.side === "source" ? skb.packet.src : skb.packet.dst;
  const address = formatAddress(applyMask(whole, m.mask));
  // The TTL as it was before forwarding.
  const ttl = skb.packet.ttl + (state.hook === "FORWARD" || state.hook === "POSTROUTING" ? 1 : 0);
  const found = list.get(address);
  const entry = found !== undefined && (!m.rttl || found.ttl === ttl) ? found : undefined;
  if (entry === undefined) {
    if (m.command !== "set") {
      if (m.command !== "remove")
        kernel.oracle.assume({ kind: "recent", stack: kernel.name, list: m.name }, "empty", {
          kind: "recent-empty",
          list: m.name,
        });
      return m.negated;
    }
    list.set(address, { stamps: 1, ttl });
    return !m.negated;
  }
  const update = () => {
    entry.stamps = Math.min(entry.stamps + 1, MOST_STAMPS);
    entry.ttl = ttl;
  };
  if (m.command === "set") {
    update();
    return !m.negated;
  }
  if (m.command === "remove") {
    list.delete(address);
    return !m.negated;
  }
  const matched = entry.stamps >= Math.max(1, m.hitcount ?? 1) !== m.negated;
  if (m.command === "update" && matched) update();
  return matched;
}
