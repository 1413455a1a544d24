import { text } from "../../../messages/index.ts";
import { shell } from "../../../model/shell.ts";
import { familyOf } from "../../../net/index.ts";
import type { Sign } from "../../sign.ts";
import { delivers, suspect } from "../claim.ts";
import { serviceOf } from "./service-of.ts";

/** The called address is of one family, and all endpoints are of the other. */
export const ipFamilyMismatch: Sign = {
  codes: ["IP_FAMILY_MISMATCH"],
  detect: (look) => {
    const query = serviceOf(look);
    if (query === undefined || query.endpoints.some((e) => e.cut === true)) return [];
    const family = familyOf(look.question.to);
    const ready = query.endpoints.flatMap((e) => e.endpoints.filter((x) => x.ready).flatMap((x) => x.addresses));
    if (ready.length === 0 || ready.some((a) => familyOf(a) === family)) return [];
    const { service, endpoints } = query;
    return [
      suspect({
        code: "IP_FAMILY_MISMATCH",
        root: true,
        stack: look.question.client,
        certainty: delivers(look) ? "possible" : "inferred",
        summary: text("cause.ip_family_mismatch", { service: `${service.namespace}/${service.name}`, family }),
        evidence: [service.origin, ...endpoints.map((e) => e.origin)],
        step: "endpoints",
        check: {
          text: text("check.families"),
          command: shell`kubectl -n ${service.namespace} get service ${service.name} -o jsonpath='{.spec.ipFamilies}'`,
        },
      }),
    ];
  },
};
