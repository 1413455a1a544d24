import type { Address, Family } from "../net/index.ts";

/** Who asks. `endpoint`: one of the Service's own. `loadbalancer`: somebody outside, through the load balancer. `host`: a VM, a client, a router. */
export const SOURCE_KINDS = ["pod", "endpoint", "node", "external", "loadbalancer", "host"] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** By which of its addresses a Service is asked. */
export type Via = "clusterip" | "nodeport" | "external" | "loadbalancer";

/** What is asked. `service`: any that is neither the cluster's DNS nor its API. */
export const TARGET_KINDS = ["dns", "apiserver", "service", "pod", "kubelet"] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

export interface Source {
  readonly kind: SourceKind;
  /** As `--from` takes it. */
  readonly from: string;
  /** The node it stands on, is, or comes in by. */
  readonly node: string | null;
  readonly namespace: string | null;
  /** The arrival has to be said: somebody outside. */
  readonly arrives: boolean;
  readonly addresses: readonly Address[];
}

export interface Target {
  readonly kind: TargetKind;
  /** `NAMESPACE/NAME` of the Service, or of the pod. */
  readonly name: string | null;
  readonly namespace: string | null;
  readonly via: Via | null;
  readonly address: Address;
  readonly port: number;
  /** The Service's own, where it is asked by a node port. */
  readonly servicePort: number | null;
  readonly protocol: number;
  readonly family: Family;
  /** The node whose address it is, or on which it runs. */
  readonly node: string | null;
  /** Addresses of the Service's own endpoints. */
  readonly endpoints: ReadonlySet<Address>;
}

/** A question that `diagnose` answers alike. */
export interface FlowQuestion {
  readonly from: string;
  readonly to: string;
  readonly proto: string;
  readonly node?: string;
  /** Of a Service by its name: by which of its addresses. */
  readonly via?: string;
  readonly family?: Family;
}

/** Flows that may share an answer: the same kind of source asks the same thing. */
export interface Group {
  readonly key: string;
  /** Its place among all groups of the World, whatever was filtered: a shard numbers as the whole does. */
  readonly number: number;
  readonly kind: SourceKind;
  readonly targets: readonly Target[];
}
