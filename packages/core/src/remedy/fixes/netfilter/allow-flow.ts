import { text } from "../../../messages/index.ts";
import { DOCKER_USER, type IptablesTableName, type Packet } from "../../../model/index.ts";
import { familyOf, formatAddress } from "../../../net/index.ts";
import { flowWords, iptables, isMadeUp } from "../../commands.ts";
import type { Candidate, Command, Remedy } from "../../fix.ts";
import { isOurs, lastOf, stepsOf } from "../../scene.ts";

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
    "KUBE_IPVS_FILTER_REJECT",
    "RULE_CORRUPTED_BY_VERSION_SKEW",
    "NOTRACK_VS_POLICY",
  ],
  propose: ({ leg, stack, branch, world }) => {
    const hook = lastOf(stepsOf(leg, "hook").filter((h) => h.stack === leg.stack));
    if (!isOurs(stack) || hook === undefined || hook.native !== undefined || leg.drop !== "NETFILTER_DROP") return [];
    const table = hook.table as IptablesTableName;
    const family = familyOf(hook.packet.dst);
    const chains = stack.netfilter.tables.find((t) => t.name === table && t.family === family)?.chains ?? [];
    // Docker promises to leave this one alone.
    const user = hook.hook === "FORWARD" && chains.some((c) => c.name === DOCKER_USER && c.policy === undefined);
    const jumped = chains
      .find((c) => c.name === "FORWARD")
      ?.rules.some((r) => r.target.kind === "jump" && r.target.chain === DOCKER_USER);
    const chain = table === "filter" && user && jumped === true ? DOCKER_USER : hook.hook;
    const way = leg === branch.request || branch.data.indexOf(leg) % 2 === 0 ? "request" : "reply";
    const { src, dst } = hook.packet;
    const accept = (packet: Packet, direction: "request" | "reply", ...more: readonly string[]): Command =>
      iptables(stack, family, table, "-I", chain, ...flowWords(world, packet, direction), ...more, "-j", "ACCEPT");
    const candidate = (...commands: readonly Command[]): Candidate => ({
      code: "ALLOW_FLOW",
      summary: text("fix.allow_flow", {
        stack: stack.name,
        source: isMadeUp(world, src) ? text("fix.any_address") : formatAddress(src),
        address: isMadeUp(world, dst) ? text("fix.any_address") : formatAddress(dst),
        chain,
        table,
      }),
      commands,
    });
    const there = accept(hook.packet, way);
    if (way === "reply" || hook.hook !== "FORWARD" || table !== "filter") return [candidate(there)];
    // What drops the request is likely to drop its answer too.
    const answer: Packet = { ...hook.packet, src: dst, dst: src, sport: hook.packet.dport, dport: hook.packet.sport };
    const back = accept(answer, "reply", "-m", "conntrack", "--ctstate", "ESTABLISHED,RELATED");
    return [candidate(there), candidate(there, back)];
  },
};
