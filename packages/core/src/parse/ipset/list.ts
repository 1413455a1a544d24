import type { Extent, IpSet, SetEntry, SetOption } from "../../model/index.ts";
import { append } from "../../net/append.ts";
import type { Family } from "../../net/index.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { isEllipsis } from "../ellipsis.ts";
import { originAt, type Source } from "../source.ts";
import { isFiltered, requested } from "./context.ts";
import { type EntryProblem, entryWords, parseEntry } from "./entry.ts";
import { inferType } from "./infer.ts";
import { parseOptions } from "./options.ts";
import { type SetType, setType } from "./types.ts";

/** A set as far as its lines have been read. */
interface Draft {
  readonly name: string;
  readonly at: number;
  type?: SetType;
  revision?: number;
  family?: Family;
  options: readonly SetOption[];
  sizeInMemory?: number;
  references?: number;
  numberOfEntries?: number;
  members: number[];
  membersShown: boolean;
  cut: boolean;
}

const FIELD = /^(Name|Type|Revision|Header|Size in memory|References|Number of entries|Members): ?(.*)$/;

const draft = (name: string, at: number): Draft => ({
  name,
  at,
  options: [],
  members: [],
  membersShown: false,
  cut: false,
});

/** Reads `ipset list`: one set or many, terse or in full, also what is left of it after grep. */
export function readList(source: Source, context: DumpContext): Reading {
  const diagnostics: Diagnostic[] = [];
  const request = requested(context);
  const drafts: Draft[] = [];
  let current: Draft | undefined;
  const begin = (name: string, at: number): Draft => {
    const set = draft(name, at);
    drafts.push(set);
    return set;
  };
  for (const [index, raw] of source.lines.entries()) {
    const line = raw.trim();
    if (line === "") continue;
    if (isEllipsis(line)) {
      if (current !== undefined) current.cut = true;
      continue;
    }
    const field = FIELD.exec(line);
    if (field?.[1] === "Name") current = begin(field[2]!, index);
    else if (field !== null) {
      if (current === undefined) {
        current = begin(request.set ?? "", index);
        current.cut = true;
      }
      readField(current, field[1]!, field[2]!, source, index, diagnostics);
    } else {
      if (current === undefined && inferType(line.split(" ", 1)[0]!) !== undefined) {
        current = begin(request.set ?? "", index);
        current.cut = true;
      }
      if (current === undefined) diagnostics.push(stray(source, index));
      else current.members.push(index);
    }
  }
  const sets = drafts.flatMap((d) => finish(d, source, context, diagnostics));
  return {
    facts: [{ kind: "ipset", sets, extent: extentOf(sets, context) }],
    diagnostics,
    counts: { sets: sets.length, entries: sets.reduce((n, s) => n + s.entries.length, 0) },
  };
}

/** One set without a known command may be the answer to `ipset list NAME`: it proves nothing about others. */
export function extentOf(sets: readonly IpSet[], context: DumpContext): Extent {
  const { set } = requested(context);
  if (context.partial !== undefined || typeof set === "string") return "partial";
  if (set === undefined && sets.length < 2) return "partial";
  return "whole";
}

const stray = (source: Source, index: number): Diagnostic =>
  diagnose(source, index, 0, "ipset-stray-line", "this is no part of a set", {
    length: Math.max(1, source.lines[index]!.length),
  });

function readField(set: Draft, name: string, value: string, source: Source, index: number, out: Diagnostic[]): void {
  const line = source.lines[index]!;
  const column = line.length - line.trimStart().length + name.length + 2;
  if (name === "Type") {
    const type = setType(value);
    if (type === undefined) {
      out.push(diagnose(source, index, column, "ipset-unknown-type", `\`${value}\` is not a type of set`));
    } else set.type = type;
  } else if (name === "Header") {
    const words = entryWords(line, column);
    const parsed = parseOptions(words, undefined);
    set.options = parsed.options;
    set.family = parsed.family;
    append(out, problems(source, index, parsed.problems, "ipset-unknown-option"));
  } else if (name === "Members") {
    set.membersShown = true;
    if (value !== "") out.push(stray(source, index));
  } else {
    if (!/^\d{1,15}$/.test(value)) {
      out.push(diagnose(source, index, column, "ipset-bad-number", `\`${value}\` is not a number`));
      return;
    }
    const number = Number(value);
    if (name === "Revision") set.revision = number;
    else if (name === "Size in memory") set.sizeInMemory = number;
    else if (name === "References") set.references = number;
    else set.numberOfEntries = number;
  }
}

export const problems = (
  source: Source,
  index: number,
  found: readonly EntryProblem[],
  code: string,
): readonly Diagnostic[] =>
  found.map((p) =>
    diagnose(source, index, p.column, code, p.message, { severity: "warning", length: Math.max(1, p.length) }),
  );

function finish(set: Draft, source: Source, context: DumpContext, out: Diagnostic[]): IpSet[] {
  const first = set.members.find((i) => inferType(source.lines[i]!.trim().split(" ", 1)[0]!) !== undefined);
  const shape = first === undefined ? undefined : inferType(source.lines[first]!.trim().split(" ", 1)[0]!);
  const type = set.type ?? shape?.type;
  if (type === undefined || set.name === "") {
    const what = set.name === "" ? "members of a set that is not named" : "a set whose type is not shown";
    out.push(diagnose(source, set.at, 0, "ipset-unknown-set", what));
    for (const index of set.members) if (index !== set.at) out.push(stray(source, index));
    return [];
  }
  const family = set.family ?? (set.type === undefined ? shape?.family : undefined) ?? 4;
  const entries: SetEntry[] = [];
  for (const index of set.members) {
    const line = source.lines[index]!;
    const parsed = parseEntry(entryWords(line), type, family, originAt(source, index));
    entries.push(parsed.entry);
    append(out, problems(source, index, parsed.problems, "ipset-bad-entry"));
  }
  return [
    {
      name: set.name,
      method: type.method,
      dimensions: type.dimensions,
      ...(set.revision === undefined ? {} : { revision: set.revision }),
      family,
      options: set.options,
      ...(set.sizeInMemory === undefined ? {} : { sizeInMemory: set.sizeInMemory }),
      ...(set.references === undefined ? {} : { references: set.references }),
      ...(set.numberOfEntries === undefined ? {} : { numberOfEntries: set.numberOfEntries }),
      entries,
      extent: extentOfSet(set, entries.length, source, context, out),
      ...(set.type === undefined ? { inferredType: true as const } : {}),
      origin: originAt(source, set.at),
    },
  ];
}

/** The kernel counts timed-out entries until it collects them, so with timeouts the count may run ahead of the listing. */
function extentOfSet(set: Draft, shown: number, source: Source, context: DumpContext, out: Diagnostic[]): Extent {
  const counted = set.numberOfEntries;
  if (counted === shown) return "whole";
  if (counted === undefined) return set.cut || !set.membersShown || isFiltered(context) ? "partial" : "whole";
  if (set.membersShown && !set.cut && !isFiltered(context)) {
    const timeouts = set.options.some((o) => o.name === "timeout");
    const why = timeouts && counted > shown ? "cut short, or the rest has timed out" : "taken as incomplete";
    const text = `${counted} entries are counted and ${shown} shown: ${why}`;
    out.push(diagnose(source, set.at, 0, "ipset-count-differs", text, { severity: "note" }));
  }
  return "partial";
}
