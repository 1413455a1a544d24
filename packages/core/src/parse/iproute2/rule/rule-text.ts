import type { Extent, Origin, RoutingRule } from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";
import type { Diagnostic } from "../../diagnostic.ts";
import type { DumpContext, Reading } from "../../dialect.ts";
import type { Facts } from "../../facts.ts";
import type { Source } from "../../source.ts";
import { invocationOf } from "../invocation.ts";
import { Complaints, eachEntry, isPartial, type LogicalLine, originOf, wordsIn } from "../lines.ts";
import { WordCursor } from "../words.ts";
import { emptyRule, familyOfRule, type RuleDraft, takeAction, takeSelector } from "./rule-words.ts";

/** Reads one line of `ip rule`; undefined when it is none. */
function readLine(line: LogicalLine, complaints: Complaints): RuleDraft | undefined {
  const cursor = new WordCursor(wordsIn(line));
  const preference = /^(\d{1,10}):$/.exec(cursor.peek() ?? "");
  if (preference === null) return undefined;
  cursor.take();
  return takeRule(Number(preference[1]), cursor, line, complaints);
}

/** Reads the words after the preference. */
export function takeRule(preference: number, cursor: WordCursor, line: LogicalLine, complaints: Complaints): RuleDraft {
  const rule = emptyRule();
  rule.preference = preference;
  while (!cursor.done) {
    const key = cursor.take()!;
    const column = cursor.column;
    let outcome = takeSelector(key, cursor, rule);
    if (outcome === "unknown") outcome = takeAction(key, cursor, rule);
    if (outcome === "ok") continue;
    const value = cursor.position > cursor.words.length ? "" : (cursor.words[cursor.position - 1]?.text ?? "");
    if (outcome === "bad-value") {
      complaints.at(line, cursor.column, cursor.length, "bad-value", `not a value for "${key}"`, "warning");
      rule.unknown.push(value === key || value === "" ? key : `${key} ${value}`);
    } else {
      complaints.at(line, column, key.length, "unknown-word", `"${key}" is not known in a rule`, "warning");
      rule.unknown.push(key);
    }
  }
  if (rule.action === undefined)
    complaints.at(line, line.column, line.text.length, "no-action", "the rule says no action", "warning");
  return rule;
}

function finish(draft: RuleDraft, family: Family, origin: Origin): RoutingRule {
  const { preference = 0, action = { kind: "unknown", text: "" }, ...rest } = draft;
  return { family, preference, ...rest, action, origin };
}

export interface RuleEntry {
  readonly draft: RuleDraft;
  readonly line: LogicalLine;
}

/** Rules are listed by rising preference: where it falls, another listing (the other family's) begins. */
function listings(entries: readonly RuleEntry[]): RuleEntry[][] {
  const result: RuleEntry[][] = [];
  let last = -1;
  for (const entry of entries) {
    const preference = entry.draft.preference ?? 0;
    if (result.length === 0 || preference < last) result.push([]);
    result[result.length - 1]!.push(entry);
    last = preference;
  }
  return result;
}

const looksUp = (entries: readonly RuleEntry[], table: number): boolean =>
  entries.some((e) => e.draft.action?.kind === "lookup" && e.draft.action.table === table);

export function readRules(source: Source, context: DumpContext): Reading {
  const complaints = new Complaints(source, "ip-rule");
  const entries: RuleEntry[] = [];
  const elided = eachEntry(source, (line) => {
    const draft = readLine(line, complaints);
    if (draft === undefined) complaints.notUnderstood(line, "not a line of `ip rule`");
    else entries.push({ draft, line });
  });
  const cut = isPartial(context) || elided || complaints.lost;
  return rulesReading(source, context, entries, cut, complaints.list);
}

/** Facts of the rules read, from text or JSON. */
export function rulesReading(
  source: Source,
  context: DumpContext,
  entries: readonly RuleEntry[],
  cut: boolean,
  diagnostics: readonly Diagnostic[],
): Reading {
  const command = invocationOf(context.command ?? []);
  const filtered = command !== undefined && command.rest.length > 1;
  const parts = listings(entries);
  const facts = (parts.length === 0 ? [[]] : parts).map((part): Facts => {
    const family =
      part.map((e) => familyOfRule(e.draft)).find((f) => f !== undefined) ??
      context.family?.value ??
      command?.family ??
      4;
    // A listing that lacks the kernel's own rules is an excerpt, whatever it says it is.
    const complete = looksUp(part, 255) && looksUp(part, 254) && !filtered;
    const extent: Extent = complete && !cut ? "whole" : "partial";
    return {
      kind: "routing-rules",
      family,
      rules: part.map((e) => finish(e.draft, family, originOf(source, e.line))),
      extent,
    };
  });
  return {
    facts: entries.length === 0 && command === undefined ? [] : facts,
    diagnostics,
    counts: { rules: entries.length },
  };
}
