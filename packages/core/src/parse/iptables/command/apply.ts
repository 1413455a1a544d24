import {
  assumed,
  BUILT_IN_CHAINS,
  type Chain,
  chainNamed,
  type IptablesTable,
  type Origin,
  type Rule,
  withChains,
} from "../../../model/index.ts";
import { sameRule } from "../rule/equal.ts";
import { isBuiltInName } from "../table/place.ts";
import type { IptablesCommand, IptablesOperation } from "./command.ts";

/** Why the kernel would refuse a command. */
export interface ApplyError {
  readonly code:
    | "no-such-chain"
    | "chain-exists"
    | "chain-not-empty"
    | "chain-in-use"
    | "built-in-chain"
    | "no-such-rule"
    | "number-too-big";
  readonly message: string;
}

export type Applied = { readonly tables: readonly IptablesTable[] } | { readonly error: ApplyError };

/** A table that nobody dumped: empty, accepting everything. */
export const emptyTable = (
  command: Pick<IptablesCommand, "family" | "backend" | "table">,
  origin: Origin,
): IptablesTable => ({
  name: command.table,
  family: command.family,
  backend: command.backend,
  chains: BUILT_IN_CHAINS[command.table].map((name) => ({
    name,
    policy: "ACCEPT",
    rules: [],
    extent: "whole",
    origin,
  })),
  extent: "whole",
  origin,
});

/** The table a command means: of its back end, or the only one there is. */
function indexOfTable(tables: readonly IptablesTable[], command: IptablesCommand): number {
  const fits = (t: IptablesTable) => t.name === command.table && t.family === command.family;
  const exact = tables.findIndex((t) => fits(t) && t.backend === command.backend);
  return exact >= 0 || (command.backend !== "unknown" && tables.some((t) => fits(t) && t.backend !== "unknown"))
    ? exact
    : tables.findIndex(fits);
}

/** The tables after a command, or why it fails. Nothing is changed in place. */
export function applyCommand(tables: readonly IptablesTable[], command: IptablesCommand): Applied {
  const at = indexOfTable(tables, command);
  const table = tables[at] ?? emptyTable(command, assumed("iptables-table-not-dumped"));
  const result = applyOperation(table, command.operation, command.origin);
  if ("code" in result) return { error: result };
  return { tables: at < 0 ? [...tables, result] : tables.map((t, i) => (i === at ? result : t)) };
}

const fail = (code: ApplyError["code"], message: string): ApplyError => ({ code, message });

function applyOperation(
  table: IptablesTable,
  operation: IptablesOperation,
  origin: Origin,
): IptablesTable | ApplyError {
  switch (operation.kind) {
    case "new-chain": {
      if (findChain(table, operation.chain)) return fail("chain-exists", `chain ${operation.chain} already exists`);
      const chain: Chain = { name: operation.chain, rules: [], extent: "whole", origin };
      return withChains(table, { change: (c) => c, grown: [], added: [chain] });
    }
    case "flush":
      return overChains(table, operation.chain, (chain) => ({ ...chain, rules: [], extent: "whole" }));
    case "zero":
      return overChains(table, operation.chain, (chain) => ({
        ...chain,
        ...(chain.counters && { counters: { packets: 0, bytes: 0 } }),
        rules: chain.rules.map((rule) => (rule.counters ? { ...rule, counters: { packets: 0, bytes: 0 } } : rule)),
      }));
    case "delete-chain":
      return deleteChains(table, operation.chain);
    case "rename-chain":
      return renameChain(table, operation.chain, operation.to);
    case "policy":
      if (!isBuiltInName(operation.chain))
        return fail("built-in-chain", `only built-in chains have a policy, not ${operation.chain}`);
      return overChains(table, operation.chain, (chain) => ({
        ...chain,
        rules: chain.rules,
        policy: operation.policy,
      }));
    default:
      return changeRules(table, operation);
  }
}

const findChain = chainNamed;

const noChain = (name: string): ApplyError => fail("no-such-chain", `there is no chain ${name}`);

/** One chain, or all of them; a built-in chain that was not shown exists all the same. */
function overChains(
  table: IptablesTable,
  name: string | undefined,
  change: (chain: Chain) => Chain | ApplyError,
): IptablesTable | ApplyError {
  if (name === undefined) {
    const chains: Chain[] = [];
    for (const chain of table.chains) {
      const changed = change(chain);
      if ("code" in changed) return changed;
      chains.push(changed);
    }
    return { ...table, chains };
  }
  const known = findChain(table, name);
  const unshown = known === undefined && BUILT_IN_CHAINS[table.name].includes(name);
  if (known === undefined && !unshown) return noChain(name);
  const chain: Chain = known ?? {
    name,
    policy: "ACCEPT",
    rules: [],
    extent: table.extent === "whole" ? "whole" : "partial",
    origin: assumed("iptables-chain-not-shown"),
  };
  const changed = change(chain);
  if ("code" in changed) return changed;
  return known === undefined
    ? withChains(table, { change: (c) => c, grown: [], added: [changed] })
    : withChains(table, { change: (c) => (c === known ? changed : c), grown: [name] });
}

