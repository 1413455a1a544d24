import type { IptablesTable, Rule } from "@hairpin/core/model/index.ts";
import type { Diagnostic } from "@hairpin/core/parse/diagnostic.ts";
import type { DumpContext } from "@hairpin/core/parse/dialect.ts";
import { readSave } from "@hairpin/core/parse/iptables/index.ts";
import { printRuleSpec } from "@hairpin/core/parse/iptables/rule/print.ts";
import { readRule } from "@hairpin/core/parse/iptables/rule/rule.ts";
import { splitWords } from "@hairpin/core/parse/iptables/rule/words.ts";
import { sourceOf } from "@hairpin/core/parse/source.ts";

export interface OneRule {
  readonly rules: readonly Rule[];
  readonly printed: string;
  readonly complaints: readonly string[];
}

/** Reads a rule specification by itself and prints it back. */
export function oneRule(
  spec: string,
  setting: {
    readonly family: 4 | 6;
    readonly backend?: "legacy" | "nft" | "unknown";
    readonly table?: IptablesTable["name"];
    readonly chain?: string;
  },
): OneRule {
  const complaints: string[] = [];
  const rules = readRule(splitWords(spec), 0, {
    family: setting.family,
    backend: setting.backend ?? "unknown",
    table: setting.table,
    chain: setting.chain ?? "USER",
    origin: { kind: "assumed", rule: "test" },
    counters: undefined,
    report: (_severity, code, message) => complaints.push(`${code}: ${message}`),
  });
  return { rules, printed: rules.map((rule) => printRuleSpec(rule, setting.family)).join("\n"), complaints };
}

export const context = (family: 4 | 6, more: DumpContext = {}): DumpContext => ({
  family: { value: family, by: "command" },
  ...more,
});

export function saveOf(text: string, given: DumpContext = {}, file = "dump") {
  const { document, diagnostics } = readSave(sourceOf(file, text), given);
  const tables = document.parts.flatMap((part) => (part.kind === "table" ? [part.table] : []));
  return { document, diagnostics, tables };
}

/** `table chain` → its rules as iptables-save prints them. */
export function rulesByChain(tables: readonly IptablesTable[]): Map<string, readonly string[]> {
  const out = new Map<string, readonly string[]>();
  for (const table of tables)
    for (const chain of table.chains)
      out.set(
        `${table.name} ${chain.name}`,
        chain.rules.map((rule) => printRuleSpec(rule, table.family)),
      );
  return out;
}

export const shown = (diagnostics: readonly Diagnostic[]): readonly string[] =>
  diagnostics.map((d) => `${d.line}:${d.column} ${d.code}: ${d.message}`);
