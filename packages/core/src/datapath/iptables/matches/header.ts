import type { DscpMatch, LengthMatch, TcpmssMatch, TosMatch, TtlMatch } from "../../../model/index.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";

export const matchLength = (c: MatchContext, m: LengthMatch): MatchAnswer =>
  (c.skb.packet.length >= m.range.from && c.skb.packet.length <= m.range.to) !== m.negated;

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

/** The MSS a client offers is not part of the model. */
export const matchTcpmss = (_: MatchContext, __: TcpmssMatch): MatchAnswer => "unknown";
