import type { Address, Prefix } from "../net/index.ts";
import type { Origin } from "./origin.ts";
import type { OtherDatapath } from "./other-datapath.ts";

/** The parts of Kubernetes objects that decide where a packet goes. Read by the object readers; kept small on purpose. */
export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** How it was shown: an object says what it lacks; a row of `kubectl get` shows only its columns. */
export type ObjectForm = "object" | "row";

export type Labels = Readonly<Record<string, string>>;

export interface KubernetesNode {
  readonly name: string;
  /** InternalIP. */
  readonly addresses: readonly Address[];
  readonly externalAddresses?: readonly Address[];
  readonly podCidrs: readonly string[];
  readonly labels?: Labels;
  readonly ready?: boolean;
  readonly kernel?: string;
  readonly kubeletVersion?: string;
  readonly kubeProxyVersion?: string;
  /** `spec.providerID`: which cloud, and what the machine is called there. */
  readonly providerId?: string;
  readonly flannel?: FlannelNode;
  readonly calico?: CalicoNode;
  readonly form?: ObjectForm;
  readonly origin: Origin;
}

/** `flannel.alpha.coreos.com/…`: how the other nodes reach this one's pods. */
export interface FlannelNode {
  readonly backend?: string;
  readonly publicAddress?: Address;
  readonly vtepMac?: string;
  readonly vni?: number;
  readonly origin: Origin;
}

/** `projectcalico.org/…`. */
export interface CalicoNode {
  readonly address?: Prefix;
  readonly ipipTunnelAddress?: Address;
  readonly vxlanTunnelAddress?: Address;
  readonly origin: Origin;
}

export interface ContainerPort {
  readonly name?: string;
  readonly protocol: number;
  readonly port: number;
  readonly hostPort?: number;
  readonly hostAddress?: Address;
}

export interface KubernetesPod extends ObjectName {
  readonly addresses: readonly Address[];
  readonly nodeName?: string;
  readonly hostNetwork: boolean;
  readonly hostAddress?: Address;
  readonly labels?: Labels;
  readonly ports?: readonly ContainerPort[];
  readonly phase?: string;
  readonly ready?: boolean;
  readonly form?: ObjectForm;
  readonly origin: Origin;
}

/** Its phase, or what the column STATUS says where an object would say so. */
const OVER: readonly string[] = ["Succeeded", "Failed", "Completed", "Evicted"];

/** The pod's life is over, and its address may be another's by now. */
export const isOver = ({ phase }: Pick<KubernetesPod, "phase">): boolean => phase !== undefined && OVER.includes(phase);

export interface ServicePort {
  readonly name?: string;
  readonly protocol: number;
  readonly port: number;
  readonly targetPort?: number | string;
  readonly nodePort?: number;
}

export type TrafficPolicy = "Cluster" | "Local";

export interface KubernetesService extends ObjectName {
  readonly type: "ClusterIP" | "NodePort" | "LoadBalancer" | "ExternalName";
  /** Empty where it is headless (`None`) or has none yet. */
  readonly clusterIps: readonly Address[];
  readonly headless?: boolean;
  readonly externalIps: readonly Address[];
  /** Addresses of `status.loadBalancer.ingress` that kube-proxy programs (ipMode VIP, the default). */
  readonly loadBalancerIps: readonly Address[];
  /** Those with ipMode Proxy: kube-proxy leaves them to the load balancer. */
  readonly proxyLoadBalancerIps?: readonly Address[];
  readonly ports: readonly ServicePort[];
  readonly externalTrafficPolicy?: TrafficPolicy;
  readonly internalTrafficPolicy?: TrafficPolicy;
  readonly selector?: Labels;
  readonly clientIpAffinitySeconds?: number;
  readonly loadBalancerSourceRanges?: readonly string[];
  readonly healthCheckNodePort?: number;
  readonly allocateLoadBalancerNodePorts?: boolean;
  readonly publishNotReadyAddresses?: boolean;
  readonly trafficDistribution?: string;
  /** `service.kubernetes.io/topology-mode` or its older spelling. */
  readonly topologyMode?: string;
  readonly loadBalancerClass?: string;
  /** Names in `status.loadBalancer.ingress`, where the cloud gives no address. */
  readonly loadBalancerHostnames?: readonly string[];
  readonly annotations?: Labels;
  /** `service.kubernetes.io/service-proxy-name`: kube-proxy leaves it to another. */
  readonly proxyName?: string;
  readonly form?: ObjectForm;
  readonly origin: Origin;
  /** Lines of single fields, for quoting: `externalTrafficPolicy`, `clusterIP`, `type`, … */
  readonly fieldOrigins?: Readonly<Record<string, Origin>>;
}

export interface KubernetesEndpoint {
  readonly addresses: readonly Address[];
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly nodeName?: string;
  readonly zone?: string;
  readonly forZones?: readonly string[];
  readonly forNodes?: readonly string[];
  /** The Pod it is. */
  readonly pod?: ObjectName;
  readonly origin: Origin;
}

