import type { Counters, IptablesTableName, Policy } from "../../../model/index.ts";
import { type SaveHeader, saveHeader } from "../save/header.ts";
import { parseCounters } from "../save/save.ts";
import { isTable } from "../save/settle.ts";
import { isBuiltInName } from "../table/place.ts";
import { Lines, type Run } from "./lines.ts";

/** One rule's line: the place it has among those of its chain. */
export interface FoundLine {
  readonly lines: Lines;
  readonly place: number;
}

/** A table's text and where in it the lines of each chain are. */
export class ScannedTable {
  readonly text: string;
  readonly name: IptablesTableName;
  readonly header: SaveHeader;
  readonly line: number;
  readonly chains: Lines[] = [];
  /** All runs in their order, and whose each is. */
  readonly runs: Run[] = [];
  readonly owners: Lines[] = [];
  private named: Map<string, Lines> | undefined = undefined;
  /** Where the line behind its last rule begins. */
  end = 0;

  constructor(text: string, name: IptablesTableName, header: SaveHeader, line: number) {
    this.text = text;
    this.name = name;
    this.header = header;
    this.line = line;
  }

  get byName(): ReadonlyMap<string, Lines> {
    if (this.named === undefined) {
      this.named = new Map();
      for (const chain of this.chains) this.named.set(chain.name, chain);
    }
    return this.named;
  }

  /** Where the lines of rules begin that hold this text. */
  linesSaying(wanted: string): readonly number[] {
    const begins: number[] = [];
    const from = this.runs[0]?.from ?? this.end;
    for (let at = this.text.indexOf(wanted, from); at >= 0 && at < this.end; ) {
      begins.push(this.text.lastIndexOf("\n", at) + 1);
      const next = this.text.indexOf("\n", at);
      at = next < 0 ? -1 : this.text.indexOf(wanted, next);
    }
    return begins;
  }

  /** Whose rules the lines are that begin at these places, ascending, and which of them. */
  located(begins: readonly number[]): readonly FoundLine[] {
    let last: Run | undefined;
    let at = 0;
    let place = 0;
    return begins.map((begin) => {
      const index = this.runAt(begin);
      const [run, lines] = [this.runs[index]!, this.owners[index]!];
      if (run !== last) {
        last = run;
        at = run.from;
        place = 0;
        for (const earlier of lines.runs) {
          if (earlier === run) break;
          place += earlier.lines;
        }
      }
      for (; at < begin; place++) at = this.text.indexOf("\n", at) + 1;
      return { lines, place };
    });
  }

  /** Whose rule the line is that begins there. */
  ownerAt(begin: number): Lines {
    return this.owners[this.runAt(begin)]!;
  }

