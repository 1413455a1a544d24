import { text } from "../../../messages/index.ts";
import { confKeyOf, sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { hasAddress, isOurs, lastOf, stepsOf } from "../../scene.ts";

/** A device without an address takes only what routes back by it at any value but 0, so loose is no help there. */
export const rpFilterOff: Remedy = {
  code: "RP_FILTER_OFF",
  cures: ["RP_FILTER_STRICT"],
  propose: ({ leg, stack }) => {
    const check = lastOf(stepsOf(leg, "source validation"));
    if (!isOurs(stack) || check?.result !== "rp_filter" || hasAddress(stack, check.device)) return [];
    const all = stack.sysctls.get("net.ipv4.conf.all.rp_filter");
    return [
      {
        code: "RP_FILTER_OFF",
        summary: text("fix.rp_filter_off", { device: check.device, stack: stack.name }),
        commands: [
          ...(all?.value === "0" ? [] : [sysctl(stack.name, "net.ipv4.conf.all.rp_filter", 0)]),
          sysctl(stack.name, confKeyOf(check.device, "rp_filter"), 0),
        ],
        notes: [text("cost.rp_filter_off", { device: check.device })],
      },
    ];
  },
};
