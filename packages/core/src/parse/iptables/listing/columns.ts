import type { Counters } from "../../../model/index.ts";
import { parseAddress } from "../../../net/index.ts";

/** Which columns a listing has; undefined where no heading showed it. */
export interface Columns {
  readonly numbers: boolean;
  readonly counters: boolean;
  readonly interfaces: boolean;
}

/** The heading of a chain's rules, or undefined. */
export function heading(line: string): Columns | undefined {
  if (!/^\s{0,20}(?:num\s{1,20})?(?:pkts\s{1,20}bytes\s{1,20})?target\s{1,80}prot\s/.test(line)) return undefined;
  return {
    numbers: /^\s*num\s/.test(line),
    counters: /\bpkts\s{1,20}bytes\b/.test(line),
    interfaces: /\bin\s{1,40}out\s/.test(line),
  };
}

/** A rule's line up to the destination. */
export interface RowHead {
  readonly target: Cell | undefined;
  readonly protocol: Cell;
  readonly fragment: "-f" | "!f" | undefined;
  readonly in: Cell | undefined;
  readonly out: Cell | undefined;
  readonly source: Cell;
  readonly destination: Cell;
  readonly counters: Counters | undefined;
  /** Where the last column begins. */
  readonly rest: number;
}
export interface Cell {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const MAX_CELLS = 11;

function cells(line: string): readonly Cell[] {
  const out: Cell[] = [];
  let i = 0;
  while (i < line.length && out.length < MAX_CELLS) {
    while (i < line.length && (line.charCodeAt(i) === 32 || line.charCodeAt(i) === 9)) i++;
    const start = i;
    while (i < line.length && line.charCodeAt(i) !== 32 && line.charCodeAt(i) !== 9) i++;
    if (i > start) out.push({ text: line.slice(start, i), start, end: i });
  }
  return out;
}

const OPT = new Set(["--", "-f", "!f"]);
const isCount = (text: string | undefined): boolean => text !== undefined && /^\d{1,20}[KMGT]?$/.test(text);

/** `12` is exact, `12K` is rounded and says too little to keep. */
const counter = (text: string): number | undefined => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

const isAddress = (text: string): boolean => {
  const bare = text.replace(/^!/, "").split("/", 1)[0]!;
  return bare === "anywhere" || parseAddress(bare) !== undefined;
};

/** The columns of a rule's line; undefined if it is none. */
export function rowHead(line: string, columns: Columns | undefined): RowHead | undefined {
  const all = cells(line);
  let at = 0;
  const shown = columns ?? guessColumns(all);
  if (shown.numbers) at++;
  let counters: Counters | undefined;
  if (shown.counters) {
    const packets = all[at]?.text;
    const bytes = all[at + 1]?.text;
    if (!isCount(packets) || !isCount(bytes)) return undefined;
    const p = counter(packets!);
    const b = counter(bytes!);
    if (p !== undefined && b !== undefined) counters = { packets: p, bytes: b };
    at += 2;
  }
  // The column opt is found by what it holds; ip6tables before 1.8.9 leaves it blank.
  const opt = all.findIndex((cell, i) => i > at && i <= at + 2 && OPT.has(cell.text));
  let protocolAt: number;
  let next: number;
  let fragment: "-f" | "!f" | undefined;
  if (opt >= 0) {
    protocolAt = opt - 1;
    next = opt + 1;
    fragment = all[opt]!.text === "--" ? undefined : (all[opt]!.text as "-f" | "!f");
  } else {
    const addresses = shown.interfaces ? 3 : 1;
    const withTarget =
      isAddress(all[at + 1 + addresses]?.text ?? "x") && isAddress(all[at + 2 + addresses]?.text ?? "x");
    const without = isAddress(all[at + addresses]?.text ?? "x") && isAddress(all[at + 1 + addresses]?.text ?? "x");
    if (!withTarget && !without) return undefined;
    protocolAt = withTarget ? at + 1 : at;
    next = protocolAt + 1;
  }
  const protocol = all[protocolAt];
  const target = protocolAt > at ? all[at] : undefined;
  const input = shown.interfaces ? all[next++] : undefined;
  const output = shown.interfaces ? all[next++] : undefined;
  const source = all[next];
  const destination = all[next + 1];
  if (protocol === undefined || source === undefined || destination === undefined) return undefined;
  return {
    target,
    protocol,
    fragment,
    in: input,
    out: output,
    source,
    destination,
    counters,
    rest: destination.end,
  };
}

/** Without a heading (grep took it away): numbers at the start and the place of the addresses tell. */
function guessColumns(all: readonly Cell[]): Columns {
  let leading = 0;
  while (leading < 3 && isCount(all[leading]?.text)) leading++;
  const opt = all.findIndex((cell) => OPT.has(cell.text));
  const interfaces = opt >= 0 && !isAddress(all[opt + 1]?.text ?? "") && isAddress(all[opt + 3]?.text ?? "");
  return { numbers: leading === 1 || leading === 3, counters: leading >= 2, interfaces };
}
