import { annotated, annotation, isOn, onCloud, type Provider } from "./provider.ts";

/** A CLB keeps the client's address; it sends to node ports or, with direct access, to the pods' own cards. */
export const tencent: Provider = (service, cluster) => {
  const basis =
    annotated(
      service,
      "service.cloud.tencent.com/",
      "service.kubernetes.io/qcloud-",
      "service.kubernetes.io/tke-",
      "service.kubernetes.io/loadbalance-id",
    ) ?? onCloud(service, cluster, /^qcloud:\/\//);
  if (basis === undefined) return undefined;
  const pods = isOn(annotation(service, "service.cloud.tencent.com/direct-access")) === true;
  const internal = annotation(service, "service.kubernetes.io/qcloud-loadbalancer-internal-subnetid") !== undefined;
  return {
    provider: `a Tencent Cloud CLB with ${pods ? "pods" : "nodes"} as targets${internal ? ", internal" : ""}`,
    told: basis,
    forwarding: pods ? "pods" : "nat",
    preserveClient: true,
    internal,
  };
};
