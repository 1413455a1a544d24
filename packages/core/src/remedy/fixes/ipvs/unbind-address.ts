import { text } from "../../../messages/index.ts";
import { nameWord } from "../../../model/shell.ts";
import { formatAddress, formatPrefix } from "../../../net/index.ts";
import { command } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs } from "../../scene.ts";

/** The node no longer takes the address for its own. */
export const unbindAddress: Remedy = {
  code: "UNBIND_ADDRESS",
  cures: ["MARTIAN_LOCAL_SOURCE", "KUBE_IPVS0_ADDR_CONFLICT"],
  propose: ({ leg, stack }) => {
    const holder = stack?.devices.items.find(
      (d) => d.kind === "dummy" && d.addresses.some((a) => a.prefix.address === leg.final.src),
    );
    const address = holder?.addresses.find((a) => a.prefix.address === leg.final.src);
    if (!isOurs(stack) || holder === undefined || address === undefined) return [];
    return [
      {
        code: "UNBIND_ADDRESS",
        summary: text("fix.unbind_address", {
          address: formatAddress(leg.final.src),
          device: holder.name,
          stack: stack.name,
        }),
        commands: [
          command(stack.name, ["ip", "addr", "del", formatPrefix(address.prefix), "dev", nameWord(holder.name)]),
        ],
        lasting: [{ how: text("lasting.lb_ip_mode"), lines: ["status.loadBalancer.ingress[].ipMode: Proxy"] }],
      },
    ];
  },
};
