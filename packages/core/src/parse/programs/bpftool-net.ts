import type { AttachedProgram, Origin, ProgramHook } from "../../model/index.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { originAt, type Source } from "../source.ts";
import { programsReading } from "./reading.ts";

const SECTION = /^(xdp|tc|flow_dissector|netfilter):\s*$/;
/** `eth0(2) driver id 198`, `eth0(2) clsact/ingress NAME id 12`, `eth0(2) tcx/egress NAME prog_id 12 link_id 3`. */
const ON_DEVICE = /^([^\s()]{1,15})\(\d{1,10}\) (\S+)(?: (.*?))?\s+(?:prog_)?id \d/;
/** `ip prerouting prio -128 prog_id 12`. */
const IN_NETFILTER = /^\s*(?:ip6?|inet) (\w+) prio -?\d+.* (?:prog_)?id (\d+)/;

const hookOf = (section: string, attach: string): ProgramHook => {
  if (section === "xdp") return "xdp";
  if (attach.includes("egress")) return "tc egress";
  return attach.includes("ingress") ? "tc ingress" : "both";
};

export const claimBpftoolNet = (line: string): "head" | "line" | "no" => {
  if (/^xdp:\s*$/.test(line)) return "head";
  if (SECTION.test(line)) return "line";
  if (IN_NETFILTER.test(line.slice(0, 300))) return "line";
  const [, , attach] = ON_DEVICE.exec(line.slice(0, 300)) ?? [];
  return attach !== undefined && /^(?:driver|generic|offload|multi|clsact|tcx|netkit)/.test(attach) ? "line" : "no";
};

/** `bpftool net`, as text or JSON: every XDP and tc program of the namespace. */
export function readBpftoolNet(source: Source, context: DumpContext): Reading {
  const start = source.lines.findIndex((l) => l.trim() !== "");
  if (source.lines[start]?.trimStart().startsWith("[")) return readJson(source, context);
  const programs: AttachedProgram[] = [];
  let section: string | undefined;
  const sections = new Set<string>();
  for (const [index, line] of source.lines.entries()) {
    const heading = SECTION.exec(line)?.[1];
    if (heading !== undefined) {
      section = heading;
      sections.add(heading);
      continue;
    }
    const text = line.slice(0, 300);
    const origin = originAt(source, index);
    const [, device, attach = "", name] = ON_DEVICE.exec(text) ?? [];
    if (device !== undefined) programs.push(programOn(device, section ?? "tc", attach, name, origin));
    else if (section === "netfilter") {
      const [, hook, id] = IN_NETFILTER.exec(text) ?? [];
      if (hook !== undefined) programs.push({ hook: "both", name: `netfilter ${hook}, program ${id}`, origin });
    }
  }
  // Without its headings it is an excerpt, or what a tool printed that failed.
  const whole = context.partial === undefined && sections.has("xdp") && sections.has("tc");
  return programsReading(programs, whole ? "whole" : "partial");
}

function programOn(
  device: string,
  section: string,
  attach: string,
  name: string | undefined,
  origin: Origin,
): AttachedProgram {
  return { device, hook: hookOf(section, attach), name: name === undefined || name === "" ? section : name, origin };
}

const isRecord = (v: unknown): v is Readonly<Record<string, unknown>> => typeof v === "object" && v !== null;
const listIn = (v: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(v) ? v.filter(isRecord) : [];
const textIn = (v: unknown): string | undefined => (typeof v === "string" ? v : undefined);

function readJson(source: Source, context: DumpContext): Reading {
  let parsed: unknown;
  try {
    parsed = JSON.parse(source.lines.join("\n"));
  } catch {
    return programsReading([], "partial");
  }
  const origin = originAt(source, 0);
  const programs: AttachedProgram[] = [];
  let whole = false;
  for (const part of listIn(parsed)) {
    whole ||= Array.isArray(part.xdp) && Array.isArray(part.tc);
    for (const section of ["xdp", "tc"]) {
      for (const entry of listIn(part[section])) {
        const device = textIn(entry.devname);
        const attach = textIn(entry.kind) ?? "";
        if (device !== undefined) programs.push(programOn(device, section, attach, textIn(entry.name), origin));
      }
    }
    for (const { id } of listIn(part.netfilter))
      programs.push({ hook: "both", name: `netfilter program ${id}`, origin });
  }
  return programsReading(programs, whole && context.partial === undefined ? "whole" : "partial");
}
