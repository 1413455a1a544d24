import type { ConntrackTuple, IpvsConnection } from "@hairpin/core/model/index.ts";
import type { Address, Mac } from "@hairpin/core/net/index.ts";

/** The headers a rule or a person looks at. For ICMP errors `inner` is the quoted packet, for tunnels the carried one. */
export interface ObservedPacket {
  readonly src: Address;
  readonly dst: Address;
  readonly protocol: number;
  /** 0 where the protocol has none, or in a later fragment. */
  readonly sport: number;
  readonly dport: number;
  /** TCP header bits: FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32. */
  readonly flags: number;
  readonly seq?: number;
  readonly ack?: number;
  readonly icmp?: { readonly type: number; readonly code: number; readonly id?: number; readonly seq?: number };
  readonly ttl: number;
  readonly tos: number;
  readonly id: number;
  /** Total length of the IP packet. */
  readonly length: number;
  /** Bytes behind the TCP or UDP header. */
  readonly payload: number;
  readonly df: boolean;
  readonly fragmentOffset: number;
  readonly inner?: ObservedPacket;
}

export type ChainName = "PREROUTING" | "INPUT" | "FORWARD" | "OUTPUT" | "POSTROUTING";

/** What nf_ct_get() said when the packet stood at the head of that chain. */
export type CtInfo = "ESTABLISHED" | "RELATED" | "NEW" | "ESTABLISHED_REPLY" | "RELATED_REPLY";

/**
 * One traversal of the head of a built-in chain, or of a base chain of a native nftables table. Device names are "" where the kernel gave none. Unlike LOG, NFLOG gives
 * `physin` only where there is an `in`: not in POSTROUTING of bridged frames.
 */
export interface HookRecord {
  readonly stack: string;
  readonly family: 4 | 6;
  readonly backend: "legacy" | "nft";
  /** Of nftables `inet fw`. */
  readonly table: string;
  readonly chain: ChainName;
  /** The base chain in a native nftables table. */
  readonly native?: { readonly chain: string; readonly nat: boolean };
  readonly in: string;
  readonly out: string;
  readonly physin: string;
  readonly physout: string;
  readonly mark: number;
  readonly sourceMac?: Mac;
  /** Absent: no conntrack attached (INVALID or UNTRACKED to a rule), or `ctInfo` is false. */
  readonly ct?: CtInfo;
  readonly packet: ObservedPacket;
  /** Nanoseconds since the epoch, of arrival; only for hooks before or at FORWARD. Equals that of the frame. */
  readonly time?: bigint;
}

/** in: taken from the wire; out: handed to it; the kernel's PACKET_* type otherwise. */
export type FrameDirection = "in" | "out" | "broadcast" | "multicast" | "otherhost";

export interface FrameRecord {
  readonly stack: string;
  readonly device: string;
  readonly direction: FrameDirection;
  readonly time: bigint;
  readonly sourceMac?: Mac;
  readonly destinationMac?: Mac;
  readonly etherType: number;
  readonly vlan?: number;
  readonly arp?: ArpMessage;
  readonly packet?: ObservedPacket;
}

export interface ArpMessage {
  readonly operation: "request" | "reply";
  readonly senderMac: Mac;
  readonly sender: Address;
  readonly targetMac: Mac;
  readonly target: Address;
}

/** A conntrack entry as ctnetlink gives it. */
export interface ConntrackRecord {
  readonly original: ConntrackTuple;
  readonly reply: ConntrackTuple;
  /** IPS_* bits: EXPECTED 1, SEEN_REPLY 2, ASSURED 4, CONFIRMED 8, SRC_NAT 16, DST_NAT 32, DYING 512, … */
  readonly status: number;
  readonly tcpState?: string;
  readonly timeout: number;
  readonly mark: number;
  readonly zone: number;
}

/** What the process that called connect(), sendto() or recv() was told. */
export interface ClientResult {
  /** timeout: nothing moved any more while it waited; icmp: an ICMP error reached a ping. */
  readonly outcome: "connected" | "error" | "timeout" | "icmp" | "sent";
  readonly phase: "bind" | "connect" | "send" | "receive" | "data" | "close" | "wait" | "change";
  readonly errno?: string;
  readonly local?: { readonly address: Address; readonly port: number };
  /** Who answered a datagram or a ping. */
  readonly from?: { readonly address: Address; readonly port: number };
  /** Bytes that came back. */
  readonly echoed: number;
  readonly icmp?: { readonly type: number; readonly code: number };
  readonly errorQueue?: readonly {
    readonly errno: string;
    readonly type: number;
    readonly code: number;
    readonly from?: Address;
  }[];
}

/** A caller as a listener saw it. */
export interface ServedRecord {
  readonly protocol: "tcp" | "udp";
  readonly listener: string;
  readonly peer: Address;
  readonly peerPort: number;
  readonly local: Address;
  readonly localPort: number;
}

/** Counters that moved, by the names nstat prints (TcpExtIPReversePathFilter), per stack. */
export type CounterChanges = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Packets and bytes a rule counted, by its place in the plan's own tables; observers are left out. */
export interface RuleCount {
  readonly stack: string;
  readonly backend: "legacy" | "nft";
  readonly family: 4 | 6;
  readonly table: string;
  readonly chain: string;
  /** From 1; 0 is the policy. */
  readonly rule: number;
  readonly packets: number;
  readonly bytes: number;
}

/** What one stimulus caused. */
export interface StimulusObservation {
  readonly stimulus: number;
  readonly result: ClientResult;
  /** In the kernel's order within one stack and backend-independent; between stacks only `time` tells. */
  readonly hooks: readonly HookRecord[];
  readonly frames: readonly FrameRecord[];
  readonly served: readonly ServedRecord[];
  readonly counters: CounterChanges;
  /** More was seen than is kept: packets went round and round. */
  readonly storm: boolean;
  /** Replies and relayed packets the lab's own servers could not send. */
  readonly serverErrors: readonly string[];
}

/** State at the end, or after a stimulus that asked for it. */
export interface StackState {
  readonly stack: string;
  readonly conntrack: readonly ConntrackRecord[];
  readonly ipvsConnections: readonly IpvsConnection[];
  readonly ruleCounts: readonly RuleCount[];
}

export interface Observations {
  readonly backend: "netns" | "vm";
  readonly kernel: string;
  readonly stimuli: readonly StimulusObservation[];
  readonly states: readonly StackState[];
  /** Commands of the plan that the kernel refused, in the words of the tool. */
  readonly problems: readonly LabProblem[];
  /** Whether hooks tell the conntrack state: not in kernels built without NETFILTER_NETLINK_GLUE_CT. */
  readonly ctInfo: boolean;
  readonly milliseconds: { readonly build: number; readonly stimuli: number; readonly total: number };
}

export interface LabProblem {
  readonly stack: string;
  /** What was asked: the command, or the sysctl. */
  readonly what: string;
  readonly answer: string;
}
