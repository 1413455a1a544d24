import {
  BUILT_IN_CHAINS,
  type Counters,
  type IptablesTable,
  type IptablesTableName,
  type Policy,
  type Rule,
} from "../../../model/index.ts";
import type { Family } from "../../../net/index.ts";
import { type Diagnostic, diagnose, type Severity } from "../../diagnostic.ts";
import type { DumpContext, Reading } from "../../dialect.ts";
import { isEllipsis } from "../../ellipsis.ts";
import { originAt, type Source } from "../../source.ts";
import { tableReading } from "../save/reading.ts";
import { type Setting, settle } from "../save/settle.ts";
import { checkTable } from "../table/check-table.ts";
import { assignTables } from "../table/derive-table.ts";
import { TableBuilder } from "../table/table-builder.ts";
import { type Columns, heading, rowHead } from "./columns.ts";
import { readRow } from "./row.ts";

/** `iptables -L [-n] [-v] [-x] [--line-numbers]`. It hides things; what it hides is said once. */
export const readListing = (source: Source, context: DumpContext): Reading => new ListingReader(source, context).read();

interface ListedChain {
  readonly name: string;
  readonly policy: Policy | undefined;
  readonly counters: Counters | undefined;
  readonly index: number;
  /** Its heading was seen, so that its rules are all there. */
  readonly headed: boolean;
  readonly rules: { readonly rule: Rule; readonly index: number }[];
}

const CHAIN =
  /^Chain (\S{1,64}) \((?:policy (\w{1,12})(?: (\d{1,20}[KMGT]?) packets, (\d{1,20}[KMGT]?) bytes)?|.*references?|ERROR.*)\)/;

class ListingReader {
  private readonly source: Source;
  private readonly setting: Setting;
  private readonly family: Family;
  private readonly diagnostics: Diagnostic[] = [];
  /** Listings of several tables may follow each other: a chain that comes again starts a new one. */
  private readonly listings: ListedChain[][] = [[]];
  private names = new Set<string>();
  private chain: ListedChain | undefined;
  private columns: Columns | undefined;
  private verbose: boolean | undefined;
  private numeric = true;
  private cut: boolean;

  constructor(source: Source, context: DumpContext) {
    this.source = source;
    this.setting = settle(context);
    this.family = this.setting.family ?? guessFamily(source.lines);
    this.cut = this.setting.partial;
  }

  read(): Reading {
    for (const [index, line] of this.source.lines.entries()) this.readLine(line, index);
    const tables = this.listings.filter((chains) => chains.length > 0).flatMap((chains) => this.build(chains));
    this.sayHidden(tables);
    return tableReading(tables, this.diagnostics);
  }

  private say(index: number, column: number, severity: Severity, code: string, message: string, length = 1): void {
    this.diagnostics.push(diagnose(this.source, index, column, code, message, { severity, length }));
  }

  private sayHidden(tables: readonly IptablesTable[]): void {
    if (tables.length === 0) return;
    const hidden: string[] = [];
    if (this.verbose !== true) hidden.push("without -v the interfaces of a rule are not shown");
    if (!this.numeric) hidden.push("without -n names stand for addresses");
    if (hidden.length === 0) hidden.push("it rounds counters and shortens some matches");
    const message = `iptables -L hides things: ${hidden.join(", and ")}; iptables-save shows all`;
    this.say(0, 0, "note", "iptables-lossy-listing", message);
  }

  private readLine(line: string, index: number): void {
    if (line.startsWith("Chain ")) {
      this.chainLine(line, index);
      return;
    }
    const text = line.trim();
    if (text === "" || text.startsWith("# Warning: ")) return;
    const columns = heading(line);
    if (columns !== undefined) {
      this.columns = columns;
      this.verbose = columns.interfaces;
      return;
    }
    const head = rowHead(line, this.columns);
    if (head === undefined) {
      this.cut = true;
      if (isEllipsis(text)) return;
      const message = "this is no line of iptables -L";
      this.say(index, 0, "error", "iptables-unknown-line", message, Math.min(80, line.length));
      return;
    }
    this.verbose ??= head.in !== undefined;
    if (/anywhere/.test(head.source.text + head.destination.text)) this.numeric = false;
    const chain = this.chain ?? this.unheaded(index);
    if (chain === undefined) {
      const message = "the chain of this rule is not shown, so the rule cannot be used";
      this.say(index, 0, "warning", "iptables-no-chain", message, line.length);
      return;
    }
    const rule = readRow(
      line,
      head,
      {
        family: this.family,
        backend: this.setting.backend ?? "unknown",
        table: undefined,
        chain: chain.name,
        origin: originAt(this.source, index),
        counters: undefined,
      },
      (severity, code, message, start, end) =>
        this.say(index, start, severity, code, message, Math.max(1, end - start)),
    );
    chain.rules.push({ rule, index });
  }

