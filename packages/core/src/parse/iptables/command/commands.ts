import type { IptablesBackend, IptablesTableName } from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";
import { type Diagnostic, diagnose, type Severity } from "../../diagnostic.ts";
import type { DumpContext, Reading } from "../../dialect.ts";
import { originAt, type Source } from "../../source.ts";
import { isVariableTool } from "../recognise.ts";
import type { Words } from "../rule/words.ts";
import { backendOfTool, familyOfTool, isTable, settle } from "../save/settle.ts";
import type { IptablesCommand, IptablesOperation } from "./command.ts";
import { operationOf, readOperation } from "./operation.ts";
import { type ScriptCommand, scriptCommands } from "./script.ts";

const TOOL = /^(?:.*\/)?ip6?tables(?:-legacy|-nft)?$/;

/** Words of a script that are no commands, where they stand alone. */
const KEYWORDS = new Set(["then", "else", "fi", "do", "done", "true", "exit", "{", "}", "set", "EOF"]);

/** `iptables …` lines as typed or as in a script. */
export function readCommands(source: Source, context: DumpContext): Reading {
  const diagnostics: Diagnostic[] = [];
  const commands: IptablesCommand[] = [];
  for (const command of scriptCommands(source)) readCommand(source, context, command, commands, diagnostics);
  return {
    facts: commands.length === 0 ? [] : [{ kind: "iptables-commands", commands }],
    diagnostics,
    counts: { commands: commands.length },
  };
}

/** One command line as typed, for patches: `iptables -t nat -I POSTROUTING …`. */
export function parseCommand(line: string, file = "command"): Reading {
  return readCommands({ file, lines: [line], firstLine: 1 }, {});
}

interface Arranged {
  readonly words: Words;
  readonly table: IptablesTableName | undefined;
  readonly badTable: number | undefined;
  readonly listing: boolean;
}

/** Puts the operation with its own words first and takes out what is no part of the rule. */
function arrange(words: Words, from: number): Arranged {
  const { texts } = words;
  const head: number[] = [];
  const rest: number[] = [];
  let table: IptablesTableName | undefined;
  let badTable: number | undefined;
  let listing = false;
  for (let i = from; i < texts.length; i++) {
    const word = texts[i]!;
    const letter = head.length === 0 ? operationOf(word) : undefined;
    if (letter !== undefined) {
      listing = letter === "L" || letter === "S";
      head.push(i);
      const wanted = letter === "E" || letter === "P" ? 2 : 1;
      while (head.length <= wanted && isName(texts[i + 1])) head.push(++i);
      if ((letter === "I" || letter === "R" || letter === "D") && /^\d{1,9}$/.test(texts[i + 1] ?? "")) head.push(++i);
    } else if (word === "-t" || word === "--table" || word.startsWith("--table=") || /^-t[a-z]/.test(word)) {
      const inline = word.startsWith("--table=") ? word.slice(8) : word.startsWith("--") ? "" : word.slice(2);
      const name = inline === "" ? texts[++i] : inline;
      if (name !== undefined && isTable(name)) table = name;
      else badTable = i;
    } else if (/^(?:-w|--wait|-W|--wait-interval)(?:=?\d+)?$/.test(word)) {
      if (/[wWtl]$/.test(word) && /^\d+$/.test(texts[i + 1] ?? "")) i++;
    } else if (/^-[nvx]*[LS]$/.test(word) && head.length === 0) listing = true;
    else rest.push(i);
  }
  const order = [...head, ...rest];
  return {
    words: {
      line: words.line,
      texts: order.map((i) => texts[i]!),
      starts: order.map((i) => words.starts[i]!),
      ends: order.map((i) => words.ends[i]!),
    },
    table,
    badTable,
    listing,
  };
}

const isName = (word: string | undefined): boolean => word !== undefined && !word.startsWith("-") && word !== "!";

function readCommand(
  source: Source,
  context: DumpContext,
  command: ScriptCommand,
  out: IptablesCommand[],
  diagnostics: Diagnostic[],
): void {
  if (command.words.texts.length === 0 || command.after === "|" || KEYWORDS.has(command.words.texts[0]!)) return;
  const at = command.words.texts.findIndex((word) => TOOL.test(word) || isVariableTool(word));
  const say = (column: number, length: number, severity: Severity, code: string, message: string) => {
    const place = command.locate(column);
    diagnostics.push(diagnose(source, place.index, place.column, code, message, { severity, length }));
  };
  if (at < 0) {
    const first = command.words.texts[0]!;
    say(command.words.starts[0]!, first.length, "error", "iptables-unknown-line", "this is no iptables command");
    return;
  }
  const tool = command.words.texts[at]!.toLowerCase();
  const arranged = arrange(command.words, at + 1);
  if (arranged.listing) return;
  const setting = settle(context);
  const family: Family = familyOfTool(tool) ?? setting.family ?? 4;
  const backend: IptablesBackend = backendOfTool(tool) ?? setting.backend ?? "unknown";
  const table = arranged.table ?? "filter";
  const origin = originAt(source, command.index);
  const { words } = arranged;
  if (arranged.badTable !== undefined) {
    const column = command.words.starts[arranged.badTable] ?? 0;
    say(column, 1, "error", "iptables-unknown-table", "this is no table of iptables");
    return;
  }
  if (words.texts.length === 0 || /^(?:-V|--version|-h|--help)$/.test(words.texts[0]!)) return;
  const reading = readOperation(words, 0, (chain) => ({
    family,
    backend,
    table,
    chain,
    origin,
    counters: undefined,
    report: (severity, code, message, word) =>
      say(words.starts[word] ?? 0, (words.ends[word] ?? 1) - (words.starts[word] ?? 0), severity, code, message),
  }));
  if ("problem" in reading) {
    const { severity, code, message, word } = reading.problem;
    say(words.starts[word] ?? words.starts[0]!, 1, severity, code, message);
    return;
  }
  for (const operation of reading.operations satisfies readonly IptablesOperation[])
    out.push({ family, backend, table, operation, origin });
}
