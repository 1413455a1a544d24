const fields = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Keys of `meta` that may stand without it (meta_unqualified of nft's grammar, and as iptables-nft's translations print them). */
const UNQUALIFIED = fields(
  "mark iif iifname iiftype oif oifname oiftype skuid skgid nftrace rtclassid ibrname obrname ibriport obriport pkttype cpu iifgroup oifgroup cgroup l4proto nfproto time day hour",
);

/** Words that start a selector, by what they select; as in nft(8). */
export const META_KEYS: ReadonlySet<string> = new Set([
  ...UNQUALIFIED,
  ...fields(
    "length protocol priority ibrpvid ibrvproto random secpath ipsec iifkind oifkind secmark sdif sdifname broute ibrhwaddr",
  ),
]);

/** Those that may stand without `meta`, old words included. */
export const BARE_META: ReadonlySet<string> = new Set([...UNQUALIFIED, "ibridgename", "obridgename"]);

/** Old words for the same. */
export const META_ALIASES: ReadonlyMap<string, string> = new Map([
  ["ibridgename", "ibrname"],
  ["obridgename", "obrname"],
  ["ibriport", "ibrname"],
  ["obriport", "obrname"],
]);

/** Headers and their fields. */
export const PAYLOAD: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["ether", fields("daddr saddr type")],
  ["vlan", fields("id dei cfi pcp type")],
  ["arp", fields("htype ptype hlen plen operation")],
  ["ip", fields("version hdrlength dscp ecn length id frag-off ttl protocol checksum saddr daddr")],
  ["ip6", fields("version dscp ecn flowlabel length nexthdr hoplimit saddr daddr")],
  ["icmp", fields("type code checksum id sequence gateway mtu")],
  ["igmp", fields("type checksum mrt group")],
  ["icmpv6", fields("type code checksum parameter-problem packet-too-big id sequence max-delay mtu taddr daddr")],
  ["tcp", fields("sport dport sequence ackseq doff reserved flags window checksum urgptr")],
  ["udp", fields("sport dport length checksum")],
  ["udplite", fields("sport dport csumcov checksum length")],
  ["sctp", fields("sport dport vtag checksum")],
  ["dccp", fields("sport dport type")],
  ["ah", fields("nexthdr hdrlength reserved spi sequence")],
  ["esp", fields("spi sequence")],
  ["comp", fields("nexthdr flags cpi")],
  ["th", fields("sport dport")],
  ["gre", fields("flags version protocol")],
  ["geneve", fields("vni type")],
  ["gretap", fields("")],
  ["vxlan", fields("vni flags")],
]);

/** Headers inside a tunnel: `vxlan ip saddr` is of the inner packet. */
export const TUNNELS: ReadonlySet<string> = new Set(["gre", "geneve", "gretap", "vxlan"]);

export const EXTENSION_HEADERS: ReadonlySet<string> = new Set([
  "hbh",
  "rt",
  "rt0",
  "rt2",
  "rt4",
  "srh",
  "frag",
  "dst",
  "mh",
]);
export const EXTENSION_FIELDS: ReadonlySet<string> = fields(
  "nexthdr hdrlength type seg-left addr last-entry flags tag sid reserved frag-off more-fragments reserved2 id checksum",
);

export const CT_KEYS: ReadonlySet<string> = new Set([
  "state",
  "direction",
  "status",
  "mark",
  "expiration",
  "helper",
  "label",
  "l3proto",
  "protocol",
  "bytes",
  "packets",
  "avgpkt",
  "zone",
  "id",
  "saddr",
  "daddr",
  "proto-src",
  "proto-dst",
  "event",
  "secmark",
  "l4proto",
]);

/** Names of base chain priorities (nft(8), "Standard priority names"); bridge has its own. */
const PRIORITIES: ReadonlyMap<string, number> = new Map([
  ["raw", -300],
  ["mangle", -150],
  ["dstnat", -100],
  ["filter", 0],
  ["security", 50],
  ["srcnat", 100],
]);
const BRIDGE_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ["dstnat", -300],
  ["filter", -200],
  ["out", 100],
  ["srcnat", 300],
]);

export const priorityOf = (family: string, name: string): number | undefined =>
  (family === "bridge" ? BRIDGE_PRIORITIES : PRIORITIES).get(name);
