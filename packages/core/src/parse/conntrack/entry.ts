import type { ConntrackEntry, ConntrackTuple, ReadOrigin } from "../../model/index.ts";
import { PROTO, parseAddress, protocolNumber } from "../../net/index.ts";

const HEAD =
  /^\s*(?:\[(NEW|UPDATE|DESTROY)\]\s+)?(?:\[?\d+\.\d+\]?\s+)?(?:ipv[46]\s+\d+\s+)?([a-z0-9-]{1,16})\s+(\d{1,3})\s+(?:(\d{1,10})\s+)?(?:([A-Z_]{3,20})\s+)?(?=src=)/;

export interface ReadEntry {
  readonly entry: ConntrackEntry;
  /** An event that says the entry is gone. */
  readonly gone: boolean;
}

interface Raw {
  readonly values: Map<string, number>;
  src?: string;
  dst?: string;
}

function tupleOf(raw: Raw, protocol: number): ConntrackTuple | undefined {
  const src = parseAddress(raw.src ?? "");
  const dst = parseAddress(raw.dst ?? "");
  if (src === undefined || dst === undefined) return undefined;
  const value = (key: string): number => raw.values.get(key) ?? 0;
  const icmp = protocol === PROTO.icmp || protocol === PROTO.icmp6;
  return {
    src,
    dst,
    sport: icmp ? value("id") : value("sport"),
    dport: icmp ? value("type") * 256 + value("code") : value("dport"),
    protocol,
  };
}

/** `tcp 6 86399 ESTABLISHED src=… dst=… sport=… dport=… src=… … [ASSURED] mark=0 use=1`. */
export function conntrackEntry(line: string, origin: ReadOrigin): ReadEntry | undefined {
  const head = HEAD.exec(line);
  if (head === null) return undefined;
  const protocol = Number(head[3]);
  if (protocolNumber(head[2]!) !== undefined && protocolNumber(head[2]!) !== protocol) return undefined;
  const raws: Raw[] = [];
  let assured = false;
  let unreplied = false;
  let mark = 0;
  let zone = 0;
  let zoneDirection: "original" | "reply" | undefined;
  let helper: string | undefined;
  for (const word of line.slice(head[0].length).split(/\s+/)) {
    if (word === "[ASSURED]") assured = true;
    else if (word === "[UNREPLIED]") unreplied = true;
    const eq = word.indexOf("=");
    if (eq <= 0) continue;
    const key = word.slice(0, eq);
    const value = word.slice(eq + 1);
    if (key === "src") raws.push({ values: new Map(), src: value });
    const raw = raws[raws.length - 1];
    if (key === "dst" && raw !== undefined) raw.dst = value;
    else if (key === "mark") mark = Number(value) >>> 0;
    else if (key === "zone") zone = Number(value) >>> 0;
    else if (key === "zone-orig" || key === "zone-reply") {
      zone = Number(value) >>> 0;
      zoneDirection = key === "zone-orig" ? "original" : "reply";
    } else if (key === "helper") helper = value;
    else if (/^\d{1,10}$/.test(value)) raw?.values.set(key, Number(value));
  }
  const [first, second] = raws;
  if (first === undefined || second === undefined) return undefined;
  const original = tupleOf(first, protocol);
  const reply = tupleOf(second, protocol);
  if (original === undefined || reply === undefined) return undefined;
  return {
    gone: head[1] === "DESTROY",
    entry: {
      original,
      reply,
      ...(head[5] === undefined ? {} : { tcpState: head[5] }),
      ...(head[4] === undefined ? {} : { timeout: Number(head[4]) }),
      assured,
      unreplied,
      mark,
      zone,
      ...(zoneDirection === undefined ? {} : { zoneDirection }),
      ...(helper === undefined ? {} : { helper }),
      origin,
    },
  };
}
