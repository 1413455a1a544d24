import { disabledHolder } from "../../../explain/index.ts";
import { text } from "../../../messages/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs } from "../../scene.ts";

export const ipv6On: Remedy = {
  code: "IPV6_ON",
  cures: ["IPV6_DISABLED"],
  propose: ({ leg, stack: here, world }) => {
    const { decision } = leg;
    const held = decision.kind === "no-neighbour" ? disabledHolder(world.stacks, decision.address) : undefined;
    const device = decision.kind === "ipv6-disabled" ? decision.device : held?.device;
    const stack = held?.stack ?? here;
    if (!isOurs(stack) || device === undefined) return [];
    const key = `net.ipv6.conf.${nameWord(device).replaceAll(".", "/")}.disable_ipv6`;
    return [
      {
        code: "IPV6_ON",
        summary: text("fix.ipv6_on", { stack: stack.name, device }),
        commands: [sysctl(stack.name, key, 0)],
      },
    ];
  },
};
