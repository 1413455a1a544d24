import type { Extent, Neighbour } from "../../model/index.ts";
import { formatAddress, parseAddress, parseLinkAddress } from "../../net/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { listReading } from "../list-reading.ts";
import type { Source } from "../source.ts";
import { invocationOf } from "./invocation.ts";
import { Complaints, eachEntry, isPartial, type LogicalLine, type Mutable, originOf, wordsIn } from "./lines.ts";
import { protocolName } from "./names.ts";
import { WordCursor } from "./words.ts";

export const NEIGHBOUR_STATES: ReadonlySet<string> = new Set([
  "INCOMPLETE",
  "REACHABLE",
  "STALE",
  "DELAY",
  "PROBE",
  "FAILED",
  "NOARP",
  "PERMANENT",
  "NONE",
]);
const FLAGS: ReadonlySet<string> = new Set(["managed", "extern_learn", "offload", "extern_valid"]);
/** Of `ip -s neigh`: counters that nothing depends on, each with a value. */
const COUNTERS: ReadonlySet<string> = new Set(["ref", "used", "probes"]);

type Draft = Omit<Mutable<Neighbour>, "states" | "origin"> & { states: string[] };

/** Reads a neighbour from its first word on; undefined if that is no address. */
export function takeNeighbour(
  line: LogicalLine,
  cursor: WordCursor,
  device: string | undefined,
  complaints: Complaints,
): Draft | undefined {
  const address = parseAddress(cursor.take() ?? "");
  if (address === undefined) return undefined;
  const draft: Draft = { address, device: device ?? "", states: [], router: false, proxy: false };
  const flags: string[] = [];
  while (!cursor.done) {
    const word = cursor.take()!;
    const column = cursor.column;
    if (word === "dev") draft.device = cursor.take() ?? "";
    else if (word === "lladdr") {
      const hint = cursor.take() ?? "";
      const mac = parseLinkAddress(hint);
      if (mac !== undefined) draft.mac = mac;
      else complaints.at(line, cursor.column, hint.length, "not-a-mac", "no link-layer address", "warning");
    } else if (word === "router") draft.router = true;
    else if (word === "proxy") draft.proxy = true;
    else if (FLAGS.has(word)) flags.push(word);
    else if (NEIGHBOUR_STATES.has(word)) draft.states.push(word);
    else if (word === "proto") draft.protocol = protocolName(cursor.take() ?? "");
    else if (COUNTERS.has(word)) {
      // "used 2/3/4probes 1": the blank is missing in many versions.
      if (cursor.take()?.endsWith("probes")) cursor.take();
    } else {
      complaints.at(line, column, word.length, "unknown-word", `"${word}" is not known in a neighbour`, "warning");
    }
  }
  if (flags.length > 0) draft.flags = flags;
  if (draft.device === "")
    complaints.at(line, line.column, line.text.length, "no-device", "no device is named", "warning");
  return draft;
}

/** `ip neigh show dev eth0` leaves the device out of its lines. */
export function deviceOfCommand(context: DumpContext): string | undefined {
  const rest = invocationOf(context.command ?? [])?.rest ?? [];
  const dev = rest.indexOf("dev");
  return dev >= 0 ? rest[dev + 1] : context.device?.value;
}

/** Reads `ip neigh`. `show dev eth0` leaves the device out, which the command then names. */
export function readNeighbours(source: Source, context: DumpContext): Reading {
  const complaints = new Complaints(source, "ip-neigh");
  const command = invocationOf(context.command ?? []);
  const device = deviceOfCommand(context);
  const neighbours: Neighbour[] = [];
  const partial = isPartial(context) || (command !== undefined && command.rest.length > 1);
  const elided = eachEntry(source, (line) => {
    const draft = takeNeighbour(line, new WordCursor(wordsIn(line)), device, complaints);
    if (draft === undefined) complaints.notUnderstood(line, "not a line of `ip neigh`");
    else neighbours.push({ ...draft, origin: originOf(source, line) });
  });
  return neighboursReading(neighbours, partial || elided || complaints.lost, command !== undefined, complaints.list);
}

export function neighboursReading(
  neighbours: readonly Neighbour[],
  cut: boolean,
  requested: boolean,
  diagnostics: readonly Diagnostic[],
): Reading {
  const extent: Extent = cut ? "partial" : "whole";
  const counts = { neighbours: neighbours.length };
  return listReading({ kind: "neighbours", neighbours, extent }, counts, requested, diagnostics);
}

/** A neighbour as `ip neigh show` prints it, with its trailing blank and without the line end. */
export function printNeighbour(n: Neighbour): string {
  let out = `${formatAddress(n.address)} dev ${n.device} `;
  if (n.mac !== undefined) out += `lladdr ${n.mac} `;
  if (n.router) out += "router ";
  if (n.proxy) out += "proxy ";
  for (const flag of n.flags ?? []) out += `${flag} `;
  for (const state of n.states) out += `${state} `;
  return n.protocol === undefined ? out : `${out}proto ${n.protocol} `;
}
