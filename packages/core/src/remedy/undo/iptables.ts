import type { Chain, IptablesTable, Rule, Stack } from "../../model/index.ts";
import { shellLine } from "../../model/shell.ts";
import type { IptablesCommand } from "../../parse/iptables/command/command.ts";
import { sameRule } from "../../parse/iptables/rule/equal.ts";
import { ruleArguments } from "../../parse/iptables/rule/print.ts";

/** The tool that reaches a table of that back end and family. */
export const iptablesTool = ({ family, backend }: Pick<IptablesTable, "family" | "backend">): string =>
  `ip${family === 6 ? "6" : ""}tables${backend === "unknown" ? "" : `-${backend}`}`;

/** What takes an iptables command back; `stack` is as it was before. */
export function undoIptables(command: IptablesCommand, stack: Stack): readonly string[] {
  const { operation: o, table: name, family } = command;
  const tables = stack.netfilter.tables.filter((t) => t.name === name && t.family === family);
  const table = tables.find((t) => t.backend === command.backend) ?? tables[0];
  const chain = (wanted: string): Chain | undefined => table?.chains.find((c) => c.name === wanted);
  const tool = [iptablesTool(command), ...(name === "filter" ? [] : ["-t", name])];
  const line = (...words: readonly string[]): string => shellLine([...tool, ...words]);
  const add = (to: string, rule: Rule): string => line("-A", to, ...ruleArguments(rule, family));
  const insert = (to: string, at: number, rule: Rule): string =>
    line("-I", to, String(at + 1), ...ruleArguments(rule, family));
  const rules = "chain" in o && o.chain !== undefined ? (chain(o.chain)?.rules ?? []) : [];
  switch (o.kind) {
    case "append":
    case "insert": {
      const at = o.kind === "append" ? rules.length : o.position - 1;
      // -D takes the first of several that are equal.
      const numbered = rules.slice(0, at).some((r) => sameRule(r, o.rule, family));
      return [line("-D", o.chain, ...(numbered ? [String(at + 1)] : ruleArguments(o.rule, family)))];
    }
    case "replace": {
      const old = rules[o.position - 1];
      return old === undefined ? [] : [line("-R", o.chain, String(o.position), ...ruleArguments(old, family))];
    }
    case "delete": {
      const at = rules.findIndex((r) => sameRule(r, o.rule, family));
      return at < 0 ? [] : [insert(o.chain, at, rules[at]!)];
    }
    case "delete-number": {
      const old = rules[o.position - 1];
      return old === undefined ? [] : [insert(o.chain, o.position - 1, old)];
    }
    case "flush":
      return (o.chain === undefined ? (table?.chains ?? []) : [chain(o.chain)]).flatMap((c) =>
        (c?.rules ?? []).map((r) => add(c!.name, r)),
      );
    case "new-chain":
      return [line("-X", o.chain)];
    case "delete-chain":
      return o.chain === undefined ? [] : [line("-N", o.chain)];
    case "rename-chain":
      return [line("-E", o.to, o.chain)];
    case "policy":
      return [line("-P", o.chain, chain(o.chain)?.policy ?? "ACCEPT")];
    case "zero":
    case "check":
      return [];
  }
}
