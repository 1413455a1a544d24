import type { Rule } from "../../../model/index.ts";
import { sameRule } from "../rule/equal.ts";
import type { RuleSetting } from "../rule/reader.ts";
import type { Words } from "../rule/words.ts";
import type { ChainBuilder, TableBuilder } from "../table/table-builder.ts";
import type { IptablesOperation } from "./command.ts";
import { type OperationProblem, readOperation } from "./operation.ts";

/**
 * Searching for rules to delete or moving them to insert costs time in the length of the chain. A file made of such
 * lines would cost its square; the budget ends that, and says so.
 */
export class EditBudget {
  private left = 20_000_000;
  spend(amount: number): boolean {
    this.left -= amount;
    return this.left > 0;
  }
}

const refuse = (code: string, message: string, word = 0): OperationProblem => ({
  severity: "error",
  code,
  message,
  word,
});

/** Applies one line of iptables-restore input that is neither `:CHAIN` nor `-A`. */
export function editTable(
  table: TableBuilder,
  words: Words,
  setting: RuleSetting,
  budget: EditBudget,
): OperationProblem | undefined {
  const reading = readOperation(words, 0, (chain) => ({ ...setting, chain }));
  if ("problem" in reading) return reading.problem;
  for (const operation of reading.operations) {
    const problem = edit(table, operation, setting, budget);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function edit(
  table: TableBuilder,
  operation: IptablesOperation,
  setting: RuleSetting,
  budget: EditBudget,
): OperationProblem | undefined {
  if (operation.kind === "new-chain") {
    table.declare(operation.chain, setting.origin);
    return undefined;
  }
  if (operation.kind === "flush" || operation.kind === "zero" || operation.kind === "delete-chain") {
    if (operation.chain === undefined) {
      for (const chain of table.declaredChains()) clear(table, chain, operation.kind);
      return undefined;
    }
    const chain = table.entries.get(operation.chain);
    // With --noflush the chain may be in the kernel only; nothing of it is here either way.
    if (chain !== undefined) clear(table, chain, operation.kind);
    return undefined;
  }
  const chain = table.entry(operation.chain);
  if (chain.declared === undefined) table.declare(operation.chain, setting.origin);
  switch (operation.kind) {
    case "policy":
      chain.policy = operation.policy;
      return undefined;
    case "append":
      chain.append([mention(table, chain, operation.rule)]);
      return undefined;
    case "insert":
      return insert(chain, operation.position, mention(table, chain, operation.rule), budget);
    case "check":
      return undefined;
    case "rename-chain":
      return refuse("iptables-unknown-operation", "renaming is not possible in iptables-restore input here");
    default:
      return change(table, chain, operation, budget);
  }
}

function mention(table: TableBuilder, chain: ChainBuilder, rule: Rule): Rule {
  if (rule.target.kind === "jump") table.mention(chain, table.entry(rule.target.chain), 0);
  return rule;
}

function clear(table: TableBuilder, chain: ChainBuilder, kind: "flush" | "zero" | "delete-chain"): void {
  if (kind === "delete-chain" && !chain.builtIn) table.remove(chain.name);
  else if (kind === "flush") chain.clear();
  else if (kind === "zero" && chain.counters !== undefined) chain.counters = { packets: 0, bytes: 0 };
}

function insert(chain: ChainBuilder, position: number, rule: Rule, budget: EditBudget): OperationProblem | undefined {
  if (position === 1) {
    chain.prepend(rule);
    return undefined;
  }
  const rules = chain.settle();
  if (position > rules.length + 1) return refuse("iptables-bad-number", "the chain has fewer rules than that", 2);
  if (!budget.spend(rules.length)) return tooMany();
  rules.splice(position - 1, 0, rule);
  return undefined;
}

function change(
  table: TableBuilder,
  chain: ChainBuilder,
  operation: Extract<IptablesOperation, { kind: "delete" | "delete-number" | "replace" }>,
  budget: EditBudget,
): OperationProblem | undefined {
  const rules = chain.settle();
  if (!budget.spend(rules.length * (operation.kind === "delete" ? 100 : 1))) return tooMany();
  const at =
    operation.kind === "delete"
      ? rules.findIndex((rule) => sameRule(rule, operation.rule, table.family))
      : operation.position - 1;
  if (at < 0 || at >= rules.length) return refuse("iptables-no-such-rule", "there is no such rule before this line", 1);
  if (operation.kind === "replace") rules[at] = mention(table, chain, operation.rule);
  else rules.splice(at, 1);
  return undefined;
}

const tooMany = (): OperationProblem =>
  refuse("iptables-too-many-edits", "too many insertions and deletions in one file: this one is not applied");