const jumpsTo = (rule: Rule, chain: string): boolean => rule.target.kind === "jump" && rule.target.chain === chain;

function deleteChains(table: IptablesTable, name: string | undefined): IptablesTable | ApplyError {
  if (name === undefined) {
    const used = new Set(
      table.chains.flatMap((c) => c.rules.flatMap((r) => (r.target.kind === "jump" ? [r.target.chain] : []))),
    );
    const goes = (c: Chain) => !isBuiltInName(c.name) && c.rules.length === 0 && !used.has(c.name);
    const stuck = table.chains.find((c) => !isBuiltInName(c.name) && !goes(c));
    if (stuck !== undefined)
      return stuck.rules.length > 0
        ? fail("chain-not-empty", `chain ${stuck.name} is not empty`)
        : fail("chain-in-use", `a rule still jumps to ${stuck.name}`);
    return { ...table, chains: table.chains.filter((c) => !goes(c)) };
  }
  if (isBuiltInName(name)) return fail("built-in-chain", `${name} is built in`);
  const chain = findChain(table, name);
  if (chain === undefined) return noChain(name);
  if (chain.rules.length > 0) return fail("chain-not-empty", `chain ${name} is not empty`);
  if (table.chains.some((c) => c.rules.some((r) => jumpsTo(r, name))))
    return fail("chain-in-use", `a rule still jumps to ${name}`);
  return { ...table, chains: table.chains.filter((c) => c !== chain) };
}

function renameChain(table: IptablesTable, name: string, to: string): IptablesTable | ApplyError {
  if (isBuiltInName(name) || isBuiltInName(to)) return fail("built-in-chain", "a built-in chain cannot be renamed");
  if (findChain(table, name) === undefined) return noChain(name);
  if (findChain(table, to) !== undefined) return fail("chain-exists", `chain ${to} already exists`);
  const renamed = (rule: Rule): Rule =>
    rule.target.kind === "jump" && rule.target.chain === name
      ? { ...rule, target: { ...rule.target, chain: to } }
      : rule;
  return {
    ...table,
    chains: table.chains.map((c) => ({ ...c, name: c.name === name ? to : c.name, rules: c.rules.map(renamed) })),
  };
}

type RuleOperation = Extract<
  IptablesOperation,
  { readonly kind: "append" | "check" | "insert" | "replace" | "delete" | "delete-number" }
>;

function changeRules(table: IptablesTable, operation: RuleOperation): IptablesTable | ApplyError {
  if ("rule" in operation && operation.rule.target.kind === "jump" && operation.kind !== "check") {
    const to = operation.rule.target.chain;
    if (findChain(table, to) === undefined && table.extent === "whole") return noChain(to);
  }
  return overChains(table, operation.chain, (chain) => {
    const rules = changedRules(chain, operation, table);
    return "code" in rules ? rules : { ...chain, rules };
  });
}

function changedRules(chain: Chain, operation: RuleOperation, table: IptablesTable): readonly Rule[] | ApplyError {
  const { rules } = chain;
  switch (operation.kind) {
    case "append":
      return [...rules, operation.rule];
    case "insert":
      return operation.position < 1 || operation.position > rules.length + 1
        ? fail("number-too-big", `chain ${chain.name} has ${rules.length} rules`)
        : [...rules.slice(0, operation.position - 1), operation.rule, ...rules.slice(operation.position - 1)];
    case "replace":
    case "delete-number": {
      const at = operation.position - 1;
      if (at < 0 || at >= rules.length) return fail("number-too-big", `chain ${chain.name} has ${rules.length} rules`);
      return operation.kind === "replace"
        ? rules.map((rule, i) => (i === at ? operation.rule : rule))
        : rules.filter((_, i) => i !== at);
    }
    default: {
      const at = rules.findIndex((rule) => sameRule(rule, operation.rule, table.family));
      if (at < 0) return fail("no-such-rule", `chain ${chain.name} has no such rule`);
      return operation.kind === "check" ? rules : rules.filter((_, i) => i !== at);
    }
  }
}
