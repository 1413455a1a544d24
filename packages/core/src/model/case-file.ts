import type { Address, Family, PortRange, Prefix } from "../net/index.ts";
import type { IptablesBackend, IptablesTableName } from "./netfilter/index.ts";
import type { Sees } from "./observed/sees.ts";
import type { Origin } from "./origin.ts";
import type { StackKind } from "./stack.ts";
import type { Forwarding } from "./world.ts";

/**
 * What the user states about a case beside the dumps: `case.yaml`, checked and typed at the edge. Everything is optional;
 * an absent list is empty. `origin` is the line in the file, so that answers can quote it.
 */
export interface CaseFile {
  /** Path of the file it was read from, relative to the case. */
  readonly file: string;
  readonly question?: CaseQuestion;
  readonly expect?: CaseExpectation;
  readonly nodes: readonly CaseNode[];
  readonly stacks: readonly CaseStack[];
  readonly links: readonly CaseLink[];
  readonly fabric?: CaseFabric;
  readonly loadBalancers: readonly CaseLoadBalancer[];
  readonly listeners: readonly CaseListener[];
  readonly assume: readonly CaseAssumption[];
  readonly fixes: readonly CaseFix[];
  /** Flows asked for comparison: what works beside what does not. */
  readonly controls?: readonly CaseControl[];
}

/** The options of `diagnose`, as typed. */
export interface CaseQuestion {
  readonly from?: string;
  readonly to?: string;
  readonly proto?: "tcp" | "udp" | "sctp" | "icmp";
  readonly in?: string;
  readonly node?: string;
  readonly via?: "clusterip" | "nodeport" | "loadbalancer" | "external";
  readonly bind?: string;
  readonly sport?: number;
  readonly size?: number;
  readonly family?: 4 | 6 | "both";
  /** What the client saw of it. */
  readonly sees?: Sees;
  readonly origin: Origin;
}

export interface CaseExpectation {
  readonly verdict?: "reachable" | "unreachable" | "intermittent" | "undetermined";
  readonly causes?: readonly string[];
  readonly origin: Origin;
}

export interface CaseNode {
  readonly name: string;
  readonly files: readonly CaseDumpFile[];
  readonly kernel?: string;
  readonly kubeProxy?: { readonly mode?: "iptables" | "ipvs" | "nftables"; readonly version?: string };
  readonly origin: Origin;
}

/** Which dump a file is, where neither content nor name can say. `path` is a file, a folder, or a pattern with `*`. */
export interface CaseDumpFile {
  readonly path: string;
  /** The command that printed it: says most of the rest at once. */
  readonly command?: string;
  readonly stack?: string;
  readonly routeTable?: number | string;
  readonly table?: IptablesTableName;
  readonly backend?: Exclude<IptablesBackend, "unknown">;
  readonly family?: Family;
  /** The device a capture was taken on. */
  readonly captureDevice?: string;
  readonly moment?: "before" | "after";
  readonly partial?: boolean;
}

export interface CaseStack {
  readonly name: string;
  readonly kind: StackKind;
  /** The node a pod or VM runs on. */
  readonly node?: string;
  /** Files or folders that hold its dumps. */
  readonly dumps: readonly string[];
  /** For a stack without dumps: its addresses, on one device, and its default gateway. */
  readonly addresses: readonly Prefix[];
  readonly gateway?: Address;
  readonly device?: string;
  readonly mac?: string;
  readonly origin: Origin;
}

export interface CaseLinkEnd {
  readonly stack: string;
  readonly device: string;
}

export type CaseLink =
  | { readonly type: "veth"; readonly ends: readonly [CaseLinkEnd, CaseLinkEnd]; readonly origin: Origin }
  | { readonly type: "l2"; readonly name: string; readonly ends: readonly CaseLinkEnd[]; readonly origin: Origin };

/** `?`: left open, so that every value is walked. */
export type OrOpen<T> = T | "?";

export interface CaseFabric {
  readonly srcDstCheck?: OrOpen<boolean>;
  readonly egressNat?: Address;
  readonly mtu?: number;
  readonly deny: readonly CaseDeny[];
  readonly origin: Origin;
}

export interface CaseDeny {
  readonly from?: Prefix;
  readonly to?: Prefix;
  readonly protocol?: number;
  readonly ports?: PortRange;
}

export interface CaseLoadBalancer {
  readonly name?: string;
  readonly address: Address;
  readonly ports: readonly { readonly port: number; readonly protocol: number; readonly targetPort: number }[];
  readonly targets: readonly string[];
  readonly preserveClient: OrOpen<boolean>;
  readonly vipBoundOnNode: OrOpen<boolean>;
  readonly forwarding?: Forwarding;
  readonly oneAtATime?: boolean;
  readonly source?: Address;
  readonly origin: Origin;
}

export interface CaseListener {
  readonly stack: string;
  readonly protocol: number;
  /** Absent: the wildcard. */
  readonly address?: Address;
  readonly port: number;
  readonly origin: Origin;
}

/** `fact` uses the ids of hypotheses (`NODE/sysctl/net.ipv4.conf.eth0.rp_filter`); the value `?` leaves it open. */
export interface CaseAssumption {
  readonly fact: string;
  readonly value: string;
  readonly origin: Origin;
}

/** A named patch: commands as one would type them, prefixed `NODE:` where there are several nodes. */
export interface CaseFix {
  readonly name: string;
  readonly commands: readonly string[];
  /** What becomes of the case's question with it: patches that do not help are worth a place too. */
  readonly verdict?: CaseExpectation["verdict"];
  readonly origin: Origin;
}

/** The case's question with some of it asked otherwise, and its answer. */
export interface CaseControl {
  readonly name: string;
  readonly question: CaseQuestion;
  readonly verdict: NonNullable<CaseExpectation["verdict"]>;
  readonly origin: Origin;
}
