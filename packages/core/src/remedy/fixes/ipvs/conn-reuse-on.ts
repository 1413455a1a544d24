import { text } from "../../../messages/index.ts";
import { sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { foundAt } from "../../scene.ts";

/** A source port that is used again is scheduled anew, and a connection whose server is gone is forgotten. */
export const connReuseOn: Remedy = {
  code: "CONN_REUSE_ON",
  cures: ["IPVS_CONN_REUSE"],
  propose: (scene) =>
    foundAt(scene, connReuseOn.cures).map((stack) => ({
      code: "CONN_REUSE_ON",
      summary: text("fix.conn_reuse_on", { stack: stack.name }),
      commands: [
        sysctl(stack.name, "net.ipv4.vs.conn_reuse_mode", 1),
        sysctl(stack.name, "net.ipv4.vs.expire_nodest_conn", 1),
      ],
    })),
};
