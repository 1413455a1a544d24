import type { IpSet, SetEntry } from "../../model/index.ts";
import { append } from "../../net/append.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { shellWords } from "../shell-words.ts";
import { originAt, type Source } from "../source.ts";
import { type IpsetCommand, type IpsetOperation, parseCommand } from "./command.ts";
import { isFiltered } from "./context.ts";
import { entryWords, parseEntry } from "./entry.ts";
import { inferType } from "./infer.ts";
import { extentOf, problems } from "./list.ts";
import { IpsetTable } from "./table.ts";

interface Draft {
  readonly set: IpSet;
  readonly entries: SetEntry[];
  readonly whole: boolean;
}

/**
 * Reads `ipset save` and what is fed to `ipset restore`. A set is whole from its create line on; what `create -exist`
 * finds may hold more than is shown. From the first line that takes away (del, flush, swap …) on this is no saved state but
 * a script: it is applied to what was read before it.
 */
export function readSave(source: Source, context: DumpContext): Reading {
  const diagnostics: Diagnostic[] = [];
  const drafts = new Map<string, Draft>();
  const filtered = isFiltered(context);
  let table: IpsetTable | undefined;
  for (const [index, line] of source.lines.entries()) {
    const text = line.trim();
    if (text === "" || text.startsWith("#") || text === "COMMIT" || text === "--") continue;
    const parsed = parseCommand(entryWords(line), originAt(source, index));
    const operation = parsed.command?.operation;
    if (operation === undefined) {
      const at = parsed.problems[0]!;
      diagnostics.push(diagnose(source, index, at.column, "ipset-bad-command", at.message, { length: at.length }));
      continue;
    }
    if (operation.kind === "create") append(diagnostics, problems(source, index, parsed.problems, "ipset-bad-create"));
    if (table === undefined && operation.kind !== "create" && operation.kind !== "add") {
      table = new IpsetTable({ sets: finished(drafts), extent: "partial" });
    }
    if (table !== undefined) {
      const reason = table.apply(parsed.command!);
      if (reason !== undefined) diagnostics.push(refused(source, index, reason));
    } else if (operation.kind === "create") {
      const { set: name, type, family, options } = operation;
      const origin = originAt(source, index);
      const set: IpSet = { name, ...type, family, options, entries: [], extent: "whole", origin };
      drafts.set(name, { set, entries: [], whole: !filtered && !parsed.command!.exist });
    } else if (operation.kind === "add") add(operation, drafts, source, index, diagnostics);
  }
  const sets = table?.state.sets ?? finished(drafts);
  return {
    facts: [{ kind: "ipset", sets, extent: table === undefined ? extentOf(sets, context) : "partial" }],
    diagnostics,
    counts: { sets: sets.length, entries: sets.reduce((n, s) => n + s.entries.length, 0) },
  };
}

const finished = (drafts: ReadonlyMap<string, Draft>): IpSet[] =>
  [...drafts.values()].map(({ set, entries, whole }) => ({ ...set, entries, extent: whole ? "whole" : "partial" }));

const refused = (source: Source, index: number, reason: string): Diagnostic =>
  diagnose(source, index, 0, "ipset-refused", `ipset would refuse this: ${reason}`, { severity: "warning" });

type Addition = Extract<IpsetOperation, { readonly words: unknown }>;

/** A set's name may hold blanks; its create line has said which. */
function ownerOf(operation: Addition, drafts: ReadonlyMap<string, Draft>): { name: string; words: Addition["words"] } {
  let name = operation.set;
  for (let i = 0; i < Math.min(4, operation.words.length); i++) {
    if (drafts.has(name)) return { name, words: operation.words.slice(i) };
    name += ` ${operation.words[i]!.text}`;
  }
  return { name: operation.set, words: operation.words };
}

function add(operation: Addition, drafts: Map<string, Draft>, source: Source, index: number, out: Diagnostic[]): void {
  const { name, words } = ownerOf(operation, drafts);
  const origin = originAt(source, index);
  let draft = drafts.get(name);
  if (draft === undefined) {
    const shape = inferType(words[0]!.text);
    if (shape === undefined) {
      out.push(diagnose(source, index, 0, "ipset-unknown-set", `the type of set ${name} is not shown`));
      return;
    }
    const { type, family } = shape;
    const set: IpSet = {
      name,
      ...type,
      family,
      options: [],
      entries: [],
      extent: "partial",
      inferredType: true,
      origin,
    };
    draft = { set, entries: [], whole: false };
    drafts.set(name, draft);
  }
  const parsed = parseEntry(words, draft.set, draft.set.family, origin);
  append(out, problems(source, index, parsed.problems, "ipset-bad-entry"));
  draft.entries.push(parsed.entry);
}

const PREFIX = /^(?:sudo\s+)?(?:\/\S{0,40}\/)?ipset\s/;

/** Reads `ipset …` commands as typed: they change sets rather than show them. */
export function readCommands(source: Source): Reading {
  const diagnostics: Diagnostic[] = [];
  const commands: IpsetCommand[] = [];
  for (const [index, line] of source.lines.entries()) {
    const start = line.length - line.trimStart().length;
    if (start === line.length || line[start] === "#") continue;
    const prefix = PREFIX.exec(line.slice(start, start + 80));
    if (prefix === null) {
      diagnostics.push(diagnose(source, index, start, "ipset-bad-command", "not an ipset command"));
      continue;
    }
    const words = shellWords(line, start + prefix[0].length);
    const end = words.findIndex((w) => w.operator);
    const parsed = parseCommand(end < 0 ? words : words.slice(0, end), originAt(source, index));
    if (parsed.command !== undefined) commands.push(parsed.command);
    append(
      diagnostics,
      parsed.problems.map((p) =>
        diagnose(source, index, p.column, "ipset-bad-command", p.message, {
          severity: parsed.command === undefined ? "error" : "warning",
          length: p.length,
        }),
      ),
    );
  }
  return {
    facts: [{ kind: "ipset-commands", commands }],
    diagnostics,
    counts: { commands: commands.length },
  };
}
