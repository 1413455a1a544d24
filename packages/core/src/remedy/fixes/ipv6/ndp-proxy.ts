import { text } from "../../../messages/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { formatAddress } from "../../../net/index.ts";
import { command, sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, stackOf } from "../../scene.ts";

/** The router in front of the address answers for it. */
export const ndpProxy: Remedy = {
  code: "NDP_PROXY",
  cures: ["NDP_PROXY_MISSING"],
  propose: ({ leg, world, findings }) => {
    const found = findings.find((f) => f.code === "NDP_PROXY_MISSING");
    const stack = stackOf(world, found?.stack ?? "");
    if (!isOurs(stack) || leg.decision.kind !== "no-neighbour") return [];
    const { address, device: asked } = leg.decision;
    const link = world.links.find((l) => l.ends.some((e) => e.stack === leg.stack && e.device === asked));
    const device = link?.ends.find((e) => e.stack === stack.name)?.device;
    if (device === undefined) return [];
    const key = `net.ipv6.conf.${nameWord(device).replaceAll(".", "/")}.proxy_ndp`;
    return [
      {
        code: "NDP_PROXY",
        summary: text("fix.ndp_proxy", { stack: stack.name, address: formatAddress(address), device }),
        commands: [
          command(stack.name, ["ip", "-6", "neigh", "add", "proxy", formatAddress(address), "dev", nameWord(device)]),
          sysctl(stack.name, key, 1),
        ],
      },
    ];
  },
};
