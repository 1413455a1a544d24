import { text } from "../../../messages/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { command } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, lastOf } from "../../scene.ts";

export const linkUp: Remedy = {
  code: "LINK_UP",
  cures: ["LINK_DOWN"],
  propose: ({ leg, stack, findings }) => {
    const told = [...leg.origins, ...findings.flatMap((f) => (f.code === "LINK_DOWN" ? f.evidence : []))];
    const named = stack?.devices.items.find((d) => d.up === false && told.includes(d.origin));
    const at = lastOf(leg.steps.filter((s) => s.kind === "receive" || s.kind === "transmit"));
    const last = at?.kind === "receive" || at?.kind === "transmit" ? at.device : undefined;
    const device = named ?? stack?.devices.items.find((d) => d.name === last);
    if (!isOurs(stack) || device?.up !== false) return [];
    return [
      {
        code: "LINK_UP",
        summary: text("fix.link_up", { device: device.name, stack: stack.name }),
        commands: [command(stack.name, ["ip", "link", "set", "dev", nameWord(device.name), "up"])],
      },
    ];
  },
};
