import { isHostName, type ReadOrigin, type Symptom, type SymptomResult } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { PROTO } from "../../net/index.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import type { Facts } from "../facts.ts";
import { placeOf } from "../place.ts";
import { originAt, type Source } from "../source.ts";
import { arpReplies } from "./arping.ts";
import { resultOf } from "./errors.ts";
import { Ping } from "./ping.ts";
import { hostOf, type Target, targetOf, urlTarget } from "./target.ts";

type Part = Omit<Symptom, "place">;

const TIME = /^real\s+(\d{1,6})m([\d.]{1,10})s/;
const CONNECTING = [
  /^\* {1,3}Trying (\S{2,60}?)(?::(\d{1,5}))?\.{3}/,
  /^Trying (\S{2,60})\.{3}/,
  /^Connecting to (?:\S{1,100} \()?(\[[^\]]{2,50}\]|[^\s:)|]{2,60})\)?(?:\|[^|]{1,60}\|)?:(\d{1,5})\.{3}/,
  /^Connecting to \S{1,100} \(([^):]{2,60}|\[[^\]]{2,50}\]):(\d{1,5})\)/,
];
const FAILED = [
  /^curl: \(\d{1,3}\) (?:Failed (?:to )?connect to |connect to |Failed to connect to )?(\S{1,100}?)(?: port |:)(\d{1,5})/,
  /^telnet: connect to address (\S{1,60}):/,
  /^(?:nc|Ncat|ncat|netcat): connect to (\S{1,100})(?: \([^)]{1,60}\))? port (\d{1,5})/,
  /^(?:telnet|wget|nc|Ncat): can't connect to (?:remote host )?\(?(\[?[0-9a-fA-F.:]{2,60}?\]?)\)?(?::(\d{1,5}))?[:)]/,
  /^\S{1,100} \[(\S{2,60})\] (\d{1,5}) \(\S{0,40}\) ?:/,
];
const CONNECTED = [
  /^\* {1,3}Connected to \S{1,200} \(([^)]{2,60})\) port (\d{1,5})/,
  /^Connected to (\S{1,100}?)\.?\s*$/,
  /^Connection to (\S{1,100}) (?:\([^)]{1,60}\) )?(\d{1,5}) port \[\S{1,60}\] succeeded/,
  /^(?:Ncat|nc): Connected to (\S{2,60}?):(\d{1,5})\.?/,
  /^\S{1,100} \[(\S{2,60})\] (\d{1,5}) \(\S{0,40}\) open/,
];
const HTTP = /^(?:< )?HTTP\/[\d.]{1,3} (\d{3})|^HTTP request sent, awaiting response\.\.\. (\d{3})/;
const ERROR_LINE =
  /^(?:curl: \(\d{1,3}\)|wget: |telnet: |nc: |Ncat: |ncat: |netcat: |ping6?: |connect: |nslookup: |;; (?:connection timed out|communications error|reply from unexpected source)|\*\* server can't find|dig: |failed: |bash: connect: |Do you want to ping broadcast|\* {1,3}(?:connect to .{1,200} failed|Connection (?:refused|timed out|reset)|Immediate connect fail|Failed to connect|Recv failure|Operation timed out|Empty reply)|Connection (?:timed out|refused|closed by foreign host|reset)|.{0,120}: (?:Connection refused|Connection timed out|No route to host|Network is unreachable)\s*$)/i;
const CURL_CODE = /^curl: \((\d{1,3})\)/;
const CURL_RESULTS: Readonly<Record<string, SymptomResult>> = lookup({
  "6": "no-name",
  "28": "timeout",
  "52": "reset",
  "56": "reset",
});
const INTERRUPTED = /^\s*\^C\s*$/;
const UNEXPECTED = /^;; reply from unexpected source: (\S{2,60}?)#(\d{1,5}), expected (\S{2,60}?)#(\d{1,5})/;
const DIG_SERVER = /^;; SERVER: (\S{2,60}?)#(\d{1,5})/;
const DIG_STATUS = /^;; ->>HEADER<<- .{0,60}status: ([A-Z]{3,12})/;
const NS_SERVER = /^Server:\s+(\S{2,60})/;
const NS_ADDRESS = /^Address(?: 1)?:\s+(\S{2,60}?)(?:#\d{1,5})?(?:\s|$)/;
const NS_NAME = /^Name:\s+(\S{1,200})/;

/** What one attempt has shown so far. */
interface Attempt {
  host?: Symptom["target"];
  port?: number;
  protocol?: number;
  name?: string;
  result?: SymptomResult;
  text: string;
  origin: ReadOrigin;
  took?: number;
  answeredBy?: Symptom["target"];
}

/** Reads what clients printed. Without the command above it, the output's own words say whom it was about. */
export function readClient(source: Source, context: DumpContext): Reading {
  const place = placeOf(source, context);
  const target = targetOf(context.command);
  const parts = symptomsOf(source, target);
  const symptoms: Symptom[] = parts.map((part) => ({ place, ...part }));
  const packets = arpReplies(source, place);
  const facts: readonly Facts[] = [
    { kind: "symptoms", symptoms },
    ...(packets.length === 0 ? [] : [{ kind: "packets" as const, packets }]),
  ];
  return { facts, diagnostics: [], counts: { symptoms: symptoms.length } };
}

function match(patterns: readonly RegExp[], line: string): RegExpExecArray | undefined {
  for (const pattern of patterns) {
    const m = pattern.exec(line);
    if (m !== null) return m;
  }
  return undefined;
}

function symptomsOf(source: Source, target: Target | undefined): readonly Part[] {
  const parts: Part[] = [];
  let attempt: Attempt | undefined;
  let ping: { readonly run: Ping; readonly text: string; readonly origin: ReadOrigin } | undefined;
  const tool = target?.tool ?? "client";
  const finish = (): void => {
    if (attempt !== undefined) parts.push(partOf(attempt, tool, target));
    attempt = undefined;
    if (ping !== undefined) {
      const { found } = ping.run;
      parts.push({
        tool: "ping",
        ...found,
        ...(target?.bind === undefined ? {} : { bind: target.bind }),
        text: ping.text,
        origin: ping.origin,
      });
    }
    ping = undefined;
  };
  let body = false;
  for (const [index, full] of source.lines.entries()) {
    const line = full.slice(0, 1000).trim();
    if (line === "") continue;
    const origin = originAt(source, index);
    const begun = Ping.begin(line);
    if (begun !== undefined) {
      finish();
      ping = { run: begun, text: line.slice(0, 200), origin };
      continue;
    }
    if (ping === undefined && /^\d{1,6} bytes from /.test(line)) {
      finish();
      const by = /^\d{1,6} bytes from (?:\S{1,200} \()?([^\s():]{1,60}|[0-9a-fA-F:]{2,45})/.exec(line)?.[1];
      ping = { run: new Ping(target?.host ?? hostOf(by ?? ""), undefined), text: line.slice(0, 200), origin };
    }
    if (ping?.run.take(line) === true) continue;
    const current = (): Attempt => {
      attempt ??= { text: line.slice(0, 200), origin };
      return attempt;
    };
    const say = (result: SymptomResult): void => {
      const a = current();
      // A later word of failure outweighs `Connected`, as does an answer a mere connection.
      if (a.result === undefined || a.result === "waiting" || (a.result === "ok" && result !== "waiting")) {
        a.result = a.result === "ok" && result === "timeout" ? "stalled" : result;
        a.text = line.slice(0, 200);
        a.origin = origin;
      }
    };
    const trying = match(CONNECTING, line);
    if (trying !== undefined) {
      // Another address of the same name, or the next of several clients.
      if (attempt?.result !== undefined && attempt.host !== undefined) finish();
      const a = current();
      a.host = hostOf(trying[1]!);
      if (trying[2] !== undefined) a.port = Number(trying[2]);
      const inline = resultOf(line.slice(trying[0].length));
      if (inline !== undefined) say(inline);
      else if (/connected\.?\s*$/.test(line)) say("ok");
      continue;
    }
    const connected = match(CONNECTED, line);
    if (connected !== undefined) {
      const a = current();
      a.host ??= hostOf(connected[1]!);
      if (connected[2] !== undefined) a.port ??= Number(connected[2]);
      say("ok");
      continue;
    }
    const http = HTTP.exec(line);
    if (http !== null) {
      say("ok");
      continue;
    }
    const unexpected = UNEXPECTED.exec(line);
    if (unexpected !== null) {
      const a = current();
      a.host = hostOf(unexpected[3]!);
      a.port = Number(unexpected[4]);
      a.protocol = PROTO.udp;
      a.answeredBy = hostOf(unexpected[1]!);
      a.result = "timeout";
      a.text = line.slice(0, 200);
      a.origin = origin;
      continue;
    }
    const took = TIME.exec(line);
    if (took !== null) {
      if (attempt !== undefined || target !== undefined) current().took = Number(took[1]) * 60 + Number(took[2]);
      continue;
    }
    if (/^(?:user|sys)\s+\d+m/.test(line)) continue;
    if (dnsLine(line, current, say)) continue;
    if (ERROR_LINE.test(line)) {
      const failed = match(FAILED, line);
      const a = current();
      if (failed !== undefined) {
        a.host ??= hostOf(failed[1]!);
        if (failed[2] !== undefined) a.port ??= Number(failed[2]);
      }
      const code = CURL_CODE.exec(line)?.[1];
      say(resultOf(line) ?? CURL_RESULTS[code ?? ""] ?? "other");
      continue;
    }
    if (INTERRUPTED.test(line)) {
      if (attempt?.result === undefined && (attempt !== undefined || target !== undefined) && !body) say("waiting");
      continue;
    }
    const done = resultOf(line);
    if (attempt !== undefined && attempt.result === undefined && done !== undefined && line.length < 200) say(done);
    else if (target !== undefined && attempt === undefined && !/^[%>*<]/.test(line) && !/^\s*Dload/.test(line))
      body = true;
  }
  if (attempt === undefined && ping === undefined && parts.length === 0 && body && target !== undefined) {
    // Something other than an error came: the server's answer, unless the tool only talks.
    attempt = {
      text: (source.lines.find((l) => l.trim() !== "") ?? "").trim().slice(0, 200),
      origin: originAt(source, 0),
    };
    attempt.result = target.tool === "curl" || target.tool === "wget" || target.tool === "dig" ? "ok" : "other";
  }
  finish();
  return parts;
}

function dnsLine(line: string, current: () => Attempt, say: (result: SymptomResult) => void): boolean {
  const server = NS_SERVER.exec(line);
  if (server !== null) {
    const a = current();
    a.host = hostOf(server[1]!);
    a.port = 53;
    a.protocol = PROTO.udp;
    return true;
  }
  const dig = DIG_SERVER.exec(line);
  if (dig !== null) {
    const a = current();
    a.host ??= hostOf(dig[1]!);
    a.port ??= Number(dig[2]);
    return true;
  }
  const status = DIG_STATUS.exec(line);
  if (status !== null) {
    say(status[1] === "NOERROR" ? "ok" : "no-name");
    return true;
  }
  const name = NS_NAME.exec(line);
  if (name !== null) {
    current().name = name[1]!;
    say("ok");
    return true;
  }
  return NS_ADDRESS.test(line);
}

function partOf(attempt: Attempt, tool: string, target: Target | undefined): Part {
  const host = attempt.host ?? target?.host;
  const port = attempt.port ?? target?.port;
  const named = target?.host !== undefined && isHostName(target.host) ? target.host.name : attempt.name;
  const url = host !== undefined && isHostName(host) ? urlTarget(host.name) : undefined;
  return {
    tool,
    ...(host === undefined ? {} : { target: url?.host ?? host }),
    ...(port === undefined ? {} : { port }),
    protocol: attempt.protocol ?? target?.protocol ?? PROTO.tcp,
    ...(named === undefined ? {} : { name: named }),
    result: attempt.result ?? "waiting",
    ...(attempt.answeredBy === undefined ? {} : { answeredBy: attempt.answeredBy }),
    ...(attempt.took === undefined ? {} : { took: attempt.took }),
    ...(target?.bind === undefined ? {} : { bind: target.bind }),
    text: attempt.text,
    origin: attempt.origin,
  };
}
