import { text } from "../../../messages/index.ts";
import { confKeyOf, sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { hasAddress, isOurs, lastOf, stepsOf } from "../../scene.ts";

/** rp_filter 2 takes what has a route back by any device; the larger of conf.all and the device's own counts. */
export const rpFilterLoose: Remedy = {
  code: "RP_FILTER_LOOSE",
  cures: ["RP_FILTER_STRICT"],
  propose: ({ leg, stack }) => {
    const check = lastOf(stepsOf(leg, "source validation"));
    if (!isOurs(stack) || check?.result !== "rp_filter" || !hasAddress(stack, check.device)) return [];
    return [
      {
        code: "RP_FILTER_LOOSE",
        summary: text("fix.rp_filter_loose", { device: check.device, stack: stack.name }),
        commands: [sysctl(stack.name, confKeyOf(check.device, "rp_filter"), 2)],
        notes: [text("cost.rp_filter_loose", { device: check.device })],
      },
    ];
  },
};
