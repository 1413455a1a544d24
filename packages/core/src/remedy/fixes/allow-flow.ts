import { text } from "../../messages/index.ts";
import type { IptablesTableName } from "../../model/index.ts";
import { formatAddress } from "../../net/index.ts";
import { flowWords, iptables } from "../commands.ts";
import type { Remedy } from "../fix.ts";
import { isOurs, lastOf, stepsOf } from "../scene.ts";

/** An ACCEPT for this flow ahead of everything else in the chain the packet died under. */
export const allowFlow: Remedy = {
  code: "ALLOW_FLOW",
  cures: [
    "RULE_DROP",
    "RULE_ORDER_REJECT",
    "RAW_TABLE_FILTER",
    "FORWARD_POLICY_DROP",
    "NETWORK_POLICY_DROP",
    "DOCKER_ISOLATION",
    "LB_SOURCE_RANGES",
    "KUBE_IPVS_FILTER_REJECT",
    "RULE_CORRUPTED_BY_VERSION_SKEW",
    "NOTRACK_VS_POLICY",
  ],
  propose: ({ leg, stack, branch }) => {
    const hook = lastOf(stepsOf(leg, "hook").filter((h) => h.stack === leg.stack));
    if (!isOurs(stack) || hook === undefined || leg.drop !== "NETFILTER_DROP") return [];
    const table = hook.table as IptablesTableName;
    const chains = stack.netfilter.tables.find((t) => t.name === table && t.family === 4)?.chains ?? [];
    // Docker promises to leave this one alone.
    const user = hook.hook === "FORWARD" && chains.some((c) => c.name === "DOCKER-USER" && c.policy === undefined);
    const jumped = chains
      .find((c) => c.name === "FORWARD")
      ?.rules.some((r) => r.target.kind === "jump" && r.target.chain === "DOCKER-USER");
    const chain = table === "filter" && user && jumped === true ? "DOCKER-USER" : hook.hook;
    const way = leg === branch.request || branch.data.indexOf(leg) % 2 === 0 ? "request" : "reply";
    const { src, dst } = hook.packet;
    return [
      {
        code: "ALLOW_FLOW",
        summary: text("fix.allow_flow", {
          stack: stack.name,
          source: formatAddress(src),
          address: formatAddress(dst),
          chain,
          table,
        }),
        commands: [iptables(stack, table, "-I", chain, ...flowWords(hook.packet, way), "-j", "ACCEPT")],
      },
    ];
  },
};
