import type { Address, PortRange } from "../net/index.ts";
import type { KubernetesObjects } from "./kubernetes.ts";
import type { Origin } from "./origin.ts";
import type { Stack } from "./stack.ts";

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
  readonly address: Address;
  readonly ports: readonly { readonly port: number; readonly protocol: number; readonly targetPort: number }[];
  /** Stacks it may send to. */
  readonly targets: readonly string[];
  readonly preserveClient: boolean | "?";
  readonly vipBoundOnNode: boolean | "?";
  readonly origin: Origin;
}

/** A fact nobody stated and no rule decides. The walk forks on it when it asks. */
export interface OpenFact {
  /** `NODE/sysctl/net.ipv4.conf.eth0.rp_filter`, `NODE/rule/FILE:LINE`, … */
  readonly id: string;
  readonly values: readonly string[];
  readonly command?: string;
}

export interface World {
  readonly stacks: readonly Stack[];
  readonly links: readonly Link[];
  readonly fabric: Fabric;
  readonly loadBalancers: readonly LoadBalancer[];
  readonly kubernetes: KubernetesObjects;
  /** What was assumed while assembling, for the list every answer prints. */
  readonly assumptions: readonly Assumption[];
}

export interface Assumption {
  readonly id: string;
  readonly text: string;
  readonly value: string;
}
