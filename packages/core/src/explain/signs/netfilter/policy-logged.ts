import { partOf } from "../../../evidence/index.ts";
import { text } from "../../../messages/index.ts";
import { formatAddress } from "../../../net/index.ts";
import type { Sign } from "../../sign.ts";
import { suspect } from "../claim.ts";

/**
 * The network plugin's own word that its policy stopped a packet of the asked flow (Weave's NPC, Cilium's monitor). No rule needs to have been shown for it. Guard:
 * another client's packet is a suspicion only.
 */
export const policyLogged: Sign = {
  codes: ["NETWORK_POLICY_DROP"],
  detect: ({ observations, flow }) => {
    const claims = observations.serviceLines.flatMap(({ event, place, origin }) => {
      if (event?.what !== "policy-denied") return [];
      const { src, dst, sport, dport, protocol } = event;
      const part = partOf(flow, { src, dst, sport, dport, protocol });
      if (part === undefined) return [];
      return [
        suspect({
          code: "NETWORK_POLICY_DROP",
          stack: place.node,
          certainty: part.own ? "inferred" : "possible",
          direction: part.way,
          summary: text("cause.network_policy_drop.logged", { from: formatAddress(src), to: formatAddress(dst) }),
          evidence: [origin],
          step: "network policy",
          check: { text: text("check.policies"), command: "kubectl get networkpolicies -A -o yaml" },
        }),
      ];
    });
    return [...claims.filter((c) => c.certainty === "inferred"), ...claims].slice(0, 1);
  },
};
