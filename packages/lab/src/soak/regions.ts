import { formatAddress } from "@hairpin/core/net/index.ts";
import { type Held, heldTo } from "@hairpin/core/trace/alike/held.ts";
import type { Scenario } from "./scenario.ts";

/** What an answer says of the packets for which it holds, put to the walk: the first connection of a scenario, in its World as it was drawn. */
export function regionsOf({ world, steps }: Scenario, where: number): Held {
  for (const step of steps) {
    if (step.kind !== "connect" && step.kind !== "udp") continue;
    const { stack, to, port, kind } = step;
    const proto = kind === "udp" ? "udp" : "tcp";
    return heldTo(world, { from: `stack/${stack}`, to: formatAddress(to), port, proto }, where);
  }
  return { asked: 0, otherwise: [] };
}
