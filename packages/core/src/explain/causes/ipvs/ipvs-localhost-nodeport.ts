import { text } from "../../../messages/index.ts";
import { isLoopback } from "../../../net/index.ts";
import type { Cause } from "../../cause.ts";

export const ipvsLocalhost: Cause = {
  codes: ["IPVS_LOCALHOST_NODEPORT"],
  detect: ({ leg }) => {
    if (leg.drop !== "IPVS_DROP" || !isLoopback(leg.final.src)) return [];
    const summary = text("cause.ipvs_localhost_nodeport");
    return [{ code: "IPVS_LOCALHOST_NODEPORT", summary, stack: leg.stack, evidence: leg.origins, root: true }];
  },
};
