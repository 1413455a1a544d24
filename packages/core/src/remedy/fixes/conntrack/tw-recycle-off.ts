import { text } from "../../../messages/index.ts";
import { sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { foundAt } from "../../scene.ts";

/** SYNs of clients that share an address are no longer measured against each other's clocks. */
export const twRecycleOff: Remedy = {
  code: "TW_RECYCLE_OFF",
  cures: ["TCP_TW_RECYCLE_NAT"],
  propose: (scene) =>
    foundAt(scene, twRecycleOff.cures).map((stack) => ({
      code: "TW_RECYCLE_OFF",
      summary: text("fix.tw_recycle_off", { stack: stack.name }),
      commands: [sysctl(stack.name, "net.ipv4.tcp_tw_recycle", 0)],
    })),
};
