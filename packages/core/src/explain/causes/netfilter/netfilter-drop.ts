import type { Rule, RuleStep } from "../../../model/index.ts";
import { argv, type Cause, on, type Scene, stackOf, stepsOf } from "../../cause.ts";
import { dockerIsolation } from "../rules/docker-isolation.ts";
import { type DroppingRule, droppingRule, type RuleCause } from "../rules/dropping-rule.ts";
import { etpLocalNoEndpointIptables } from "../rules/etp-local-no-endpoint-iptables.ts";
import { forwardPolicyDrop } from "../rules/forward-policy-drop.ts";
import { kubeIpvsFilterReject } from "../rules/kube-ipvs-filter-reject.ts";
import { lbSourceRanges } from "../rules/lb-source-ranges.ts";
import { networkPolicyDrop } from "../rules/network-policy-drop.ts";
import { noEndpoints } from "../rules/no-endpoints.ts";
import { rawTableFilter } from "../rules/raw-table-filter.ts";
import { ruleCorruptedByVersionSkew } from "../rules/rule-corrupted-by-version-skew.ts";
import { ruleDrop } from "../rules/rule-drop.ts";
import { ruleOrderReject } from "../rules/rule-order-reject.ts";

/** The first that reads the rule as its own; the last reads any. */
const RULE_CAUSES: readonly RuleCause[] = [
  rawTableFilter,
  ruleCorruptedByVersionSkew,
  etpLocalNoEndpointIptables,
  noEndpoints,
  lbSourceRanges,
  kubeIpvsFilterReject,
  networkPolicyDrop,
  dockerIsolation,
  forwardPolicyDrop,
  ruleOrderReject,
  ruleDrop,
];

/** A rule or a policy dropped or rejected the packet; whose chain it is tells which cause it stands for. */
export const netfilterDrop: Cause = {
  codes: RULE_CAUSES.map((c) => c.code),
  detect: (scene) => {
    const { leg } = scene;
    const place = dropPlace(scene);
    if (place === undefined) return [];
    for (const { code, reads, without } of RULE_CAUSES) {
      const summary = reads(place, scene);
      if (summary === undefined) continue;
      const { marking } = place;
      const change = without?.(place, scene) ?? [on(leg.stack, withoutRule(place))];
      const evidence = [...leg.origins, ...(marking === undefined ? [] : [marking.origin])];
      return [{ code, summary, stack: leg.stack, evidence, ...(change.length > 0 && { without: change }), root: true }];
    }
    return [];
  },
};

/** The rule, or the policy, does no harm any more. */
export function withoutRule({ table, chain, rule, number }: Omit<DroppingRule, "marking">): readonly string[] {
  const tool = table.family === 6 ? "ip6tables" : "iptables";
  return rule === undefined
    ? argv`${tool} -t ${table.name} -P ${chain.name} ACCEPT`
    : argv`${tool} -t ${table.name} -D ${chain.name} ${number}`;
}

/** Where the packet was dropped by a rule, if it was. */
export function dropPlace(scene: Scene): DroppingRule | undefined {
  const { leg, world } = scene;
  if (leg.drop !== "NETFILTER_DROP") return undefined;
  const place = droppingRule(stackOf(world, leg.stack), leg.decision);
  return place === undefined ? undefined : { ...place, marking: markingOf(scene, place.rule) };
}

/** Which rule put on the mark that the dropping one asks for. */
function markingOf({ leg }: Scene, rule: Rule | undefined): RuleStep | undefined {
  const query = rule?.matches.find((m) => m.kind === "mark");
  if (query?.kind !== "mark" || query.negated) return undefined;
  const has = (mark: number): boolean => (mark & query.mask) >>> 0 === query.value;
  const steps = stepsOf(leg, "rule").filter((s) => s.stack === leg.stack);
  return steps.find((s, i) => has(s.mark) && !has(steps[i - 1]?.mark ?? 0));
}
