import { PROTO } from "../../net/index.ts";
import { TCP } from "../packet.ts";
import { hostText, type ObservedHost, type ObservedIp, type ObservedPort } from "./observation.ts";

const endText = (host: ObservedHost, port: ObservedPort | undefined): string => `${hostText(host)}|${port ?? ""}`;

/** Both directions of one flow, as the addresses stand in it. */
export function flowKey(ip: ObservedIp): string {
  const echo = ip.icmp?.id;
  const a = endText(ip.src, ip.sport);
  const b = endText(ip.dst, ip.dport);
  const ends = a < b ? `${a} ${b}` : `${b} ${a}`;
  return `${ip.protocol ?? "?"} ${ends}${echo === undefined ? "" : ` echo ${echo}`}`;
}

/**
 * What stays the same through NAT: a TCP connection's first sequence number (a SYN-ACK acknowledges it), a segment's
 * numbers, an echo's id and number, a datagram's IP id and length.
 */
export function translationMark(ip: ObservedIp): string | undefined {
  const { tcp, icmp } = ip;
  if (tcp !== undefined && tcp.relative !== true) {
    const { flags, seq, ack } = tcp;
    if (flags === undefined || (flags & TCP.RST) !== 0) return undefined;
    if ((flags & TCP.SYN) !== 0) {
      if ((flags & TCP.ACK) === 0) return seq === undefined ? undefined : `tcp first ${seq}`;
      return ack === undefined ? undefined : `tcp first ${(ack + 0xffffffff) % 0x100000000}`;
    }
    const data = (flags & TCP.FIN) === 0 && (ip.payload ?? 0) > 0;
    return data && seq !== undefined && ack !== undefined ? `tcp data ${seq} ${ack} ${ip.payload}` : undefined;
  }
  if (icmp?.id !== undefined && icmp.seq !== undefined) return `echo ${icmp.id} ${icmp.seq}`;
  if (ip.protocol === PROTO.udp && ip.id !== undefined && ip.id !== 0 && ip.length !== undefined)
    return `udp ${ip.id} ${ip.length}`;
  return undefined;
}

/** Below this a sequence number is one that a tool counted from nought, or somebody made up: every connection has it. */
const OWN_NUMBER = 0x10000;

const clientPort = ({ tcp, sport, dport }: ObservedIp): ObservedPort | undefined =>
  ((tcp?.flags ?? 0) & TCP.ACK) === 0 ? sport : dport;

/**
 * Numbers of 32 bits are a connection's own; those of 16 need an address in common to tell, and small ones the client's port as well. NAT changes one
 * end as a rule.
 */
export function couldBeTranslated(mark: string, a: ObservedIp, b: ObservedIp): boolean {
  const [, kind, first, second] = /^tcp (first|data) (\d+)(?: (\d+))?/.exec(mark) ?? [];
  if (kind !== undefined && (Number(first) >= OWN_NUMBER || Number(second ?? 0) >= OWN_NUMBER)) return true;
  // Segments in the middle of connections that were counted from nought all look alike.
  if (kind === "data") return false;
  if (kind === "first" && (clientPort(a) === undefined || clientPort(a) !== clientPort(b))) return false;
  const ends = [hostText(a.src), hostText(a.dst)];
  return ends.includes(hostText(b.src)) || ends.includes(hostText(b.dst));
}

/** The innermost packet of what tunnels carry. */
export function carried(ip: ObservedIp): ObservedIp {
  let inside = ip;
  for (let depth = 0; depth < 4 && inside.inner?.ip !== undefined; depth++) inside = inside.inner.ip;
  return inside;
}
