import { text } from "../../../messages/index.ts";
import { type Cause, stepsOf } from "../../cause.ts";

/** After the handshake the ports changed: a second pass through conntrack, or a null binding that found its port taken. */
export const natPortRewrite: Cause = {
  codes: ["NAT_PORT_REWRITE"],
  detect: ({ branch, leg }) => {
    if (!branch.data.includes(leg) || leg.drop !== "TCP_UNEXPECTED") return [];
    const moved = stepsOf(leg, "nat").find((s) => s.manip === "source" && s.before.src === s.packet.src);
    if (moved === undefined) return [];
    const summary = text("cause.nat_port_rewrite", { stack: moved.stack });
    return [{ code: "NAT_PORT_REWRITE", summary, stack: leg.stack, evidence: leg.origins, root: true }];
  },
};
