import type { Counters, IptablesBackend, IptablesTable, Origin, Policy, Rule } from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";
import { type Diagnostic, diagnose, type Severity } from "../../diagnostic.ts";
import type { DumpContext } from "../../dialect.ts";
import { isEllipsis } from "../../ellipsis.ts";
import { originAt, type Source } from "../../source.ts";
import { EditBudget, editTable } from "../command/restore-edit.ts";
import { guessFamily } from "../family.ts";
import { readRule } from "../rule/rule.ts";
import { splitWords, type Words } from "../rule/words.ts";
import { checkTable } from "../table/check-table.ts";
import { type ChainBuilder, TableBuilder } from "../table/table-builder.ts";
import { FastReader } from "./fast.ts";
import { saveHeader } from "./header.ts";
import { sampleOf } from "./rehearse.ts";
import { isTable, type Setting, settle } from "./settle.ts";

/** An iptables-save as a document: its tables, and the comments around them, in the order printed. */
export interface SaveDocument {
  readonly parts: readonly SavePart[];
}
export type SavePart =
  | { readonly kind: "comment"; readonly text: string; readonly origin: Origin }
  | { readonly kind: "table"; readonly table: IptablesTable };

export interface SaveReading {
  readonly document: SaveDocument;
  readonly diagnostics: readonly Diagnostic[];
}

export function readSave(source: Source, context: DumpContext): SaveReading {
  const sample = sampleOf(source.lines);
  if (sample !== undefined) new SaveReader({ file: source.file, lines: sample, firstLine: 1 }, context).read();
  return new SaveReader(source, context).read();
}

const ZERO: Counters = { packets: 0, bytes: 0 };
const POLICIES = new Set(["ACCEPT", "DROP", "QUEUE"]);

class SaveReader {
  private readonly source: Source;
  private readonly setting: Setting;
  private readonly parts: SavePart[] = [];
  private readonly diagnostics: Diagnostic[] = [];
  private readonly budget = new EditBudget();
  private family: Family | undefined;
  private backend: IptablesBackend | undefined;
  private foreign: string | undefined;
  private table: TableBuilder | undefined;
  private fast: FastReader<ChainBuilder> | undefined;
  private chain: ChainBuilder | undefined;
  /** Rules of the current chain that it has not been given yet. */
  private run: Rule[] = [];
  /** Rules of chains that no line declared; an error only in a table that is whole. */
  private undeclared: { readonly index: number; readonly column: number; readonly name: string }[] = [];

  constructor(source: Source, context: DumpContext) {
    this.source = source;
    this.setting = settle(context);
  }

  read(): SaveReading {
    const { lines } = this.source;
    for (let i = 0; i < lines.length; i++) this.readLine(lines[i]!, i);
    this.endTable(false, lines.length);
    return { document: { parts: this.parts }, diagnostics: this.diagnostics };
  }

  private say(index: number, column: number, severity: Severity, code: string, message: string, length = 1): void {
    this.diagnostics.push(diagnose(this.source, index, column, code, message, { severity, length }));
  }

  private readLine(line: string, index: number): void {
    switch (line.charCodeAt(0)) {
      case 45: // -
        this.dashLine(line, index, undefined, 0);
        return;
      case 91: // [
        this.countedLine(line, index);
        return;
      case 58: // :
        this.chainLine(line, index);
        return;
      case 42: // *
        this.tableLine(line, index);
        return;
      case 35: // #
        this.commentLine(line, index);
        return;
      default:
        this.otherLine(line, index);
    }
  }

  private otherLine(line: string, index: number): void {
    const text = line.trim();
    if (text === "") return;
    if (text === "COMMIT") {
      if (this.table === undefined)
        this.say(index, 0, "note", "iptables-stray-commit", "COMMIT without a table before it");
      this.endTable(true, index);
      return;
    }
    const rule = /^(?:\+\s*|\s+)(?=(?:\[\d+:\d+\] )?-[ANIPDRFXZE] )/.exec(line.slice(0, 200));
    if (rule !== null) {
      this.dashLine(line, index, undefined, rule[0].length);
      return;
    }
    if (this.table !== undefined) this.table.extent = "partial";
    if (isEllipsis(text)) return;
    this.say(
      index,
      0,
      "error",
      "iptables-unknown-line",
      "this is no line of an iptables-save",
      Math.min(80, line.length),
    );
  }

