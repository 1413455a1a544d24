import { text } from "../../../messages/index.ts";
import { formatAddress } from "../../../net/index.ts";
import { argv, type Cause, lastOf, on, stepsOf } from "../../cause.ts";

/** A persistence template keeps sending one client to a server that was taken out of service. */
export const ipvsPersistenceStale: Cause = {
  codes: ["IPVS_PERSISTENCE_STALE"],
  detect: ({ branch, leg }) => {
    const balanced = lastOf(stepsOf(branch.request, "ipvs"));
    if (leg !== branch.request || leg.drop !== "FABRIC_NO_OWNER" || balanced?.drained !== true) return [];
    return [
      {
        code: "IPVS_PERSISTENCE_STALE",
        summary: text("cause.ipvs_persistence_stale", { address: formatAddress(leg.final.dst) }),
        stack: balanced.stack,
        evidence: balanced.origins,
        without: [on(balanced.stack, argv`sysctl -w net.ipv4.vs.expire_quiescent_template=1`)],
        root: true,
      },
    ];
  },
};
