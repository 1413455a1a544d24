import type { KubernetesService } from "../../model/index.ts";
import { PROTO } from "../../net/index.ts";
import { annotated, annotation, type Habits, hostnamed, isOn, ofClass, onCloud, type Provider } from "./provider.ts";

const CLASS = /^(?:service\.k8s\.aws|eks\.amazonaws\.com)\/nlb$/;
const NLB_NAME = /\.elb\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/;
const CLASSIC_NAME = /\.[a-z0-9-]+\.elb\.amazonaws\.com(?:\.cn)?$/;

/**
 * A classic balancer is a proxy. A network load balancer keeps the client's address where its targets are instances; where they
 * are addresses, for UDP only, unless an attribute of the target group says otherwise.
 */
export const aws: Provider = (service, cluster) => {
  const type = annotation(service, "aws-load-balancer-type");
  const internal =
    annotation(service, "aws-load-balancer-scheme") === "internal" ||
    isOn(annotation(service, "aws-load-balancer-internal")) === true;
  const nlb =
    ofClass(service, CLASS) ??
    (type === undefined ? undefined : `annotation aws-load-balancer-type: ${type}`) ??
    hostnamed(service, NLB_NAME);
  if (nlb !== undefined) return networkBalancer(service, nlb, type, internal);
  const classic =
    hostnamed(service, CLASSIC_NAME) ??
    annotated(service, "aws-load-balancer-") ??
    onCloud(service, cluster, /^aws:\/\//);
  if (classic === undefined) return undefined;
  return {
    provider: "an AWS Classic Load Balancer",
    told: classic,
    forwarding: "nat",
    preserveClient: false,
    internal,
  };
};

function networkBalancer(
  service: KubernetesService,
  basis: string,
  type: string | undefined,
  internal: boolean,
): Habits {
  const wanted = annotation(service, "aws-load-balancer-nlb-target-type");
  const byDefault = type === "nlb-ip" || service.loadBalancerClass?.startsWith("eks.") === true ? "ip" : "instance";
  const targets = (wanted ?? byDefault).replace(/^nlb-/, "");
  const attribute = /(?:^|,)\s*preserve_client_ip\.enabled\s*=\s*(\w+)/.exec(
    annotation(service, "aws-load-balancer-target-group-attributes") ?? "",
  )?.[1];
  const udpOnly = service.ports.length > 0 && service.ports.every((p) => p.protocol === PROTO.udp);
  return {
    provider: `an AWS Network Load Balancer with ${targets === "ip" ? "pods" : "instances"} as targets`,
    told: basis,
    forwarding: targets === "ip" ? "pods" : "nat",
    preserveClient: isOn(attribute) ?? (targets !== "ip" || udpOnly),
    failsOpen: true,
    internal,
  };
}
