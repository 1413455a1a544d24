import {
  type DscpMatch,
  isLaterFragment,
  type LengthMatch,
  TCP,
  type TcpmssMatch,
  type TosMatch,
  type TtlMatch,
} from "../../../model/index.ts";
import { PROTO } from "../../../net/index.ts";
import { lengthOf } from "../../kernel/skb.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";

export const matchLength = (c: MatchContext, m: LengthMatch): MatchAnswer =>
  (lengthOf(c.skb) >= m.range.from && lengthOf(c.skb) <= m.range.to) !== m.negated;

export function matchTtl(c: MatchContext, m: TtlMatch): MatchAnswer {
  const { ttl } = c.skb.packet;
  return m.operator === "eq"
    ? ttl === m.value
    : m.operator === "ne"
      ? ttl !== m.value
      : m.operator === "lt"
        ? ttl < m.value
        : ttl > m.value;
}

export const matchTos = (c: MatchContext, m: TosMatch): MatchAnswer =>
  ((c.skb.packet.tos & m.mask) === m.value) !== m.negated;

export const matchDscp = (c: MatchContext, m: DscpMatch): MatchAnswer =>
  (c.skb.packet.tos >> 2 === m.value) !== m.negated;

/** Follows tcpmss_mt(): a packet without the option meets the negated match only. Of a SYN from outside the option is not known. */
export function matchTcpmss(c: MatchContext, m: TcpmssMatch): MatchAnswer {
  const { protocol, mss, tcpFlags } = c.skb.packet;
  if (protocol !== PROTO.tcp || isLaterFragment(c.skb.packet)) return m.negated;
  if (mss === undefined) return tcpFlags & TCP.SYN ? "unknown" : m.negated;
  return (mss >= m.range.from && mss <= m.range.to) !== m.negated;
}
