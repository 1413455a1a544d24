import { text } from "../../../messages/index.ts";
import { isIpv4 } from "../../../net/index.ts";
import { confKeyOf, sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, lastOf, stepsOf } from "../../scene.ts";

/** The whole node, or where the node forwards already the one device, passes packets on. */
export const ipForwardOn: Remedy = {
  code: "IP_FORWARD_ON",
  cures: ["IP_FORWARD_OFF"],
  propose: ({ leg, stack }) => {
    if (!isOurs(stack)) return [];
    if (!isIpv4(leg.final.dst))
      return [
        {
          code: "IP_FORWARD_ON",
          summary: text("fix.ip_forward_on", { stack: stack.name }),
          commands: [sysctl(stack.name, "net.ipv6.conf.all.forwarding", 1)],
          notes: [text("cost.forwarding6")],
        },
      ];
    const device = lastOf(stepsOf(leg, "receive").filter((s) => s.stack === stack.name))?.device;
    const own = device === undefined ? undefined : stack.sysctls.get(confKeyOf(device, "forwarding"));
    const global = stack.sysctls.get("net.ipv4.ip_forward") ?? stack.sysctls.get("net.ipv4.conf.all.forwarding");
    const one = device !== undefined && own?.value === "0" && global?.value === "1";
    return [
      {
        code: "IP_FORWARD_ON",
        summary: one
          ? text("fix.ip_forward_on.device", { device, stack: stack.name })
          : text("fix.ip_forward_on", { stack: stack.name }),
        commands: [
          one ? sysctl(stack.name, confKeyOf(device, "forwarding"), 1) : sysctl(stack.name, "net.ipv4.ip_forward", 1),
        ],
      },
    ];
  },
};
