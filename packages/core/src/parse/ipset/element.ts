import type { SetDimension, SetPart } from "../../model/index.ts";
import {
  type Address,
  compareAddress,
  type Family,
  familyOf,
  formatAddress,
  isIpv4,
  maxLength,
  PROTO,
  parseAddress,
  parsePrefix,
  servicePort,
} from "../../net/index.ts";
import { formatIcmp, parseIcmp } from "./icmp.ts";
import { nameOfProtocol, protocolOf } from "./protocols.ts";
import type { SetType } from "./types.ts";

/** What is wrong with a part, said so that it can follow the text it is about. */
export interface Problem {
  readonly text: string;
  readonly reason: string;
}

export interface ParsedElement {
  readonly parts: readonly SetPart[];
  readonly problems: readonly Problem[];
}

const PORT_PROTOCOLS: ReadonlySet<number> = new Set([PROTO.tcp, PROTO.udp, PROTO.sctp, PROTO.udplite]);
/** Host and service names with a dash in them are written in brackets. */
const unbracket = (text: string): string => (text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text);

function address(text: string, family: Family | undefined): SetPart | string {
  const fits = (a: Address): boolean => family === undefined || familyOf(a) === family;
  const dash = text.indexOf("-");
  if (dash > 0) {
    const from = parseAddress(text.slice(0, dash));
    const to = parseAddress(text.slice(dash + 1));
    if (from === undefined || to === undefined || !fits(from) || familyOf(from) !== familyOf(to)) {
      return "is not a range of addresses";
    }
    if (!isIpv4(from)) return "is a range, which IPv6 sets do not take";
    if (compareAddress(from, to) <= 0) return { kind: "range", from, to };
    return { kind: "range", from: to, to: from };
  }
  const prefix = parsePrefix(text);
  if (prefix === undefined) return "is not an address or network";
  return fits(prefix.address)
    ? { kind: "address", from: prefix.address, length: prefix.length }
    : `is not of this set's family (IPv${family})`;
}

function portNumber(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : servicePort(text);
  return port !== undefined && port <= 65535 ? port : undefined;
}

function port(text: string, bitmap: boolean): SetPart | string {
  const colon = text.indexOf(":");
  const protocol = colon < 0 ? PROTO.tcp : protocolOf(text.slice(0, colon));
  if (protocol === undefined || protocol === 0) return "names no protocol that is known";
  const rest = unbracket(text.slice(colon + 1));
  if (!bitmap && (protocol === PROTO.icmp || protocol === PROTO.icmp6)) {
    const icmp = parseIcmp(rest, protocol === PROTO.icmp6);
    return icmp === undefined ? "is no ICMP type and code" : { kind: "icmp", protocol, ...icmp };
  }
  const dash = /^\d+-\d+$/.test(rest) || portNumber(rest) === undefined ? rest.indexOf("-") : -1;
  const from = portNumber(dash < 0 ? rest : rest.slice(0, dash));
  const to = dash < 0 ? from : portNumber(rest.slice(dash + 1));
  if (from === undefined || to === undefined) return "is not a port or range of ports";
  if (!bitmap && !PORT_PROTOCOLS.has(protocol) && (from !== 0 || to !== 0)) {
    return "has a port, which this protocol cannot have in a set";
  }
  const range = { from: Math.min(from, to), to: Math.max(from, to) };
  return bitmap ? { kind: "port", ...range } : { kind: "port", protocol, ...range };
}

function mac(text: string): SetPart | string {
  if (!/^[0-9a-fA-F]{1,2}(?::[0-9a-fA-F]{1,2}){5}$/.test(text)) return "is not a MAC address";
  const bytes = text.toLowerCase().split(":");
  return { kind: "mac", mac: bytes.map((b) => b.padStart(2, "0")).join(":") };
}

function iface(text: string): SetPart | string {
  const physdev = text.startsWith("physdev:");
  const name = physdev ? text.slice(8) : text;
  return name === "" || name.length > 15 ? "is no name of a device" : { kind: "iface", name, physdev, wildcard: false };
}

function mark(text: string): SetPart | string {
  const value = /^(?:0[xX][0-9a-fA-F]{1,8}|\d{1,10})$/.test(text) ? Number(text) : Number.NaN;
  return value <= 0xffffffff ? { kind: "mark", value } : "is not a mark of 32 bits";
}

function parsePart(text: string, dimension: SetDimension, type: SetType, family: Family | undefined): SetPart | string {
  switch (dimension) {
    case "ip":
    case "net":
      return address(unbracket(text), family);
    case "port":
      return port(text, type.method === "bitmap");
    case "mac":
      return mac(text);
    case "iface":
      return iface(text);
    case "mark":
      return mark(text);
    case "set":
      return text === "" ? "is no name of a set" : { kind: "set", name: text };
  }
}

/** Reads one element by its set's type. A part that is not understood is kept as unknown. */
export function parseElement(text: string, type: SetType, family: Family | undefined): ParsedElement {
  const pieces = type.method === "list" ? [text] : text.split(",", 8);
  const parts: SetPart[] = [];
  const problems: Problem[] = [];
  const optionalMac = type.method === "bitmap" && type.dimensions.length === 2;
  for (const [i, dimension] of type.dimensions.entries()) {
    const piece = pieces[i];
    if (piece === undefined) {
      if (i === 1 && optionalMac) break;
      problems.push({ text, reason: `lacks its ${dimension} part` });
      parts.push({ kind: "unknown", text: "" });
      break;
    }
    const part = parsePart(piece, dimension, type, family);
    if (typeof part !== "string") parts.push(part);
    else {
      parts.push({ kind: "unknown", text: piece });
      problems.push({ text: piece, reason: part });
    }
  }
  if (pieces.length > type.dimensions.length) {
    parts.push({ kind: "unknown", text: pieces.slice(type.dimensions.length).join(",") });
    problems.push({ text, reason: "has more parts than its set's type" });
  }
  return { parts, problems };
}

export function formatPart(part: SetPart): string {
  switch (part.kind) {
    case "address":
      return part.length === maxLength(part.from)
        ? formatAddress(part.from)
        : `${formatAddress(part.from)}/${part.length}`;
    case "range":
      return `${formatAddress(part.from)}-${formatAddress(part.to)}`;
    case "port": {
      const ports = part.from === part.to ? `${part.from}` : `${part.from}-${part.to}`;
      return part.protocol === undefined ? ports : `${nameOfProtocol(part.protocol)}:${ports}`;
    }
    case "icmp":
      return `${nameOfProtocol(part.protocol)}:${formatIcmp(part.type, part.code, part.protocol === PROTO.icmp6)}`;
    case "mac":
      return part.mac.toUpperCase();
    case "iface":
      return part.physdev ? `physdev:${part.name}` : part.name;
    case "mark":
      return `0x${part.value.toString(16).padStart(8, "0")}`;
    case "set":
      return part.name;
    case "unknown":
      return part.text;
  }
}

/** What makes an element the same as another: its parts, save for the MAC that a bitmap:ip,mac notes beside an address. */
export const keyOf = (type: SetType, parts: readonly SetPart[]): string =>
  formatElement(type.method === "bitmap" ? parts.slice(0, 1) : parts);

export const formatElement = (parts: readonly SetPart[]): string => parts.map(formatPart).join(",");
