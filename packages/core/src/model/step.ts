import type { Address } from "../net/index.ts";
import type { Decision, StepName } from "./event/index.ts";
import type { RuleRef } from "./netfilter/rule-ref.ts";
import type { Origin } from "./origin.ts";
import type { Packet } from "./packet.ts";

export type Hook = "PREROUTING" | "INPUT" | "FORWARD" | "OUTPUT" | "POSTROUTING";

/**
 * One thing the kernel did to a packet. A leg of a trace is a list of these, in order. `packet` is how it looked
 * after the step.
 */
export type Step =
  | SendStep
  | ReceiveStep
  | HookStep
  | RuleStep
  | RouteStep
  | SourceValidationStep
  | ConntrackStep
  | NatStep
  | IpvsStep
  | BridgeStep
  | ArpStep
  | TransmitStep
  | ForwardStep
  | SocketStep
  | LinkStep
  | TunnelStep
  | LogStep
  | ErrorStep
  | DropStep;

interface StepBase {
  readonly stack: string;
  readonly packet: Packet;
}

/** A process hands a packet to its kernel. */
export interface SendStep extends StepBase {
  readonly kind: "send";
  readonly device?: string;
  readonly why: Decision;
}
/** A frame reaches a device. */
export interface ReceiveStep extends StepBase {
  readonly kind: "receive";
  readonly device: string;
  readonly sourceMac?: string;
  readonly destinationMac?: string;
}
/** A table (or another hook function) was entered. in/out are the snapshot of nf_hook_state. */
export interface HookStep extends StepBase {
  readonly kind: "hook";
  readonly hook: Hook;
  readonly table: string;
  /** The base chain of a native nftables table, which may have several at one hook. */
  readonly native?: { readonly chain: string; readonly nat: boolean };
  readonly backend: string;
  readonly in: string;
  readonly out: string;
  readonly physIn?: string;
  readonly physOut?: string;
  readonly mark: number;
  /** The connection the packet belonged to on entry (enum ip_conntrack_info); absent: none, or untracked. */
  readonly ct?: "NEW" | "ESTABLISHED" | "RELATED" | "ESTABLISHED_REPLY" | "RELATED_REPLY";
}
export type RuleEffect = "matched" | "not matched" | "assumed matched" | "assumed not matched";
export interface RuleStep extends StepBase, RuleRef {
  readonly kind: "rule";
  readonly effect: RuleEffect;
  /** What the target did, or why the rule did not match. */
  readonly decision: Decision;
  readonly origin: Origin;
  readonly mark: number;
}
export type RouteLookup = "output" | "input" | "reroute" | "ipvs" | "reply";
export interface RouteStep extends StepBase {
  readonly kind: "route";
  readonly lookup: RouteLookup;
  readonly result: "local" | "unicast" | "broadcast" | "error";
  readonly error?: string;
  readonly table?: number | string;
  readonly rule?: number;
  readonly device?: string;
  readonly gateway?: Address;
  readonly source?: Address;
  /** The routing rule and the route that decided. */
  readonly origins: readonly Origin[];
}
export interface SourceValidationStep extends StepBase {
  readonly kind: "source validation";
  readonly device: string;
  readonly rpFilter: string;
  readonly result: "ok" | "rp_filter" | "martian source";
  /** The device the reverse look-up points to. */
  readonly reverseDevice?: string;
  readonly reverseType?: string;
  readonly decision: Decision;
  readonly origins: readonly Origin[];
}
export interface ConntrackStep extends StepBase {
  readonly kind: "conntrack";
  readonly state: "NEW" | "ESTABLISHED" | "RELATED" | "INVALID" | "UNTRACKED";
  readonly direction: "original" | "reply";
  readonly action: "attach" | "confirm" | "clash" | "delete";
  readonly decision: Decision;
  readonly origin?: Origin;
}
export interface NatStep extends StepBase {
  readonly kind: "nat";
  readonly manip: "source" | "destination";
  readonly hook: Hook;
  readonly before: Packet;
  readonly decision: Decision;
  /** The rule that decided, when this packet ran it. */
  readonly by?: RuleRef;
  readonly origin?: Origin;
}
export interface IpvsStep extends StepBase {
  readonly kind: "ipvs";
  readonly hook: Hook;
  /** A persistence template decided, for a real server that takes no new connections (weight 0). */
  readonly drained?: true;
  readonly decision: Decision;
  readonly before: Packet;
  readonly origins: readonly Origin[];
}
export interface BridgeStep extends StepBase {
  readonly kind: "bridge";
  /** From a port to another, up to the bridge device, or sent by it. */
  readonly action: "forward" | "up" | "out";
  readonly bridge: string;
  readonly port?: string;
  readonly decision: Decision;
}
export interface ArpStep extends StepBase {
  readonly kind: "arp";
  readonly device: string;
  readonly target: Address;
  readonly result: "resolved" | "no answer" | "static";
  readonly mac?: string;
  readonly decision: Decision;
}
export interface TransmitStep extends StepBase {
  readonly kind: "transmit";
  readonly device: string;
  readonly sourceMac?: string;
  readonly destinationMac?: string;
}
export interface ForwardStep extends StepBase {
  readonly kind: "forward";
  readonly in: string;
  readonly out: string;
}
export interface SocketStep extends StepBase {
  readonly kind: "socket";
  readonly result: "delivered" | "no listener" | "no connection" | "answered";
  readonly decision: Decision;
}
/** Something between the stacks: the fabric, a load balancer, a tunnel that is not modelled. */
export interface LinkStep extends StepBase {
  readonly kind: "link";
  /** A load balancer of the fabric sent it on. */
  readonly balancer?: Address;
  readonly decision: Decision;
}
/** A tunnel device wraps a packet, or takes one out again. `packet` is how it looks afterwards. */
export interface TunnelStep extends StepBase {
  readonly kind: "tunnel";
  readonly device: string;
  readonly way: "wrapped" | "unwrapped";
  readonly decision: Decision;
  readonly origins: readonly Origin[];
}
/** What a LOG rule would print, as fields. */
export interface LogStep extends StepBase {
  readonly kind: "log";
  readonly prefix: string;
  readonly in: string;
  readonly out: string;
  readonly physIn?: string;
  readonly physOut?: string;
  readonly mark: number;
  readonly origin: Origin;
}
/** An ICMP error or RST was generated for this packet. */
export interface ErrorStep extends StepBase {
  readonly kind: "error";
  readonly answer: string;
  readonly decision: Decision;
}
export interface DropStep extends StepBase {
  readonly kind: "drop";
  readonly step: StepName;
  readonly reason: DropReason;
  readonly decision: Decision;
  readonly origins: readonly Origin[];
}

