import { annotated, annotation, ofClass, onCloud, type Provider } from "./provider.ts";

/** Google's balancers of layer 4 hand packets on as they are: a node gets them for the balancer's own address. */
export const google: Provider = (service, cluster) => {
  const basis =
    ofClass(service, /^networking\.gke\.io\//) ??
    annotated(
      service,
      "networking.gke.io/load-balancer",
      "cloud.google.com/load-balancer-type",
      "cloud.google.com/l4-rbs",
    ) ??
    onCloud(service, cluster, /^gce:\/\//);
  if (basis === undefined) return undefined;
  const kind = annotation(service, "networking.gke.io/load-balancer-type", "cloud.google.com/load-balancer-type");
  const internal = kind?.toLowerCase() === "internal" || service.loadBalancerClass?.endsWith("internal") === true;
  return {
    provider: `a Google passthrough Network Load Balancer${internal ? ", internal" : ""}`,
    told: basis,
    forwarding: "passthrough",
    preserveClient: true,
    failsOpen: true,
    internal,
  };
};
