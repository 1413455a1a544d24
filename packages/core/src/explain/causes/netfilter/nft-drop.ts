import { text } from "../../../messages/index.ts";
import type { NftChain, NftTable, RuleStep, Stack } from "../../../model/index.ts";
import { type Cause, on, type Scene, stackOf, stepsOf, wayOf } from "../../cause.ts";
import { proxyRefusal } from "./kube-proxy-nft.ts";

/** The table and the chain of nftables in which a step was decided. */
function chainOf(
  stack: Stack | undefined,
  step: RuleStep,
): { readonly table: NftTable; readonly chain: NftChain } | undefined {
  const table = stack?.netfilter.nft?.find((t) => `${t.family} ${t.name}` === step.table);
  const chain = table?.chains.find((c) => c.name === step.chain);
  return table === undefined || chain === undefined ? undefined : { table, chain };
}

/** A rule of another base chain that accepted the same packet at the same hook: its verdict ended that chain only. */
function acceptedBefore({ leg }: Scene, dropping: RuleStep): RuleStep | undefined {
  let accepted: RuleStep | undefined;
  for (const step of leg.steps) {
    if (step.stack !== leg.stack) continue;
    if (step === dropping) return accepted;
    if (step.kind === "hook" || step.kind === "rule") {
      // Another hook: what was accepted there does not matter here.
      if (step.kind === "hook" && step.hook !== hookOf(leg.steps, dropping)) accepted = undefined;
      if (step.kind === "rule" && step.decision.kind === "accept" && step.table !== dropping.table) accepted = step;
    }
  }
  return undefined;
}

/** The hook in which a rule was asked. */
function hookOf(steps: Scene["leg"]["steps"], rule: RuleStep): string | undefined {
  let hook: string | undefined;
  for (const step of steps) {
    if (step.kind === "hook") hook = step.hook;
    if (step === rule) return hook;
  }
  return hook;
}

/**
 * A rule or a policy of native nftables dropped or rejected the packet. Where another table had accepted it at the same hook, that is what
 * people overlook: accept ends one base chain, drop ends them all.
 */
export const nftDrop: Cause = {
  codes: [
    "NFT_SECOND_TABLE_DROP",
    "FORWARD_POLICY_DROP",
    "RULE_DROP",
    "NO_ENDPOINTS",
    "ETP_LOCAL_NO_ENDPOINT_IPTABLES",
    "LB_SOURCE_RANGES",
  ],
  detect: (scene) => {
    const { leg, world } = scene;
    if (leg.drop !== "NETFILTER_DROP") return [];
    const dropping = [...stepsOf(leg, "rule")]
      .reverse()
      .find((s) => s.stack === leg.stack && s.origin === leg.origins[0]);
    const place = dropping === undefined ? undefined : chainOf(stackOf(world, leg.stack), dropping);
    if (dropping === undefined || place === undefined) return [];
    const at = { direction: wayOf(scene), stack: leg.stack, chain: dropping.chain, table: dropping.table };
    const proxy = proxyRefusal(scene, place.table, dropping);
    if (proxy !== undefined) {
      const { without, ...claim } = proxy;
      const evidence = [dropping.origin];
      return [{ ...claim, stack: leg.stack, evidence, ...(without.length > 0 && { without }), root: true }];
    }
    const accepted = acceptedBefore(scene, dropping);
    const policy = dropping.number === 0;
    const { table, chain } = place;
    const where = [table.family, table.name, chain.name];
    const change = policy
      ? ["nft", "chain", ...where, "{ policy accept ; }"]
      : ["nft", "delete", "rule", ...where, "place", String(dropping.number)];
    const found = { stack: leg.stack, root: true, without: [on(leg.stack, change)] };
    if (accepted !== undefined) {
      const summary = text("cause.nft_second_table_drop.walked", { ...at, accepted: accepted.table });
      return [{ ...found, code: "NFT_SECOND_TABLE_DROP", summary, evidence: [dropping.origin, accepted.origin] }];
    }
    if (policy && place.chain.base?.hook === "forward") {
      const summary = text("cause.forward_policy_drop.nft", at);
      return [{ ...found, code: "FORWARD_POLICY_DROP", summary, evidence: [dropping.origin] }];
    }
    const summary = policy
      ? text("cause.rule_drop.policy", at)
      : text("cause.rule_drop", { ...at, number: dropping.number });
    return [{ ...found, code: "RULE_DROP", summary, evidence: [dropping.origin] }];
  },
};
