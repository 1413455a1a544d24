import { text } from "../../../messages/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs } from "../../scene.ts";

export const ipv6On: Remedy = {
  code: "IPV6_ON",
  cures: ["IPV6_DISABLED"],
  propose: ({ leg, stack }) => {
    if (!isOurs(stack) || leg.decision.kind !== "ipv6-disabled") return [];
    const { device } = leg.decision;
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
