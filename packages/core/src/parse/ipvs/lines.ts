import type { IpvsCounters, RealServer, VirtualService, VirtualServiceKey } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { type Address, ANY6, type Family, ipv4Of, isIpv4, maskFor, parseIpv4 } from "../../net/index.ts";
import { type Endpoint, parseEndpoint, parseHexEndpoint } from "./endpoint.ts";
import { flagName, METHODS, PROTOCOLS } from "./vocabulary.ts";

/** Which columns a listing has, as its headings say. `unknown`: no headings were shown. */
export type Form = "default" | "proc" | "tunnels" | "stats" | "rate" | "thresholds" | "persistent-conn" | "unknown";

export function formOf(line: string): Form | undefined {
  const words = line.trim().split(/\s+/, 8);
  if (words[0] === "Prot" && words[1] === "LocalAddress:Port") {
    if (words[2] === "Conns") return "stats";
    if (words[2] === "CPS") return "rate";
    if (words[2] === "Uthreshold") return "thresholds";
    return words[2] === "Weight" ? "persistent-conn" : "default";
  }
  if (words[1] !== "RemoteAddress:Port") return undefined;
  if (words.length === 2) return "unknown";
  // The kernel prints its headings with single blanks, ipvsadm in columns.
  return words[3] === "TunnelInfo" ? "tunnels" : line.includes("Port Forward") ? "proc" : "default";
}

export type ServiceLine = Omit<VirtualService, "realServers" | "extent" | "origin">;
export type ServerLine = Omit<RealServer, "origin">;
/** What was not understood, and where in the line it stands. */
export interface Trouble {
  readonly text: string;
  readonly message: string;
}

const COUNT = /^(\d{1,15})([KMGT]?)$/;
const UNITS: Readonly<Record<string, number>> = lookup({ "": 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 });

function counters(words: readonly string[]): IpvsCounters | undefined {
  if (words.length < 5) return undefined;
  const numbers = words.slice(0, 5).map((w) => {
    const match = COUNT.exec(w);
    return match === null ? Number.NaN : Number(match[1]) * UNITS[match[2]!]!;
  });
  if (numbers.some(Number.isNaN)) return undefined;
  const [connections, inPackets, outPackets, inBytes, outBytes] = numbers as [number, number, number, number, number];
  return { connections, inPackets, outPackets, inBytes, outBytes };
}

/** Hexadecimal in /proc/net/ip_vs; without headings, what no decimal port or mark looks like. */
const isHex = (text: string, form: Form): boolean =>
  form === "proc" || /^[0-9A-F]{8}(?::|$)|:(?:0[0-9A-F]{3}|[0-9A-F]*[A-F][0-9A-F]*)$/.test(text);

const endpoint = (text: string, form: Form): Endpoint | undefined =>
  isHex(text, form) ? (parseHexEndpoint(text) ?? parseEndpoint(text)) : parseEndpoint(text);

function keyOf(words: readonly string[], form: Form): { key: VirtualServiceKey; used: number; hex: boolean } | Trouble {
  const [label = "", where = ""] = words;
  if (label === "FWM") {
    const hex = /^[0-9A-F]{8}$/.test(where) && (form === "proc" || /^0|[A-F]/.test(where));
    const value = hex ? Number.parseInt(where, 16) : /^-?\d{1,10}$/.test(where) ? Number(where) >>> 0 : Number.NaN;
    if (Number.isNaN(value)) return { text: where, message: "is not a firewall mark" };
    const six = words[2] === "IPv6";
    return { key: { kind: "fwmark", mark: value, family: six ? 6 : 4 }, used: six ? 3 : 2, hex };
  }
  const protocol = PROTOCOLS.get(label);
  if (protocol === undefined) return { text: label, message: "is not a protocol of IPVS" };
  const at = endpoint(where, form);
  if (at === undefined) return { text: where, message: "is not an address and port; names are not resolved" };
  return { key: { kind: "address", protocol, ...at }, used: 2, hex: isHex(where, form) };
}

/** `TCP  10.96.0.1:443 rr persistent 10800`, or with counters in place of the scheduler. */
export function parseService(line: string, form: Form): ServiceLine | Trouble {
  const words = line.trim().split(/\s+/);
  const found = keyOf(words, form);
  if ("message" in found) return found;
  const { key, used, hex } = found;
  const rest = words.slice(used);
  const counts = form === "rate" || form === "stats" || form === "unknown" ? counters(rest) : undefined;
  if (counts !== undefined) {
    const notShown = ["scheduler", "persistence", "onePacket"] as const;
    const which = form === "rate" ? { rate: counts } : { stats: counts };
    return { key, scheduler: "unknown", onePacket: false, notShown, ...which };
  }
  const [scheduler] = rest;
  if (scheduler === undefined || !/^[a-z][\w-]{0,15}$/.test(scheduler)) {
    return { text: scheduler ?? line.trim(), message: "is not a scheduler" };
  }
  return flags({ key, scheduler, onePacket: false }, rest.slice(1), hex);
}

