import { type Cause, lastOf, on, stepsOf } from "../cause.ts";

/** The reverse path check refused a packet: the place of death of most asymmetric paths. */
export const rpFilterStrict: Cause = {
  codes: ["RP_FILTER_STRICT"],
  detect: ({ leg, direction }) => {
    if (leg.drop !== "IP_RPFILTER") return [];
    const check = lastOf(stepsOf(leg, "source validation"));
    if (check === undefined) return [];
    const key = check.device.replace(/\./g, "/");
    return [
      {
        code: "RP_FILTER_STRICT",
        summary: `the ${direction} is refused by source validation on ${check.stack}: ${check.decision}`,
        stack: leg.stack,
        evidence: check.origins,
        without: [
          on(leg.stack, `sysctl -w net.ipv4.conf.all.rp_filter=0`),
          on(leg.stack, `sysctl -w net.ipv4.conf.${key}.rp_filter=0`),
        ],
        root: false,
      },
    ];
  },
};
