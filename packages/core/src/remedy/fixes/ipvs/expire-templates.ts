import { text } from "../../../messages/index.ts";
import { sysctl } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, stackOf } from "../../scene.ts";

/** Persistence forgets a server as soon as its weight is 0. */
export const expireTemplates: Remedy = {
  code: "EXPIRE_TEMPLATES",
  cures: ["IPVS_PERSISTENCE_STALE"],
  propose: ({ findings, world }) => {
    const stack = stackOf(world, findings.find((f) => f.code === "IPVS_PERSISTENCE_STALE")?.stack ?? "");
    if (!isOurs(stack)) return [];
    return [
      {
        code: "EXPIRE_TEMPLATES",
        summary: text("fix.expire_templates", { stack: stack.name }),
        commands: [sysctl(stack.name, "net.ipv4.vs.expire_quiescent_template", 1)],
      },
    ];
  },
};
