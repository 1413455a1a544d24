import type { NftFamily } from "../../../model/index.ts";

/** A chain or a set: where its lines are, from the one that opens it to the one that closes it. */
export interface Block {
  readonly name: string;
  readonly from: number;
  to: number;
  /** Number of its first line. */
  readonly line: number;
  /** Of a set whose elements are the last thing that stands in it: where they begin. */
  elements?: number;
  /** It says more than rules, or more behind its elements: nothing of it is left for later. */
  odd: boolean;
}

/** A table's text, and where in it each chain and set is. */
export interface ScannedNftTable {
  readonly family: NftFamily;
  readonly name: string;
  readonly line: number;
  readonly chains: readonly Block[];
  readonly sets: readonly Block[];
  /** All that is neither: counters, flowtables, flags. */
  readonly others: readonly Others[];
}

export interface Others {
  readonly from: number;
  readonly to: number;
  readonly line: number;
}

export interface ScannedRuleset {
  readonly tables: readonly ScannedNftTable[];
  readonly lines: number;
}

interface Draft extends ScannedNftTable {
  readonly chains: Block[];
  readonly sets: Block[];
  readonly others: Others[];
  readonly names: Set<string>;
}

const TABLE = /^table (ip|ip6|inet|arp|bridge|netdev) ([\w./-]+) \{(?: # handle \d+)?$/;
const BLOCK = /^\t(chain|set|map|meter) ([\w./-]+) \{(?: # handle \d+)?$/;
const HANDLE = /# handle \d{1,20}(?=\n|$)/y;
const TAB = 9;
const OPEN = 123;
const CLOSE = 125;

/**
 * Finds the tables, chains and sets of a text that is a ruleset from its first line to its last, as nft prints it: each of them opened and closed
 * on lines of their own, indented by tabs, each once. Nothing of a rule or an element is looked at but whether its braces are closed. Undefined
 * where anything is otherwise (variables, remarks, extensions of iptables-nft, commands): that is for the reader of tokens.
 */
export function scanRuleset(text: string): ScannedRuleset | undefined {
  if (!isPlain(text)) return undefined;
  const tables: Draft[] = [];
  const marks = new Marks(text);
  let table: Draft | undefined;
  let block: Block | undefined;
  /** What stands in a block that is neither chain nor set. */
  let other: { readonly from: number; readonly line: number } | undefined;
  let depth = 0;
  let inChain = false;
  let number = 0;
  const n = text.length;
  for (let at = 0; at < n; ) {
    let end = text.indexOf("\n", at);
    if (end < 0) end = n;
    number++;
    const tabs = text.charCodeAt(at) !== TAB ? 0 : text.charCodeAt(at + 1) !== TAB ? 1 : 2;
    if (table === undefined) {
      if (end > at) {
        const head = TABLE.exec(text.slice(at, end));
        if (head === null) return undefined;
        table = draft(head[1] as NftFamily, head[2]!, number);
        if (tables.some((t) => t.family === table!.family && t.name === table!.name)) return undefined;
        tables.push(table);
      }
    } else if (block === undefined && other === undefined) {
      if (tabs === 0) {
        if (end > at + 1 || (end > at && text.charCodeAt(at) !== CLOSE)) return undefined;
        if (end > at) table = undefined;
      } else if (tabs === 2) return undefined;
      else {
        const head = BLOCK.exec(text.slice(at, Math.min(end, at + 400)));
        if (head === null) {
          if (!marks.braces(at, end)) table.others.push({ from: at, to: end, line: number });
          else if (text.charCodeAt(end - 1) === OPEN && marks.balance(at, end - 1) === 0)
            other = { from: at, line: number };
          else return undefined;
        } else {
          const [, kind = "", name = ""] = head;
          inChain = kind === "chain";
          const id = `${inChain ? "chain" : "set"} ${name}`;
          if (table.names.has(id)) return undefined;
          table.names.add(id);
          block = { name, from: at, to: end, line: number, odd: false };
          (inChain ? table.chains : table.sets).push(block);
        }
      }
    } else if (tabs === 1) {
      // The line that closes it.
      if (depth !== 0 || end !== at + 2 || text.charCodeAt(at + 1) !== CLOSE) return undefined;
      if (block !== undefined) block.to = end;
      else table.others.push({ from: other!.from, to: end, line: other!.line });
      block = undefined;
      other = undefined;
    } else if (tabs === 0) return undefined;
    else {
      if (block !== undefined) {
        if (inChain) block.odd ||= marks.semicolon(at, end) || isHead(text, at + 2);
        else if (block.elements !== undefined) block.odd ||= depth === 0;
        else if (text.startsWith("elements = {", at + 2)) block.elements = at;
      }
      if (marks.braces(at, end)) {
        depth = marks.balance(at, end, depth);
        if (depth < 0) return undefined;
      }
    }
    at = end + 1;
  }
  return table === undefined && tables.length > 0 ? { tables, lines: number } : undefined;
}

/** What nft prints without being told so by somebody else: no variable, no remark but handles, no line that goes on, nothing of iptables-nft. */
function isPlain(text: string): boolean {
  for (const mark of ["\r", "\\", "$", "\f", " xt ", "\txt "]) if (text.includes(mark)) return false;
  for (let at = text.indexOf("#"); at >= 0; at = text.indexOf("#", at + 1)) {
    HANDLE.lastIndex = at;
    if (text.charCodeAt(at - 1) !== 32 || !HANDLE.test(text)) return false;
  }
  return true;
}

/** In a chain, what is no rule. */
const isHead = (text: string, at: number): boolean =>
  text.startsWith("type ", at) || text.startsWith("comment ", at) || text.startsWith("flags ", at);

const draft = (family: NftFamily, name: string, line: number): Draft => ({
  family,
  name,
  line,
  chains: [],
  sets: [],
  others: [],
  names: new Set(),
});

/** Where the next marks are, so that lines without any are not looked at twice. Asked for lines in their order. */
class Marks {
  readonly #text: string;
  #open = -1;
  #close = -1;
  #semicolon = -1;

  constructor(text: string) {
    this.#text = text;
  }

  braces(at: number, end: number): boolean {
    if (this.#open < at) this.#open = this.#next("{", at);
    if (this.#close < at) this.#close = this.#next("}", at);
    return this.#open < end || this.#close < end;
  }

  semicolon(at: number, end: number): boolean {
    if (this.#semicolon < at) this.#semicolon = this.#next(";", at);
    return this.#semicolon < end;
  }

  #next(mark: string, at: number): number {
    const found = this.#text.indexOf(mark, at);
    return found < 0 ? this.#text.length : found;
  }

  /** How deep in braces the line ends that begins at that depth, strings left out as the lexer does; -1: one too many was closed. */
  balance(at: number, end: number, before = 0): number {
    const text = this.#text;
    let depth = before;
    for (let i = at; i < end; i++) {
      const letter = text.charCodeAt(i);
      if (letter === OPEN) depth++;
      else if (letter === CLOSE) {
        if (--depth < 0) return -1;
      } else if (letter === 34 || letter === 39) {
        const close = text.indexOf(letter === 34 ? '"' : "'", i + 1);
        i = close < 0 || close > end ? end : close;
      }
    }
    return depth;
  }
}
