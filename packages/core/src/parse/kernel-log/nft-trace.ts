import { type ObservedIp, type ObservedLogLine, type ObservedTrace, TCP } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { PROTO, parseAddress, parseMac, servicePort } from "../../net/index.ts";
import { type Diagnostic, diagnose } from "../diagnostic.ts";
import type { DumpContext, Reading } from "../dialect.ts";
import { placeOf } from "../place.ts";
import { originAt, type Source } from "../source.ts";
import { logFields } from "./fields.ts";

type Line = Pick<ObservedLogLine, "trace" | "in" | "out" | "ip" | "mark" | "srcMac" | "dstMac">;

const NFT =
  /^trace id ([0-9a-f]{8}) (?:ip|ip6|inet|arp|bridge|netdev) (\S{1,64}) (\S{1,128}) (packet:|rule |verdict |policy |unknown )/;
const PACKET = /^ ?PACKET: \d{1,3} ([0-9a-f]{1,8}) /;
const XTABLES =
  /^\s{0,4}TRACE: \d{1,3} ([0-9a-f]{1,8}) ([^:\s]{1,32}):([^:\s]{1,64}):(rule|return|policy):(\S{0,120})\s{0,4}(.{0,1000})/;

const FLAGS: Readonly<Record<string, number>> = lookup({
  fin: TCP.FIN,
  syn: TCP.SYN,
  rst: TCP.RST,
  psh: TCP.PSH,
  ack: TCP.ACK,
  urg: TCP.URG,
  ecn: 64,
  cwr: 128,
});
const ICMP_TYPES: Readonly<Record<string, number>> = lookup({
  "echo-reply": 0,
  "destination-unreachable": 3,
  redirect: 5,
  "echo-request": 8,
  "time-exceeded": 11,
});

const put = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };

/** `iif "eth0" ip saddr 10.0.0.1 ip daddr … tcp dport 80 tcp flags == syn`. */
function nftPacket(text: string): Line {
  const value = (pattern: RegExp): string | undefined => pattern.exec(text)?.[1];
  const number = (pattern: RegExp): number | undefined => {
    const v = value(pattern);
    return v === undefined
      ? undefined
      : /^(?:0x[0-9a-f]{1,8}|\d{1,10})$/.test(v)
        ? Number(v)
        : servicePort(v.replace(/"/g, ""));
  };
  const src = parseAddress(value(/\bip6? saddr (\S{2,45})/) ?? "");
  const dst = parseAddress(value(/\bip6? daddr (\S{2,45})/) ?? "");
  const layer = value(/\b(tcp|udp|sctp|icmp|icmpv6) (?:sport|type) /);
  const flags = value(/\btcp flags (?:== )?([a-z|, ]{2,40}?)(?: tcp |\s*$)/);
  const type = value(/\bicmp type (\S{1,40})/);
  const protocol =
    layer === undefined
      ? undefined
      : layer === "icmpv6"
        ? PROTO.icmp6
        : PROTO[layer as "tcp" | "udp" | "sctp" | "icmp"];
  const icmpType =
    type === undefined ? undefined : (ICMP_TYPES[type] ?? (/^\d+$/.test(type) ? Number(type) : undefined));
  const bits = flags?.split(/[|, ]+/).reduce((sum, f) => sum | (FLAGS[f] ?? 0), 0);
  const ip: ObservedIp | undefined =
    src === undefined || dst === undefined
      ? undefined
      : {
          src,
          dst,
          ...put("protocol", protocol),
          ...put("sport", number(/\b(?:tcp|udp|sctp) sport (\S{1,40})/)),
          ...put("dport", number(/\b(?:tcp|udp|sctp) dport (\S{1,40})/)),
          ...put("ttl", number(/\bip ttl (\d{1,3})/) ?? number(/\bip6 hoplimit (\d{1,3})/)),
          ...put("id", number(/\bip id (\d{1,5})/)),
          ...put("length", number(/\bip length (\d{1,5})/)),
          ...(bits === undefined ? {} : { tcp: { flags: bits } }),
          ...(protocol === PROTO.icmp
            ? {
                icmp: {
                  ...put("type", icmpType),
                  ...put("id", number(/\bicmp id (\d{1,5})/)),
                  ...put("seq", number(/\bicmp sequence (\d{1,5})/)),
                },
              }
            : {}),
        };
  return {
    ...put("in", value(/\biif(?:name)? "?([^"\s]{1,16})/)),
    ...put("out", value(/\boif(?:name)? "?([^"\s]{1,16})/)),
    ...put("srcMac", parseMac(value(/\bether saddr (\S{17})/) ?? "")),
    ...put("dstMac", parseMac(value(/\bether daddr (\S{17})/) ?? "")),
    ...put("ip", ip),
  };
}

function nftLine(line: string): Line | undefined {
  const m = NFT.exec(line);
  if (m === null) return undefined;
  const [head, id = "", table = "", chain = "", kind = ""] = m;
  const rest = line.slice(head.length);
  const word = kind.replace(/[: ]/g, "");
  const verdict = /\(verdict ([^)]{1,120})\)/.exec(rest)?.[1];
  const trace: ObservedTrace = {
    table,
    chain,
    id,
    type: word === "packet" || word === "rule" || word === "policy" || word === "verdict" ? word : "rule",
    ...(word === "rule" ? { rule: rest.replace(/\s*\(verdict [^)]{1,120}\)\s*$/, "").slice(0, 500) } : {}),
    ...put("verdict", word === "policy" || word === "verdict" ? rest.trim().split(/\s/, 1)[0] : verdict),
  };
  return { trace, ...(word === "packet" ? nftPacket(rest.slice(0, 2000)) : {}) };
}

function xtablesLine(line: string): Line | undefined {
  const packet = PACKET.exec(line);
  if (packet !== null) {
    return { trace: { type: "packet", id: packet[1]! }, ...logFields(line.slice(packet[0].length)) };
  }
  const m = XTABLES.exec(line);
  if (m === null) return undefined;
  const [, id = "", table = "", chain = "", type = "", what = "", rule = ""] = m;
  const verdict = what.replace(/^0x[0-9a-f]{1,16}:/, "");
  return {
    trace: {
      table,
      chain,
      id,
      type: type as "rule" | "return" | "policy",
      ...(rule.trim() === "" ? {} : { rule: rule.trim() }),
      ...(verdict === "" ? {} : { verdict }),
    },
  };
}

/** `nft monitor trace` and `xtables-monitor --trace`: one packet is the lines of one id. */
export function readNftTrace(source: Source, context: DumpContext): Reading {
  const place = placeOf(source, context);
  const lines: ObservedLogLine[] = [];
  const diagnostics: Diagnostic[] = [];
  source.lines.forEach((full, index) => {
    const line = full.slice(0, 4000);
    const read = nftLine(line) ?? xtablesLine(line);
    if (read !== undefined) lines.push({ kind: "trace", place, prefix: "", ...read, origin: originAt(source, index) });
    else if (line.trim() !== "" && diagnostics.length < 50)
      diagnostics.push(diagnose(source, index, 0, "nft-trace-unread", "no line of a trace", { severity: "warning" }));
  });
  return {
    facts: [{ kind: "kernel-log", lines, martians: [], complaints: [] }],
    diagnostics,
    counts: { "trace lines": lines.length },
  };
}
