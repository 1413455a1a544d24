import {
  type ConnmarkMatch,
  type ConntrackMatch,
  type ConntrackState,
  inMask,
  type MarkMatch,
  type Negatable,
  type Port,
  type StateMatch,
} from "../../../model/index.ts";
import type { MaskedAddress } from "../../../model/netfilter/index.ts";
import type { PortRange } from "../../../net/index.ts";
import { hasTemplate } from "../../conntrack/nf-conntrack-zone.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { portInRange } from "../../kernel/ports.ts";
import type { Skb } from "../../kernel/skb.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";

export const matchMark = (c: MatchContext, m: MarkMatch): MatchAnswer =>
  (((c.skb.mark & m.mask) ^ m.value) === 0) !== m.negated;

/** Without a connection connmark never matches, negated or not (connmark_mt). */
export function matchConnmark(c: MatchContext, m: ConnmarkMatch): MatchAnswer {
  const { ct } = c.skb;
  return ct === undefined ? false : (((ct.mark & m.mask) ^ m.value) === 0) !== m.negated;
}

/** conntrack_mt(): the template that a zone was chosen by (nf_ct_set(…, IP_CT_NEW)) is new to it. */
const stateOf = (kernel: Kernel, skb: Skb): ConntrackState => {
  if (skb.ctInfo === "untracked") return "UNTRACKED";
  if (skb.ct === undefined) return hasTemplate(kernel, skb) ? "NEW" : "INVALID";
  return skb.ctInfo === "new" ? "NEW" : skb.ctInfo === "related" ? "RELATED" : "ESTABLISHED";
};

export const matchState = (c: MatchContext, m: StateMatch): MatchAnswer =>
  m.states.includes(stateOf(c.kernel, c.skb)) !== m.negated;

/**
 * Follows conntrack_mt() (xt_conntrack.c): the SNAT and DNAT bits are OR-ed to the state. Of a packet without a connection the state alone
 * is looked at, whatever else the rule asks for; a rule that asks for no state never meets it.
 */
export function matchConntrack(c: MatchContext, m: ConntrackMatch): MatchAnswer {
  const { skb } = c;
  const { ct } = skb;
  if (m.states !== undefined) {
    const bits: ConntrackState[] = [stateOf(c.kernel, skb)];
    if (ct?.srcNat) bits.push("SNAT");
    if (ct?.dstNat) bits.push("DNAT");
    if (bits.some((b) => m.states!.value.includes(b)) === m.states.negated) return false;
  }
  if (ct === undefined) return m.states !== undefined;
  if (m.direction !== undefined && (m.direction === "ORIGINAL") !== (skb.ctDirection === "original")) return false;
  if (m.protocol !== undefined && (ct.tuple.original.protocol === m.protocol.value) === m.protocol.negated)
    return false;
  const { original, reply } = ct.tuple;
  const address = (w: Negatable<MaskedAddress> | undefined, a: typeof original.src) =>
    w === undefined || inMask(w.value, a) !== w.negated;
  const port = (w: Negatable<PortRange> | undefined, p: Port) =>
    w === undefined || portInRange(c.kernel, p, w.value) !== w.negated;
  if (
    !address(m.originalSource, original.src) ||
    !address(m.originalDestination, original.dst) ||
    !address(m.replySource, reply.src) ||
    !address(m.replyDestination, reply.dst) ||
    !port(m.originalSourcePort, original.sport) ||
    !port(m.originalDestinationPort, original.dport) ||
    !port(m.replySourcePort, reply.sport) ||
    !port(m.replyDestinationPort, reply.dport)
  ) {
    return false;
  }
  if (m.status !== undefined) {
    const set = statusBits(ct);
    // NONE is the empty mask: no status has a bit of it.
    const hit = m.status.value.some((s) => set.includes(s));
    if (hit === m.status.negated) return false;
  }
  return m.expire === undefined ? true : "unknown";
}

function statusBits(ct: NonNullable<Skb["ct"]>): readonly string[] {
  const bits: string[] = [];
  if (ct.seenReply) bits.push("SEEN_REPLY");
  if (ct.assured) bits.push("ASSURED");
  if (ct.confirmed) bits.push("CONFIRMED");
  return bits;
}
