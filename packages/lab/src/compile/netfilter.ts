import type { Chain, IptablesTable, IptablesTableName, Rule } from "@hairpin/core/model/index.ts";
import { observerPrefix } from "../decode/nflog.ts";
import type { LabStack, ObserveOptions } from "../plan.ts";
import type { Refusal } from "./refusal.ts";
import { printRule } from "./rule.ts";
import { Unspeakable } from "./words.ts";

/** The chains each table has from the start. */
export const BUILT_IN: Readonly<Record<IptablesTableName, readonly string[]>> = {
  raw: ["PREROUTING", "OUTPUT"],
  mangle: ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"],
  nat: ["PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"],
  filter: ["INPUT", "FORWARD", "OUTPUT"],
  security: ["INPUT", "FORWARD", "OUTPUT"],
};

export type Backend = "legacy" | "nft";

/** The NFLOG group the lab reads, out of the way of those in use. */
export const OBSERVER_GROUP = 41_959;

/** One `iptables-…-restore`. */
export interface Restore {
  readonly backend: Backend;
  readonly family: 4 | 6;
  readonly text: string;
}

/** Tables by which back end a stack's are loaded: a dump that does not say takes that of the others. */
export function backendOf(stack: LabStack, table?: IptablesTable): Backend {
  if (table !== undefined && table.backend !== "unknown") return table.backend;
  const named = stack.tables.map((t) => t.backend).filter((b) => b !== "unknown");
  return named.length > 0 && named.every((b) => b === "nft") ? "nft" : "legacy";
}

/** Whether the head of this chain carries an observer. */
export const isObserved = (stack: string, table: IptablesTableName, chain: string, observe: ObserveOptions): boolean =>
  hasObservers(stack, observe) && BUILT_IN[table].includes(chain);

export const hasObservers = (stack: string, observe: ObserveOptions): boolean =>
  observe.hooks !== "none" && observe.hookStacks?.includes(stack) !== false;

/**
 * What to load, in order. Observers are NFLOG rules: they ask for no conntrack and end nothing, so a packet's way is the
 * same with and without them.
 */
export function restores(stack: LabStack, observe: ObserveOptions, refused: Refusal[]): readonly Restore[] {
  const found: Restore[] = [];
  for (const table of [...stack.tables, ...extraTables(stack, observe)]) {
    const backend = backendOf(stack, table);
    const text = tableText(stack, table, backend, observe, refused);
    const last = found[found.length - 1];
    if (last?.backend === backend && last.family === table.family) {
      found[found.length - 1] = { ...last, text: last.text + text };
    } else found.push({ backend, family: table.family, text });
  }
  return found;
}

function extraTables(stack: LabStack, observe: ObserveOptions): readonly IptablesTable[] {
  if (observe.hooks !== "all" || !hasObservers(stack.name, observe)) return [];
  if (stack.role !== "stack" && stack.tables.length === 0) return [];
  const families = stack.ipv6 ? ([4, 6] as const) : ([4] as const);
  return families.flatMap((family) =>
    (["raw", "mangle", "filter"] as const)
      .filter((name) => !stack.tables.some((t) => t.name === name && t.family === family))
      .map(
        (name): IptablesTable => ({
          name,
          family,
          backend: backendOf(stack),
          chains: [],
          extent: "whole",
          origin: { kind: "assumed", rule: "lab-observer" },
        }),
      ),
  );
}

function tableText(
  stack: LabStack,
  table: IptablesTable,
  backend: Backend,
  observe: ObserveOptions,
  refused: Refusal[],
): string {
  const builtIn = BUILT_IN[table.name];
  const byName = new Map(table.chains.map((chain) => [chain.name, chain]));
  const chains: readonly Chain[] = [
    ...builtIn.map((name) => byName.get(name) ?? emptyChain(name)),
    ...table.chains.filter((chain) => !builtIn.includes(chain.name)),
  ];
  const heads: string[] = [];
  const rules: string[] = [];
  const where = (chain: Chain) => `${backend} ${table.name}/${chain.name}`;
  for (const chain of chains) {
    try {
      heads.push(`:${chainWord(chain.name)} ${builtIn.includes(chain.name) ? policyOf(chain) : "-"} [0:0]`);
    } catch (problem) {
      if (!(problem instanceof Unspeakable)) throw problem;
      refused.push({ stack: stack.name, what: where(chain), answer: problem.message });
      continue;
    }
    if (isObserved(stack.name, table.name, chain.name, observe)) {
      const prefix = observerPrefix(backend, table.family, table.name, chain.name);
      rules.push(`-A ${chain.name} -j NFLOG --nflog-group ${OBSERVER_GROUP} --nflog-prefix ${prefix}`);
    }
    for (const [i, rule] of chain.rules.entries()) {
      try {
        rules.push(`-A ${chain.name} ${ruleText(rule, table)}`.trimEnd());
      } catch (problem) {
        if (!(problem instanceof Unspeakable)) throw problem;
        refused.push({ stack: stack.name, what: `${where(chain)} rule ${i + 1}`, answer: problem.message });
      }
    }
  }
  return [`*${table.name}`, ...heads, ...rules, "COMMIT", ""].join("\n");
}

/** A rule as one line of text; the text of a dump can neither end the line nor start another. */
export function ruleText(rule: Rule, table: Pick<IptablesTable, "name" | "family">): string {
  const text = printRule(rule, table.family);
  if (/[\0-\x1f\x7f]/.test(text)) throw new Unspeakable("the rule holds control characters");
  return text;
}

export function chainWord(name: string): string {
  if (!/^[^\s"'\\!#*:-][^\s"'\\\0-\x1f\x7f]{0,27}$/.test(name)) {
    throw new Unspeakable(`${JSON.stringify(name)} is not a chain name the lab passes on`);
  }
  return name;
}

const emptyChain = (name: string): Chain => ({
  name,
  policy: "ACCEPT",
  rules: [],
  extent: "whole",
  origin: { kind: "assumed", rule: "lab-observer" },
});

const policyOf = (chain: Chain): string => (chain.policy === "DROP" ? "DROP" : "ACCEPT");
