import { text } from "../../../messages/index.ts";
import { type IptablesTable, isKubeName, PROXY_CHAIN, type RuleRef, ruleAt, type Stack } from "../../../model/index.ts";
import { argv, type Cause, on, stackOf, stepsOf } from "../../cause.ts";

/** The nat table in one of whose kube-proxy chains a rule stands. */
export function proxyTableOf(stack: Stack | undefined, rule: RuleRef | undefined): IptablesTable | undefined {
  const found = ruleAt(stack, rule);
  return found?.table.name === "nat" && isKubeName(found.chain.name) ? found.table : undefined;
}

const translations = (table: IptablesTable) =>
  table.chains.filter((c) => isKubeName(c.name)).flatMap((c) => c.rules.filter((r) => r.target.kind === "dnat"));

/**
 * kube-proxy's rules are in both back ends, and those that are asked first send the packet where the others would not. Claimed only if the flow
 * works without them: the same endpoints in both do no harm.
 */
export const legacyNftConflictWalked: Cause = {
  codes: ["LEGACY_NFT_CONFLICT"],
  detect: ({ branch, world }) => {
    for (const step of stepsOf(branch.request, "nat")) {
      const stack = stackOf(world, step.stack);
      const table = step.manip === "destination" ? proxyTableOf(stack, step.by) : undefined;
      const other = stack?.netfilter.tables.find(
        (t) => t.name === "nat" && t.family === table?.family && t.backend !== table.backend,
      );
      const [first] = other === undefined ? [] : translations(other);
      if (table === undefined || first === undefined || step.origin === undefined) continue;
      return [
        {
          code: "LEGACY_NFT_CONFLICT",
          summary: text("cause.legacy_nft_conflict", { stack: step.stack }),
          stack: step.stack,
          evidence: [step.origin, first.origin],
          without: [on(step.stack, flushServices(table))],
          needsProof: true,
          root: true,
        },
      ];
    }
    return [];
  },
};

/** Takes kube-proxy's translations of one back end out of the way, and nothing else. */
const flushServices = ({ backend, family }: IptablesTable): readonly string[] =>
  argv`ip${family === 6 ? "6" : ""}tables-${backend} -t nat -F ${PROXY_CHAIN.services}`;
