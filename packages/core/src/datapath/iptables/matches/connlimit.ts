import { type ConnlimitMatch, headerMismatch, type Packet, type Rule, TCP } from "../../../model/index.ts";
import { type Address, applyMask, maskFor, PROTO } from "../../../net/index.ts";
import type { Conntrack } from "../../conntrack/nf-conntrack.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { memo } from "../../kernel/memo.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";
import { matchMultiport, matchTcp, matchUdp } from "./layer4.ts";
import { below } from "./rate.ts";

/**
 * Follows connlimit_mt() and nf_conncount_count(): the connections that conntrack has of the same (masked) address and that came by this rule,
 * this one among them. Those of a dump are taken to be all there are.
 */
export const matchConnlimit = (c: MatchContext, m: ConnlimitMatch): MatchAnswer => ({
  ask: () => count(c, m),
  counts: true,
});

/** Connections that met a rule, each with the address that its packet had there, after what a translation made of it; of what is not tracked every packet. */
type Met = Map<Conntrack | Packet, Address>;

function count(c: MatchContext, m: ConnlimitMatch): boolean {
  const { kernel, skb } = c;
  const { ct, packet } = skb;
  const own = ct === undefined ? undefined : ct.tuple.original;
  const addressOf = (t: Pick<Packet, "src" | "dst">) => {
    const a = m.address === "saddr" ? t.src : t.dst;
    return applyMask(a, maskFor(a, m.mask));
  };
  const key = addressOf(packet);
  const lists = memo(kernel.scratch, "connlimit", () => new Map<Rule, Met>()) as Map<Rule, Met>;
  const met = memo(lists, c.rule, (): Met => new Map());
  const fleeting = [...met].filter(([e, k]) => k === key && e !== ct && isFleeting(kernel, e)).length;
  met.set(ct ?? packet, key);
  const others = kernel.conntrack.entries.filter(
    (e) =>
      e !== ct &&
      !isOver(e) &&
      (met.get(e) === key || (e.origin !== undefined && addressOf(e.tuple.original) === key && cameBy(c, e))),
  );
  const found = others.length + (own === undefined || !isOver(ct!) ? 1 : 0);
  const most = found + fleeting;
  if (m.count > 0 && kernel.stack.conntrack.extent !== "whole") below(c, `${m.count} connections`);
  const counted = most > m.count && found <= m.count && kernel.network.lingers?.("connlimit") === true ? most : found;
  return counted > m.count === (m.test === "above");
}

/** find_or_evict(): what conntrack does not have, as it was dropped or is not tracked, goes when the list is looked through, which is not at every packet. */
const isFleeting = ({ conntrack }: Kernel, met: Conntrack | Packet): boolean =>
  !("tuple" in met) || !conntrack.entries.includes(met);

/** already_closed(): what is over is not counted. */
const isOver = (e: Conntrack): boolean =>
  e.tuple.original.protocol === PROTO.tcp && (e.tcpState === "TIME_WAIT" || e.tcpState === "CLOSE");

/** Whether the first packet of a connection that was there before met what the rule asks for before it counts. */
function cameBy({ kernel, rule, skb, state }: MatchContext, { tuple: { original } }: Conntrack): boolean {
  const first: Packet = {
    ...skb.packet,
    ...original,
    tcpFlags: original.protocol === PROTO.tcp ? TCP.SYN : 0,
  };
  if (headerMismatch(rule, first, state.in?.name ?? "", state.out?.name ?? "") !== undefined) return false;
  const context = { kernel, rule, state, skb: { ...skb, packet: first } };
  return rule.matches.every((m) =>
    m.kind === "tcp"
      ? matchTcp(context, m) === true
      : m.kind === "udp"
        ? matchUdp(context, m) === true
        : m.kind !== "multiport" || matchMultiport(context, m) === true,
  );
}
