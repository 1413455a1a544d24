import { text } from "../../../messages/index.ts";
import { shell } from "../../../model/shell.ts";
import type { Look, Sign } from "../../sign.ts";
import { delivers, suspect } from "../claim.ts";
import { serviceOf } from "./service-of.ts";

/**
 * The objects show a Service of which no endpoint is ready. Guards: a list that was cut, or no list at all, shows nothing; a Service
 * without selector may have endpoints nobody showed; the walk's own word goes first.
 */
export const noEndpointsObjects: Sign = {
  codes: ["NO_ENDPOINTS"],
  detect: (look) => {
    const query = serviceOf(look);
    if (query === undefined || query.endpoints.length === 0) return [];
    const { service, endpoints } = query;
    if (service.type === "ExternalName" || endpoints.some((e) => e.cut === true)) return [];
    const ready = endpoints.some((e) => e.endpoints.some((x) => x.ready || x.serving) && e.family !== "FQDN");
    if (ready || service.publishNotReadyAddresses === true) return [];
    const name = `${service.namespace}/${service.name}`;
    return [
      suspect({
        code: "NO_ENDPOINTS",
        stack: refuser(look) ?? look.question.client,
        certainty: delivers(look) ? "possible" : "inferred",
        summary: text("cause.no_endpoints.objects", { service: name }),
        evidence: [service.origin, ...endpoints.map((e) => e.origin)],
        step: "endpoints",
        check: {
          text: text("check.endpoints", { service: name }),
          command: shell`kubectl -n ${service.namespace} get endpointslices -l kubernetes.io/service-name=${service.name}`,
        },
      }),
    ];
  },
};

/** The stack whose rules refuse the packet: what is claimed there by the walk is the same. */
const refuser = ({ exploration }: Look): string | undefined =>
  exploration.branches.find((b) => b.request.drop === "NETFILTER_DROP")?.request.stack;
