import type { ObservedComplaint, ObservedLogLine, ObservedMartian, ObservedTrace } from "../../model/index.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { placeOf } from "../place.ts";
import { originAt, type Source } from "../source.ts";
import { logFields } from "./fields.ts";
import { llHeader, martianOf } from "./martian.ts";
import { stamped } from "./stamp.ts";

const LOG = /IN=\S{0,32}\s+OUT=\S{0,32}/;
const TRACE = /\bTRACE: (\w{1,32}):([^:\s]{1,64}):(rule|return|policy):(\d{1,9})\s/;
const COMPLAINTS: readonly (readonly [RegExp, ObservedComplaint["what"]])[] = [
  [/\b(?:nf_conntrack|ip_conntrack)\b.{0,40}\btable full\b/, "conntrack-full"],
  [
    /\bneighbou?r(?:ing)?(?: \S{1,20}:)? ?table overflow|\bneighbour: \S+: neighbor table overflow/i,
    "neighbour-overflow",
  ],
  [/\bnet_ratelimit: \d+ callbacks suppressed/, "rate-limited"],
  [/\bnf_conntrack\b|\bnf_ct_|\bIPVS: /, "other"],
];

function traceOf(message: string): ObservedTrace | undefined {
  const m = TRACE.exec(message.slice(0, 300));
  if (m === null) return undefined;
  return { table: m[1]!, chain: m[2]!, type: m[3] as "rule" | "return" | "policy", rule: m[4]! };
}

/** The kernel's log: LOG and TRACE lines, martians, and what it complained of. Other lines are passed over. */
export function readKernelLog(source: Source, context: DumpContext): Reading {
  const place = placeOf(source, context);
  const lines: ObservedLogLine[] = [];
  const martians: ObservedMartian[] = [];
  const complaints: ObservedComplaint[] = [];
  const diagnostics: Diagnostic[] = [];
  let other = 0;
  source.lines.forEach((line, index) => {
    const { time, message, at } = stamped(line.length > 8000 ? line.slice(0, 8000) : line);
    const origin = originAt(source, index);
    const base = { place, ...(time === undefined ? {} : { time }), origin };
    const log = LOG.exec(message);
    if (log !== null) {
      const trace = traceOf(message);
      const fields = logFields(message.slice(log.index));
      if (fields.ip === undefined && / SRC=/.test(message))
        diagnostics.push(
          diagnose(source, index, at + log.index, "kernel-log-cut", "addresses of this packet could not be read", {
            severity: "warning",
          }),
        );
      const prefix = trace === undefined ? message.slice(0, log.index).trim() : "";
      lines.push({ ...base, kind: trace === undefined ? "log" : "trace", prefix, ...put("trace", trace), ...fields });
      return;
    }
    const martian = martianOf(message.slice(0, 400));
    if (martian !== undefined) {
      martians.push({ ...martian, ...base });
      return;
    }
    const header = llHeader(message.slice(0, 400));
    const last = martians[martians.length - 1];
    if (header !== undefined) {
      if (last !== undefined && last.dstMac === undefined) martians[martians.length - 1] = { ...last, ...header };
      return;
    }
    const complaint = COMPLAINTS.find(([pattern]) => pattern.test(message.slice(0, 400)));
    if (complaint !== undefined) complaints.push({ ...base, what: complaint[1], text: message.slice(0, 300).trim() });
    else if (line.trim() !== "") other++;
  });
  const counts = {
    "log lines": lines.length,
    ...(martians.length === 0 ? {} : { martians: martians.length }),
    ...(complaints.length === 0 ? {} : { complaints: complaints.length }),
    ...(other === 0 ? {} : { "other lines": other }),
  };
  return { facts: [{ kind: "kernel-log", lines, martians, complaints }], diagnostics, counts };
}

const put = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
