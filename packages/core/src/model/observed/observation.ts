import { type Address, formatAddress, type Mac } from "../../net/index.ts";
import type { ReadOrigin } from "../origin.ts";

/** Where something was seen. `capture` tells two captures of one place apart: the line its dump begins at. */
export interface ObservedPlace {
  readonly node: string;
  /** Absent: the node's own network namespace. */
  readonly stack?: string;
  /** The device the capture was taken on; `any` where it was all of them. */
  readonly device?: string;
  readonly capture: ReadOrigin;
}

/**
 * `day`: seconds since that clock's midnight; `epoch`: since 1970; `boot`: since the kernel started; `previous`: since
 * the line before. Clocks of different nodes need not agree.
 */
export interface ObservedTime {
  readonly seconds: number;
  readonly base: "day" | "epoch" | "boot" | "previous" | "date";
}

/** Which way a frame went by the device it was captured on; `other` (tcpdump's P) is addressed to somebody else. */
export type ObservedDirection = "in" | "out" | "other" | "broadcast" | "multicast";

export interface HostName {
  readonly name: string;
}
/** An address, or the name a tool printed in its place. */
export type ObservedHost = Address | HostName;
export const isHostName = (host: ObservedHost): host is HostName => typeof host === "object";
export const hostText = (host: ObservedHost): string => (isHostName(host) ? host.name : formatAddress(host));

/** A port, or a service's name whose number is not known. */
export type ObservedPort = number | string;

export interface ObservedTcp {
  /** Absent where the tool was asked to be quiet. */
  readonly flags?: number;
  /** Absolute, unless `relative`: then counted from a beginning that was not seen. */
  readonly seq?: number;
  readonly ack?: number;
  readonly relative?: true;
  readonly window?: number;
}

export interface ObservedIcmp {
  /** Absent where the text names none that is known. */
  readonly type?: number;
  readonly code?: number;
  readonly id?: number;
  readonly seq?: number;
  readonly mtu?: number;
  /** The packet an error quotes, or as much of it as the error's text names. */
  readonly inner?: ObservedIp;
}

/** The headers of one IP packet as far as the tool showed them. */
export interface ObservedIp {
  readonly src: ObservedHost;
  readonly dst: ObservedHost;
  readonly protocol?: number;
  readonly sport?: ObservedPort;
  readonly dport?: ObservedPort;
  readonly ttl?: number;
  readonly tos?: number;
  readonly id?: number;
  readonly df?: boolean;
  /** A later fragment: no ports in it. */
  readonly fragmentOffset?: number;
  /** One of several pieces of a packet, the first or a later one. */
  readonly fragment?: true;
  /** Bytes of it that the piece which was captured does not hold. */
  readonly missing?: number;
  /** Of the whole IP packet. */
  readonly length?: number;
  /** Bytes after the TCP or UDP header, after the IP header for ICMP. */
  readonly payload?: number;
  readonly tcp?: ObservedTcp;
  readonly icmp?: ObservedIcmp;
  readonly tunnel?: { readonly kind: "vxlan" | "ipip" | "gre" | "geneve"; readonly vni?: number };
  /** What a tunnel carries. */
  readonly inner?: ObservedFrame;
}

export interface ObservedArp {
  readonly operation: "request" | "reply";
  readonly sender?: ObservedHost;
  readonly target: ObservedHost;
  /** Of the sender, where it is shown. */
  readonly mac?: Mac;
}

export interface ObservedFrame {
  readonly srcMac?: Mac;
  readonly dstMac?: Mac;
  /** Outermost first. */
  readonly vlans?: readonly number[];
  readonly ip?: ObservedIp;
  readonly arp?: ObservedArp;
}

/** One packet of a capture. */
export interface ObservedPacket extends ObservedFrame {
  readonly place: ObservedPlace;
  /** The device column of a capture on all devices. */
  readonly device?: string;
  readonly direction?: ObservedDirection;
  readonly time?: ObservedTime;
  readonly origin: ReadOrigin;
}

