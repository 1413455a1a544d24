import type { KubernetesEndpoints, KubernetesService, ServicePort } from "../../../model/index.ts";
import type { Look } from "../../sign.ts";

export interface QuestionedService {
  readonly service: KubernetesService;
  readonly port: ServicePort;
  /** What was shown of its endpoints. */
  readonly endpoints: readonly KubernetesEndpoints[];
}

/** The Service object whose address and port were asked for. */
export function serviceOf({ question, world }: Look): QuestionedService | undefined {
  for (const service of world.kubernetes.services) {
    const addresses = [...service.clusterIps, ...service.externalIps, ...service.loadBalancerIps];
    const own = addresses.some((a) => a === question.to);
    const port = service.ports.find(
      (p) => p.protocol === question.protocol && (own ? p.port === question.port : p.nodePort === question.port),
    );
    if (port === undefined) continue;
    const endpoints = world.kubernetes.endpoints.filter(
      (e) => e.namespace === service.namespace && (e.service ?? e.name) === service.name,
    );
    return { service, port, endpoints };
  }
  return undefined;
}
