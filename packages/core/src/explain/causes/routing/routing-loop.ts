import { text } from "../../../messages/index.ts";
import { formatAddress } from "../../../net/index.ts";
import { type Cause, stepsOf } from "../../cause.ts";

/** The packet goes round until its TTL runs out: two stacks each take the other for the way. */
export const routingLoop: Cause = {
  codes: ["ROUTING_LOOP"],
  detect: ({ leg }) => {
    if (leg.drop !== "TTL_EXPIRED" && leg.drop !== "LOOP") return [];
    const routes = stepsOf(leg, "route").slice(-2);
    const stacks = [...new Set(routes.map((s) => s.stack))];
    const summary = text("cause.routing_loop", { stacks, address: formatAddress(leg.final.dst) });
    const evidence = routes.flatMap((s) => s.origins);
    return [{ code: "ROUTING_LOOP", summary, stack: leg.stack, evidence, root: true }];
  },
};
