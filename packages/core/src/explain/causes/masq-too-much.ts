import { text } from "../../messages/index.ts";
import { formatAddress } from "../../net/index.ts";
import { type Cause, on, stepsOf } from "../cause.ts";

/** A masquerade that was not needed draws the answer to the node itself, which then refuses its own address. */
export const masqTooMuch: Cause = {
  codes: ["MASQ_TOO_MUCH"],
  detect: ({ leg, branch, direction }) => {
    if (leg.drop !== "IP_LOCAL_SOURCE" || direction !== "reply") return [];
    const masked = stepsOf(branch.request, "nat").find((s) => s.manip === "source" && s.stack === leg.stack);
    if (masked === undefined) return [];
    const [src, dst] = [formatAddress(masked.before.src), formatAddress(masked.before.dst)];
    return [
      {
        code: "MASQ_TOO_MUCH",
        summary: text("cause.masq_too_much.loop", { stack: leg.stack }),
        stack: leg.stack,
        evidence: masked.origin === undefined ? [] : [masked.origin],
        without: [on(leg.stack, `iptables -t nat -I POSTROUTING -s ${src}/32 -d ${dst}/32 -j ACCEPT`)],
        root: true,
      },
    ];
  },
};