/** A line of the kernel's log about one packet: LOG, TRACE, or a trace of nftables. */
export interface ObservedLogLine {
  readonly kind: "log" | "trace";
  readonly place: ObservedPlace;
  readonly time?: ObservedTime;
  /** The text a LOG rule puts in front. */
  readonly prefix: string;
  readonly trace?: ObservedTrace;
  readonly in?: string;
  readonly out?: string;
  readonly physIn?: string;
  readonly physOut?: string;
  readonly srcMac?: Mac;
  readonly dstMac?: Mac;
  /** Absent where a trace's line is about a rule only; `trace.id` then names the packet. */
  readonly ip?: ObservedIp;
  readonly mark?: number;
  readonly uid?: number;
  readonly gid?: number;
  /** The line ends in the middle. */
  readonly cut?: true;
  readonly origin: ReadOrigin;
}

/** What the walk of one packet met. `rule` is a number (legacy) or the rule's text or handle (nft). */
export interface ObservedTrace {
  readonly table?: string;
  readonly chain?: string;
  readonly type: "packet" | "rule" | "return" | "policy" | "verdict";
  readonly rule?: string;
  readonly verdict?: string;
  /** The id nftables gives the packet. */
  readonly id?: string;
}

export interface ObservedMartian {
  readonly kind: "source" | "destination";
  readonly place: ObservedPlace;
  readonly time?: ObservedTime;
  readonly src: Address;
  readonly dst: Address;
  readonly device: string;
  /** From the `ll header` line. */
  readonly srcMac?: Mac;
  readonly dstMac?: Mac;
  readonly origin: ReadOrigin;
}

/** Something the kernel complained of: a full table, an overflow. */
export interface ObservedComplaint {
  readonly what: "conntrack-full" | "neighbour-overflow" | "rate-limited" | "other";
  readonly place: ObservedPlace;
  readonly time?: ObservedTime;
  readonly text: string;
  readonly origin: ReadOrigin;
}

export type ServiceSeverity = "info" | "warning" | "error" | "fatal";

/** What a service's log says of the datapath. */
export type ServiceEvent =
  | { readonly what: "port-taken"; readonly port: number; readonly protocol: "tcp" | "udp" | "sctp" }
  | {
      readonly what: "proxy-mode" | "fell-back" | "sysctl-refused" | "strict-arp" | "rules-not-written";
      readonly value: string;
    }
  /** A network plugin says that its policy stopped a packet. */
  | {
      readonly what: "policy-denied";
      readonly src: Address;
      readonly dst: Address;
      readonly sport: number;
      readonly dport: number;
      readonly protocol: number;
    }
  | { readonly what: "no-cluster-cidr" | "node-unknown" | "no-conntrack-tool" };

/** A line of kube-proxy's, kubelet's or another service's log: a warning or worse, or an event. */
export interface ObservedServiceLine {
  readonly place: ObservedPlace;
  readonly service?: string;
  readonly severity?: ServiceSeverity;
  readonly time?: ObservedTime;
  readonly event?: ServiceEvent;
  readonly text: string;
  readonly origin: ReadOrigin;
}

export interface ObservedCounter {
  readonly place: ObservedPlace;
  readonly name: string;
  /** A CPU, a device. */
  readonly of?: string;
  readonly value: number;
  readonly origin: ReadOrigin;
}

/** A setting shown beside counters: an offload, a driver. */
export interface ObservedSetting {
  readonly place: ObservedPlace;
  readonly device?: string;
  readonly name: string;
  readonly value: string;
  readonly origin: ReadOrigin;
}

/** `waiting`: interrupted, or the text ends, before anything came. */
export type SymptomResult =
  | "ok"
  | "refused"
  | "timeout"
  | "reset"
  | "unreachable"
  | "waiting"
  | "no-name"
  | "stalled"
  | "other";

/** What a client saw. */
export interface Symptom {
  readonly place: ObservedPlace;
  readonly tool: string;
  readonly target?: ObservedHost;
  readonly port?: number;
  readonly protocol?: number;
  /** The name that was asked for, where it was one. */
  readonly name?: string;
  readonly result: SymptomResult;
  /** Who answered, where it says. */
  readonly answeredBy?: ObservedHost;
  /** The name it answers by. */
  readonly answeredName?: string;
  readonly ttl?: number;
  /** Milliseconds: smallest round trip seen. */
  readonly rtt?: number;
  /** Seconds the whole attempt took. */
  readonly took?: number;
  readonly sent?: number;
  readonly received?: number;
  /** Bytes of one packet, its headers included. */
  readonly size?: number;
  /** `--interface` and its like. */
  readonly bind?: string;
  readonly text: string;
  readonly origin: ReadOrigin;
}