  private commentLine(line: string, index: number): void {
    const header = saveHeader(line);
    if (header !== undefined) {
      this.endTable(false, index);
      this.foreign = /^(?:arptables|ebtables)/.test(header.tool) ? header.tool : undefined;
      this.family = header.family;
      this.backend = header.backend;
    } else if (/^# Warning: ip6?tables-legacy tables present/.test(line)) {
      const message = "tables of the legacy back end are loaded too and are not in this dump";
      this.say(index, 0, "note", "iptables-legacy-present", message, line.length);
    } else this.incompatibleTable(line, index);
    this.parts.push({ kind: "comment", text: line, origin: originAt(this.source, index) });
  }

  /** "# Table `nat' is incompatible, use 'nft' tool." — it exists, and nothing of it is shown. */
  private incompatibleTable(line: string, index: number): void {
    const match = /^# Table `(\w{1,20})' (is incompatible|contains incompatible)/.exec(line);
    if (match === null) return;
    const message =
      match[2] === "is incompatible"
        ? `the table ${match[1]} holds native nftables rules and is not shown`
        : `the table ${match[1]} has native nftables chains that are not shown`;
    this.say(index, 0, "warning", "iptables-nft-incompatible", message, line.length);
  }

  private tableLine(line: string, index: number): void {
    this.endTable(false, index);
    const name = line.slice(1).trim();
    if (!isTable(name)) {
      this.say(
        index,
        1,
        "error",
        "iptables-unknown-table",
        `"${name.slice(0, 40)}" is no table of iptables`,
        name.length,
      );
      return;
    }
    if (this.foreign !== undefined) {
      this.say(index, 0, "warning", "iptables-foreign-table", `a table of ${this.foreign} is not read`, line.length);
      return;
    }
    const family = this.family ?? this.setting.family ?? guessFamily(this.source.lines, index + 1);
    const backend = this.backend ?? this.setting.backend ?? "unknown";
    const extent = this.setting.partial ? "partial" : "whole";
    this.table = new TableBuilder(name, family, backend, originAt(this.source, index), extent);
    this.fast = new FastReader(this.table);
  }

  /** `:NAME - [0:0]`, which most chains of a large dump are. */
  private userChain(table: TableBuilder, line: string, index: number): boolean {
    const end = line.length - 8;
    if (end < 2 || !line.endsWith(" - [0:0]") || line.indexOf(" ") !== end) return false;
    const name = line.slice(1, end);
    if (name.indexOf("\t") >= 0 || this.run.length > 0) return false;
    const chain = table.declare(name, originAt(this.source, index));
    chain.clear();
    chain.counters = ZERO;
    return true;
  }

  /** `:NAME POLICY [packets:bytes]` */
  private chainLine(input: string, index: number): void {
    const table = this.table;
    if (table !== undefined && this.userChain(table, input, index)) return;
    const line = input.includes("\t") ? input.replace(/\t/g, " ") : input;
    const space = line.indexOf(" ");
    if (table === undefined || space < 2) {
      if (this.foreign === undefined) this.unplaced(line, index);
      return;
    }
    const end = line.indexOf(" ", space + 1);
    const policy = line.slice(space + 1, end < 0 ? line.length : end);
    const counters = end < 0 ? undefined : parseCounters(line, end + 1);
    if ((policy !== "-" && !POLICIES.has(policy)) || (end >= 0 && counters === undefined)) {
      this.say(
        index,
        space + 1,
        "error",
        "iptables-bad-chain",
        "a chain line is :NAME POLICY [PACKETS:BYTES]",
        policy.length,
      );
      table.extent = "partial";
      return;
    }
    const chain = table.declare(line.slice(1, space), originAt(this.source, index));
    // Restoring a chain that is there already empties it.
    this.flush();
    chain.clear();
    if (policy !== "-") chain.policy = policy as Policy;
    chain.counters = counters?.counters;
  }

  private countedLine(line: string, index: number): void {
    const read = parseCounters(line, 0);
    if (read === undefined || line.charCodeAt(read.end) !== 32) {
      this.otherLine(line, index);
      return;
    }
    this.dashLine(line, index, read.counters, read.end + 1);
  }

  private unplaced(line: string, index: number): void {
    const message = "this line stands outside of any table";
    this.say(index, 0, "error", "iptables-no-table", message, Math.min(80, line.length));
  }

