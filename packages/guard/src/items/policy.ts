import { text } from "@hairpin/core/messages/index.ts";
import type { Policy } from "@hairpin/core/model/index.ts";
import type { IptablesCommand } from "@hairpin/core/parse/iptables/index.ts";
import { chainName, policyName, tableName, words } from "../gate.ts";
import { type Backend, readTable } from "../iptables-tool.ts";
import { type Item, looked, Trouble } from "../item.ts";
import { runTool } from "../tool.ts";

/** The policy of a built-in chain. */
export function chainPolicy(
  command: string,
  typed: IptablesCommand,
  chain: string,
  policy: Policy,
  backend: Backend,
): Item {
  const { family, table } = typed;
  const tool = `${family === 6 ? "ip6tables" : "iptables"}-${backend}`;
  const now = (): Policy => {
    const found = readTable(tool, table).chains.find((c) => c.name === chain)?.policy;
    if (found === undefined) throw new Trouble(text("guard.no-policy", { tool, chain, table }));
    return found;
  };
  const set = (to: string): void => {
    if (now() === to) return;
    const { ok, complaint } = runTool(
      tool,
      words`-w 10 -t ${tableName(table)} -P ${chainName(chain)} ${policyName(to)}`,
    );
    if (!ok) throw new Trouble(complaint);
  };
  return {
    command,
    where: `${table} ${chain}`,
    look: () => looked(() => (now() === policy ? "present" : "absent")),
    before: () => ({ policy: now() }),
    apply: () => set(policy),
    revert: (prior) => set(String(prior.policy)),
  };
}
