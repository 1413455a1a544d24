import { protocolNumber, servicePort } from "../../net/index.ts";
import type { NftExpression } from "./expression.ts";

const table = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text.split(" ").map((pair) => {
      const [name, value] = pair.split("=");
      return [name!, Number(value)] as const;
    }),
  );

/** The words of each type (nft describe TYPE), where they are few. */
const WORDS: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map([
  ["ct_state", table("invalid=1 established=2 related=4 new=8 untracked=64")],
  ["ct_status", table("expected=1 seen-reply=2 assured=4 confirmed=8 snat=16 dnat=32 dying=512")],
  ["ct_dir", table("original=0 reply=1")],
  ["tcp_flag", table("fin=1 syn=2 rst=4 psh=8 ack=16 urg=32 ecn=64 cwr=128")],
  ["nf_proto", table("ipv4=2 ipv6=10 arp=3 bridge=7")],
  ["ether_type", table("ip=2048 arp=2054 ip6=34525 vlan=33024 8021q=33024 8021ad=34984")],
  ["arp_op", table("request=1 reply=2 rrequest=3 rreply=4 inrequest=8 inreply=9 nak=10")],
  ["pkt_type", table("host=0 unicast=0 broadcast=1 multicast=2 other=3")],
  [
    "fib_addrtype",
    table("unspec=0 unicast=1 local=2 broadcast=3 anycast=4 multicast=5 blackhole=6 unreachable=7 prohibit=8"),
  ],
  [
    "icmp_type",
    table(
      "echo-reply=0 destination-unreachable=3 source-quench=4 redirect=5 echo-request=8 router-advertisement=9 router-solicitation=10 time-exceeded=11 parameter-problem=12 timestamp-request=13 timestamp-reply=14 info-request=15 info-reply=16 address-mask-request=17 address-mask-reply=18",
    ),
  ],
  [
    "icmp_code",
    table(
      "net-unreachable=0 host-unreachable=1 prot-unreachable=2 port-unreachable=3 frag-needed=4 net-prohibited=9 host-prohibited=10 admin-prohibited=13",
    ),
  ],
  [
    "icmpv6_type",
    table(
      "destination-unreachable=1 packet-too-big=2 time-exceeded=3 parameter-problem=4 echo-request=128 echo-reply=129 mld-listener-query=130 mld-listener-report=131 mld-listener-done=132 mld-listener-reduction=132 nd-router-solicit=133 nd-router-advert=134 nd-neighbor-solicit=135 nd-neighbor-advert=136 nd-redirect=137 router-renumbering=138 ind-neighbor-solicit=141 ind-neighbor-advert=142 mld2-listener-report=143",
    ),
  ],
  [
    "icmpv6_code",
    table("no-route=0 admin-prohibited=1 addr-unreachable=3 port-unreachable=4 policy-fail=5 reject-route=6"),
  ],
  [
    "dscp",
    table(
      "cs0=0 cs1=8 cs2=16 cs3=24 cs4=32 cs5=40 cs6=48 cs7=56 df=0 be=0 lephb=1 af11=10 af12=12 af13=14 af21=18 af22=20 af23=22 af31=26 af32=28 af33=30 af41=34 af42=36 af43=38 va=44 ef=46",
    ),
  ],
  ["ecn", table("not-ect=0 ect1=1 ect0=2 ce=3")],
  ["uid", table("root=0")],
  ["gid", table("root=0")],
  [
    "igmp_type",
    table("membership-query=17 membership-report-v1=18 membership-report-v2=22 leave-group=23 membership-report-v3=34"),
  ],
  ["iface_type", table("ether=1 ppp=512 ipip=768 ipip6=769 loopback=772 sit=776 ipgre=778")],
  ["devgroup", table("default=0")],
  ["realm", table("default=0")],
  ["boolean", table("exists=1 missing=0")],
]);

/** Types whose values are bits that may stand together. */
const BITS: ReadonlySet<string> = new Set(["ct_state", "ct_status", "tcp_flag", "ct_label", "ct_event"]);
export const isBits = (type: string): boolean => BITS.has(type);

/** What a word stands for in a type; undefined where the type does not know it. */
export function nftSymbol(type: string, word: string): number | undefined {
  if (type === "inet_service") return servicePort(word);
  if (type === "inet_proto") return protocolNumber(word);
  return WORDS.get(type)?.get(word);
}

const META: ReadonlyMap<string, string> = new Map([
  ["iifname", "ifname"],
  ["oifname", "ifname"],
  ["ibrname", "ifname"],
  ["obrname", "ifname"],
  ["iifkind", "ifname"],
  ["oifkind", "ifname"],
  ["sdifname", "ifname"],
  ["iif", "iface_index"],
  ["oif", "iface_index"],
  ["sdif", "iface_index"],
  ["mark", "mark"],
  ["l4proto", "inet_proto"],
  ["nfproto", "nf_proto"],
  ["protocol", "ether_type"],
  ["pkttype", "pkt_type"],
  ["skuid", "uid"],
  ["skgid", "gid"],
  ["iiftype", "iface_type"],
  ["oiftype", "iface_type"],
  ["iifgroup", "devgroup"],
  ["oifgroup", "devgroup"],
  ["rtclassid", "realm"],
]);
const CT: ReadonlyMap<string, string> = new Map([
  ["state", "ct_state"],
  ["status", "ct_status"],
  ["direction", "ct_dir"],
  ["mark", "mark"],
  ["l3proto", "nf_proto"],
  ["l4proto", "inet_proto"],
  ["proto-src", "inet_service"],
  ["proto-dst", "inet_service"],
  ["label", "ct_label"],
  ["event", "ct_event"],
  ["helper", "ifname"],
]);
const FIELDS: ReadonlyMap<string, string> = new Map([
  ["ip protocol", "inet_proto"],
  ["ip6 nexthdr", "inet_proto"],
  ["ip dscp", "dscp"],
  ["ip6 dscp", "dscp"],
  ["ip ecn", "ecn"],
  ["ip6 ecn", "ecn"],
  ["icmp type", "icmp_type"],
  ["icmp code", "icmp_code"],
  ["icmpv6 type", "icmpv6_type"],
  ["icmpv6 code", "icmpv6_code"],
  ["igmp type", "igmp_type"],
  ["tcp flags", "tcp_flag"],
  ["ether type", "ether_type"],
  ["arp operation", "arp_op"],
  ["arp ptype", "ether_type"],
  ["vlan type", "ether_type"],
]);

/** The type of what an expression gives, by nft's names. */
export function nftTypeOf(e: NftExpression): string {
  switch (e.kind) {
    case "payload":
      if (e.field === "sport" || e.field === "dport") return "inet_service";
      return FIELDS.get(`${e.protocol} ${e.field}`) ?? "integer";
    case "meta":
      return META.get(e.key) ?? "integer";
    case "ct":
      return CT.get(e.key) ?? "integer";
    case "fib":
      return e.result === "type" ? "fib_addrtype" : "iface_index";
    case "binary":
      return nftTypeOf(e.left);
    default:
      return "integer";
  }
}
