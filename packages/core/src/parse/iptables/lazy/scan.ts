import type { Policy } from "../../../model/index.ts";
import { type SaveHeader, saveHeader } from "../save/header.ts";
import { parseCounters } from "../save/save.ts";
import { isTable } from "../save/settle.ts";
import { ScannedTable } from "./scanned-table.ts";

const COMPLETED = "# Completed on ";
const NO_COUNTERS = " - [0:0]";
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
  /** The chain whose rules are read, at its place among all; -1 before the first rule. */
  let chain = -1;
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
        if (chain >= 0 && table.names.isAt(chain, name)) break;
        chain = follower(table, text, name, chain + 1);
        if (chain < 0) return undefined;
        table.begin(chain, at, number);
        break;
      }
      case 58: {
        // :
        if (table === undefined || chain >= 0 || !declare(table, text, at, end)) return undefined;
        break;
      }
      case 42: {
        // *
        const name = text.slice(at + 1, end);
        if (table !== undefined || header === undefined || !isTable(name)) return undefined;
        table = new ScannedTable(text, name, header, number);
        chain = -1;
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
        if (table === undefined || text.slice(at, end) !== "COMMIT" || !table.names.areDistinct) return undefined;
        table.end = at;
        table.endLine = number;
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

/** iptables-save prints the rules in the order of the chains: the next one is nearly always one of the next few. */
function follower({ names }: ScannedTable, text: string, name: number, next: number): number {
  const end = Math.min(next + 4, names.size);
  for (let i = next; i < end; i++) if (names.isAt(i, name)) return i;
  const space = text.indexOf(" ", name);
  return space < 0 ? -1 : names.indexOf(text.slice(name, space));
}

/** False where the line does not declare a chain. */
function declare(table: ScannedTable, text: string, at: number, end: number): boolean {
  const space = text.indexOf(" ", at);
  if (space === end - NO_COUNTERS.length && space > at + 1 && text.startsWith(NO_COUNTERS, space)) {
    table.names.push(at + 1, space);
    return true;
  }
  const match = CHAIN_LINE.exec(text.slice(at, end));
  if (match === null) return false;
  const [, name = "", policy = "", counters = ""] = match;
  const stated = policy === "-" ? undefined : (policy as Policy);
  table.heads.set(table.names.size, { policy: stated, counters: parseCounters(counters, 0)!.counters });
  table.names.push(at + 1, at + 1 + name.length);
  return true;
}
