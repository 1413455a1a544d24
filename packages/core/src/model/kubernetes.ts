import type { Address } from "../net/index.ts";
import type { Origin } from "./origin.ts";

/** The parts of Kubernetes objects that decide where a packet goes. Read by the object readers; kept small on purpose. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

export interface KubernetesNode {
  readonly name: string;
  readonly addresses: readonly Address[];
  readonly podCidrs: readonly string[];
  readonly origin: Origin;
}

export interface KubernetesPod extends ObjectName {
  readonly addresses: readonly Address[];
  readonly nodeName?: string;
  readonly hostNetwork: boolean;
  readonly origin: Origin;
}

export interface ServicePort {
  readonly name?: string;
  readonly protocol: number;
  readonly port: number;
  readonly targetPort?: number | string;
  readonly nodePort?: number;
}

export interface KubernetesService extends ObjectName {
  readonly type: "ClusterIP" | "NodePort" | "LoadBalancer" | "ExternalName";
  readonly clusterIps: readonly Address[];
  readonly externalIps: readonly Address[];
  readonly loadBalancerIps: readonly Address[];
  readonly ports: readonly ServicePort[];
  readonly externalTrafficPolicy?: "Cluster" | "Local";
  readonly internalTrafficPolicy?: "Cluster" | "Local";
  readonly origin: Origin;
}

export interface KubernetesObjects {
  readonly nodes: readonly KubernetesNode[];
  readonly pods: readonly KubernetesPod[];
  readonly services: readonly KubernetesService[];
}