  private dashLine(line: string, index: number, counters: Counters | undefined, at: number): void {
    const table = this.table;
    if (table === undefined) {
      if (this.foreign === undefined) this.unplaced(line, index);
      return;
    }
    // `-A `
    if (line.charCodeAt(at + 1) === 65 && line.charCodeAt(at + 2) === 32 && line.charCodeAt(at) === 45) {
      const same = this.chain;
      if (
        same !== undefined &&
        line.charCodeAt(at + 3 + same.name.length) === 32 &&
        line.startsWith(same.name, at + 3)
      ) {
        this.rule(line, at + 4 + same.name.length, index, counters);
        return;
      }
      const next = table.following(line, at + 3);
      if (next !== undefined) {
        this.flush();
        this.chain = next;
        this.rule(line, at + 4 + next.name.length, index, counters);
        return;
      }
      const space = line.indexOf(" ", at + 3);
      const name = line.slice(at + 3, space < 0 ? line.length : space);
      if (name !== "" && !/["\t]/.test(name)) {
        this.enter(table, name, index, at + 3);
        this.rule(line, space < 0 ? line.length : space + 1, index, counters);
        return;
      }
    }
    this.flush();
    const words = splitWords(line, at);
    const problem = editTable(table, words, this.ruleSetting(index, words, "", counters), this.budget);
    if (problem === undefined) return;
    table.extent = "partial";
    this.say(index, words.starts[problem.word] ?? at, problem.severity, problem.code, problem.message);
  }

  /** Makes `name` the chain to which the next rules are appended. */
  private enter(table: TableBuilder, name: string, index: number, column: number): void {
    let chain = table.entry(name);
    if (chain.declared === undefined) {
      if (!chain.builtIn) this.undeclared.push({ index, column, name });
      chain = table.declare(name, originAt(this.source, index));
    }
    this.flush();
    this.chain = chain;
  }

  private flush(): void {
    if (this.run.length === 0) return;
    this.chain?.append(this.run);
    this.run.length = 0;
  }

  private ruleSetting(index: number, words: Words, chain: string, counters: Counters | undefined) {
    const table = this.table!;
    return {
      family: table.family,
      backend: table.backend,
      table: table.name,
      chain,
      origin: originAt(this.source, index),
      counters,
      report: (severity: Severity, code: string, message: string, word: number) =>
        this.say(
          index,
          words.starts[word] ?? 0,
          severity,
          code,
          message,
          (words.ends[word] ?? 1) - (words.starts[word] ?? 0),
        ),
    };
  }

  private rule(line: string, at: number, index: number, counters: Counters | undefined): void {
    const chain = this.chain!;
    const quick = this.fast!.read(line, at, chain, index, originAt(this.source, index), counters);
    if (quick !== undefined) {
      this.run.push(quick);
      return;
    }
    const words = splitWords(line, at);
    const rules = readRule(words, 0, this.ruleSetting(index, words, chain.name, counters));
    for (const rule of rules) {
      if (rule.target.kind === "jump") this.table!.mention(chain, this.table!.entry(rule.target.chain), index);
      this.run.push(rule);
    }
  }

  private endTable(committed: boolean, next: number): void {
    const table = this.table;
    if (table === undefined) return;
    this.flush();
    if (!committed && table.extent === "whole") {
      table.extent = "partial";
      const message = `the table ${table.name} does not end in COMMIT: its end may be missing`;
      this.say(Math.max(0, next - 1), 0, "note", "iptables-no-commit", message);
    }
    if (table.extent === "whole")
      for (const { index, column, name } of this.undeclared) {
        const message = `the chain ${name.slice(0, 80)} is not declared`;
        this.say(index, column, "warning", "iptables-undeclared-chain", message, name.length);
      }
    this.undeclared = [];
    this.table = undefined;
    this.fast = undefined;
    this.chain = undefined;
    const built = table.build();
    checkTable(
      table,
      built,
      (index, column, severity, code, message, length) => this.say(index, column, severity, code, message, length),
      this.source,
    );
    this.parts.push({ kind: "table", table: built });
  }
}

/** `[12:720]` at `at`. */
export function parseCounters(
  line: string,
  at: number,
): { readonly counters: Counters; readonly end: number } | undefined {
  if (line.startsWith("[0:0]", at)) return { counters: ZERO, end: at + 5 };
  if (line.charCodeAt(at) !== 91) return undefined;
  const colon = line.indexOf(":", at);
  const close = line.indexOf("]", at);
  if (colon < 0 || close < colon || close - at > 44) return undefined;
  const packets = line.slice(at + 1, colon);
  const bytes = line.slice(colon + 1, close);
  if (!/^\d+$/.test(packets) || !/^\d+$/.test(bytes)) return undefined;
  return { counters: { packets: Number(packets), bytes: Number(bytes) }, end: close + 1 };
}
