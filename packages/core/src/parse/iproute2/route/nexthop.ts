import type { Extent, NexthopObject } from "../../../model/index.ts";
import { formatAddress } from "../../../net/index.ts";
import type { DumpContext, Reading } from "../../dialect.ts";
import { listReading } from "../../list-reading.ts";
import type { Source } from "../../source.ts";
import { invocationOf } from "../invocation.ts";
import { Complaints, eachEntry, isPartial, type LogicalLine, type Mutable, originOf, wordsIn } from "../lines.ts";
import { protocolName, scopeOf } from "../names.ts";
import { numberOf, WordCursor } from "../words.ts";
import { emptyRoute, hopsOf, takeHopWord } from "./route-words.ts";

type Draft = Omit<Mutable<NexthopObject>, "origin" | "extra"> & { extra: string[] };

/** `1/2,10/3`: member ids with weights other than 1. */
export function groupOf(text: string): NexthopObject["group"] | undefined {
  const members: { id: number; weight: number }[] = [];
  for (const part of text.split("/")) {
    const [id, weight = "1"] = part.split(",");
    const n = numberOf(id);
    const w = numberOf(weight);
    if (n === undefined || w === undefined) return undefined;
    members.push({ id: n, weight: w });
  }
  return members;
}

/** Reads a nexthop from `id` on. */
export function takeNexthopObject(line: LogicalLine, cursor: WordCursor, complaints: Complaints): Draft | undefined {
  if (!cursor.accept("id")) return undefined;
  const id = numberOf(cursor.take());
  if (id === undefined) return undefined;
  const draft: Draft = { id, blackhole: false, fdb: false, extra: [] };
  const route = emptyRoute();
  while (!cursor.done) {
    const key = cursor.take()!;
    const column = cursor.column;
    const group = key === "group" ? groupOf(cursor.peek() ?? "") : undefined;
    if (group !== undefined) {
      draft.group = group;
      cursor.take();
    } else if (key === "blackhole") draft.blackhole = true;
    else if (key === "fdb") draft.fdb = true;
    else if (key === "type") draft.groupType = cursor.take() ?? "";
    else if (key === "proto") draft.protocol = protocolName(cursor.take() ?? "");
    else if (key === "scope") {
      const scope = scopeOf(cursor.take() ?? "");
      if (scope !== undefined && scope !== "global") draft.scope = scope;
    } else if (/^(buckets|idle_timer|unbalanced_timer|unbalanced_time|hw_stats)$/.test(key))
      draft.extra.push(`${key} ${cursor.take() ?? ""}`);
    else if (takeHopWord(key, cursor, route.hop, route) !== "ok") {
      complaints.at(line, column, key.length, "unknown-word", `"${key}" is not known in a nexthop`, "warning");
      draft.extra.push(key);
    }
  }
  const hop = hopsOf(route)[0];
  if (hop !== undefined) draft.nexthop = hop;
  return draft;
}

export function readNexthops(source: Source, context: DumpContext): Reading {
  const complaints = new Complaints(source, "ip-nexthop");
  const command = invocationOf(context.command ?? []);
  const nexthops: NexthopObject[] = [];
  const partial = isPartial(context) || (command !== undefined && command.rest.length > 1);
  const elided = eachEntry(source, (line) => {
    const draft = takeNexthopObject(line, new WordCursor(wordsIn(line)), complaints);
    if (draft === undefined) complaints.notUnderstood(line, "not a line of `ip nexthop`");
    else nexthops.push({ ...draft, origin: originOf(source, line) });
  });
  const extent: Extent = partial || elided || complaints.lost ? "partial" : "whole";
  const counts = { nexthops: nexthops.length };
  return listReading({ kind: "nexthops", nexthops, extent }, counts, command !== undefined, complaints.list);
}

/** A nexthop as `ip nexthop show` prints it, with its trailing blank. */
export function printNexthopObject(n: NexthopObject): string {
  let out = `id ${n.id} `;
  if (n.group !== undefined)
    out += `group ${n.group.map((m) => (m.weight > 1 ? `${m.id},${m.weight}` : String(m.id))).join("/")} `;
  if (n.groupType !== undefined) out += `type ${n.groupType} `;
  for (const phrase of n.extra) out += `${phrase} `;
  const hop = n.nexthop;
  if (hop?.encap !== undefined) out += ` encap ${hop.encap} `;
  if (hop?.gateway !== undefined) out += `via ${formatAddress(hop.gateway)} `;
  if (hop?.device !== undefined) out += `dev ${hop.device} `;
  if (n.scope !== undefined) out += `scope ${n.scope} `;
  if (n.blackhole) out += "blackhole ";
  if (n.protocol !== undefined) out += `proto ${n.protocol} `;
  for (const flag of hop?.flags ?? []) out += `${flag} `;
  return n.fdb ? `${out}fdb` : out;
}
