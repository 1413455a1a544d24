import type { Stack } from "../stack.ts";
import type { Chain, IptablesBackend, IptablesTable, Rule } from "./rule.ts";
import { chainNamed, ruleInPlace } from "./unread.ts";

/** Which rule of a stack: two rules may say the same and come from the same line, but no two stand in the same place. */
export interface RuleRef {
  readonly stack: string;
  /** `native`: of nftables itself; its table is then named with its family. */
  readonly backend: IptablesBackend | "native";
  /** Of iptables: absent for IPv4. */
  readonly family?: 6;
  readonly table: string;
  readonly chain: string;
  /** From 1; 0 is the policy. */
  readonly number: number;
}

export const sameRule = (a: RuleRef, b: RuleRef): boolean =>
  a.number === b.number &&
  a.family === b.family &&
  a.chain === b.chain &&
  a.table === b.table &&
  a.backend === b.backend &&
  a.stack === b.stack;

export interface FoundRule {
  readonly table: IptablesTable;
  readonly chain: Chain;
  /** Undefined: the policy. */
  readonly rule: Rule | undefined;
}

/** Where a reference leads in the iptables tables of a stack; undefined where there is no such rule. */
export function ruleAt(stack: Stack | undefined, ref: RuleRef | undefined): FoundRule | undefined {
  if (ref === undefined || stack?.name !== ref.stack) return undefined;
  const table = stack.netfilter.tables.find(
    (t) => t.family === (ref.family ?? 4) && t.name === ref.table && t.backend === ref.backend,
  );
  const chain = table === undefined ? undefined : chainNamed(table, ref.chain);
  if (table === undefined || chain === undefined) return undefined;
  const rule = ruleInPlace(chain, ref.number - 1);
  return rule === undefined && ref.number !== 0 ? undefined : { table, chain, rule };
}
