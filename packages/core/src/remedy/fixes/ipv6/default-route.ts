import { text } from "../../../messages/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { formatAddress, isIpv4 } from "../../../net/index.ts";
import { command, sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, stackOf } from "../../scene.ts";

/**
 * The router that the neighbour table still knows as one (NTF_ROUTER) becomes the default route, and accept_ra 2 keeps it up to date: a node that
 * forwards takes advertisements then, too.
 */
export const defaultRoute6: Remedy = {
  code: "DEFAULT_ROUTE6",
  cures: ["RA_IGNORED_FORWARDING"],
  propose: ({ world, findings }) => {
    const found = findings.find((f) => f.code === "RA_IGNORED_FORWARDING");
    const stack = stackOf(world, found?.stack ?? "");
    const router = stack?.neighbours.items.find((n) => n.router && !isIpv4(n.address));
    if (!isOurs(stack) || router === undefined) return [];
    const device = nameWord(router.device);
    const via = formatAddress(router.address);
    return [
      {
        code: "DEFAULT_ROUTE6",
        summary: text("fix.default_route6", { stack: stack.name, address: via, device }),
        commands: [
          command(stack.name, ["ip", "-6", "route", "add", "default", "via", via, "dev", device]),
          sysctl(stack.name, `net.ipv6.conf.${device.replaceAll(".", "/")}.accept_ra`, 2),
        ],
      },
    ];
  },
};
