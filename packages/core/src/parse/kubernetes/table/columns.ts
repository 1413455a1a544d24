import type { Source } from "../../source.ts";

/** A row of a kubectl table by the names of its columns. */
export interface Row {
  readonly line: number;
  readonly cells: ReadonlyMap<string, string>;
}

export type TableKind = "service" | "endpoints" | "endpointslice" | "node" | "pod" | "other";

export interface Table {
  readonly kind: TableKind;
  readonly rows: readonly Row[];
  /** Rows that do not fit their header. */
  readonly damaged: readonly number[];
}

const HEADER_CELL = /^[A-Z][A-Z()/ -]{0,30}$/;

export function isHeader(line: string): boolean {
  return /^(?:NAME|NAMESPACE)(?:\s|$)/.test(line) && splitCells(line).every((c) => HEADER_CELL.test(c));
}

/** kubectl parts its columns by two blanks or more; where a paste lost them, by one. */
const splitCells = (line: string): readonly string[] => line.trim().split(/ {2,}|\t+/);

/** Columns whose values may hold blanks, so that a row with single blanks can still be cut. */
const WIDE = new Set(["OS-IMAGE", "RESTARTS", "SELECTOR", "ENDPOINTS"]);

export function kindOfTable(columns: readonly string[]): TableKind {
  const has = (name: string) => columns.includes(name);
  if (has("CLUSTER-IP")) return "service";
  if (has("ADDRESSTYPE")) return "endpointslice";
  if (has("ENDPOINTS")) return "endpoints";
  if (has("STATUS") && has("ROLES")) return "node";
  if (has("READY") && has("STATUS") && has("RESTARTS")) return "pod";
  return "other";
}

const SERVICE = ["NAME", "TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)", "AGE", "SELECTOR"];
const POD = ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES"];
const NODE = [
  "NAME",
  "STATUS",
  "ROLES",
  "AGE",
  "VERSION",
  "INTERNAL-IP",
  "EXTERNAL-IP",
  "OS-IMAGE",
  "KERNEL-VERSION",
  "CONTAINER-RUNTIME",
];

/** The columns of a row whose header was cut off, by what stands where. */
function guessed(cells: readonly string[]): readonly string[] | undefined {
  for (const shift of [0, 1]) {
    const at = (i: number) => cells[i + shift] ?? "";
    const columns = /^(?:ClusterIP|NodePort|LoadBalancer|ExternalName)$/.test(at(1))
      ? SERVICE
      : /^\d+\/\d+$/.test(at(1)) && /^[A-Z]/.test(at(2))
        ? POD
        : /^(?:Not)?Ready(?:,|$)/.test(at(1)) && /^v\d/.test(at(4))
          ? NODE
          : undefined;
    if (columns !== undefined) return shift === 0 ? columns : ["NAMESPACE", ...columns];
  }
  return undefined;
}

/** Cells by their columns; undefined where they are too few or too many to be told apart. */
function cellsOf(line: string, columns: readonly string[]): readonly string[] | undefined {
  const cells = splitCells(line);
  if (cells.length === columns.length) return cells;
  const words = line.trim().split(/\s+/);
  if (words.length === columns.length) return words;
  if (words.length < columns.length) return words.length >= Math.min(columns.length, 4) ? words : undefined;
  const wide = columns.findIndex((c) => WIDE.has(c));
  if (wide < 0) return undefined;
  const tail = columns.length - wide - 1;
  return [
    ...words.slice(0, wide),
    words.slice(wide, words.length - tail).join(" "),
    ...(tail === 0 ? [] : words.slice(-tail)),
  ];
}

/** Where each word of a header stands; a name of two words (`NOMINATED NODE`) by its first. */
const startsOf = (header: string, columns: readonly string[]): readonly number[] => {
  let from = 0;
  return columns.map((c) => {
    const at = header.indexOf(c, from);
    from = at + c.length;
    return at;
  });
};

/** A cell may be empty (an Endpoints object without any prints nothing): the others stand under their columns all the same. */
function cellsUnder(line: string, starts: readonly number[]): readonly string[] | undefined {
  const cells = starts.map(() => "");
  for (const { index, 0: word } of line.matchAll(/\S+(?: \S+)*/g)) {
    const column = starts.indexOf(index);
    if (column < 0) return undefined;
    cells[column] = word;
  }
  return cells;
}

/** The tables of a listing: `kubectl get svc,pod` prints several, parted by blank lines. */
export function readTables(source: Source): readonly Table[] {
  const tables: { kind: TableKind; rows: Row[]; damaged: number[] }[] = [];
  let columns: readonly string[] | undefined;
  let fromHeader = false;
  let starts: readonly number[] = [];
  source.lines.forEach((text, line) => {
    if (text.trim() === "" || /^(?:No resources found|Warning: )/.test(text)) return;
    if (isHeader(text)) {
      columns = splitCells(text);
      fromHeader = true;
      starts = startsOf(text, columns);
      tables.push({ kind: kindOfTable(columns), rows: [], damaged: [] });
      return;
    }
    if (!fromHeader) {
      const next = guessed(text.trim().split(/\s+/));
      if (next !== undefined && next !== columns) {
        columns = next;
        const kind = kindOfTable(next);
        if (tables[tables.length - 1]?.kind !== kind) tables.push({ kind, rows: [], damaged: [] });
      }
    }
    const table = tables[tables.length - 1];
    const cells =
      columns === undefined
        ? undefined
        : (cellsOf(text, columns) ?? (fromHeader ? cellsUnder(text, starts) : undefined));
    if (table === undefined || cells === undefined || columns === undefined) {
      if (table === undefined) tables.push({ kind: "other", rows: [], damaged: [line] });
      else table.damaged.push(line);
      return;
    }
    table.rows.push({
      line,
      cells: new Map(columns.flatMap((c, i) => (cells[i] === undefined ? [] : [[c, cells[i]]]))),
    });
  });
  return tables;
}
