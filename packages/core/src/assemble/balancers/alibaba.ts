import { PROTO } from "../../net/index.ts";
import { annotated, annotation, isOn, ofClass, onCloud, type Provider } from "./provider.ts";

const names = (name: string): readonly string[] => [
  `alibaba-cloud-loadbalancer-${name}`,
  `alicloud-loadbalancer-${name}`,
];

/** A CLB (SLB) keeps the client's address and sends to node ports, or to the pods' own cards; an NLB keeps it if told to. */
export const alibaba: Provider = (service, cluster) => {
  const nlb = ofClass(service, /^alibabacloud\.com\/nlb$/);
  const basis =
    nlb ??
    annotated(service, "alibaba-cloud-loadbalancer-", "alicloud-loadbalancer-") ??
    onCloud(service, cluster, /^(?:alicloud:\/\/|[a-z]{2}-[a-z0-9-]+\.i-)/);
  if (basis === undefined) return undefined;
  const pods = annotation(service, "backend-type")?.toLowerCase() === "eni";
  const udpOnly = service.ports.length > 0 && service.ports.every((p) => p.protocol === PROTO.udp);
  const query = isOn(annotation(service, ...names("preserve-client-ip")));
  const internal = annotation(service, ...names("address-type")) === "intranet";
  return {
    provider: `an Alibaba Cloud ${nlb === undefined ? "CLB" : "NLB"} with ${pods ? "pods" : "nodes"} as targets`,
    told: basis,
    forwarding: pods ? "pods" : "nat",
    preserveClient: nlb === undefined ? true : (query ?? (udpOnly ? true : "?")),
    internal,
  };
};
