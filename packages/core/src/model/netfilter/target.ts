import type { Address, PortRange } from "../../net/index.ts";

/** Targets of iptables rules. `none`: a rule without -j only counts. */
export type Target =
  | { readonly kind: "none" }
  | { readonly kind: "accept" | "drop" | "return" | "queue" }
  | JumpTarget
  | MarkTarget
  | ConnmarkTarget
  | RejectTarget
  | DnatTarget
  | SnatTarget
  | MasqueradeTarget
  | RedirectTarget
  | NetmapTarget
  | LogTarget
  | NflogTarget
  | CtTarget
  | SetTarget
  | TcpmssTarget
  | TosTarget
  | DscpTarget
  | TtlTarget
  | TproxyTarget
  | { readonly kind: "notrack" | "trace" }
  | ChecksumTarget
  | ClassifyTarget
  | OtherTarget
  | UnknownTarget;

/** -j CHAIN pushes a return address, -g CHAIN does not. */
export interface JumpTarget {
  readonly kind: "jump";
  readonly chain: string;
  readonly goto: boolean;
}
/** mark = (mark & ~mask) ^ value; all of --set-mark, --and-mark, --or-mark, --xor-mark come down to it. */
export interface MarkTarget {
  readonly kind: "mark";
  readonly value: number;
  readonly mask: number;
}
export type ConnmarkTarget =
  | { readonly kind: "connmark"; readonly action: "set"; readonly value: number; readonly mask: number }
  | {
      readonly kind: "connmark";
      readonly action: "save" | "restore";
      readonly nfMask: number;
      readonly ctMask: number;
    };
export interface RejectTarget {
  readonly kind: "reject";
  /** icmp-port-unreachable, icmp-net-unreachable, icmp-host-unreachable, icmp-proto-unreachable, icmp-net-prohibited,
   *  icmp-host-prohibited, icmp-admin-prohibited, tcp-reset; icmp6-* for IPv6. */
  readonly with: string;
}
export interface NatFlags {
  readonly random: boolean;
  readonly randomFully: boolean;
  readonly persistent: boolean;
}
export interface NatRange {
  readonly addresses?: { readonly from: Address; readonly to: Address };
  readonly ports?: PortRange;
  /** `--to-destination 1.2.3.4:80-90/8080`: the base of a shifted range. */
  readonly basePort?: number;
}
export interface DnatTarget extends NatFlags {
  readonly kind: "dnat";
  readonly to: NatRange;
}
export interface SnatTarget extends NatFlags {
  readonly kind: "snat";
  readonly to: NatRange;
}
export interface MasqueradeTarget {
  readonly kind: "masquerade";
  readonly ports?: PortRange;
  readonly random: boolean;
  readonly randomFully: boolean;
}
export interface RedirectTarget {
  readonly kind: "redirect";
  readonly ports?: PortRange;
  readonly random: boolean;
}
export interface NetmapTarget {
  readonly kind: "netmap";
  readonly address: Address;
  readonly mask: Address;
}
export interface LogTarget {
  readonly kind: "log";
  readonly prefix?: string;
  readonly level?: number;
  readonly tcpSequence: boolean;
  readonly tcpOptions: boolean;
  readonly ipOptions: boolean;
  readonly uid: boolean;
  readonly macDecode: boolean;
}
export interface NflogTarget {
  readonly kind: "nflog";
  readonly group?: number;
  readonly prefix?: string;
  /** size, range, threshold as printed. */
  readonly options: readonly string[];
}
export interface CtTarget {
  readonly kind: "ct";
  readonly notrack: boolean;
  readonly helper?: string;
  readonly zone?: string;
  /** ctevents, expevents, timeout … in the order printed. */
  readonly options: readonly string[];
}
export interface SetTarget {
  readonly kind: "set";
  readonly action: "add" | "del" | "map";
  readonly name: string;
  readonly directions: readonly ("src" | "dst")[];
  readonly exist: boolean;
  readonly timeout?: number;
  readonly options: readonly string[];
}
export interface TcpmssTarget {
  readonly kind: "tcpmss";
  /** Absent: clamp to the path MTU. */
  readonly mss?: number;
}
export interface TosTarget {
  readonly kind: "tos";
  readonly value: number;
  readonly mask: number;
}
export interface DscpTarget {
  readonly kind: "dscp";
  readonly value: number;
}
export interface TtlTarget {
  readonly kind: "ttl" | "hl";
  readonly action: "set" | "inc" | "dec";
  readonly value: number;
}
export interface TproxyTarget {
  readonly kind: "tproxy";
  readonly port: number;
  readonly address?: Address;
  readonly mark: number;
  readonly mask: number;
}
export interface ChecksumTarget {
  readonly kind: "checksum";
  readonly fill: boolean;
}
export interface ClassifyTarget {
  readonly kind: "classify";
  readonly class: string;
}
/** Read and printed, not simulated; non-terminal where the kernel's target is. */
export interface OtherTarget {
  readonly kind: "other";
  readonly name: string;
  readonly options: readonly string[];
}
/** A target this reader does not know, verbatim: walking it ends in `undetermined`. */
export interface UnknownTarget {
  readonly kind: "unknown";
  readonly name: string;
  readonly text: string;
}
