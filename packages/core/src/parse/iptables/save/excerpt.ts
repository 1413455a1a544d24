import {
  BUILT_IN_CHAINS,
  type Counters,
  type Extent,
  type IptablesBackend,
  type IptablesTable,
  type IptablesTableName,
  type Rule,
} from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";
import { type Diagnostic, diagnose, type Severity } from "../../diagnostic.ts";
import type { DumpContext } from "../../dialect.ts";
import { isEllipsis } from "../../ellipsis.ts";
import { originAt, type Source } from "../../source.ts";
import { guessFamily } from "../family.ts";
import { readRule } from "../rule/rule.ts";
import { splitWords } from "../rule/words.ts";
import { checkTable } from "../table/check-table.ts";
import { assignTables, type Placed } from "../table/derive-table.ts";
import { checkRulePlace } from "../table/place.ts";
import { TableBuilder } from "../table/table-builder.ts";
import { parseCounters } from "./save.ts";
import { settle } from "./settle.ts";

/** What `iptables -S` prints, and rules pasted without their table: -P, -N and -A lines alone. */
export interface ExcerptReading {
  readonly tables: readonly IptablesTable[];
  readonly diagnostics: readonly Diagnostic[];
}

export const readExcerpt = (source: Source, context: DumpContext): ExcerptReading =>
  new ExcerptReader(source, context).read();

/** One line, before it is known which table it belongs to. */
type Line = {
  readonly chain: string;
  readonly index: number;
  readonly section: number;
} & (
  | { readonly kind: "rule"; readonly rule: Rule; readonly insert: boolean }
  | {
      readonly kind: "chain";
      readonly policy: string | undefined;
      readonly counters: Counters | undefined;
      /** -P and -N stand before all rules of their chain; a `:CHAIN` line without its table was cut out. */
      readonly whole: boolean;
    }
);

/** A diff's plus, indentation, a list's bullet before the line. */
const LEAD = /^[\s+*>•]{0,8}(?=(?:\[\d{1,20}:\d{1,20}\] )?-[ANPI] |:\S)/;
/** A diff's plus whose line lost its dash on the way (screen readers take it for a stroke). */
const DAMAGED = /^\+(?=A \S+ (?:! )?-)/;
/** Lines of a diff that are no rules, and rules that it shows as removed. */
const DIFF_FRAME = /^(?:\+\+\+ |--- |@@ .* @@|diff -|index [0-9a-f]+\.\.)/;
const REMOVED = /^-(?=-A |:\S)/;

class ExcerptReader {
  private readonly source: Source;
  private readonly context: DumpContext;
  private readonly diagnostics: Diagnostic[] = [];
  private readonly lines: Line[] = [];
  private readonly family: Family;
  private readonly backend: IptablesBackend;
  private cut: boolean;
  private section = 0;

  constructor(source: Source, context: DumpContext) {
    this.source = source;
    this.context = context;
    const setting = settle(context);
    this.family = setting.family ?? guessFamily(source.lines);
    this.backend = setting.backend ?? "unknown";
    this.cut = setting.partial;
  }

  read(): ExcerptReading {
    for (const [index, line] of this.source.lines.entries()) this.readLine(line, index);
    const setting = settle(this.context);
    const tables = new Map<IptablesTableName, TableBuilder>();
    const placed: Placed[] = this.lines.map((line) => ({
      chain: line.chain,
      rule: line.kind === "rule" ? line.rule : undefined,
      section: line.section,
    }));
    const assignment = assignTables(placed, this.family, setting.table);
    for (const [i, line] of this.lines.entries()) {
      const name = assignment.tables[i]!;
      let table = tables.get(name);
      if (table === undefined) {
        table = new TableBuilder(name, this.family, this.backend, originAt(this.source, line.index), "partial");
        tables.set(name, table);
      }
      this.place(table, line);
    }
    if (setting.table === undefined) this.sayTables(assignment.certain, [...tables.keys()]);
    return { tables: [...tables.values()].map((t) => this.finish(t, setting.chain)), diagnostics: this.diagnostics };
  }

  private say(index: number, column: number, severity: Severity, code: string, message: string, length = 1): void {
    this.diagnostics.push(diagnose(this.source, index, column, code, message, { severity, length }));
  }

  private sayTables(certain: boolean, names: readonly IptablesTableName[]): void {
    if (this.lines.length === 0) return;
    const list = names.join(", ");
    const message = certain
      ? `no table is named here: ${list} follows from its chains and targets`
      : `no table is named here: taken for ${list}`;
    this.say(this.lines[0]!.index, 0, "note", "iptables-table-assumed", message);
  }

  private readLine(line: string, index: number): void {
    const head = line.length > 200 ? line.slice(0, 200) : line;
    const lead = LEAD.exec(head);
    if (lead !== null) {
      const at = lead[0].length;
      if (line.charCodeAt(at) === 58) this.chainLine(line, index, at);
      else this.ruleLine(line, index, at);
      return;
    }
    if (DAMAGED.test(head)) {
      const message = "a dash is missing here: read as -A";
      this.say(index, 0, "warning", "iptables-damaged-line", message, 2);
      this.ruleLine(`-${line.slice(1)}`, index, 0);
      return;
    }
    this.odd(line, index);
  }

