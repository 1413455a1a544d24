import type { Device, FdbEntry } from "../../model/index.ts";
import { parseMac } from "../../net/index.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { isEllipsis } from "../ellipsis.ts";
import {
  Complaints,
  isBlank,
  isPartial,
  type LogicalLine,
  logicalLines,
  originOf,
  wordsIn,
} from "../iproute2/lines.ts";
import type { Source } from "../source.ts";

const BRIDGE_ID = /^[0-9a-f]{4}\.[0-9a-f]{12}$/;

/** Reads `brctl show`: each bridge with its ports in the last column, one more port a line. */
export function readBrctlShow(source: Source, _context: DumpContext): Reading {
  const complaints = new Complaints(source, "brctl-show");
  const bridges: Device[] = [];
  const ports: Device[] = [];
  let current: string | undefined;
  const port = (name: string, line: LogicalLine): void => {
    ports.push({
      name,
      kind: "unknown",
      addresses: [],
      addressesKnown: false,
      ...(current === undefined ? {} : { master: current }),
      origin: originOf(source, line),
    });
  };
  for (const line of logicalLines(source)) {
    if (isBlank(line.text) || isEllipsis(line.text) || /^bridge name\s/.test(line.text)) continue;
    const words = wordsIn(line).map((w) => w.text);
    const [name, id, stp, first] = words;
    if (name !== undefined && BRIDGE_ID.test(id ?? "") && /^(yes|no)$/.test(stp ?? "") && words.length <= 4) {
      current = name;
      bridges.push({
        name,
        kind: "bridge",
        addresses: [],
        addressesKnown: false,
        bridge: { id: id!, stp: stp === "yes" },
        origin: originOf(source, line),
      });
      if (first !== undefined) port(first, line);
    } else if (words.length === 1 && /^\s/.test(line.text) && current !== undefined) port(words[0]!, line);
    else complaints.notUnderstood(line, "not a line of `brctl show`");
  }
  const devices = [...bridges, ...ports];
  return {
    facts: devices.length === 0 ? [] : [{ kind: "devices", devices, shows: ["bridge-port"], extent: "partial" }],
    diagnostics: complaints.list,
    counts: { bridges: bridges.length, ports: ports.length },
  };
}

/** Reads `brctl showmacs BRIDGE`. It names ports by number, which only `brctl showstp` or the port files resolve. */
export function readBrctlMacs(source: Source, context: DumpContext): Reading {
  const complaints = new Complaints(source, "brctl-showmacs");
  const words = context.command ?? [];
  const bridge = words[words.indexOf("showmacs") + 1];
  const entries: FdbEntry[] = [];
  let cut = isPartial(context);
  for (const line of logicalLines(source)) {
    if (isBlank(line.text) || /^port no\s/.test(line.text)) continue;
    if (isEllipsis(line.text)) {
      cut = true;
      continue;
    }
    const [port, address, local] = wordsIn(line).map((w) => w.text);
    const mac = parseMac(address ?? "");
    if (mac === undefined || !/^\d{1,5}$/.test(port ?? "") || !/^(yes|no)$/.test(local ?? "")) {
      complaints.notUnderstood(line, "not a line of `brctl showmacs`");
      continue;
    }
    entries.push({
      mac,
      device: `port ${port}`,
      ...(words.includes("showmacs") && bridge !== undefined ? { master: bridge } : {}),
      flags: local === "yes" ? ["permanent"] : [],
      origin: originOf(source, line),
    });
  }
  return {
    facts: entries.length === 0 ? [] : [{ kind: "fdb", entries, extent: cut ? "partial" : "whole" }],
    diagnostics: complaints.list,
    counts: { entries: entries.length },
  };
}
