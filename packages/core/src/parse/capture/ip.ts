import type { ObservedFrame, ObservedIp } from "../../model/index.ts";
import { hasPorts, PROTO } from "../../net/index.ts";
import type { Cursor } from "./cursor.ts";
import { endpointOf, showsPort } from "./endpoint.ts";
import { readFrame } from "./frame.ts";
import { icmpOf } from "./icmp.ts";
import type { Sequences } from "./sequence.ts";
import { readOldTcp, readTcp } from "./tcp.ts";

const INVALID = /[ \n]{0,8}\[[^\]\n]{1,60}\] \(invalid\),? ?/y;
const TRUNCATED = /truncated-ip6? - (\d{1,10}) bytes missing! ?/y;
const ENDPOINTS = /(\S{1,120}) > (\S{1,120}):(?=\s|$)/y;
const CHECKSUMS =
  /(?:\[(?:no cksum|udp sum ok|icmp6 sum ok|bad \S{3,5} cksum [^\]\n]{1,60}|udp cksum|\S{3,5} sum ok)\] ?){1,2}/y;
const BRACKETS = /(?:\(ipip-proto-4\) ?|\[\|\S{1,10}\] ?)/y;

type Header = Pick<ObservedIp, "ttl" | "tos" | "id" | "df" | "fragment" | "fragmentOffset" | "length" | "protocol">;

const EXTENSIONS = new Set([0, 43, 44, 51, 60, 135]);

/** `tos 0x0, ttl 63, id 0, offset 0, flags [DF], proto TCP (6), length 60` or `hlim 64, next-header TCP (6), payload length 40`. */
function headerOf(text: string, family: 4 | 6): Header {
  const number = (pattern: RegExp): number | undefined => {
    const m = pattern.exec(text)?.[1];
    return m === undefined ? undefined : Number(m);
  };
  const put = <K extends keyof Header>(key: K, value: Header[K] | undefined) =>
    value === undefined ? {} : { [key]: value };
  if (family === 6) {
    const payload = number(/\bpayload length:? (\d{1,6})/);
    const next = number(/\bnext-header \S{1,30} \((\d{1,3})\)/);
    return {
      ...put("ttl", number(/\bhlim (\d{1,3})/)),
      ...put("tos", number(/\bclass (0x[0-9a-f]{1,2})/)),
      ...put("length", payload === undefined ? undefined : payload + 40),
      ...put("protocol", next === undefined || EXTENSIONS.has(next) ? undefined : next),
    };
  }
  const flags = /\bflags \[([^\]]{0,30})\]/.exec(text)?.[1];
  const offset = number(/\boffset (\d{1,6})/);
  return {
    ...put("ttl", number(/\bttl (\d{1,3})/)),
    ...put("tos", number(/^tos (0x[0-9a-f]{1,2})/)),
    ...put("id", number(/\bid (\d{1,5})/)),
    ...put("df", flags === undefined ? undefined : flags.includes("DF")),
    ...put("fragment", (offset ?? 0) > 0 || flags?.includes("+") === true ? true : undefined),
    ...put("fragmentOffset", offset === 0 ? undefined : offset),
    ...put("length", number(/, length:? (\d{1,5})/)),
    ...put("protocol", number(/\bproto:? \S{1,30} \((\d{1,3})\)/)),
  };
}

