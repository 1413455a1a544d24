import { type Text, text } from "@hairpin/core/messages/index.ts";
import type { IpSet, SetEntry } from "@hairpin/core/model/index.ts";
import { sourceOf } from "@hairpin/core/parse/index.ts";
import { type IpsetCommand, keyOfEntry, readIpsetEntry, readIpsetSave } from "@hairpin/core/parse/ipset/index.ts";
import { inputOf, savedLine, setName, setWords, words } from "../gate.ts";
import { type Item, looked, type Prior, Trouble } from "../item.ts";
import { runTool } from "../tool.ts";

/** A set as it is now, and of one of its elements the line that would put it there again, byte by byte. */
interface Found {
  readonly set: IpSet;
  readonly entry?: SetEntry;
  readonly line?: string;
  /** In a list of sets order counts: the member behind it. */
  readonly next?: string;
}

/** What a member is beside its element, as far as it decides anything. */
const character = ({ nomatch, skbmark, skbprio, skbqueue, parts }: SetEntry): string =>
  JSON.stringify([nomatch, skbmark, skbprio, skbqueue, parts.some((p) => p.kind === "iface" && p.wildcard)]);

/** An element of a set, kept or kept out. */
export function ipsetItem(command: string, { operation }: IpsetCommand): Item | Text {
  if (operation.kind !== "add" && operation.kind !== "del") return text("guard.only-ipset");
  const name = setName(operation.set);
  const typed = setWords(operation.words.map((w) => w.text));
  const entry = typed.slice(0, 1);

  const found = (): Found & { readonly query: SetEntry } => {
    // Comments are bytes, of whatever encoding.
    const { ok, out, complaint } = runTool("ipset", words`save ${name}`, { encoding: "latin1" });
    if (!ok) throw new Trouble(complaint);
    const lines = out.split("\n");
    const set = readIpsetSave(sourceOf("ipset save", out)).find((s) => s.name === name);
    if (set === undefined) throw new Trouble(text("guard.set-unread", { set: name }));
    const [asked, ...more] = readIpsetEntry(operation.words, set);
    if (asked === undefined || more.length > 0)
      throw new Trouble(text("guard.not-one-element", { set: name, entry: entry.join("") }));
    const at = set.entries.findIndex((e) => keyOfEntry(set, e) === keyOfEntry(set, asked));
    const there = set.entries[at];
    if (there === undefined) return { set, query: asked };
    const { origin } = there;
    const line = origin.kind === "read" ? lines[origin.line - 1] : undefined;
    if (line === undefined) throw new Trouble(text("guard.set-unread", { set: name }));
    const after = set.method === "list" ? set.entries[at + 1] : undefined;
    return { set, query: asked, entry: there, line, ...(after && { next: keyOfEntry(set, after) }) };
  };
  const change = (verb: "add" | "del"): void => {
    const args = verb === "add" ? words`-exist add ${name} ${typed}` : words`-exist del ${name} ${entry}`;
    const { ok, complaint } = runTool("ipset", args);
    if (!ok) throw new Trouble(complaint);
  };
  const keeps = operation.kind === "add";
  const isSo = (now: ReturnType<typeof found>): boolean =>
    keeps ? now.entry !== undefined && character(now.entry) === character(now.query) : now.entry === undefined;
  return {
    command,
    where: `ipset ${name}`,
    look: () => looked(() => (isSo(found()) ? "present" : "absent")),
    before: () => {
      const { line, next } = found();
      return { line: line ?? null, next: next ?? null, at: Date.now() };
    },
    apply: () => {
      if (!isSo(found())) change(keeps ? "add" : "del");
    },
    revert: (prior) => {
      const now = found();
      const line = lineBefore(prior);
      if (line === now.line) return;
      // What only its time tells from what was there before was never touched.
      if (line !== undefined && now.line !== undefined && withTime(line, "0") === withTime(now.line, "0")) return;
      const lines = [
        ...(now.line === undefined ? [] : [savedLine(`del ${name} ${entry.join("")}`)]),
        ...(line === undefined ? [] : [savedLine(placed(line, prior))]),
      ];
      const { ok, complaint } = runTool("ipset", words`restore`, { input: inputOf(lines), encoding: "latin1" });
      if (!ok) throw new Trouble(complaint);
    },
  };
}

const TIME = /^(add \S+ \S+ timeout )(\d+)/;
const withTime = (line: string, seconds: string): string => line.replace(TIME, `$1${seconds}`);

/** The line as it would be by now had nobody touched it: time runs on, and what has run out is gone. */
function lineBefore({ line, at }: Prior): string | undefined {
  if (typeof line !== "string") return undefined;
  const left = Number(TIME.exec(line)?.[2] ?? 0);
  if (left === 0) return line;
  const now = left - Math.max(0, Math.floor((Date.now() - Number(at)) / 1000));
  return now > 0 ? withTime(line, String(now)) : undefined;
}

const placed = (line: string, { next }: Prior): string =>
  typeof next === "string" ? `${line} before ${setName(next)}` : line;
