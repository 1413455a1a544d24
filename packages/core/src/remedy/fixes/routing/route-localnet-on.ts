import { refusedLocalnet } from "../../../explain/index.ts";
import { text } from "../../../messages/index.ts";
import { confKeyOf, sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, lastOf, stepsOf } from "../../scene.ts";

/** Addresses in 127/8 may leave and enter by this device. */
export const routeLocalnetOn: Remedy = {
  code: "ROUTE_LOCALNET_ON",
  cures: ["ROUTE_LOCALNET"],
  propose: ({ leg, stack }) => {
    const arrived = lastOf(stepsOf(leg, "receive").filter((s) => s.stack === leg.stack))?.device;
    const device =
      refusedLocalnet(leg, stack) ??
      arrived ??
      lastOf(stepsOf(leg, "route").filter((s) => s.stack === leg.stack))?.device;
    if (!isOurs(stack) || device === undefined) return [];
    return [
      {
        code: "ROUTE_LOCALNET_ON",
        summary: text("fix.route_localnet_on", { device, stack: stack.name }),
        commands: [sysctl(stack.name, confKeyOf(device, "route_localnet"), 1)],
        notes: [text("cost.route_localnet", { device })],
      },
    ];
  },
};
