import type { Chain, IptablesTable, Match, Negatable, Rule, Target } from "../../../model/index.ts";
import { lookup } from "../../../model/lookup.ts";
import { append } from "../../../net/append.ts";
import { type Family, protocolName } from "../../../net/index.ts";
import { formatNetwork } from "../values/index.ts";
import { type KeyedField, writeFields } from "./extension.ts";
import { extensionOfMatch, extensionOfTarget } from "./registry.ts";
import { splitWords } from "./words.ts";
import { TextWriter, type Writer } from "./writer.ts";

const STANDARD_NAMES: Readonly<Record<string, string>> = lookup({
  accept: "ACCEPT",
  drop: "DROP",
  return: "RETURN",
  queue: "QUEUE",
});

function writeOption(out: Writer, option: string, one: Negatable<unknown> | undefined, value: string): void {
  if (one === undefined) return;
  if (one.negated) out.word("!");
  out.word(option);
  out.word(value);
}

/** The words that an `other` record holds are bare; how each is quoted is a matter of its option. */
function writeOther(
  fields: ReadonlyMap<string, KeyedField> | undefined,
  options: readonly string[],
  out: Writer,
): void {
  let field: KeyedField | undefined;
  let left = 0;
  for (const word of options) {
    const known = left === 0 ? fields?.get(word) : undefined;
    if (known !== undefined) {
      field = known;
      left = known.value.optional ? 0 : known.value.words;
      out.word(word);
      if (known.gap) out.gap?.();
    } else if (word === "!" && left === 0) out.word(word);
    else {
      out.word(word, field?.quoting);
      if (left > 0) left--;
    }
  }
}

function writeMatch(match: Match, family: Family, out: Writer): void {
  if (match.kind === "unknown") {
    out.verbatim(match.text);
    return;
  }
  const extension = extensionOfMatch(match, family);
  out.word("-m");
  out.word(match.kind === "other" ? match.name : (extension?.name ?? match.kind));
  if (match.kind === "other") writeOther(extension?.options, match.options, out);
  else if (extension !== undefined) {
    writeFields(extension.fields, extension.show(match), out);
    for (const word of extension.rest?.(match) ?? []) out.word(word);
  }
}

function writeTarget(target: Target, family: Family, out: Writer): void {
  if (target.kind === "none") return;
  if (target.kind === "unknown") {
    out.verbatim(target.text);
    return;
  }
  if (target.kind === "jump") {
    out.word(target.goto ? "-g" : "-j");
    out.word(target.chain);
    return;
  }
  out.word("-j");
  const standard = STANDARD_NAMES[target.kind];
  if (standard !== undefined) {
    out.word(standard);
    return;
  }
  const extension = extensionOfTarget(target, family);
  out.word(target.kind === "other" ? target.name : (extension?.name ?? target.kind.toUpperCase()));
  if (target.kind === "other") writeOther(extension?.options, target.options, out);
  else if (extension !== undefined) {
    writeFields(extension.fields, extension.show(target), out);
    for (const word of extension.rest?.(target) ?? []) out.word(word);
  }
}

function writeRule(rule: Rule, family: Family, out: Writer): void {
  const { source, destination, inInterface, outInterface, protocol, fragment } = rule;
  if (source) writeOption(out, "-s", source, formatNetwork(source.value));
  if (destination) writeOption(out, "-d", destination, formatNetwork(destination.value));
  if (inInterface) writeOption(out, "-i", inInterface, inInterface.value);
  if (outInterface) writeOption(out, "-o", outInterface, outInterface.value);
  if (protocol) writeOption(out, "-p", protocol, rule.protocolName ?? protocolName(protocol.value));
  if (fragment) {
    if (fragment.negated) out.word("!");
    out.word("-f");
  }
  for (const match of rule.matches) writeMatch(match, family, out);
  writeTarget(rule.target, family, out);
}

/** What iptables-save prints after `-A CHAIN `. */
export function printRuleSpec(rule: Rule, family: Family): string {
  const out = new TextWriter();
  writeRule(rule, family, out);
  return out.toString();
}

/** `-A CHAIN …`, with `[packets:bytes] ` before it where counters are known and wanted. */
export function printRule(
  rule: Rule,
  chain: string,
  family: Family,
  options: { readonly counters?: boolean } = {},
): string {
  const spec = printRuleSpec(rule, family);
  const counters = rule.counters;
  const prefix = counters && options.counters !== false ? `[${counters.packets}:${counters.bytes}] ` : "";
  return `${prefix}-A ${chain}${spec === "" ? "" : ` ${spec}`}`;
}

/** The arguments that give this rule to iptables(8) after `-A CHAIN`: no shell, no quoting. */
export function ruleArguments(rule: Rule, family: Family): readonly string[] {
  const out: string[] = [];
  writeRule(rule, family, {
    word: (word) => out.push(word),
    verbatim: (text) => append(out, splitWords(text).texts),
  });
  return out;
}

export function printChainHead(chain: Chain): string {
  const counters = chain.counters ? ` [${chain.counters.packets}:${chain.counters.bytes}]` : "";
  return `:${chain.name} ${chain.policy ?? "-"}${counters}`;
}

/** One table as iptables-save prints it, from `*table` to `COMMIT`, without a line end. */
export function printTable(table: IptablesTable, options: { readonly counters?: boolean } = {}): string {
  const lines = [`*${table.name}`];
  for (const chain of table.chains) lines.push(printChainHead(chain));
  for (const chain of table.chains)
    for (const rule of chain.rules) lines.push(printRule(rule, chain.name, table.family, options));
  lines.push("COMMIT");
  return lines.join("\n");
}

/** iptables-restore input of these tables, in their order. */
export const printTables = (tables: readonly IptablesTable[], options: { readonly counters?: boolean } = {}): string =>
  tables.map((table) => `${printTable(table, options)}\n`).join("");
