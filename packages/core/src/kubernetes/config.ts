import type { KubeProxyConfig, Origin } from "../model/index.ts";
import type { Family } from "../net/index.ts";
import type { FeatureGates } from "./feature-gates.ts";
import { firstCidr, type LocalDetector, NO_DETECTOR } from "./local-detector.ts";

export type ProxyMode = "iptables" | "ipvs" | "nftables" | "userspace" | "kernelspace" | "unknown";

/** KubeProxyConfiguration with every default filled in. */
export interface ProxyConfig {
  readonly mode: ProxyMode;
  readonly detectLocal: DetectLocal;
  readonly masqueradeAll: boolean;
  /** 1 << masqueradeBit. */
  readonly masqueradeMark: number;
  /** MASQUERADE --random-fully: since 1.16 wherever the iptables binary knows it (1.6.2), always since 1.37. */
  readonly randomFully: boolean;
  /** CIDRs, or the one word `primary`. Empty: every address of the node. */
  readonly nodePortAddresses: readonly string[];
  /** The ranges ClusterIPs are taken from, where somebody showed them (ServiceCIDR objects). */
  readonly serviceCidrs?: readonly string[];
  readonly localhostNodePorts: boolean;
  readonly ipvsScheduler: string;
  readonly excludeCidrs: readonly string[];
  readonly strictArp: boolean;
  /** nf_conntrack_tcp_be_liberal is set: kube-proxy then lets INVALID packets pass. */
  readonly conntrackTcpBeLiberal: boolean;
  /** The nfacct counters that kube-proxy could make; the rules that count are left out for others. */
  readonly nfacctCounters: readonly string[];
  readonly featureGates: FeatureGates;
  /** What its node is called, where that is not the host's name. */
  readonly hostnameOverride?: string;
  readonly bindAddress?: string;
  /** Absent: nobody showed a configuration. */
  readonly origin?: Origin;
}

export type DetectLocal =
  | { readonly mode: "ClusterCIDR"; readonly clusterCidrs: readonly string[] }
  | { readonly mode: "NodeCIDR" }
  | { readonly mode: "BridgeInterface"; readonly bridge: string }
  | { readonly mode: "InterfaceNamePrefix"; readonly prefix: string }
  | { readonly mode: "none" };

export const DEFAULT_CONFIG: ProxyConfig = {
  mode: "iptables",
  detectLocal: { mode: "none" },
  masqueradeAll: false,
  masqueradeMark: 1 << 14,
  randomFully: true,
  nodePortAddresses: [],
  localhostNodePorts: true,
  ipvsScheduler: "rr",
  excludeCidrs: [],
  strictArp: false,
  conntrackTcpBeLiberal: false,
  nfacctCounters: [],
  featureGates: {},
};

const MODES: readonly ProxyMode[] = ["iptables", "ipvs", "nftables", "userspace", "kernelspace"];

function modeOf(text: string | undefined): ProxyMode {
  if (text === undefined || text === "") return "iptables";
  return MODES.find((m) => m === text.toLowerCase()) ?? "unknown";
}

function detectLocalOf(config: KubeProxyConfig): DetectLocal {
  switch (config.detectLocalMode) {
    case "NodeCIDR":
      return { mode: "NodeCIDR" };
    case "BridgeInterface":
      return config.bridgeInterface === undefined
        ? { mode: "none" }
        : { mode: "BridgeInterface", bridge: config.bridgeInterface };
    case "InterfaceNamePrefix":
      return config.interfaceNamePrefix === undefined
        ? { mode: "none" }
        : { mode: "InterfaceNamePrefix", prefix: config.interfaceNamePrefix };
    default:
      return config.clusterCidrs.length === 0
        ? { mode: "none" }
        : { mode: "ClusterCIDR", clusterCidrs: config.clusterCidrs };
  }
}

/** kube-proxy does not start with a bit that is none. */
const markOf = (bit: number | undefined): number | undefined =>
  bit !== undefined && Number.isInteger(bit) && bit >= 0 && bit < 32 ? (1 << bit) >>> 0 : undefined;

/** What was not said is as kube-proxy defaults it (pkg/proxy/apis/config/v1alpha1/defaults.go). */
export function proxyConfigOf(config: KubeProxyConfig | undefined): ProxyConfig {
  if (config === undefined) return DEFAULT_CONFIG;
  const d = DEFAULT_CONFIG;
  return {
    ...d,
    mode: modeOf(config.mode),
    detectLocal: detectLocalOf(config),
    masqueradeAll: config.masqueradeAll ?? d.masqueradeAll,
    masqueradeMark: markOf(config.masqueradeBit) ?? d.masqueradeMark,
    nodePortAddresses: config.nodePortAddresses,
    localhostNodePorts: config.localhostNodePorts ?? d.localhostNodePorts,
    ipvsScheduler: config.ipvsScheduler ?? d.ipvsScheduler,
    excludeCidrs: config.excludeCidrs,
    strictArp: config.strictArp ?? d.strictArp,
    conntrackTcpBeLiberal: config.conntrackTcpBeLiberal ?? d.conntrackTcpBeLiberal,
    featureGates: config.featureGates ?? d.featureGates,
    ...(config.hostnameOverride === undefined ? {} : { hostnameOverride: config.hostnameOverride }),
    ...(config.bindAddress === undefined ? {} : { bindAddress: config.bindAddress }),
    origin: config.origin,
  };
}

export function detectorOf(detect: DetectLocal, podCidrs: readonly string[], family: Family): LocalDetector {
  switch (detect.mode) {
    case "none":
      return NO_DETECTOR;
    case "ClusterCIDR":
      return firstCidr(detect.clusterCidrs, family);
    case "NodeCIDR":
      return firstCidr(podCidrs, family);
    case "BridgeInterface":
      return { kind: "interface", name: detect.bridge };
    case "InterfaceNamePrefix":
      return { kind: "interface", name: `${detect.prefix}+` };
  }
}
