import { text } from "../../../messages/index.ts";
import { formatAddress, PROTO } from "../../../net/index.ts";
import type { Leg } from "../../../trace/index.ts";
import { type Cause, on, type Scene, stackOf } from "../../cause.ts";
import { withoutRule } from "../netfilter/netfilter-drop.ts";
import { droppingRule } from "../rules/dropping-rule.ts";

/** ICMPv6 packet too big. */
const tellsOfMtu = ({ final: { protocol, icmp } }: Leg): boolean => protocol === PROTO.icmp6 && icmp?.type === 2;

/** The error that would have told the sender how large its packets may be, and that a rule dropped on its way. */
export const filteredError = ({ branch, leg }: Pick<Scene, "branch" | "leg">): Leg | undefined =>
  leg.drop !== "PKT_TOO_BIG"
    ? undefined
    : branch.aftermath.find(
        (e) =>
          e.drop === "NETFILTER_DROP" &&
          tellsOfMtu(e) &&
          e.final.icmp?.inner?.dst === leg.final.dst &&
          (e.decision.kind === "in-chain" || e.decision.kind === "policy-of"),
      );

/** A path that is narrower than its ends is found out by errors alone: nobody on the way cuts an IPv6 packet (RFC 4890 4.3.1). */
export const pmtuFiltered: Cause = {
  codes: ["PMTU_FILTERED"],
  detect: (scene) => {
    const { leg, world } = scene;
    const error = filteredError(scene);
    if (error === undefined) return [];
    const place = droppingRule(stackOf(world, error.stack), error.decision);
    return [
      {
        code: "PMTU_FILTERED",
        summary: text("cause.pmtu_filtered", {
          stack: error.stack,
          router: leg.stack,
          sender: formatAddress(leg.final.src),
        }),
        stack: error.stack,
        evidence: error.origins,
        ...(place !== undefined && { without: [on(error.stack, withoutRule(place))] }),
        root: true,
      },
    ];
  },
};