  private runAt(begin: number): number {
    let low = 0;
    let high = this.runs.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.runs[middle]!.from <= begin) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

const COMPLETED = "# Completed on ";
const NO_COUNTERS = " - [0:0]";
const ZERO: Counters = { packets: 0, bytes: 0 };
const CHAIN_LINE = /^:([^\s"]+) (ACCEPT|DROP|QUEUE|-) (\[\d{1,20}:\d{1,20}\])$/;

/** What one pass over an iptables-save finds. */
export interface ScannedSave {
  readonly tables: readonly ScannedTable[];
  readonly lines: number;
}

/**
 * Finds the tables and chains of a text that is an iptables-save from its first line to its last, as the tool prints it: the chains
 * of a table first, each once, then rules of these, then COMMIT. Nothing of a rule is looked at but whose it is. Undefined where
 * anything is otherwise: that is for the reader that goes line by line.
 */
export function scanSave(text: string): ScannedSave | undefined {
  const tables: ScannedTable[] = [];
  let header: SaveHeader | undefined;
  let table: ScannedTable | undefined;
  let lines: Lines | undefined;
  let run: Run | undefined;
  let cursor = 0;
  let number = 0;
  const n = text.length;
  for (let at = 0; at < n; ) {
    let end = text.indexOf("\n", at);
    if (end < 0) end = n;
    number++;
    const letter = text.charCodeAt(at);
    switch (letter) {
      case 45: // -
      case 91: {
        // [
        if (table === undefined) return undefined;
        const name = letter === 45 ? (isAppend(text, at) ? at + 3 : -1) : afterCounters(text, at, end);
        if (name < 0) return undefined;
        if (lines !== undefined && isNamed(text, name, lines.name)) {
          run!.lines++;
          break;
        }
        const next = follower(table, text, name, cursor);
        if (next < 0) return undefined;
        cursor = next + 1;
        lines = table.chains[next]!;
        run = lines.begin(at, number);
        table.runs.push(run);
        table.owners.push(lines);
        break;
      }
      case 58: {
        // :
        if (table === undefined || lines !== undefined) return undefined;
        const chain = chainLine(text, at, end, number);
        if (chain === undefined) return undefined;
        table.chains.push(chain);
        break;
      }
      case 42: {
        // *
        const name = text.slice(at + 1, end);
        if (table !== undefined || header === undefined || !isTable(name)) return undefined;
        table = new ScannedTable(text, name, header, number);
        lines = undefined;
        cursor = 0;
        break;
      }
      case 35: // #
        if (table !== undefined) return undefined;
        if (!text.startsWith(COMPLETED, at)) {
          header = saveHeader(text.slice(at, end));
          if (header?.family !== 4) return undefined;
        }
        break;
      case 67: // COMMIT
        if (table === undefined || text.slice(at, end) !== "COMMIT" || isTwiceDeclared(table)) return undefined;
        table.end = at;
        tables.push(table);
        table = undefined;
        break;
      default:
        if (end > at || table !== undefined) return undefined;
    }
    at = end + 1;
  }
  return table === undefined && tables.length > 0 ? { tables, lines: number } : undefined;
}

const isAppend = (text: string, at: number): boolean =>
  text.charCodeAt(at + 1) === 65 && text.charCodeAt(at + 2) === 32;

/** Where the chain's name stands behind `[12:720] -A `; -1 where that is not what the line begins with. */
function afterCounters(text: string, at: number, end: number): number {
  const counted = parseCounters(text.slice(at, Math.min(end, at + 50)), 0);
  if (counted === undefined) return -1;
  const behind = at + counted.end;
  return text.startsWith(" -A ", behind) ? behind + 4 : -1;
}

const isNamed = (text: string, at: number, name: string): boolean =>
  text.charCodeAt(at + name.length) === 32 && text.startsWith(name, at);

/** iptables-save prints the rules in the order of the chains: the next one is nearly always one of the next few. */
function follower(table: ScannedTable, text: string, name: number, cursor: number): number {
  const { chains } = table;
  const end = Math.min(cursor + 4, chains.length);
  for (let i = cursor; i < end; i++) if (isNamed(text, name, chains[i]!.name)) return i;
  const space = text.indexOf(" ", name);
  const chain = space < 0 ? undefined : table.byName.get(text.slice(name, space));
  return chain === undefined ? -1 : chains.indexOf(chain);
}

function chainLine(text: string, at: number, end: number, line: number): Lines | undefined {
  const space = end - NO_COUNTERS.length;
  if (text.startsWith(NO_COUNTERS, space) && text.indexOf(" ", at) === space && space > at + 1) {
    const name = text.slice(at + 1, space);
    return new Lines(name, isBuiltInName(name), undefined, ZERO, line);
  }
  const match = CHAIN_LINE.exec(text.slice(at, end));
  if (match === null) return undefined;
  const [, name = "", policy = "", counters = ""] = match;
  const stated = policy === "-" ? undefined : (policy as Policy);
  return new Lines(name, isBuiltInName(name), stated, parseCounters(counters, 0)!.counters, line);
}

const isTwiceDeclared = ({ byName, chains }: ScannedTable): boolean => byName.size < chains.length;
