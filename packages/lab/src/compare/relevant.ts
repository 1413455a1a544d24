import { formatAddress, isIcmp, PROTO } from "@hairpin/core/net/index.ts";
import type { Branch } from "@hairpin/core/trace/index.ts";
import { isHousekeeping } from "../housekeeping.ts";
import type { ObservedPacket } from "../observation.ts";

const OPENING = 2 | 4;
const REDIRECT = 5;
const UNREACHABLE = 3;
const FRAGMENTATION_NEEDED = 4;
/** Of ICMPv6. */
const PACKET_TOO_BIG = 2;

const saysTooBig = ({ protocol, icmp }: ObservedPacket): boolean =>
  protocol === PROTO.icmp6
    ? icmp?.type === PACKET_TOO_BIG
    : icmp?.type === UNREACHABLE && icmp.code === FRAGMENTATION_NEEDED;

/**
 * Keeps the packets that the walk has legs for: the request, its answer, the first data each way, errors. Bare ACKs, FINs
 * and retransmissions follow the same way; IGMP is not part of the question, and ICMP redirects are compared
 * apart (redirects.ts). A tunnel's packet counts if what it carries does.
 */
export function relevant(protocol: number): (place: string, p: ObservedPacket) => boolean {
  const seen = new Set<string>();
  const starts = new Map<string, number | undefined>();
  /** By the sequence number that the error quotes: each way may have a segment that is too large. */
  const tooLarge = new Set<number | undefined>();
  const isFirst = (key: string): boolean => !seen.has(key) && seen.add(key) !== undefined;
  const keep = (place: string, p: ObservedPacket): boolean => {
    if (p.icmp === undefined && p.inner !== undefined) return keep(`${place} tunnelled`, p.inner);
    if ((p.protocol !== protocol && !isIcmp(p.protocol)) || isHousekeeping(p)) return false;
    if (saysTooBig(p)) tooLarge.add(p.inner?.seq);
    if (p.protocol === PROTO.icmp && p.icmp?.type === REDIRECT) return false;
    if (p.protocol !== PROTO.tcp) return p.inner?.protocol !== PROTO.tcp || isFirst(errorKey(place, p));
    if ((p.flags & OPENING) === 0 && p.payload === 0) return false;
    if (p.payload > 0) {
      // Of data the first segment counts, and that once more if a router said it was too large.
      const way = `${p.sport} ${p.dport}`;
      const start = starts.get(way) ?? p.seq;
      starts.set(way, start);
      if (p.seq !== start) return false;
    }
    return isFirst(
      `${place} ${p.flags} ${p.seq} ${p.ack} ${formatAddress(p.src)} ${formatAddress(p.dst)} ${p.ttl} ${tooLarge.size}`,
    );
  };
  return keep;
}

/** A segment that is sent again draws the same error again: tcp_v6_err() leaves a socket that is in use to its timer. */
const errorKey = (place: string, { icmp, src, dst, ttl, inner }: ObservedPacket): string =>
  `${place} ${icmp?.type} ${icmp?.code} ${formatAddress(src)} ${formatAddress(dst)} ${ttl} ${inner?.seq} ${inner?.length}`;

/**
 * Of a conversation that stalls after its handshake, every bare ACK and every retransmission may draw a reset of its own: which
 * of them comes first is not the walk's to say, and none is compared.
 */
export const comparable = (branch: Pick<Branch, "clientSees">, line: string): boolean =>
  branch.clientSees !== "stalled" || !/ tcp (?:\w+,)*RST\b/.test(line);
