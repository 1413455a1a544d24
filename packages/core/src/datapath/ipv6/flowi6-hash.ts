import type { Packet } from "../../model/index.ts";
import { formatAddress, PROTO } from "../../net/index.ts";

/**
 * What the hash of a packet is taken from that the stack sends by none of its connected sockets. Follows ip6_make_flowlabel() and __get_hash_from_flowi6(): it is
 * taken when the header is made, before anybody translates, and stays with the packet; type and code stand where others have ports. Undefined: it is
 * taken from the packet itself when somebody asks.
 */
export const flowi6Hash = ({ protocol, src, dst, icmp }: Packet): string | undefined =>
  protocol === PROTO.icmp6 && icmp !== undefined
    ? `${formatAddress(src)} ${formatAddress(dst)} ${icmp.type}/${icmp.code}`
    : undefined;