function flags(service: ServiceLine, words: readonly string[], hex: boolean): ServiceLine {
  const v6 = service.key.kind === "fwmark" ? service.key.family === 6 : !isIpv4(service.key.address);
  let made = service;
  const unknown: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const value = words[i + 1];
    if (word === "ops") made = { ...made, onePacket: true };
    else if (word.startsWith("(") && word.endsWith(")")) {
      made = {
        ...made,
        schedulerFlags: word
          .slice(1, -1)
          .split(",")
          .map((f) => flagName(made.scheduler, f)),
      };
    } else if (word === "persistent" && value !== undefined && /^\d{1,10}$/.test(value)) {
      i++;
      const mask = hex ? words[++i] : undefined;
      made = hex ? hexPersistence(made, Number(value), mask) : { ...made, persistence: Number(value) };
    } else if (word === "mask" && value !== undefined && maskOf(value, v6) !== undefined) {
      i++;
      made = { ...made, persistenceMask: maskOf(value, v6)! };
    } else if (word === "pe" && value !== undefined) {
      i++;
      made = { ...made, persistenceEngine: value };
    } else unknown.push(word);
  }
  return unknown.length === 0 ? made : { ...made, unknown: unknown.join(" ") };
}

export function maskOf(text: string, v6: boolean): Address | undefined {
  if (!v6) return parseIpv4(text);
  return /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 128 ? maskFor(ANY6, Number(text)) : undefined;
}

/** The mask of an IPv6 service is its prefix length, printed with its bytes turned round. */
function hexPersistence(service: ServiceLine, ticks: number, mask: string | undefined): ServiceLine {
  const value = mask !== undefined && /^[0-9A-F]{8}$/.test(mask) ? Number.parseInt(mask, 16) : 0xffffffff;
  const v6 = service.key.kind === "address" && !isIpv4(service.key.address);
  // A mark's line does not say its family, but no IPv4 mask is 1 to 128 turned round.
  const length = value % 0x1000000 === 0 && value / 0x1000000 <= 128 ? value / 0x1000000 : undefined;
  const six = v6 || (service.key.kind === "fwmark" && length !== undefined && length > 0);
  const made = { ...service, persistence: Math.round(ticks / 250), persistenceTicks: ticks };
  if (six) {
    const key = service.key.kind === "fwmark" ? { ...service.key, family: 6 as Family } : service.key;
    return length === undefined || length === 128
      ? { ...made, key }
      : { ...made, key, persistenceMask: maskFor(ANY6, length) };
  }
  return value === 0xffffffff ? made : { ...made, persistenceMask: ipv4Of(value) };
}

const TUNNEL = /^(ipip|gue|gre)(?::(\d{1,5}))?(?::(-c|\+c|r\+c))?$/;
const CHECKSUMS: Readonly<Record<string, string>> = lookup({ "-c": "nocsum", "+c": "csum", "r+c": "remcsum" });

/** `-> 10.244.0.2:53   Masq    1      0          0`, in the columns of its form. */
export function parseServer(line: string, form: Form): ServerLine | Trouble {
  const words = line.trim().split(/\s+/, 12);
  const at = endpoint(words[1] ?? "", form);
  if (at === undefined) {
    return { text: words[1] ?? "", message: "is not an address and port; names are not resolved" };
  }
  const rest = words.slice(2);
  const method = METHODS.get(rest[0] ?? "");
  if (method !== undefined) {
    const tunnel = TUNNEL.exec(rest[1] ?? "");
    const info = form === "tunnels" || tunnel !== null || rest[1] === "n/a" ? 1 : 0;
    const columns = rest.slice(1 + info);
    const numbers = integers(columns);
    if (numbers === undefined || numbers.length === 0) return { text: rest.join(" "), message: "is not a weight" };
    const [weight = 1, active, inactive] = numbers;
    return {
      ...at,
      method,
      weight,
      ...connections(active, inactive),
      ...(tunnel === null || info === 0 ? {} : { tunnel: tunnelOf(tunnel) }),
    };
  }
  return numeric(at, rest, form);
}

function numeric(at: Endpoint, rest: readonly string[], form: Form): ServerLine | Trouble {
  const counts = form === "thresholds" || form === "persistent-conn" ? undefined : counters(rest);
  if (counts !== undefined) {
    const which = form === "rate" ? { rate: counts } : { stats: counts };
    return { ...at, method: "unknown", weight: 1, notShown: ["method", "weight"], ...which };
  }
  const numbers = integers(rest);
  if (numbers === undefined || numbers.length !== 4) {
    return { text: rest.join(" "), message: "fits no columns of ipvsadm" };
  }
  const [first = 0, second = 0, active, inactive] = numbers;
  const observed = connections(active, inactive);
  if (form === "persistent-conn") {
    return {
      ...at,
      method: "unknown",
      weight: first,
      persistentConnections: second,
      notShown: ["method"],
      ...observed,
    };
  }
  const hidden = { method: "unknown", weight: 1, notShown: ["method", "weight"] } as const;
  if (form === "thresholds") return { ...at, ...hidden, upperThreshold: first, lowerThreshold: second, ...observed };
  return { ...at, ...hidden, ...observed };
}

const connections = (active: number | undefined, inactive: number | undefined) => ({
  ...(active === undefined ? {} : { activeConnections: active }),
  ...(inactive === undefined ? {} : { inactiveConnections: inactive }),
});

const integers = (words: readonly string[]): number[] | undefined =>
  words.every((w) => /^-?\d{1,12}$/.test(w)) ? words.map(Number) : undefined;

const tunnelOf = (match: RegExpExecArray) => ({
  type: match[1]!,
  ...(match[2] === undefined ? {} : { port: Number(match[2]) }),
  ...(match[3] === undefined ? {} : { checksum: CHECKSUMS[match[3]]! }),
});
