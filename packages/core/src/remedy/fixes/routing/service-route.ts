import { text } from "../../../messages/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { familyOf, formatAddress } from "../../../net/index.ts";
import { command, host } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, stackOf, stepsOf } from "../../scene.ts";

/** The source is chosen by the route of the called address: give that address the route its endpoints have. */
export const serviceRoute: Remedy = {
  code: "SERVICE_ROUTE",
  cures: ["SRC_SELECTION_MULTI_NIC", "MASQ_MISSING_NODE_TO_POD"],
  propose: ({ branch, world, question }) => {
    const stack = stackOf(world, question.client);
    const again = stepsOf(branch.request, "route").find((s) => s.stack === stack?.name && s.lookup === "reroute");
    if (!isOurs(stack) || again?.device === undefined || question.bindAddress !== undefined) return [];
    const device = stack.devices.items.find((d) => d.name === again.device);
    const source = device?.addresses.find(
      (a) => familyOf(a.prefix.address) === familyOf(question.to) && a.scope === "global",
    );
    if (device === undefined || source === undefined) return [];
    const address = formatAddress(question.to);
    const via = again.gateway === undefined ? [] : ["via", formatAddress(again.gateway)];
    const words = ["dev", nameWord(device.name), "src", formatAddress(source.prefix.address)];
    return [
      {
        code: "SERVICE_ROUTE",
        summary: text("fix.service_route", { address, device: device.name, stack: stack.name }),
        commands: [command(stack.name, ["ip", "route", "add", host(question.to), ...via, ...words])],
      },
    ];
  },
};
