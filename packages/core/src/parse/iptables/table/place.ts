import { BUILT_IN_CHAINS, type IptablesTableName, type Rule } from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";
import type { AcceptedIn } from "../rule/extension.ts";
import type { Loaded } from "../rule/loaded.ts";
import type { RuleSetting } from "../rule/reader.ts";
import { extensionOfMatch, extensionOfTarget } from "../rule/registry.ts";

const BUILT_IN = new Set(BUILT_IN_CHAINS.mangle);

export const isBuiltInName = (chain: string): boolean => BUILT_IN.has(chain);

type Complain = (severity: "warning", code: string, message: string) => void;

function checkExtension(
  name: string,
  place: AcceptedIn,
  table: IptablesTableName,
  chain: string,
  complain: Complain,
): void {
  const { tables, hooks } = place;
  if (tables !== undefined && !tables.includes(table))
    complain("warning", "iptables-wrong-table", `${name} belongs in the table ${tables.join(" or ")}`);
  else if (hooks !== undefined && BUILT_IN.has(chain) && !hooks.includes(chain))
    complain("warning", "iptables-wrong-hook", `${name} works in ${hooks.join(", ")} only`);
}

/** The same of a rule that was read before its table was known. */
export function checkRulePlace(
  rule: Rule,
  family: Family,
  table: IptablesTableName,
  chain: string,
  complain: Complain,
): void {
  for (const match of rule.matches) {
    const extension = extensionOfMatch(match, family);
    if (extension !== undefined) checkExtension(extension.name, extension, table, chain, complain);
  }
  const target = extensionOfTarget(rule.target, family);
  if (target !== undefined) checkExtension(target.name, target, table, chain, complain);
}

/** The kernel refuses an extension outside the tables and hooks it was made for. */
export function checkPlace(loaded: readonly Loaded[], setting: RuleSetting): void {
  const { table, chain, report } = setting;
  if (table === undefined) return;
  for (const one of loaded) {
    if (one.extension === undefined) continue;
    checkExtension(one.name, one.extension, table, chain, (severity, code, message) =>
      report(severity, code, message, one.words[0] ?? 0),
    );
  }
}
