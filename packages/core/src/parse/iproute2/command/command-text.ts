import type { Claim, DumpContext, Reading } from "../../dialect.ts";
import { isEllipsis } from "../../ellipsis.ts";
import { type ShellWord, shellWords } from "../../shell-words.ts";
import type { Source } from "../../source.ts";
import { invocationOf } from "../invocation.ts";
import { Complaints, isBlank, logicalLines, originOf } from "../lines.ts";
import type { IpCommand } from "./command.ts";
import { readIpCommand } from "./command-read.ts";

const CHANGES: ReadonlySet<string> = new Set([
  "add",
  "del",
  "delete",
  "replace",
  "change",
  "append",
  "prepend",
  "set",
  "flush",
]);
const OBJECTS: ReadonlySet<string> = new Set(["route", "rule", "address", "link", "neighbor"]);

/** The words of the first command of a line, without what a shell puts before it: `sudo`, `+` of `set -x`. */
function commandWords(line: string): ShellWord[] {
  const words = shellWords(line.length > 2000 ? line.slice(0, 2000) : line);
  const end = words.findIndex((w) => w.operator === true);
  const own = end < 0 ? words : words.slice(0, end);
  const start = own.findIndex((w) => w.text !== "sudo" && w.text !== "+");
  return start < 0 ? [] : own.slice(start);
}

function isChange(words: readonly string[]): boolean {
  if (/(^|\/)brctl$/.test(words[0] ?? "")) return /^(addif|delif|hairpin)$/.test(words[1] ?? "");
  const command = invocationOf(words);
  return command !== undefined && OBJECTS.has(command.object) && CHANGES.has(command.rest[0] ?? "");
}

/** `ip rule add fwmark 42 lookup 100`: understood, or at least beginning like one. */
export function claimCommand(line: string): Claim {
  const head = line.trimStart();
  if (!/^(sudo |\+ )?(\/\S{1,40}\/)?(ip|bridge|brctl)\s/.test(head.slice(0, 60))) return "no";
  const words = commandWords(head).map((w) => w.text);
  if (!isChange(words)) return "no";
  return readIpCommand(words, { kind: "assumed", rule: "claim" }).kind === "unknown" ? "maybe" : "line";
}

/** Reads commands as people type them into fixes and scripts, one a line. */
export function readCommands(source: Source, _context: DumpContext): Reading {
  const complaints = new Complaints(source, "ip-commands");
  const commands: IpCommand[] = [];
  for (const line of logicalLines(source)) {
    if (isBlank(line.text) || isEllipsis(line.text) || line.text.trimStart().startsWith("#")) continue;
    const words = commandWords(line.text);
    const texts = words.map((w) => w.text);
    if (!isChange(texts)) {
      complaints.notUnderstood(line, "not a command that changes a route, rule, address, link or neighbour");
      continue;
    }
    const command = readIpCommand(texts, originOf(source, line));
    commands.push(command);
    if (command.kind !== "unknown") continue;
    const word = words[Math.min(command.word ?? 0, words.length - 1)];
    complaints.at(line, line.column + (word?.column ?? 0), word?.text.length ?? 1, "not-understood", command.reason);
  }
  return {
    facts: commands.length === 0 ? [] : [{ kind: "ip-commands", commands }],
    diagnostics: complaints.list,
    counts: { commands: commands.length },
  };
}
