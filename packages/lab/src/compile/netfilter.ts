import { BUILT_IN_CHAINS, type Chain, type IptablesTable, type IptablesTableName } from "@hairpin/core/model/index.ts";
import {
  chainWord,
  type Input,
  inputOf,
  type Line,
  lineOf,
  marked,
  numberWord,
  oneOf,
  ruleWord,
  type Word,
  words,
} from "@hairpin/core/model/word.ts";
import { observerPrefix } from "../decode/nflog.ts";
import type { LabStack, ObserveOptions } from "../plan.ts";
import { attempt, type Refusal } from "./refusal.ts";
import { ruleWords } from "./rule.ts";

const TABLES: readonly IptablesTableName[] = ["raw", "mangle", "nat", "filter", "security"];
/** `*nat` */
export const tableHead = (name: IptablesTableName): Line => lineOf([marked("*", oneOf(name, TABLES))]);
export const COMMIT: Line = lineOf(words`COMMIT`);

export type Backend = "legacy" | "nft";

/** The NFLOG group the lab reads, out of the way of those in use. */
export const OBSERVER_GROUP = 41_959;

/** One `iptables-…-restore`. */
export interface Restore {
  readonly backend: Backend;
  readonly family: 4 | 6;
  readonly lines: readonly Line[];
}

export const inputOfRestore = (restore: Restore): Input => inputOf(restore.lines);

/** Tables by which back end a stack's are loaded: a dump that does not say takes that of the others. */
export function backendOf(stack: LabStack, table?: IptablesTable): Backend {
  if (table?.backend === "legacy" || table?.backend === "nft") return table.backend;
  const named = stack.tables.map((t) => t.backend).filter((b) => b !== "unknown");
  return named.length > 0 && named.every((b) => b === "nft") ? "nft" : "legacy";
}

/** Whether the head of this chain carries an observer. */
export const isObserved = (stack: string, table: IptablesTableName, chain: string, observe: ObserveOptions): boolean =>
  hasObservers(stack, observe) && BUILT_IN_CHAINS[table].includes(chain);

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
    const lines = tableLines(stack, table, backend, observe, refused);
    const last = found[found.length - 1];
    if (last?.backend === backend && last.family === table.family) {
      found[found.length - 1] = { ...last, lines: [...last.lines, ...lines] };
    } else found.push({ backend, family: table.family, lines });
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

function tableLines(
  { name: stack }: LabStack,
  table: IptablesTable,
  backend: Backend,
  observe: ObserveOptions,
  refused: Refusal[],
): readonly Line[] {
  const lines: Line[] = [];
  attempt(refused, { stack, what: `${backend} table`, origin: table.origin }, () => {
    const head = tableHead(table.name);
    const builtIn = BUILT_IN_CHAINS[table.name];
    const byName = new Map(table.chains.map((chain) => [chain.name, chain]));
    const chains: readonly Chain[] = [
      ...builtIn.map((name) => byName.get(name) ?? emptyChain(name)),
      ...table.chains.filter((chain) => !builtIn.includes(chain.name)),
    ];
    const heads: Line[] = [];
    const rules: Line[] = [];
    for (const chain of chains) {
      const what = `${backend} ${table.name}/${chain.name}`;
      attempt(refused, { stack, what, origin: chain.origin }, () => {
        const name = chainWord(chain.name);
        heads.push(lineOf(words`${marked(":", name)} ${builtIn.includes(name) ? policyOf(chain) : words`-`} [0:0]`));
        if (isObserved(stack, table.name, name, observe)) rules.push(observerLine(backend, table, name));
        for (const [i, rule] of chain.rules.entries()) {
          attempt(refused, { stack, what: `${what} rule ${i + 1}`, origin: rule.origin }, () => {
            rules.push(lineOf(words`-A ${name} ${ruleWords(rule, table.family)}`));
          });
        }
      });
    }
    lines.push(head, ...heads, ...rules, COMMIT);
  });
  return lines;
}

export const observerLine = (
  backend: Backend,
  { name, family }: Pick<IptablesTable, "name" | "family">,
  chain: Word,
): Line => {
  const prefix = ruleWord(observerPrefix(backend, family, name, chain));
  return lineOf(words`-A ${chain} -j NFLOG --nflog-group ${numberWord(OBSERVER_GROUP)} --nflog-prefix ${prefix}`);
};

const emptyChain = (name: string): Chain => ({
  name,
  policy: "ACCEPT",
  rules: [],
  extent: "whole",
  origin: { kind: "assumed", rule: "lab-observer" },
});

const policyOf = (chain: Chain): readonly Word[] => (chain.policy === "DROP" ? words`DROP` : words`ACCEPT`);
