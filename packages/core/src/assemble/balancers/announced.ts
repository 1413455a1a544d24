import type { KubernetesPod } from "../../model/index.ts";
import { annotated, type Cluster, type Habits, ofClass, once, type Provider } from "./provider.ts";

const podNamed = ({ pods }: Cluster, pattern: RegExp, namespace?: string): string | undefined => {
  const fits = (p: KubernetesPod) => pattern.test(p.name) && (namespace === undefined || p.namespace === namespace);
  const pod = once(pods, `${pattern.source} ${namespace}`, () => pods.find(fits));
  return pod === undefined ? undefined : `pod ${pod.namespace}/${pod.name}`;
};

/** An address that nodes announce themselves: whoever hears them sends to the node that has it at the time. */
const announced = (provider: string, basis: string | undefined, oneAtATime: boolean): Habits | undefined =>
  basis === undefined
    ? undefined
    : { provider, told: basis, forwarding: "passthrough", preserveClient: true, oneAtATime };

/** Layer 2 unless told: one speaker answers ARP. With BGP routers spread over all that announce. */
export const metallb: Provider = (service, cluster) =>
  announced(
    "MetalLB in layer 2 mode",
    annotated(service, "metallb.universe.tf/", "metallb.io/") ??
      ofClass(service, /metallb/) ??
      (service.loadBalancerClass === undefined ? podNamed(cluster, /speaker/, "metallb-system") : undefined),
    true,
  );

export const kubeVip: Provider = (service, cluster) =>
  announced(
    "kube-vip in ARP mode",
    annotated(service, "kube-vip.io/") ??
      ofClass(service, /^kube-vip\.io\//) ??
      (service.loadBalancerClass === undefined ? podNamed(cluster, /^kube-vip-/) : undefined),
    true,
  );

export const cilium: Provider = (service) => {
  const bgp = ofClass(service, /^io\.cilium\/bgp/);
  const ground =
    bgp ?? ofClass(service, /^io\.cilium\//) ?? annotated(service, "lbipam.cilium.io/", "io.cilium/lb-ipam");
  return announced(`Cilium's announcement by ${bgp === undefined ? "ARP" : "BGP"}`, ground, bgp === undefined);
};
