import type { Address, PortRange } from "../net/index.ts";
import type { Device } from "./device.ts";
import type { Assumed } from "./event/index.ts";
import type { Listing } from "./extent.ts";
import type { IpSet } from "./ipset.ts";
import type { Ipvs } from "./ipvs.ts";
import type { KubernetesObjects } from "./kubernetes.ts";
import type { Netfilter } from "./netfilter/index.ts";
import type { Origin } from "./origin.ts";
import type { Route } from "./route.ts";
import type { Listeners } from "./socket.ts";
import type { Stack } from "./stack.ts";
import type { SysctlEntry } from "./sysctl.ts";

export interface LinkEnd {
  readonly stack: string;
  readonly device: string;
}

/** What joins devices of different stacks (or two of one): a veth pair, an Ethernet segment, the fabric. */
export type Link =
  | { readonly type: "veth"; readonly ends: readonly [LinkEnd, LinkEnd]; readonly origin: Origin }
  | { readonly type: "l2"; readonly name: string; readonly ends: readonly LinkEnd[]; readonly origin: Origin }
  /** Attached to the underlay nobody dumped: delivered by who owns the address. */
  | { readonly type: "fabric"; readonly ends: readonly LinkEnd[]; readonly origin: Origin };

/** What the underlay does; every field is a named, visible assumption that the user can change. */
export interface Fabric {
  /** Drops what carries a source its sending card does not own (cloud source/destination check). */
  readonly srcDstCheck: boolean;
  /** Egress to the outside is translated to this address. */
  readonly egressNat?: Address;
  readonly deny: readonly FabricDeny[];
  /** What it carries at most; larger packets are lost without a word. */
  readonly mtu?: number;
  /** Fields that case.yaml leaves open (`?`); what stands in them then is the default. */
  readonly open?: readonly "srcDstCheck"[];
  readonly origin: Origin;
}

/** What a firewall of the underlay keeps back. Absent: any. Prefixes as text. */
export interface FabricDeny {
  readonly from?: string;
  readonly to?: string;
  /** A single port; `ports` where it is a range. */
  readonly port?: number;
  readonly ports?: PortRange;
  readonly protocol?: number;
}

export interface LoadBalancer {
  /** What the case calls it. */
  readonly name?: string;
  readonly address: Address;
  readonly ports: readonly { readonly port: number; readonly protocol: number; readonly targetPort: number }[];
  /** Stacks it may send to; a node of which only the object is known by its name. */
  readonly targets: readonly string[];
  /** How many alike each of them stands for; absent: for itself. */
  readonly weights?: readonly number[];
  readonly preserveClient: boolean | "?";
  readonly vipBoundOnNode: boolean | "?";
  /** Absent: `nat`. */
  readonly forwarding?: Forwarding;
  /** One node at a time takes all (it answers ARP, or the address moves with a leader). */
  readonly oneAtATime?: boolean;
  /** Where it sends with `forwarding: pods`. */
  readonly pods?: readonly {
    readonly port: number;
    readonly protocol: number;
    readonly address: Address;
    readonly targetPort: number;
  }[];
  /** What its own packets come from where it does not keep the client's address; absent: its address. */
  readonly source?: Address;
  /** Whom it lets in; absent: everybody. Prefixes as text. */
  readonly sourceRanges?: readonly string[];
  /** `NAMESPACE/NAME` of the Service it was made for. */
  readonly service?: string;
  /** The name it is known by where it has no address of its own. */
  readonly hostname?: string;
  /** By whose habits it was inferred, and what tells so. */
  readonly inferred?: { readonly provider: string; readonly ground: string };
  readonly origin: Origin;
}

/**
 * `nat`: to the target's address and port; `passthrough`: as it came, for the balancer's own address (DSR, floating IP, ARP, BGP);
 * `pods`: straight to an endpoint.
 */
export type Forwarding = "nat" | "passthrough" | "pods";

/** What kube-proxy adds to a stack of which there is no dump. */
export interface StackProgramme {
  readonly netfilter: Netfilter;
  readonly ipsets: Listing<IpSet>;
  readonly ipvs: Ipvs;
  readonly sysctls: ReadonlyMap<string, SysctlEntry>;
  /** kube-ipvs0. */
  readonly devices: readonly Device[];
  /** Its part of the local table. */
  readonly routes: readonly Route[];
}

/** Nobody said in which mode kube-proxy runs: every one becomes a hypothesis. What stands in the stacks is the first. */
export interface UndecidedMode {
  readonly values: readonly string[];
  /** By value, then by stack. */
  readonly programmes: ReadonlyMap<string, ReadonlyMap<string, StackProgramme>>;
}

export interface World {
  readonly stacks: readonly Stack[];
  readonly links: readonly Link[];
  readonly fabric: Fabric;
  readonly loadBalancers: readonly LoadBalancer[];
  readonly kubernetes: KubernetesObjects;
  readonly undecidedMode?: UndecidedMode;
  /** All objects of the cluster, where only those are in it whom one question's packets can meet. */
  readonly partOf?: KubernetesObjects;
  /** Who listens in a pod of which nothing else was shown, by the name it was entered by. */
  readonly podListeners?: ReadonlyMap<string, Listeners>;
  /** What was assumed while assembling, for the list every answer prints. */
  readonly assumptions: readonly Assumption[];
}

export interface Assumption {
  readonly id: string;
  readonly value: string;
  readonly why: Assumed;
}
