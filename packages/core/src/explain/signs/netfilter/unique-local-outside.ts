import { text } from "../../../messages/index.ts";
import { formatAddress, isGlobalUnicast, isUniqueLocal } from "../../../net/index.ts";
import { lastOf, stepsOf } from "../../cause.ts";
import type { Sign } from "../../sign.ts";
import { suspect } from "../claim.ts";

/**
 * The walk brings a packet with a unique local source to somebody outside whom nobody showed: the Internet does not route such addresses (RFC 4193), so
 * somebody must translate it. Guards: a source that was translated; a fabric that is said to; a pool that says so; destinations that are shown, or local themselves.
 */
export const uniqueLocalOutside: Sign = {
  codes: ["MASQ_MISSING_NAT_OUTGOING"],
  detect: ({ exploration, world, question }) => {
    if (!isGlobalUnicast(question.to) || world.fabric.egressNat !== undefined) return [];
    for (const { request } of exploration.branches) {
      const end = exploration.world.stacks.find((s) => s.name === request.stack);
      const arrives = request.disposition === "delivered" || request.disposition === "forwarded";
      if (!arrives || end?.assumed !== "outside" || request.masqueraded) continue;
      const { src, dst } = request.final;
      if (!isUniqueLocal(src) || !isGlobalUnicast(dst)) continue;
      const node = lastOf(
        stepsOf(request, "transmit").filter((s) => world.stacks.some((k) => k.name === s.stack && k.kind === "node")),
      );
      if (node === undefined) continue;
      return [
        suspect({
          code: "MASQ_MISSING_NAT_OUTGOING",
          stack: node.stack,
          certainty: "possible",
          root: true,
          summary: text("cause.masq_missing_nat_outgoing.leaves", {
            stack: node.stack,
            source: formatAddress(src),
            to: formatAddress(dst),
          }),
          evidence: [],
          step: "nat POSTROUTING",
          check: { text: text("check.masquerade-outgoing"), command: "ip6tables-save -c -t nat" },
        }),
      ];
    }
    return [];
  },
};
