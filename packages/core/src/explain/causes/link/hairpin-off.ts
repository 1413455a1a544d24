import { text } from "../../../messages/index.ts";
import { argv, arrivalOf, type Cause, on, stackOf } from "../../cause.ts";

/** A pod calls itself through a Service on a bridge: the frame may not go back out of the port it came in by. */
export const hairpinOff: Cause = {
  codes: ["HAIRPIN_OFF"],
  detect: ({ leg, world }) => {
    if (leg.drop !== "BRIDGE_INGRESS_PORT") return [];
    const devices = stackOf(world, leg.stack)?.devices.items ?? [];
    const port = devices.find((d) => leg.origins.includes(d.origin) && d.master !== undefined);
    // The port of a pod nobody dumped is as those of its bridge that were shown.
    const alike = devices.filter((d) => d.master === port?.master && d.port?.hairpin === false);
    const name = port?.name ?? arrivalOf(leg) ?? "?";
    return [
      {
        code: "HAIRPIN_OFF",
        summary: text("cause.hairpin_off", { port: name }),
        stack: leg.stack,
        evidence: [
          ...[port, ...alike].flatMap((d) => d?.port?.hairpinOrigin ?? []),
          ...leg.origins,
          ...alike.map((d) => d.origin),
        ],
        ...(port !== undefined && { without: [on(leg.stack, argv`bridge link set dev ${port.name} hairpin on`)] }),
        root: true,
      },
    ];
  },
};
