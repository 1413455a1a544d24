import type { Extent, FdbEntry } from "../../model/index.ts";
import { formatAddress, parseAddress, parseMac } from "../../net/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { invocationOf } from "../iproute2/invocation.ts";
import {
  Complaints,
  eachEntry,
  isPartial,
  type LogicalLine,
  type Mutable,
  originOf,
  wordsIn,
} from "../iproute2/lines.ts";
import { numberOf, WordCursor } from "../iproute2/words.ts";
import { listReading } from "../list-reading.ts";
import type { Source } from "../source.ts";

type Draft = Omit<Mutable<FdbEntry>, "flags" | "origin"> & { flags: string[] };

/** NTF_* and NUD_* as fdb_print_flags() and state_n2a() print them. */
const FLAGS: ReadonlySet<string> = new Set([
  "self",
  "router",
  "extern_learn",
  "offload",
  "sticky",
  "locked",
  "use",
  "permanent",
  "static",
  "stale",
  "reachable",
  "activity_notify",
  "inactive",
]);

/** Reads an entry from its MAC on; undefined if the first word is none. */
export function takeFdb(
  line: LogicalLine,
  cursor: WordCursor,
  device: string | undefined,
  complaints: Complaints,
): Draft | undefined {
  if (cursor.peek() === "Deleted") cursor.take();
  const mac = parseMac(cursor.take() ?? "");
  if (mac === undefined) return undefined;
  const draft: Draft = { mac, device: device ?? "", flags: [] };
  while (!cursor.done) {
    const key = cursor.take()!;
    const column = cursor.column;
    const number = (field: "vlan" | "port" | "vni" | "nexthopId"): void => {
      const value = numberOf(cursor.take());
      if (value !== undefined) draft[field] = value;
      else complaints.at(line, column, key.length, "bad-value", `not a value for "${key}"`, "warning");
    };
    if (key === "dev") draft.device = cursor.take() ?? "";
    else if (key === "master") draft.master = cursor.take() ?? "";
    else if (key === "vlan" || key === "port" || key === "vni") number(key);
    else if (key === "nhid") number("nexthopId");
    else if (key === "dst") {
      const destination = parseAddress(cursor.take() ?? "");
      if (destination !== undefined) draft.destination = destination;
      else complaints.at(line, cursor.column, cursor.length, "bad-value", "not an address", "warning");
    } else if (key === "via") draft.via = cursor.accept("ifindex") ? `if${cursor.take() ?? ""}` : (cursor.take() ?? "");
    else if (key === "src_vni" || key === "link-netnsid" || key === "used") cursor.take();
    else if (FLAGS.has(key) || /^state=/.test(key)) draft.flags.push(key);
    else complaints.at(line, column, key.length, "unknown-word", `"${key}" is not known in an entry`, "warning");
  }
  if (draft.device === "")
    complaints.at(line, line.column, line.text.length, "no-device", "no device is named", "warning");
  return draft;
}

export function fdbReading(
  entries: readonly FdbEntry[],
  cut: boolean,
  requested: boolean,
  diagnostics: readonly Diagnostic[],
): Reading {
  const extent: Extent = cut ? "partial" : "whole";
  return listReading({ kind: "fdb", entries, extent }, { entries: entries.length }, requested, diagnostics);
}

/** Every Ethernet device listens to some multicast group: a listing without any such entry is an excerpt. */
const isExcerpt = (entries: readonly FdbEntry[]): boolean =>
  !entries.some((e) => e.mac.startsWith("33:33:") || e.mac.startsWith("01:00:5e:"));

/** Reads `bridge fdb`. `show dev vxlan1` leaves the device out, which the command then names. */
export function readFdb(source: Source, context: DumpContext): Reading {
  const complaints = new Complaints(source, "bridge-fdb");
  const rest = invocationOf(context.command ?? [])?.rest;
  const dev = rest?.findIndex((w) => w === "dev" || w === "brport") ?? -1;
  const device = dev >= 0 ? rest?.[dev + 1] : context.device?.value;
  const partial = isPartial(context) || (rest !== undefined && rest.length > 1);
  const entries: FdbEntry[] = [];
  const elided = eachEntry(source, (line) => {
    const draft = takeFdb(line, new WordCursor(wordsIn(line)), device, complaints);
    if (draft === undefined) complaints.notUnderstood(line, "not a line of `bridge fdb`");
    else entries.push({ ...draft, origin: originOf(source, line) });
  });
  const cut = partial || elided || complaints.lost || isExcerpt(entries);
  return fdbReading(entries, cut, rest !== undefined, complaints.list);
}

const STATES: ReadonlySet<string> = new Set(["permanent", "static", "stale", "reachable"]);

/** An entry as `bridge fdb show` prints it; the state comes last and may be empty. */
export function printFdb(e: FdbEntry): string {
  let out = `${e.mac} dev ${e.device} `;
  if (e.destination !== undefined) out += `dst ${formatAddress(e.destination)} `;
  if (e.vlan !== undefined) out += `vlan ${e.vlan} `;
  if (e.port !== undefined) out += `port ${e.port} `;
  if (e.vni !== undefined) out += `vni ${e.vni} `;
  if (e.via !== undefined) out += `via ${e.via} `;
  if (e.nexthopId !== undefined) out += `nhid ${e.nexthopId} `;
  for (const flag of e.flags) if (!STATES.has(flag)) out += `${flag} `;
  if (e.master !== undefined) out += `master ${e.master} `;
  return out + (e.flags.find((f) => STATES.has(f)) ?? "");
}
