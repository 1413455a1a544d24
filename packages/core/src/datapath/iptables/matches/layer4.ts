import {
  type IcmpMatch,
  isLaterFragment,
  type MultiportMatch,
  type Negatable,
  type Port,
  type SctpMatch,
  TCP,
  type TcpMatch,
  type UdpMatch,
} from "../../../model/index.ts";
import { hasPorts, type PortRange, PROTO } from "../../../net/index.ts";
import { portInRange } from "../../kernel/ports.ts";
import type { MatchAnswer, MatchContext } from "./index.ts";

const ports = (c: MatchContext, wanted: Negatable<PortRange> | undefined, port: Port): boolean =>
  wanted === undefined || portInRange(c.kernel, port, wanted.value) !== wanted.negated;

export function matchTcp(c: MatchContext, m: TcpMatch): MatchAnswer {
  const { packet } = c.skb;
  if (packet.protocol !== PROTO.tcp || isLaterFragment(packet)) return false;
  if (m.flags !== undefined && ((packet.tcpFlags & m.flags.value.mask) === m.flags.value.set) === m.flags.negated)
    return false;
  if (!ports(c, m.dport, packet.dport) || !ports(c, m.sport, packet.sport)) return false;
  return m.option === undefined ? true : hasTcpOption(packet.tcpFlags, m.option.value, m.option.negated);
}

const MSS = 2;
const TIMESTAMPS = 8;

/** Follows tcp_find_option(): a SYN offers an MSS, and what is no SYN has at most timestamps; what else a SYN offers is up to its host. */
function hasTcpOption(flags: number, option: number, negated: boolean): MatchAnswer {
  const syn = (flags & TCP.SYN) !== 0;
  if (option === MSS) return syn !== negated;
  if (option > TIMESTAMPS || (!syn && option > 1 && option < TIMESTAMPS)) return negated;
  return "unknown";
}

export function matchUdp(c: MatchContext, m: UdpMatch): MatchAnswer {
  const { packet } = c.skb;
  if ((packet.protocol !== PROTO.udp && packet.protocol !== PROTO.udplite) || isLaterFragment(packet)) return false;
  return ports(c, m.dport, packet.dport) && ports(c, m.sport, packet.sport);
}

export function matchSctp(c: MatchContext, m: SctpMatch): MatchAnswer {
  const { packet } = c.skb;
  if (packet.protocol !== PROTO.sctp || isLaterFragment(packet)) return false;
  if (!ports(c, m.dport, packet.dport) || !ports(c, m.sport, packet.sport)) return false;
  return m.chunkTypes === undefined ? true : "unknown";
}

/** icmp_type_code_match(): type 255 is any. */
export function matchIcmp(c: MatchContext, m: IcmpMatch): MatchAnswer {
  const { icmp, protocol } = c.skb.packet;
  const own = m.kind === "icmp" ? PROTO.icmp : PROTO.icmp6;
  if (protocol !== own || icmp === undefined || isLaterFragment(c.skb.packet)) return false;
  const hit = m.type === 255 || (icmp.type === m.type && icmp.code >= m.code.from && icmp.code <= m.code.to);
  return hit !== m.negated;
}

export function matchMultiport(c: MatchContext, m: MultiportMatch): MatchAnswer {
  const { packet } = c.skb;
  if (!hasPorts(packet.protocol) || isLaterFragment(packet)) return false;
  const any = (port: Port) => m.ports.some((r) => portInRange(c.kernel, port, r));
  const hit =
    m.direction === "source"
      ? any(packet.sport)
      : m.direction === "destination"
        ? any(packet.dport)
        : any(packet.dport) || any(packet.sport);
  return hit !== m.negated;
}