  /** `:CHAIN POLICY [packets:bytes]` without its table: through grep, or from a diff. */
  private chainLine(line: string, index: number, at: number): void {
    const match = /^:(\S{1,64}) (ACCEPT|DROP|QUEUE|-)(?: |$)/.exec(line.slice(at, at + 120));
    if (match === null) {
      this.odd(line, index);
      return;
    }
    const last = this.lines[this.lines.length - 1];
    if (last?.kind === "rule") this.section++;
    const [, chain, policy] = match;
    const counters = parseCounters(line, at + match[0].length)?.counters;
    this.cut = true;
    this.lines.push({
      kind: "chain",
      chain: chain!,
      policy: policy === "-" ? undefined : policy,
      counters,
      whole: false,
      index,
      section: this.section,
    });
  }

  private ruleLine(line: string, index: number, lead: number): void {
    let at = lead;
    const counters = parseCounters(line, at);
    if (counters !== undefined) at = counters.end + 1;
    const words = splitWords(line, at);
    const [operation, chain] = words.texts;
    if (chain === undefined || chain === "") {
      this.odd(line, index);
      return;
    }
    const { section } = this;
    if (operation === "-P" || operation === "-N") {
      // -S prints -P and -N before the rules: coming again after them they begin another table.
      if (this.lines[this.lines.length - 1]?.kind === "rule") this.section++;
      const policy = operation === "-P" ? words.texts[2] : undefined;
      this.lines.push({ kind: "chain", chain, policy, counters: undefined, whole: true, index, section: this.section });
      return;
    }
    const insert = operation === "-I";
    const numbered = insert && /^\d{1,9}$/.test(words.texts[2] ?? "");
    const rules = readRule(words, numbered ? 3 : 2, {
      family: this.family,
      backend: this.backend,
      table: undefined,
      chain,
      origin: originAt(this.source, index),
      counters: counters?.counters,
      report: (severity, code, message, word) =>
        this.say(
          index,
          words.starts[word] ?? at,
          severity,
          code,
          message,
          (words.ends[word] ?? 1) - (words.starts[word] ?? 0),
        ),
    });
    for (const rule of rules) this.lines.push({ kind: "rule", chain, rule, index, insert, section });
  }

  private odd(line: string, index: number): void {
    const text = line.trim();
    if (text === "" || text.startsWith("#")) return;
    this.cut = true;
    if (text === "COMMIT") {
      this.section++;
      return;
    }
    if (DIFF_FRAME.test(text.slice(0, 200))) return;
    if (REMOVED.test(line)) {
      this.say(index, 0, "note", "iptables-removed-line", "a diff shows this line as removed: it is not read", 1);
      return;
    }
    if (isEllipsis(text)) return;
    const message = "this is no line of iptables -S";
    this.say(index, 0, "error", "iptables-unknown-line", message, Math.min(80, line.length));
  }

  private place(table: TableBuilder, line: Line): void {
    const origin = originAt(this.source, line.index);
    if (line.kind === "chain") {
      const chain = table.declare(line.chain, origin);
      chain.whole = line.whole;
      chain.counters = line.counters;
      if (line.policy === "ACCEPT" || line.policy === "DROP" || line.policy === "QUEUE") chain.policy = line.policy;
      return;
    }
    const chain = table.entry(line.chain).declared ? table.entry(line.chain) : table.declare(line.chain, origin);
    if (line.rule.target.kind === "jump") table.mention(chain, table.entry(line.rule.target.chain), line.index);
    if (line.insert) chain.prepend(line.rule);
    else chain.append([line.rule]);
    checkRulePlace(line.rule, this.family, table.name, line.chain, (severity, code, message) =>
      this.say(line.index, 0, severity, code, message),
    );
  }

  /** -S of a whole table names every chain; then what it lacks is not there. */
  private finish(builder: TableBuilder, requested: string | undefined): IptablesTable {
    const builtIn = BUILT_IN_CHAINS[builder.name].filter((name) => builder.entries.get(name)?.policy !== undefined);
    const all =
      builtIn.length === BUILT_IN_CHAINS[builder.name].length || (builder.name === "nat" && builtIn.length === 3);
    const everyChainDeclared = builder.declaredChains().every((chain) => chain.whole);
    if (!this.cut && requested === undefined && all && everyChainDeclared) builder.extent = "whole" satisfies Extent;
    if (this.cut) for (const chain of builder.declaredChains()) chain.whole = false;
    const table = builder.build();
    checkTable(
      builder,
      table,
      (index, column, severity, code, message, length) => this.say(index, column, severity, code, message, length),
      this.source,
    );
    return table;
  }
}
