import type { Address, Mac, PortRange } from "../../net/index.ts";
import type { Negatable } from "../negatable.ts";

/**
 * Matches of iptables rules, one record per extension, in the words of iptables-extensions(8).
 * A field that is absent was not given. The union is closed: what is not in it is `unknown`, kept verbatim.
 */
export type Match =
  | CommentMatch
  | TcpMatch
  | UdpMatch
  | SctpMatch
  | DccpMatch
  | IcmpMatch
  | MultiportMatch
  | MarkMatch
  | ConnmarkMatch
  | StateMatch
  | ConntrackMatch
  | AddrtypeMatch
  | SetMatch
  | StatisticMatch
  | LimitMatch
  | HashlimitMatch
  | ConnlimitMatch
  | RecentMatch
  | PhysdevMatch
  | OwnerMatch
  | IprangeMatch
  | MacMatch
  | LengthMatch
  | PkttypeMatch
  | TtlMatch
  | TosMatch
  | DscpMatch
  | RpfilterMatch
  | SocketMatch
  | TcpmssMatch
  | HelperMatch
  | RealmMatch
  | PolicyMatch
  | OtherMatch
  | UnknownMatch;

export interface CommentMatch {
  readonly kind: "comment";
  readonly text: string;
}
export interface TcpFlagsTest {
  /** Bits FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32, as in the TCP header. */
  readonly mask: number;
  readonly set: number;
}
export interface TcpMatch {
  readonly kind: "tcp";
  readonly sport?: Negatable<PortRange>;
  readonly dport?: Negatable<PortRange>;
  readonly flags?: Negatable<TcpFlagsTest>;
  readonly option?: Negatable<number>;
}
export interface UdpMatch {
  readonly kind: "udp";
  /** `udp` and `udplite` share the record. */
  readonly sport?: Negatable<PortRange>;
  readonly dport?: Negatable<PortRange>;
}
export interface SctpMatch {
  readonly kind: "sctp";
  readonly sport?: Negatable<PortRange>;
  readonly dport?: Negatable<PortRange>;
  /** `--chunk-types any INIT,DATA:Be`, as iptables-save prints it after the option's name. */
  readonly chunkTypes?: Negatable<string>;
}
export interface DccpMatch {
  readonly kind: "dccp";
  readonly sport?: Negatable<PortRange>;
  readonly dport?: Negatable<PortRange>;
  readonly types?: Negatable<readonly string[]>;
  readonly option?: Negatable<number>;
}
export interface IcmpMatch {
  readonly kind: "icmp" | "icmp6";
  /** 255 with codes 0–255 is `any`. */
  readonly type: number;
  readonly code: PortRange;
  readonly negated: boolean;
}
export interface MultiportMatch {
  readonly kind: "multiport";
  readonly direction: "source" | "destination" | "either";
  readonly ports: readonly PortRange[];
  readonly negated: boolean;
}
/** Matches when (mark & mask) == value. */
export interface MarkMatch {
  readonly kind: "mark";
  readonly value: number;
  readonly mask: number;
  readonly negated: boolean;
}
export interface ConnmarkMatch {
  readonly kind: "connmark";
  readonly value: number;
  readonly mask: number;
  readonly negated: boolean;
}
export type ConntrackState = "NEW" | "ESTABLISHED" | "RELATED" | "INVALID" | "UNTRACKED" | "SNAT" | "DNAT";
export interface StateMatch {
  readonly kind: "state";
  readonly states: readonly ConntrackState[];
  readonly negated: boolean;
}
export interface ConntrackMatch {
  readonly kind: "conntrack";
  readonly states?: Negatable<readonly ConntrackState[]>;
  readonly protocol?: Negatable<number>;
  readonly originalSource?: Negatable<MaskedAddress>;
  readonly originalDestination?: Negatable<MaskedAddress>;
  readonly replySource?: Negatable<MaskedAddress>;
  readonly replyDestination?: Negatable<MaskedAddress>;
  readonly originalSourcePort?: Negatable<PortRange>;
  readonly originalDestinationPort?: Negatable<PortRange>;
  readonly replySourcePort?: Negatable<PortRange>;
  readonly replyDestinationPort?: Negatable<PortRange>;
  /** NONE, EXPECTED, SEEN_REPLY, ASSURED, CONFIRMED. */
  readonly status?: Negatable<readonly string[]>;
  readonly expire?: Negatable<PortRange>;
  readonly direction?: "ORIGINAL" | "REPLY";
}
/** iptables accepts masks that are no prefix, so the mask is kept whole. */
export interface MaskedAddress {
  readonly address: Address;
  readonly mask: Address;
}
export type AddressType =
  | "UNSPEC"
  | "UNICAST"
  | "LOCAL"
  | "BROADCAST"
  | "ANYCAST"
  | "MULTICAST"
  | "BLACKHOLE"
  | "UNREACHABLE"
  | "PROHIBIT"
  | "THROW"
  | "NAT"
  | "XRESOLVE";
