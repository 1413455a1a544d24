import { text } from "../../../messages/index.ts";
import { formatAddress } from "../../../net/index.ts";
import { argv, type Cause, hostText, iptablesFor, on, stepsOf } from "../../cause.ts";
import { dropPlace } from "./netfilter-drop.ts";

/**
 * A masquerade that was not needed: it draws the answer to the node itself, which then refuses its own address; or it hides
 * the client from a filter that would let it pass. The second is claimed only if the flow works without it.
 */
export const masqTooMuch: Cause = {
  codes: ["MASQ_TOO_MUCH"],
  detect: (scene) => {
    const { leg, branch, direction, question } = scene;
    const loop = leg.drop === "IP_LOCAL_SOURCE" && direction === "reply";
    const place = loop ? undefined : dropPlace(scene);
    const masked = stepsOf(branch.request, "nat").find(
      (s) =>
        s.manip === "source" && s.origin !== undefined && (loop ? s.stack === leg.stack : s.stack !== question.client),
    );
    if (masked === undefined || (!loop && (place === undefined || direction !== "request"))) return [];
    if (!loop && leg.final.src === masked.before.src) return [];
    const { src: from, dst } = masked.before;
    const src = formatAddress(from);
    const exempt = argv`${iptablesFor(from)} -t nat -I POSTROUTING -s ${hostText(from)} -d ${hostText(dst)} -j ACCEPT`;
    const hidden = { stack: masked.stack, source: src, as: formatAddress(masked.packet.src), filter: leg.stack };
    return [
      {
        code: "MASQ_TOO_MUCH",
        summary: loop ? text("cause.masq_too_much.loop", { stack: leg.stack }) : text("cause.masq_too_much", hidden),
        stack: masked.stack,
        evidence: [...(masked.origin === undefined ? [] : [masked.origin]), ...(loop ? [] : leg.origins)],
        without: [on(masked.stack, exempt)],
        ...(!loop && { needsProof: true }),
        root: true,
      },
    ];
  },
};
