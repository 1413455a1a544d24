import { formatAddress } from "../../net/index.ts";
import { type Cause, lastOf, stepsOf } from "../cause.ts";

/** A persistence template keeps sending one client to a server that was taken out of service. */
export const ipvsPersistenceStale: Cause = {
  codes: ["IPVS_PERSISTENCE_STALE"],
  detect: ({ branch, leg }) => {
    const balanced = lastOf(stepsOf(branch.request, "ipvs"));
    if (leg !== branch.request || leg.drop !== "FABRIC_NO_OWNER" || balanced === undefined) return [];
    if (!balanced.decision.includes("persistence template")) return [];
    return [
      {
        code: "IPVS_PERSISTENCE_STALE",
        summary: `a persistence template sends this client to ${formatAddress(leg.final.dst)}, which has weight 0 and may be gone; other clients are not affected`,
        stack: balanced.stack,
        evidence: balanced.origins,
        without: [`${balanced.stack}: sysctl -w net.ipv4.vs.expire_quiescent_template=1`],
        root: true,
      },
    ];
  },
};
