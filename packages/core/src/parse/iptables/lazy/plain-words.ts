/** Matches that ask of an address whether it is equal to another or in a network, in a set, and nothing else; or not of addresses at all. */
const MATCHES: ReadonlySet<string> = new Set([
  "addrtype",
  "comment",
  "connmark",
  "conntrack",
  "icmp",
  "length",
  "limit",
  "mac",
  "mark",
  "multiport",
  "owner",
  "physdev",
  "pkttype",
  "recent",
  "rpfilter",
  "sctp",
  "set",
  "state",
  "statistic",
  "tcp",
  "tos",
  "ttl",
  "udp",
]);

/** Targets that put in an address as it stands there, and none that they reckon from the packet's. */
const TARGETS: ReadonlySet<string> = new Set([
  "ACCEPT",
  "CHECKSUM",
  "CONNMARK",
  "CT",
  "DNAT",
  "DROP",
  "LOG",
  "MARK",
  "MASQUERADE",
  "NFLOG",
  "NOTRACK",
  "REDIRECT",
  "REJECT",
  "RETURN",
  "SNAT",
  "TCPMSS",
  "TRACE",
]);

const OPTION = /(?:^| )-(?:(m)|[jg]) (\S+)/gm;

/** `recent` takes clients of one network for one. */
const MASKED = / --mask (?!255\.255\.255\.255 )/;

/** Whether all that a text of rules does with addresses is the same for two that nothing tells apart. */
export function isPlain(text: string, isChain: (name: string) => boolean): boolean {
  if (MASKED.test(text)) return false;
  for (const [, match, word = ""] of text.matchAll(OPTION))
    if (match === undefined ? !TARGETS.has(word) && !isChain(word) : !MATCHES.has(word)) return false;
  return true;
}
