import { text } from "../../../messages/index.ts";
import { command, sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, stackOf } from "../../scene.ts";

const KEY = "net.bridge.bridge-nf-call-iptables";

/** Switched frames pass iptables, so that answers between two ports of a bridge are translated back. */
export const bridgeNfOn: Remedy = {
  code: "BRIDGE_NF_ON",
  cures: ["BRIDGE_NF_OFF"],
  propose: ({ findings, world }) => {
    const stack = stackOf(world, findings.find((f) => f.code === "BRIDGE_NF_OFF")?.stack ?? "");
    if (!isOurs(stack)) return [];
    const loaded = stack.sysctls.get(KEY)?.origin.kind === "read";
    return [
      {
        code: "BRIDGE_NF_ON",
        summary: text("fix.bridge_nf_on", { stack: stack.name }),
        commands: [...(loaded ? [] : [command(stack.name, ["modprobe", "br_netfilter"])]), sysctl(stack.name, KEY, 1)],
      },
    ];
  },
};