/** Named as the kernel names them (SKB_DROP_REASON_*) where it has a name. */
export type DropReason =
  | "NETFILTER_DROP"
  | "IP_RPFILTER"
  | "IP_LOCAL_SOURCE"
  | "IP_INVALID_SOURCE"
  | "IP_LOCALNET"
  | "IP_INVALID_DEST"
  | "IP_INNOROUTES"
  | "IP_OUTNOROUTES"
  | "IP_INADDRERRORS"
  | "IPV6DISABLED"
  | "OTHERHOST"
  | "NO_SOCKET"
  | "NEIGH_FAILED"
  | "NEIGH_QUEUED"
  | "PKT_TOO_BIG"
  | "FRAG_REASM_TIMEOUT"
  | "TTL_EXPIRED"
  /** ip_forward(): it belongs to a socket of this stack. */
  | "TPROXY_NOT_LOCAL"
  | "CONNTRACK_CLASH"
  | "IPVS_NO_DESTINATION"
  | "IPVS_DROP"
  | "IPVS_STALE_CONNECTION"
  | "IPVS_SERVER_REMOVED"
  | "DEV_DOWN"
  | "UNHANDLED_PROTO"
  | "BRIDGE_INGRESS_PORT"
  | "BRIDGE_NO_PORT"
  | "VLAN_FILTER"
  | "ICMP_REJECTED_ROUTE"
  | "MASQUERADE_NO_ADDRESS"
  | "MASQUERADE_DEVICE_CHANGED"
  | "TCP_UNEXPECTED"
  | "ICMP_ECHO_IGNORED"
  /** VXLAN: no forwarding entry for the MAC, and no default remote. */
  | "NO_TX_TARGET"
  | "VXLAN_VNI_NOT_FOUND"
  | "VXLAN_ENTRY_EXISTS"
  /** The checksum of a tunnel's UDP header is wrong. */
  | "UDP_CSUM"
  /** VXLAN: the frame's source MAC is the device's own. */
  | "LOCAL_MAC"
  /** No tunnel device of the stack takes it. */
  | "TUNNEL_NO_DEVICE"
  /** The tunnel's far end is an address of this very stack. */
  | "TUNNEL_TO_ITSELF"
  /** In a walk of what nobody showed: the host is not there, or drops it. */
  | "HOST_NOT_THERE"
  /** Likewise: the next hop does not pass it on. */
  | "GATEWAY_DROPS"
  | "FABRIC_DENY"
  | "FABRIC_SRC_DST_CHECK"
  | "FABRIC_NO_OWNER"
  | "LOOP";