const WORDS: readonly (readonly [RegExp, number])[] = [
  [/^ESP\(/, 50],
  [/^AH\(/, 51],
  [/^igmp /, 2],
  [/^sctp\b/, PROTO.sctp],
  [/^DCCP /, PROTO.dccp],
  [/^GREv\d/, 47],
  [/^PIMv/, 103],
  [/^OSPFv/, 89],
  [/^VRRPv|^CARPv/, 112],
  [/^EIGRP/, 88],
  [/^RSVPv/, 46],
  [/^mobility:/, 135],
];

const QUIET_TCP = /tcp (\d{1,6})(?=\s|$)/y;
const UDP_LENGTH = /UDP, (?:bad )?length (\d{1,5})/y;
const DNS = /^\d{1,5}(?:[+*|$%-]|\s(?:[A-Z]|\d|\[|\$))/;
const IP_PROTO = /ip-proto-(\d{1,3})/y;
const VXLAN =
  /(?:VXLAN|OTV), flags \[[^\]\n]{0,10}\] \(0x[0-9a-f]{1,2}\), (?:overlay \d{1,10}, instance|vni) (\d{1,10})(?:, length \d{1,6})?:?/y;
const GENEVE = /Geneve, Flags \[[^\]\n]{0,10}\], vni (0x[0-9a-f]{1,6})[^\n:]{0,300}: ?/y;
const GRE = /GREv0, [^\n:]{0,200}: ?/y;

const MAX_DEPTH = 4;

/** Reads one IP packet; the cursor stands after `IP ` or `IP6 `. */
export function readIp(cursor: Cursor, family: 4 | 6, sequences: Sequences, depth: number): ObservedIp | undefined {
  cursor.take(INVALID);
  const cut = cursor.take(TRUNCATED)?.[1];
  cursor.skipSpace();
  let header: Header = {};
  if (cursor.starts("(")) {
    const group = cursor.group(800);
    if (group === undefined) return undefined;
    header = headerOf(group, family);
    cursor.skipSpace();
    cursor.take(INVALID);
  }
  cursor.skipSpace();
  const ends = cursor.take(ENDPOINTS);
  if (ends === undefined) return undefined;
  const [, from = "", to = ""] = ends;
  cursor.skipSpace();
  if (family === 6) skipExtensions(cursor);
  cursor.take(CHECKSUMS);
  cursor.take(BRACKETS);
  const body = readBody(cursor, from, to, header, sequences, depth);
  const protocol = header.protocol ?? body.protocol;
  const ported =
    (protocol === undefined || hasPorts(protocol)) && header.fragmentOffset === undefined && body.protocol !== 0;
  const src = endpointOf(from, ported);
  const dst = endpointOf(to, ported);
  const { protocol: _, ...rest } = body;
  return {
    src: src.host,
    dst: dst.host,
    ...header,
    ...(cut === undefined ? {} : { missing: Number(cut) }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(ported && src.port !== undefined ? { sport: src.port } : {}),
    ...(ported && dst.port !== undefined ? { dport: dst.port } : {}),
    ...rest,
  };
}

const EXTENSION = /(?:HBH|RT6|DSTOPT|frag|srcrt)[ :]{0,2}(?=\()/y;

/** `HBH (rtalert: 0x0000) (padn)`, `RT6 (len=2, …)`: what stands between the addresses and the payload. */
function skipExtensions(cursor: Cursor): void {
  for (let i = 0; i < 8 && cursor.take(EXTENSION) !== undefined; i++) {
    for (let k = 0; k < 8 && cursor.starts("("); k++) {
      if (cursor.group(600) === undefined) return;
      cursor.skipSpace();
    }
  }
}

type Body = Pick<ObservedIp, "fragment" | "protocol" | "payload" | "tcp" | "icmp" | "tunnel" | "inner">;

const inner = (cursor: Cursor, sequences: Sequences, depth: number): { readonly inner?: ObservedFrame } => {
  if (depth >= MAX_DEPTH) return {};
  cursor.skipSpace();
  const frame = readFrame(cursor, sequences, depth + 1);
  return frame === undefined || (frame.ip === undefined && frame.arp === undefined) ? {} : { inner: frame };
};

function readBody(cursor: Cursor, from: string, to: string, header: Header, sequences: Sequences, depth: number): Body {
  const tcp = cursor.starts("Flags [") ? readTcp(cursor, from, to, sequences) : undefined;
  if (tcp !== undefined) return { protocol: PROTO.tcp, ...tcp };
  const quiet = cursor.take(QUIET_TCP);
  if (quiet !== undefined) return { protocol: PROTO.tcp, payload: Number(quiet[1]), tcp: {} };
  const udp = cursor.take(UDP_LENGTH);
  if (udp !== undefined) return { protocol: PROTO.udp, payload: Number(udp[1]) };
  if (cursor.starts("ICMP")) return icmpBody(cursor, to, sequences, depth);
  const vxlan = cursor.take(VXLAN);
  if (vxlan !== undefined) {
    return {
      protocol: PROTO.udp,
      tunnel: { kind: "vxlan", vni: Number(vxlan[1]) },
      ...inner(cursor, sequences, depth),
    };
  }
  const geneve = cursor.take(GENEVE);
  if (geneve !== undefined) {
    return {
      protocol: PROTO.udp,
      tunnel: { kind: "geneve", vni: Number(geneve[1]) },
      ...inner(cursor, sequences, depth),
    };
  }
  if (cursor.starts("IP ") || cursor.starts("IP6 ")) {
    const protocol = cursor.starts("IP6 ") ? 41 : PROTO.ipip;
    return { protocol, tunnel: { kind: "ipip" }, ...inner(cursor, sequences, depth) };
  }
  if (cursor.starts("GREv0")) {
    cursor.take(GRE);
    return { protocol: 47, tunnel: { kind: "gre" }, ...inner(cursor, sequences, depth) };
  }
  const line = cursor.line(400);
  const word = WORDS.find(([pattern]) => pattern.test(line));
  if (word !== undefined) return { protocol: word[1] };
  const number = cursor.take(IP_PROTO);
  // Of a protocol with ports tcpdump prints its number alone where it is a later piece.
  if (number !== undefined)
    return { protocol: Number(number[1]), ...(hasPorts(Number(number[1])) ? { fragment: true as const } : {}) };
  if (header.protocol !== undefined && header.protocol !== PROTO.udp) return {};
  const old = header.protocol === undefined ? readOldTcp(cursor, from, to, sequences) : undefined;
  if (old !== undefined) return { protocol: PROTO.tcp, ...old };
  if (header.protocol === PROTO.udp || (showsPort(from) && showsPort(to))) {
    const dns = DNS.test(line) ? /\((\d{1,5})\)\s*$/.exec(line)?.[1] : undefined;
    return { protocol: PROTO.udp, ...(dns === undefined ? {} : { payload: Number(dns) }) };
  }
  return {};
}

function icmpBody(cursor: Cursor, to: string, sequences: Sequences, depth: number): Body {
  const six = cursor.skip("ICMP6, ") || cursor.skip("ICMP6 ");
  if (!six) cursor.skip("ICMP ") || cursor.skip("ICMP");
  const line = cursor.line();
  const icmp = icmpOf(line, six ? 6 : 4, endpointOf(to, false).host);
  const length = /, length (\d{1,5})/.exec(line)?.[1];
  cursor.at += line.length;
  // With -v the quoted packet follows, indented by a tab.
  const at = cursor.at;
  cursor.skipSpace();
  const quoted =
    icmp.type !== undefined && (cursor.starts("IP ") || cursor.starts("IP6 "))
      ? inner(cursor, sequences, depth).inner?.ip
      : undefined;
  if (quoted === undefined) cursor.at = at;
  return {
    protocol: six ? PROTO.icmp6 : PROTO.icmp,
    icmp: quoted === undefined ? icmp : { ...icmp, inner: quoted },
    ...(length === undefined ? {} : { payload: Number(length) }),
  };
}