  /** Rules before any heading belong to the chain the command asked for. */
  private unheaded(index: number): ListedChain | undefined {
    if (this.setting.chain === undefined) return undefined;
    this.chain = { name: this.setting.chain, policy: undefined, counters: undefined, index, headed: false, rules: [] };
    this.listings[0]!.push(this.chain);
    return this.chain;
  }

  private chainLine(line: string, index: number): void {
    const match = CHAIN.exec(line.length > 400 ? line.slice(0, 400) : line);
    if (match === null) {
      this.cut = true;
      this.say(
        index,
        0,
        "error",
        "iptables-bad-chain",
        "a chain's heading is Chain NAME (policy … or references)",
        line.length,
      );
      this.chain = undefined;
      return;
    }
    const [, name, policy, packets, bytes] = match;
    const exact = packets !== undefined && /^\d{1,15}$/.test(packets) && /^\d{1,15}$/.test(bytes!);
    this.chain = {
      name: name!,
      policy: policy === "ACCEPT" || policy === "DROP" || policy === "QUEUE" ? policy : undefined,
      counters: exact ? { packets: Number(packets), bytes: Number(bytes) } : undefined,
      index,
      headed: true,
      rules: [],
    };
    const current = this.listings[this.listings.length - 1]!;
    if (policy !== undefined && this.names.has(name!)) {
      this.listings.push([this.chain]);
      this.names = new Set();
    } else current.push(this.chain);
    this.names.add(name!);
  }

  private build(chains: readonly ListedChain[]): readonly IptablesTable[] {
    const builders = new Map<IptablesTableName, TableBuilder>();
    const lines = chains.flatMap((chain) => [
      { chain: chain.name, rule: undefined, section: 0 },
      ...chain.rules.map(({ rule }) => ({ chain: chain.name, rule, section: 0 })),
    ]);
    const assignment = assignTables(lines, this.family, this.knownTable(chains));
    let at = 0;
    for (const chain of chains) {
      // A chain is in one table: where its rules disagree, its first line decides.
      const name = assignment.tables[at]!;
      at += 1 + chain.rules.length;
      let table = builders.get(name);
      if (table === undefined) {
        const origin = originAt(this.source, chain.index);
        table = new TableBuilder(name, this.family, this.setting.backend ?? "unknown", origin, "partial");
        builders.set(name, table);
      }
      const builder = table.declare(chain.name, originAt(this.source, chain.index));
      builder.policy = chain.policy;
      builder.counters = chain.counters;
      builder.whole = chain.headed && !this.cut;
      for (const { rule, index } of chain.rules)
        if (rule.target.kind === "jump") table.mention(builder, table.entry(rule.target.chain), index);
      builder.append(chain.rules.map(({ rule }) => rule));
    }
    if (this.knownTable(chains) === undefined) {
      const list = [...builders.keys()].join(", ");
      const how = assignment.certain ? `${list} follows from its chains and targets` : `taken for ${list}`;
      this.say(chains[0]!.index, 0, "note", "iptables-table-assumed", `no table is named here: ${how}`);
    }
    return [...builders.values()].map((builder) => this.finish(builder));
  }

  /** `iptables -L` without -t is the table filter, if the command is known. */
  private knownTable(chains: readonly ListedChain[]): IptablesTableName | undefined {
    if (this.setting.table !== undefined) return this.setting.table;
    const built = chains.filter((c) => c.policy !== undefined).map((c) => c.name);
    if (built.length < 2) return undefined;
    const fits = (Object.keys(BUILT_IN_CHAINS) as IptablesTableName[]).filter(
      (table) =>
        built.length === BUILT_IN_CHAINS[table].length && built.every((c) => BUILT_IN_CHAINS[table].includes(c)),
    );
    if (fits.length === 1) return fits[0];
    // nat had no INPUT before Linux 2.6.36; filter and security look alike, and security is rarely meant.
    if (built.length === 3 && built.includes("PREROUTING") && built.includes("POSTROUTING")) return "nat";
    return fits.includes("filter") ? "filter" : undefined;
  }

  private finish(builder: TableBuilder): IptablesTable {
    const wanted = BUILT_IN_CHAINS[builder.name];
    const all = wanted.every((name) => builder.entries.get(name)?.declared !== undefined || name === "INPUT");
    const headed = builder.declaredChains().every((chain) => chain.whole);
    if (!this.cut && this.setting.chain === undefined && all && headed) builder.extent = "whole";
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

function guessFamily(lines: readonly string[]): Family {
  for (const line of lines) {
    const head = line.length > 400 ? line.slice(0, 400) : line;
    if (/\s(?:0\.0\.0\.0\/0|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})/.test(head)) return 4;
    if (/\s!?(?:[0-9a-f]{0,4}:){2}/i.test(head)) return 6;
  }
  return 4;
}
