import { formatAddress, parseAddress, parsePrefix } from "@hairpin/core/net/index.ts";
import { six, sixNetwork } from "../in-ipv6.ts";

/** What of a rule or a set speaks of IPv4, and how the same is said of IPv6. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bip protocol icmp\b/g, "meta l4proto ipv6-icmp"],
  [/\bip protocol\b/g, "meta l4proto"],
  [/\bip ttl\b/g, "ip6 hoplimit"],
  [/\b(dnat|snat) ip to\b/g, "$1 ip6 to"],
  [/\bip (?=saddr|daddr|dscp)/g, "ip6 "],
  [/\bmeta protocol ip\b/g, "meta protocol ip6"],
  [/\bmeta nfproto ipv4\b/g, "meta nfproto ipv6"],
  [/\bipv4_addr\b/g, "ipv6_addr"],
  [/\bicmp host-unreachable\b/g, "icmpv6 addr-unreachable"],
  [/\bicmp net-unreachable\b/g, "icmpv6 no-route"],
  [/\bicmp (?=type|admin-prohibited|port-unreachable)/g, "icmpv6 "],
  [/\bl4proto( !=)? icmp\b/g, "l4proto$1 ipv6-icmp"],
  [/\bicmp :/g, "ipv6-icmp :"],
];
const ADDRESS = /(\d+\.\d+\.\d+\.\d+)(?:\/(\d+)|:(\d+))?/g;

/** The same of IPv6; what speaks of neither family comes back as it is. */
export function said6(text: string): string {
  const addressed = text.replace(ADDRESS, (whole, address: string, length?: string, port?: string) => {
    if (length !== undefined) {
      const network = sixNetwork(parsePrefix(whole)!);
      return `${formatAddress(network.address)}/${network.length}`;
    }
    const own = formatAddress(six(parseAddress(address)!));
    return port === undefined ? own : `[${own}]:${port}`;
  });
  return WORDS.reduce((words, [of, to]) => words.replace(of, to), addressed);
}

/** Names of sets whose elements have addresses get a twin beside them in a table of both families. */
export const nameOf6 = (set: string): string => `${set}-6`;