export interface AddrtypeMatch {
  readonly kind: "addrtype";
  readonly source?: Negatable<readonly AddressType[]>;
  readonly destination?: Negatable<readonly AddressType[]>;
  readonly limitIn: boolean;
  readonly limitOut: boolean;
}
export interface SetMatch {
  readonly kind: "set";
  readonly name: string;
  readonly directions: readonly ("src" | "dst")[];
  readonly negated: boolean;
  readonly returnNomatch: boolean;
  /** `! --update-counters` */
  readonly noUpdateCounters: boolean;
  readonly noUpdateSubcounters: boolean;
  readonly packets?: SetCounterTest;
  readonly bytes?: SetCounterTest;
}
export interface SetCounterTest {
  readonly operator: "eq" | "ne" | "lt" | "gt";
  readonly value: number;
}
export type StatisticMatch =
  /** Probability p/2³¹, the integer the kernel keeps. */
  | { readonly kind: "statistic"; readonly mode: "random"; readonly probability: number; readonly negated: boolean }
  | {
      readonly kind: "statistic";
      readonly mode: "nth";
      readonly every: number;
      readonly packet: number;
      readonly negated: boolean;
    };
export interface LimitMatch {
  readonly kind: "limit";
  /** As printed: `3/hour`. */
  readonly rate: string;
  readonly burst: number;
}
export interface HashlimitMatch {
  readonly kind: "hashlimit";
  readonly name: string;
  /** upto: the match holds below the rate; above: over it. */
  readonly test: "upto" | "above";
  readonly rate: string;
  /** Everything else in the order iptables-save prints it, e.g. ["--hashlimit-burst", "5"]. */
  readonly options: readonly string[];
}
export interface ConnlimitMatch {
  readonly kind: "connlimit";
  readonly test: "upto" | "above";
  readonly count: number;
  readonly mask: number;
  readonly address: "saddr" | "daddr";
}
export interface RecentMatch {
  readonly kind: "recent";
  readonly command: "set" | "rcheck" | "update" | "remove";
  readonly negated: boolean;
  readonly seconds?: number;
  readonly reap: boolean;
  readonly hitcount?: number;
  readonly rttl: boolean;
  readonly name: string;
  readonly mask: Address;
  readonly side: "source" | "dest";
}
export interface PhysdevMatch {
  readonly kind: "physdev";
  readonly in?: Negatable<string>;
  readonly out?: Negatable<string>;
  readonly isIn?: { readonly negated: boolean };
  readonly isOut?: { readonly negated: boolean };
  readonly isBridged?: { readonly negated: boolean };
}
export interface OwnerMatch {
  readonly kind: "owner";
  readonly uid?: Negatable<PortRange>;
  readonly gid?: Negatable<PortRange>;
  readonly supplementaryGroups: boolean;
  readonly socketExists?: { readonly negated: boolean };
}
export interface AddressRange {
  readonly from: Address;
  readonly to: Address;
}
export interface IprangeMatch {
  readonly kind: "iprange";
  readonly source?: Negatable<AddressRange>;
  readonly destination?: Negatable<AddressRange>;
}
export interface MacMatch {
  readonly kind: "mac";
  readonly source: Mac;
  readonly negated: boolean;
}
export interface LengthMatch {
  readonly kind: "length";
  readonly range: PortRange;
  readonly negated: boolean;
}
export interface PkttypeMatch {
  readonly kind: "pkttype";
  readonly type: "unicast" | "broadcast" | "multicast" | "otherhost";
  readonly negated: boolean;
}
export interface TtlMatch {
  readonly kind: "ttl" | "hl";
  readonly operator: "eq" | "ne" | "lt" | "gt";
  readonly value: number;
}
export interface TosMatch {
  readonly kind: "tos";
  readonly value: number;
  readonly mask: number;
  readonly negated: boolean;
}
export interface DscpMatch {
  readonly kind: "dscp";
  readonly value: number;
  readonly negated: boolean;
}
export interface RpfilterMatch {
  readonly kind: "rpfilter";
  readonly loose: boolean;
  readonly validMark: boolean;
  readonly acceptLocal: boolean;
  readonly invert: boolean;
}
export interface SocketMatch {
  readonly kind: "socket";
  readonly transparent: boolean;
  readonly noWildcard: boolean;
  readonly restoreSkmark: boolean;
}
export interface TcpmssMatch {
  readonly kind: "tcpmss";
  readonly range: PortRange;
  readonly negated: boolean;
}
export interface HelperMatch {
  readonly kind: "helper";
  readonly name: string;
  readonly negated: boolean;
}
export interface RealmMatch {
  readonly kind: "realm";
  readonly value: number;
  readonly mask: number;
  readonly negated: boolean;
}
/** IPsec: only the direction and whether a policy is wanted matter to a node without IPsec. */
export interface PolicyMatch {
  readonly kind: "policy";
  readonly direction: "in" | "out";
  readonly policy: "none" | "ipsec";
  readonly strict: boolean;
  readonly options: readonly string[];
}
/**
 * An extension whose options are read and printed but whose meaning is not simulated: typed by its name, its options
 * normalised to what iptables-save prints. Walking it forks into matched and unmatched.
 */
export interface OtherMatch {
  readonly kind: "other";
  readonly name: string;
  readonly options: readonly string[];
}
/** An extension or option this reader does not know, verbatim. */
export interface UnknownMatch {
  readonly kind: "unknown";
  readonly name: string;
  readonly text: string;
}
