import { text } from "../../../messages/index.ts";
import { familyOf } from "../../../net/index.ts";
import { iptables } from "../../commands.ts";
import type { Remedy } from "../../fix.ts";
import { isOurs, lastOf, stepsOf } from "../../scene.ts";

/** What Docker changed when it started. */
export const forwardPolicyAccept: Remedy = {
  code: "FORWARD_POLICY_ACCEPT",
  cures: ["FORWARD_POLICY_DROP"],
  propose: ({ stack, findings, leg }) =>
    // Of nftables' own chains another fix speaks.
    !isOurs(stack) ||
    lastOf(stepsOf(leg, "hook"))?.native !== undefined ||
    !findings.some((f) => f.code === "FORWARD_POLICY_DROP")
      ? []
      : [
          {
            code: "FORWARD_POLICY_ACCEPT",
            summary: text("fix.forward_policy_accept", { stack: stack.name }),
            commands: [iptables(stack, familyOf(leg.final.dst), "filter", "-P", "FORWARD", "ACCEPT")],
            lasting: [{ how: text("lasting.docker_forward"), lines: ['"ip-forward-no-drop": true'] }],
            notes: [text("cost.forward_policy")],
          },
        ],
};
