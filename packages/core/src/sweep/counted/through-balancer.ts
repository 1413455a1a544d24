import { type Flow, THROUGH_BALANCER } from "../plan.ts";
import type { Counted } from "./pairs.ts";
import type { Places, TargetClass } from "./places.ts";
import { allOf } from "./spread.ts";

/** Somebody outside, by the load balancer: one flow to each of its addresses. */
export function* throughBalancer(places: Places, targets: readonly TargetClass[]): Generator<Counted> {
  const from = { from: places.isFrom(THROUGH_BALANCER), node: false, namespace: false };
  for (const target of targets) {
    if (!places.wants(from, target)) continue;
    const flow: Flow = { source: THROUGH_BALANCER, target: target.at(undefined) };
    yield {
      key: `${THROUGH_BALANCER.kind} ${target.token}`,
      count: 1,
      example: flow,
      nodes: [allOf("", 1)],
      addresses: [allOf(target.token, 1)],
      members: function* () {
        yield flow;
      },
    };
  }
}
