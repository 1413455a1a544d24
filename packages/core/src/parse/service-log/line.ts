import type { ObservedTime, ServiceSeverity } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";

/** A line of a service's log, taken apart. */
export interface LogLine {
  readonly severity?: ServiceSeverity;
  readonly time?: ObservedTime;
  /** `kubelet`, as the system's log calls it. */
  readonly unit?: string;
  readonly message: string;
}

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const SYSLOG =
  /^\s{0,8}(\w{3})\s{1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.\d{1,9})? \S{1,80} ([\w.@/()-]{1,80})(?:\[\d+\])?: ?/;
const ISO_SYSLOG = /^\s{0,8}(\d{4}-\d\d-\d\dT\S{8,32}) \S{1,80} ([\w.@/()-]{1,80})\[\d+\]: ?/;
/** As the kubelet keeps a container's output: `2024-06-12T10:20:30.123456789Z stderr F text`. */
const CRI = /^(\d{4}-\d\d-\d\dT\S{8,32}) (?:stdout|stderr) [FP] /;
const KLOG =
  /^(?:\S{1,80}\s{1,8})?([IWEF])(\d\d)(\d\d) (?:(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?\s{1,12}\d{1,10} )?([\w./-]{1,120}:\d{1,6})\] /;
const LOGRUS = /^(?:\S{1,80}\s{1,8})?time="([^"]{10,40})" level=(\w{1,12}) /;
const ISO =
  /^\[?(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?\s{1,8}(?:\S{0,60}\s{0,4}\[)?\[?(\w{3,8})\b/;
const JSON_LEVEL = /"(?:level|severity|lvl)":\s?"?(\w{1,12})/;
const JSON_MESSAGE = /"(?:msg|message|log)":\s?"((?:[^"\\]|\\.){0,2000})"/;

const LETTERS: Readonly<Record<string, ServiceSeverity>> = lookup({ I: "info", W: "warning", E: "error", F: "fatal" });

function severityOf(word: string): ServiceSeverity | undefined {
  const w = word.toLowerCase();
  if (/^(?:err|error|crit|critical|alert)$/.test(w)) return "error";
  if (/^(?:fatal|panic|emerg)$/.test(w)) return "fatal";
  if (/^warn(?:ing)?$/.test(w)) return "warning";
  return /^(?:info|debug|trace|notice)$/.test(w) ? "info" : undefined;
}

/** Without a year: counted from January. */
const inYear = (month: number, day: string, h: string, m: string, s: string): ObservedTime => ({
  seconds: (Date.UTC(1972, month, Number(day), Number(h), Number(m), Number(s)) - Date.UTC(1972, 0, 1)) / 1000,
  base: "date",
});

const atDate = (text: string): { readonly time?: ObservedTime } => {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? {} : { time: { seconds: ms / 1000, base: "epoch" } };
};

/** Takes the stamps and levels of syslog, the journal, klog, logrus, JSON and the like off a line. */
export function logLine(line: string): LogLine {
  const head = line.slice(0, 400);
  const syslog = SYSLOG.exec(head);
  if (syslog !== null) {
    const [all, mon = "", d = "", h = "", m = "", s = "", unit = ""] = syslog;
    const time = inYear(MONTHS.indexOf(mon) / 3, d, h, m, s);
    return { time, ...ownStamp(line.slice(all.length)), unit };
  }
  const journal = ISO_SYSLOG.exec(head);
  if (journal !== null)
    return { ...atDate(journal[1]!), ...ownStamp(line.slice(journal[0].length)), unit: journal[2]! };
  const cri = CRI.exec(head);
  if (cri !== null) return { ...atDate(cri[1]!), ...ownStamp(line.slice(cri[0].length)) };
  return ownStamp(line);
}

/** What the service itself put in front. */
function ownStamp(line: string): LogLine {
  const head = line.slice(0, 400);
  const klog = KLOG.exec(head);
  if (klog !== null) {
    const [all, letter = "", month = "", day = "", h, m, s] = klog;
    const severity = LETTERS[letter];
    return {
      ...(severity === undefined ? {} : { severity }),
      ...(h === undefined || m === undefined || s === undefined
        ? {}
        : { time: inYear(Number(month) - 1, day, h, m, s) }),
      message: line.slice(all.length),
    };
  }
  const logrus = LOGRUS.exec(head);
  if (logrus !== null) return { ...level(logrus[2]!), ...atDate(logrus[1]!), message: line.slice(logrus[0].length) };
  if (line.startsWith("{")) {
    const message = JSON_MESSAGE.exec(line.slice(0, 4000))?.[1]?.replace(/\\n$/, "").replaceAll('\\"', '"');
    // Docker wraps a container's line whole.
    if (message !== undefined && KLOG.test(message.slice(0, 400))) return ownStamp(message);
    return { ...level(JSON_LEVEL.exec(head)?.[1] ?? ""), message: message ?? line };
  }
  const iso = ISO.exec(head);
  if (iso !== null) {
    const [, y, mo, d, clock, word = ""] = iso;
    return { ...level(word), ...atDate(`${y}-${mo}-${d}T${clock}Z`), message: line };
  }
  return { message: line };
}

const level = (word: string): { readonly severity?: ServiceSeverity } => {
  const severity = severityOf(word);
  return severity === undefined ? {} : { severity };
};
