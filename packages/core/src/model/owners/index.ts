import { isKubeletChain, isKubeName, isKubeRouterChain, proxyChain } from "./kube-proxy.ts";

export * from "./kube-proxy.ts";
export * from "./kube-proxy-set.ts";
export * from "./other-datapaths.ts";
export * from "./rule-comment.ts";
export * from "./tables-of-chain.ts";

/** Who programmes netfilter on a node. */
export type Owner =
  | "kube-proxy"
  | "kubelet"
  | "kube-router"
  | "calico"
  | "weave"
  | "flannel"
  | "cilium"
  | "cni"
  | "docker"
  | "firewalld"
  | "ufw"
  | "istio";

const BY_NAME: readonly (readonly [RegExp, Owner])[] = [
  [/^(?:cali|felix)-/, "calico"],
  [/^WEAVE(?:-|$)/, "weave"],
  [/^FLANNEL-/, "flannel"],
  [/^(?:OLD_)?CILIUM_/, "cilium"],
  [/^CNI-/, "cni"],
  [/^DOCKER(?:-|$)/, "docker"],
  [
    /^(?:FWD[IO]?|IN|POST|PRE)_|^(?:INPUT|FORWARD|PREROUTING|POSTROUTING|OUTPUT)_(?:direct|ZONES|POLICIES)/,
    "firewalld",
  ],
  [/^ufw6?-/, "ufw"],
  [/^ISTIO_/, "istio"],
];

/** Whose chain it is, by its name; undefined where nobody known calls chains so. */
export function ownerOfChain(name: string): Owner | undefined {
  if (isKubeletChain(name)) return "kubelet";
  if (isKubeRouterChain(name)) return "kube-router";
  if (proxyChain(name) !== undefined) return "kube-proxy";
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
}

/** Docker promises to leave this chain to others. */
export const DOCKER_USER = "DOCKER-USER";
export const isDockerIsolation = (chain: string): boolean => chain.startsWith("DOCKER-ISOLATION");

/** Chains that enforce NetworkPolicy. */
export const isPolicyChain = (name: string): boolean => {
  const owner = ownerOfChain(name);
  return owner === "calico" || owner === "kube-router" || name.startsWith("WEAVE-NPC");
};

/** Calico's chains of a pod's interface or of a policy say which way the packet goes: to the workload, or from it. */
export const calicoWay = (chain: string): "Ingress" | "Egress" | undefined =>
  /^cali-(?:tw|pi|pri)-/.test(chain) ? "Ingress" : /^cali-(?:fw|po|pro)-/.test(chain) ? "Egress" : undefined;
export const isCalicoPolicyChain = (chain: string): boolean => /^cali-p[io]-/.test(chain);

/** Where flanneld masquerades. */
export const FLANNEL_CHAIN = "FLANNEL-POSTRTG";

/** flannel names its VXLAN device after the VNI. */
export const isFlannelVxlan = (name: string): boolean => /^flannel\.\d{1,8}$/.test(name);

/** Whose set it is, by its name. */
export const ownerOfSet = (name: string): "kube-proxy" | "calico" | undefined =>
  isKubeName(name) ? "kube-proxy" : name.startsWith("cali") ? "calico" : undefined;

/** Devices that Calico makes for its pods. */
export const isCalicoDevice = (name: string): boolean => name.startsWith("cali");
export const isCalicoVxlan = (name: string): boolean =>
  name.startsWith("vxlan.calico") || name.startsWith("vxlan-v6.calico");

/**
 * CNI plugins call a pod's own chains after a hash of its container, Calico after the device of the pod, or after a part of the names of some: another
 * one says nothing else. Undefined: it is no such name.
 */
export const stemOfPodChain = (name: string): string | undefined =>
  /^(CNI-(?:DN-|SN-)?)[0-9a-f]{16,}$/.exec(name)?.[1] ??
  /^(cali-(?:fw|tw|sm|(?:from|to)-wl-dispatch)-)\S+$/.exec(name)?.[1];

/** Whether a text of rules has chains that are called so. */
export const hasPodChains = (text: string): boolean => /(?<![\w-])(?:CNI-|cali-)/.test(text);

/** The same hash, and the container's, as their comments say it; and that of each rule of Calico, which says nothing but what stands there. */
export const withoutContainerIds = (comment: string): string =>
  comment.replace(/\b[0-9a-f]{16,64}\b/g, "").replace(/^"cali:[\w-]{16}"$/, '"cali:"');
