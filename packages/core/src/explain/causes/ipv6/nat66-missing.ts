import { text } from "../../../messages/index.ts";
import { formatAddress, formatPrefix, hostPrefix, isUniqueLocal } from "../../../net/index.ts";
import { argv, type Cause, lastOf, on, stackOf, stepsOf } from "../../cause.ts";

const NO_WAY_BACK: ReadonlySet<string> = new Set([
  "IP_INNOROUTES",
  "IP_OUTNOROUTES",
  "NEIGH_FAILED",
  "FABRIC_NO_OWNER",
]);

/** A unique local address (RFC 4193) left the node that it is behind, and whoever got the packet has no way back to it. */
export const nat66Missing: Cause = {
  codes: ["MASQ_MISSING_NAT_OUTGOING"],
  detect: ({ leg, branch, world, question, direction }) => {
    const source = leg.final.dst;
    if (direction !== "reply" || !NO_WAY_BACK.has(leg.drop ?? "") || !isUniqueLocal(source)) return [];
    if (branch.request.masqueraded || branch.request.final.src !== source) return [];
    const out = lastOf(
      stepsOf(branch.request, "transmit").filter(
        (s) => s.stack !== question.client && stackOf(world, s.stack)?.kind === "node",
      ),
    );
    if (out === undefined) return [];
    const words = argv`ip6tables -t nat -A POSTROUTING -s ${formatPrefix(hostPrefix(source))} -o ${out.device} -j MASQUERADE`;
    const at = { stack: out.stack, source: formatAddress(source), to: formatAddress(question.to), where: leg.stack };
    return [
      {
        code: "MASQ_MISSING_NAT_OUTGOING",
        summary: text("cause.masq_missing_nat_outgoing.unique_local", at),
        stack: out.stack,
        evidence: leg.origins,
        without: [on(out.stack, words)],
        needsProof: true,
        root: true,
      },
    ];
  },
};
