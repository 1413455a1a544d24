import { text } from "../../../messages/index.ts";
import { type Cause, stackOf, stepsOf } from "../../cause.ts";

/** The load balancer picks as its target the very node that called it, and keeps the source. */
export const lbLoopback: Cause = {
  codes: ["LB_LOOPBACK"],
  detect: ({ leg, direction, question, world }) => {
    if (leg.drop !== "IP_LOCAL_SOURCE" || direction !== "request") return [];
    const looped = stepsOf(leg, "link").find((s) => s.balancer !== undefined);
    const home = question.client === leg.stack || stackOf(world, question.client)?.node === leg.stack;
    if (looped === undefined || !home) return [];
    const balancer = world.loadBalancers.find((b) => b.address === looped.balancer);
    const summary = text("cause.lb_loopback", { stack: leg.stack });
    const evidence = balancer === undefined ? [] : [balancer.origin];
    return [{ code: "LB_LOOPBACK", summary, stack: leg.stack, evidence, root: true }];
  },
};
