import { text } from "../../../messages/index.ts";
import { sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { foundAt } from "../../scene.ts";

/** Answers out of window stay part of their connection, and are translated back. */
export const conntrackLiberal: Remedy = {
  code: "CONNTRACK_LIBERAL",
  cures: ["CONNTRACK_INVALID_RST"],
  propose: (scene) =>
    foundAt(scene, conntrackLiberal.cures).map((stack) => ({
      code: "CONNTRACK_LIBERAL",
      summary: text("fix.conntrack_liberal", { stack: stack.name }),
      commands: [sysctl(stack.name, "net.netfilter.nf_conntrack_tcp_be_liberal", 1)],
    })),
};
