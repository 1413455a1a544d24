import { text } from "../../../messages/index.ts";
import { sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, sourceNat, stackOf, stepsOf } from "../../scene.ts";

/** Switched frames no longer pass iptables at all. */
export const bridgeNfOff: Remedy = {
  code: "BRIDGE_NF_OFF",
  cures: ["MASQ_TOO_MUCH", "NAT_PORT_REWRITE"],
  propose: ({ branch, world }) => {
    const nat = sourceNat(branch.request);
    const bridged = stepsOf(branch.request, "bridge").some((s) => s.stack === nat?.stack && s.action === "forward");
    const stack = stackOf(world, nat?.stack ?? "");
    if (!isOurs(stack) || !bridged) return [];
    return [
      {
        code: "BRIDGE_NF_OFF",
        summary: text("fix.bridge_nf_off", { stack: stack.name }),
        commands: [sysctl(stack.name, "net.bridge.bridge-nf-call-iptables", 0)],
        notes: [text("cost.bridge_nf_off")],
      },
    ];
  },
};
