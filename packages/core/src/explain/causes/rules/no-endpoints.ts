import { type Text, text } from "../../../messages/index.ts";
import { type KubernetesPod, type KubernetesService, refusalOf, type ServicePort } from "../../../model/index.ts";
import { type Scene, wayOf } from "../../cause.ts";
import type { RuleCause } from "./dropping-rule.ts";

/** kube-proxy rejects a Service that has no endpoint, and says so in the comment of the rule. */
export const noEndpoints: RuleCause = {
  code: "NO_ENDPOINTS",
  reads: ({ rule }, scene) =>
    refusalOf(rule) === "no-endpoints"
      ? (portNameOf(scene) ?? text("cause.no_endpoints", { direction: wayOf(scene), stack: scene.leg.stack }))
      : undefined,
};

/** Ready pods are selected, and none has a port of the name that targetPort says. */
export function portNameOf({ question, world }: Scene): Text | undefined {
  for (const service of world.kubernetes.services) {
    if (!service.clusterIps.some((a) => a === question.to)) continue;
    const port = service.ports.find((p) => p.port === question.port && p.protocol === question.protocol);
    const pods = world.kubernetes.pods.filter((p) => isSelected(service, p) && p.ready === true);
    const name = port?.targetPort;
    if (port === undefined || typeof name !== "string" || pods.length === 0) return undefined;
    if (pods.some((p) => p.ports === undefined || hasPort(p, name, port))) return undefined;
    return text("cause.no_endpoints.port_name", { service: `${service.namespace}/${service.name}`, port: name });
  }
  return undefined;
}

const hasPort = ({ ports }: KubernetesPod, name: string, { protocol }: ServicePort): boolean =>
  ports?.some((p) => p.name === name && p.protocol === protocol) === true;

function isSelected({ namespace, selector }: KubernetesService, pod: KubernetesPod): boolean {
  const labels = [...Object.entries(selector ?? {})];
  return namespace === pod.namespace && labels.length > 0 && labels.every(([k, v]) => pod.labels?.[k] === v);
}