export interface EndpointPort {
  readonly name?: string;
  readonly protocol: number;
  /** Absent: any port. */
  readonly port?: number;
}

/** An EndpointSlice, or one subset of an Endpoints object. */
export interface KubernetesEndpoints extends ObjectName {
  readonly kind: "EndpointSlice" | "Endpoints";
  /** The Service's name, in the same namespace. */
  readonly service?: string;
  readonly family: 4 | 6 | "FQDN";
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly KubernetesEndpoint[];
  /** `+ 3 more...` in a table. */
  readonly cut?: boolean;
  readonly form?: ObjectForm;
  readonly origin: Origin;
}

export interface LabelRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | "unknown";
  readonly values: readonly string[];
}

/** An empty one selects everything. */
export interface LabelSelector {
  readonly labels: Labels;
  readonly expressions: readonly LabelRequirement[];
}

export interface PolicyPeer {
  readonly cidr?: string;
  readonly except?: readonly string[];
  readonly pods?: LabelSelector;
  readonly namespaces?: LabelSelector;
}

export interface PolicyPort {
  readonly protocol: number;
  readonly port?: number | string;
  readonly endPort?: number;
}

/** No peers: everybody; no ports: every port. */
export interface PolicyRule {
  readonly peers: readonly PolicyPeer[];
  readonly ports: readonly PolicyPort[];
  readonly origin: Origin;
}

export interface KubernetesNetworkPolicy extends ObjectName {
  readonly pods: LabelSelector;
  readonly types: readonly ("Ingress" | "Egress")[];
  readonly ingress: readonly PolicyRule[];
  readonly egress: readonly PolicyRule[];
  readonly origin: Origin;
}

/** KubeProxyConfiguration, by itself or in kube-proxy's ConfigMap. Absent: the default of its version. */
export interface KubeProxyConfig {
  readonly mode?: string;
  readonly clusterCidrs: readonly string[];
  readonly detectLocalMode?: string;
  readonly bridgeInterface?: string;
  readonly interfaceNamePrefix?: string;
  readonly nodePortAddresses: readonly string[];
  readonly hostnameOverride?: string;
  readonly bindAddress?: string;
  readonly masqueradeAll?: boolean;
  readonly masqueradeBit?: number;
  readonly localhostNodePorts?: boolean;
  readonly ipvsScheduler?: string;
  readonly strictArp?: boolean;
  readonly excludeCidrs: readonly string[];
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** `conntrack.tcpBeLiberal` */
  readonly conntrackTcpBeLiberal?: boolean;
  /** Lines of single fields, for quoting: `clusterCIDR`, `masqueradeAll`. */
  readonly fieldOrigins?: Readonly<Record<string, Origin>>;
  readonly origin: Origin;
}

/** A Calico IPPool. */
export interface CalicoIpPool {
  readonly name: string;
  readonly cidr: Prefix;
  readonly ipipMode?: string;
  readonly vxlanMode?: string;
  readonly natOutgoing: boolean;
  readonly disabled: boolean;
  readonly blockSize?: number;
  readonly nodeSelector?: string;
  readonly origin: Origin;
}

/** flannel's `subnet.env` of one node. */
export interface FlannelSubnet {
  readonly node?: string;
  readonly networks: readonly Prefix[];
  /** The node's own, with the address of the bridge in it. */
  readonly subnets: readonly Prefix[];
  readonly mtu?: number;
  readonly ipMasq?: boolean;
  readonly origin: Origin;
}

/** flannel's `net-conf.json`. */
export interface FlannelNetwork {
  readonly networks: readonly Prefix[];
  readonly backend?: string;
  readonly vni?: number;
  readonly port?: number;
  readonly directRouting?: boolean;
  readonly origin: Origin;
}

export interface KubernetesObjects {
  readonly nodes: readonly KubernetesNode[];
  readonly pods: readonly KubernetesPod[];
  /** Somebody picked them (by a label, by name, by grep): what the list lacks may be there all the same. */
  readonly partialPods?: true;
  readonly services: readonly KubernetesService[];
  readonly endpoints: readonly KubernetesEndpoints[];
  /** A list of endpoints was shown that is empty. */
  readonly noEndpoints?: true;
  readonly networkPolicies: readonly KubernetesNetworkPolicy[];
  readonly kubeProxyConfigs: readonly KubeProxyConfig[];
  readonly ipPools: readonly CalicoIpPool[];
  /** The ranges ClusterIPs are taken from (ServiceCIDR objects); absent: nobody showed them. */
  readonly serviceCidrs?: readonly string[];
  readonly flannelNetworks: readonly FlannelNetwork[];
  readonly flannelSubnets: readonly FlannelSubnet[];
  /** What the configuration of a network plugin says that is not walked. */
  readonly otherDatapaths?: readonly OtherDatapath[];
}

export const NO_OBJECTS: KubernetesObjects = {
  nodes: [],
  pods: [],
  services: [],
  endpoints: [],
  networkPolicies: [],
  kubeProxyConfigs: [],
  ipPools: [],
  flannelNetworks: [],
  flannelSubnets: [],
};
