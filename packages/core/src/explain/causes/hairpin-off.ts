import { text } from "../../messages/index.ts";
import { arrivalOf, type Cause, on, stackOf } from "../cause.ts";

/** A pod calls itself through a Service on a bridge: the frame may not go back out of the port it came in by. */
export const hairpinOff: Cause = {
  codes: ["HAIRPIN_OFF"],
  detect: ({ leg, world }) => {
    if (leg.drop !== "BRIDGE_INGRESS_PORT") return [];
    const port = stackOf(world, leg.stack)?.devices.items.find(
      (d) => leg.origins.includes(d.origin) && d.master !== undefined,
    );
    const name = port?.name ?? arrivalOf(leg) ?? "?";
    return [
      {
        code: "HAIRPIN_OFF",
        summary: text("cause.hairpin_off", { port: name }),
        stack: leg.stack,
        evidence: leg.origins,
        ...(port !== undefined && { without: [on(leg.stack, `bridge link set dev ${port.name} hairpin on`)] }),
        root: true,
      },
    ];
  },
};
