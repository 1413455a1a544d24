import { text } from "../../../messages/index.ts";
import { formatAddress } from "../../../net/index.ts";
import type { Cause } from "../../cause.ts";

/** A source port that is used again finds the connection IPVS remembers, whose real server is drained or gone. */
export const ipvsConnReuseWalked: Cause = {
  codes: ["IPVS_CONN_REUSE"],
  detect: ({ leg }) => {
    if (leg.drop !== "IPVS_STALE_CONNECTION" && leg.drop !== "IPVS_SERVER_REMOVED") return [];
    const address = formatAddress(leg.final.dst);
    const summary =
      leg.drop === "IPVS_SERVER_REMOVED"
        ? text("cause.ipvs_conn_reuse.removed", { address })
        : text("cause.ipvs_conn_reuse.stale", { address });
    return [
      { code: "IPVS_CONN_REUSE", summary, stack: leg.stack, evidence: leg.origins, most: "inferred", root: true },
    ];
  },
};
