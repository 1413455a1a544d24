import type { Extent, RealServer, VirtualService } from "../../model/index.ts";
import { type Diagnostic, diagnose, type Severity } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { isEllipsis } from "../ellipsis.ts";
import { originAt, type Source } from "../source.ts";
import { type Filtering, filteringOf } from "./filter.ts";
import { type Form, formOf, parseServer, parseService, type ServiceLine, type Trouble } from "./lines.ts";
import { asksForOne } from "./printed-by.ts";

interface Draft {
  readonly at: number;
  readonly service: ServiceLine;
  readonly servers: RealServer[];
  /** Another service, or the listing's own end, follows in the same run of lines. */
  closed: boolean;
  /** A real server of it could not be read. */
  damaged: boolean;
}

const ARROW = /^\s*(?:->|→|-&gt;)\s*\S/;

/** Reads `ipvsadm -ln` in all its columns, and /proc/net/ip_vs, whose addresses are hexadecimal. */
export function readListing(source: Source, context: DumpContext): Reading {
  const diagnostics: Diagnostic[] = [];
  const drafts: Draft[] = [];
  const separated = source.lines.some((line) => line.trim() === "--");
  const filtering = filteringOf(context, separated);
  let form: Form = "unknown";
  let current: Draft | undefined;
  let banner = false;
  let lost = false;
  const complain = (index: number, trouble: Trouble, code: string, severity: Severity = "error"): void => {
    const column = Math.max(0, source.lines[index]!.indexOf(trouble.text));
    const message = `\`${trouble.text}\` ${trouble.message}`;
    diagnostics.push(diagnose(source, index, column, code, message, { severity, length: trouble.text.length || 1 }));
  };
  for (const [index, line] of source.lines.entries()) {
    const text = line.trim();
    if (text === "") continue;
    if (isEllipsis(text)) {
      if (text !== "--") lost = true;
      current = undefined;
      continue;
    }
    if (text.startsWith("IP Virtual Server version")) {
      banner = true;
      continue;
    }
    const heading = formOf(text);
    if (heading !== undefined) {
      if (heading !== "unknown") form = heading;
      continue;
    }
    if (ARROW.test(line)) {
      const server = parseServer(line.replace(/^\s*(?:→|-&gt;)/, "->"), form);
      if ("message" in server) {
        complain(index, server, "ipvs-bad-server");
        if (current !== undefined) current.damaged = true;
      } else if (current === undefined) {
        complain(index, { text, message: "stands under no service" }, "ipvs-orphan-server", "warning");
      } else current.servers.push({ ...server, origin: originAt(source, index) });
      continue;
    }
    const service = parseService(text, form);
    if (current !== undefined) current.closed = true;
    if ("message" in service) {
      complain(index, service, "ipvs-bad-service");
      current = undefined;
      lost = true;
      continue;
    }
    if (service.unknown !== undefined) {
      complain(index, { text: service.unknown, message: "is not understood" }, "ipvs-unknown-flag", "warning");
    }
    current = { at: index, service, servers: [], closed: false, damaged: false };
    drafts.push(current);
  }
  if (current !== undefined && filtering === "none" && !lost) current.closed = true;
  const services = drafts.map((d): VirtualService => {
    const extent = extentOfService(d, filtering);
    return { ...d.service, realServers: d.servers, extent, origin: originAt(source, d.at) };
  });
  note(services, source, drafts, diagnostics);
  const extent = banner || wholeByCommand(context) ? (filtering === "none" && !lost ? "whole" : "partial") : "partial";
  return {
    facts: [{ kind: "ipvs", services, extent: asksForOne(context.command) ? "partial" : extent }],
    diagnostics,
    counts: { services: services.length, servers: services.reduce((n, s) => n + s.realServers.length, 0) },
  };
}

/** A listing of one service has no banner; one of all services has, so without either nothing is said of others. */
const wholeByCommand = (context: DumpContext): boolean => context.command !== undefined && !asksForOne(context.command);

function extentOfService(draft: Draft, filtering: Filtering): Extent {
  if (draft.damaged || filtering === "picked") return "partial";
  return draft.closed ? "whole" : "partial";
}

function note(services: readonly VirtualService[], source: Source, drafts: readonly Draft[], out: Diagnostic[]): void {
  const ticks = services.findIndex((s) => s.persistenceTicks !== undefined);
  if (ticks < 0) return;
  const text = "persistence is shown in ticks of the kernel's clock: taken as 250 a second";
  out.push(diagnose(source, drafts[ticks]!.at, 0, "ipvs-ticks", text, { severity: "note" }));
}
