import { annotated, annotation, isOn, onCloud, type Provider } from "./provider.ts";

/** Rules are made with a floating IP, so that nodes get packets for the balancer's own address, unless that is switched off. */
export const azure: Provider = (service, cluster) => {
  const basis = annotated(service, "azure-") ?? onCloud(service, cluster, /^azure:\/\//);
  if (basis === undefined) return undefined;
  const plain = isOn(annotation(service, "azure-disable-load-balancer-floating-ip")) === true;
  const internal = isOn(annotation(service, "azure-load-balancer-internal")) === true;
  return {
    provider: `an Azure Load Balancer ${plain ? "without" : "with"} floating IP${internal ? ", internal" : ""}`,
    told: basis,
    forwarding: plain ? "nat" : "passthrough",
    preserveClient: true,
    internal,
  };
};
