import type { ForwardMethod, Origin, RealServer, VirtualService, VirtualServiceKey } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import {
  type Address,
  ANY6,
  BROADCAST4,
  type Family,
  ipv4Of,
  isIpv4,
  maskFor,
  PROTO,
  parseAddress,
} from "../../net/index.ts";
import { type Endpoint, parseEndpoint, portOf } from "./endpoint.ts";
import { maskOf } from "./lines.ts";
import { type Option, type OptionProblem, scanOptions, type Word } from "./options.ts";
import { DEFAULT_PERSISTENCE, DEFAULT_SCHEDULER, flagName } from "./vocabulary.ts";

/** One `ipvsadm` command as typed, or a line of `ipvsadm -S`. */
export interface IpvsCommand {
  readonly operation: IpvsOperation;
  readonly origin: Origin;
}

export type IpvsOperation =
  /** The service as it shall be, without real servers. */
  | { readonly kind: "add-service" | "edit-service"; readonly service: VirtualService }
  | { readonly kind: "delete-service"; readonly key: VirtualServiceKey }
  | { readonly kind: "add-server" | "edit-server"; readonly key: VirtualServiceKey; readonly server: RealServer }
  | { readonly kind: "delete-server"; readonly key: VirtualServiceKey; readonly server: Endpoint }
  | { readonly kind: "clear" }
  /** Changes nothing that a packet meets: counters, timeouts, synchronisation. */
  | { readonly kind: "other"; readonly what: string };

export interface ParsedIpvsCommand {
  readonly command?: IpvsCommand;
  readonly problem?: OptionProblem;
  /** The service whose real server was not understood. */
  readonly about?: VirtualServiceKey;
}

const VERBS: Readonly<Record<string, "A" | "E" | "D" | "a" | "e" | "d" | "C" | "other">> = lookup({
  "add-service": "A",
  "edit-service": "E",
  "delete-service": "D",
  "add-server": "a",
  "edit-server": "e",
  "delete-server": "d",
  clear: "C",
  zero: "other",
  set: "other",
  "start-daemon": "other",
  "stop-daemon": "other",
});

/** Reads the words after `ipvsadm`. */
export function parseIpvsCommand(words: readonly Word[], origin: Origin): ParsedIpvsCommand {
  const scanned = scanOptions(words);
  if ("message" in scanned) return { problem: scanned };
  const { options } = scanned;
  const verb = options.find((o) => VERBS[o.name] !== undefined);
  const at = words[0] ?? { text: "", column: 0 };
  if (verb === undefined) return { problem: { ...at, message: "changes nothing in IPVS" } };
  const kind = VERBS[verb.name]!;
  if (kind === "other") return { command: { operation: { kind: "other", what: verb.name }, origin } };
  if (kind === "C") return { command: { operation: { kind: "clear" }, origin } };
  const key = keyOf(options, at);
  if ("message" in key) return { problem: key };
  const made = kind === "A" || kind === "E" ? serviceOf(options, key, origin) : serverOf(kind, options, key, origin);
  if (made === undefined) return { command: { operation: { kind: "delete-service", key }, origin } };
  if ("message" in made) return kind === "A" || kind === "E" ? { problem: made } : { problem: made, about: key };
  if ("scheduler" in made) {
    return { command: { operation: { kind: kind === "A" ? "add-service" : "edit-service", service: made }, origin } };
  }
  if (kind === "d") return { command: { operation: { kind: "delete-server", key, server: made }, origin } };
  const server = made as RealServer;
  return { command: { operation: { kind: kind === "a" ? "add-server" : "edit-server", key, server }, origin } };
}

const problem = (option: Option, message: string): OptionProblem => ({
  text: option.value ?? option.text,
  column: option.column,
  message,
});

function keyOf(options: readonly Option[], at: Word): VirtualServiceKey | OptionProblem {
  const option = options.find((o) => o.name.endsWith("-service") && o.value !== undefined);
  if (option === undefined) return { ...at, message: "names no virtual service" };
  const value = option.value!;
  if (option.name === "fwmark-service") {
    if (!/^-?\d{1,10}$/.test(value)) return problem(option, "is not a firewall mark");
    const family: Family = options.some((o) => o.name === "ipv6") ? 6 : 4;
    return { kind: "fwmark", mark: Number(value) >>> 0, family };
  }
  const where = hostAndPort(value, 0);
  if (where === undefined) return problem(option, "is not an address and port; names are not resolved");
  const name = option.name.split("-", 1)[0];
  const protocol = name === "tcp" ? PROTO.tcp : name === "udp" ? PROTO.udp : PROTO.sctp;
  return { kind: "address", protocol, ...where };
}

/** The port may be left out, save after an IPv6 address in brackets. */
function hostAndPort(text: string, port: number): Endpoint | undefined {
  const whole = parseEndpoint(text);
  if (whole !== undefined) return whole;
  const address = parseAddress(text);
  return address === undefined ? undefined : { address, port };
}

const isV6 = (key: VirtualServiceKey): boolean => (key.kind === "fwmark" ? key.family === 6 : !isIpv4(key.address));

function serviceOf(options: readonly Option[], key: VirtualServiceKey, origin: Origin): VirtualService | OptionProblem {
  const find = (name: string) => options.find((o) => o.name === name);
  const scheduler = find("scheduler")?.value ?? DEFAULT_SCHEDULER;
  const persistent = find("persistent");
  const persistence = persistent === undefined ? undefined : Number(persistent.value ?? DEFAULT_PERSISTENCE);
  if (persistence !== undefined && !(persistence >= 1 && persistence <= 31 * 86400)) {
    return problem(persistent!, "is not a number of seconds");
  }
  const netmask = find("netmask");
  const mask = netmask === undefined ? undefined : typedMask(netmask.value ?? "", isV6(key));
  if (netmask !== undefined && mask === undefined) return problem(netmask, "is not a mask of this service's family");
  const flags = find("sched-flags");
  const named = flags?.value?.split(",").map((f) => flagName(scheduler, f));
  const wrong = named?.find(
    (f) => !/^flag-[123]$/.test(f) && f !== `${scheduler}-port` && f !== `${scheduler}-fallback`,
  );
  if (wrong !== undefined) return problem(flags!, `${wrong} is not a flag of ${scheduler}`);
  const ops = find("ops");
  if (ops !== undefined && key.kind === "address" && key.protocol !== PROTO.udp) {
    return problem(ops, "is only for UDP services");
  }
  if (key.kind === "address" && key.port === 0 && persistence === undefined) {
    return problem(options[0]!, "port 0 is only for persistent services");
  }
  const whole = isV6(key) ? maskFor(ANY6, 128) : BROADCAST4;
  const engine = find("pe")?.value;
  return {
    key,
    scheduler,
    ...(named === undefined ? {} : { schedulerFlags: named }),
    ...(persistence === undefined ? {} : { persistence }),
    ...(persistence === undefined || mask === undefined || mask === whole ? {} : { persistenceMask: mask }),
    onePacket: ops !== undefined,
    ...(engine === undefined ? {} : { persistenceEngine: engine }),
    realServers: [],
    extent: "whole",
    origin,
  };
}

/** inet_aton(3) takes a bare number for the whole address, so that `-M 24` is the mask 0.0.0.24. */
const typedMask = (text: string, v6: boolean): Address | undefined =>
  !v6 && /^\d{1,10}$/.test(text) && Number(text) <= 0xffffffff ? ipv4Of(Number(text)) : maskOf(text, v6);

const METHODS: Readonly<Record<string, ForwardMethod>> = lookup({
  gatewaying: "route",
  ipip: "tunnel",
  masquerading: "masq",
});

/** Undefined where the command is about no real server. */
function serverOf(
  kind: "a" | "e" | "d" | "D",
  options: readonly Option[],
  key: VirtualServiceKey,
  origin: Origin,
): RealServer | OptionProblem | undefined {
  if (kind === "D") return undefined;
  const option = options.find((o) => o.name === "real-server");
  if (option?.value === undefined) return problem(option ?? options[0]!, "names no real server");
  const servicePort = key.kind === "address" ? key.port : 0;
  const where = hostAndPort(option.value, servicePort);
  if (where === undefined) return problem(option, "is not an address and port; names are not resolved");
  const method = options.map((o) => METHODS[o.name]).find((m) => m !== undefined) ?? "route";
  const number = (name: string): number | undefined => {
    const value = options.find((o) => o.name === name)?.value;
    return value === undefined ? undefined : /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  };
  const [weight = 1, upper, lower] = ["weight", "u-threshold", "l-threshold"].map(number);
  const bad = [weight, upper, lower].findIndex((n) => Number.isNaN(n));
  if (bad >= 0) {
    const name = ["weight", "u-threshold", "l-threshold"][bad];
    return problem(options.find((o) => o.name === name)!, "is not a number");
  }
  // Only masquerading can change the port of a service by address.
  const port = kind !== "d" && key.kind === "address" && method !== "masq" ? servicePort : where.port;
  const tunnel = method === "tunnel" ? tunnelOf(options) : undefined;
  return {
    address: where.address,
    port,
    method,
    weight,
    ...(upper ? { upperThreshold: upper } : {}),
    ...(lower ? { lowerThreshold: lower } : {}),
    ...(tunnel === undefined ? {} : { tunnel }),
    origin,
  };
}

function tunnelOf(options: readonly Option[]): RealServer["tunnel"] {
  const type = options.find((o) => o.name === "tun-type")?.value;
  if (type === undefined) return undefined;
  const port = portOf(options.find((o) => o.name === "tun-port")?.value ?? "");
  const input = ["csum", "nocsum", "remcsum"].find((c) => options.some((o) => o.name === `tun-${c}`));
  const checksum = type === "ipip" ? undefined : (input ?? "nocsum");
  return {
    type,
    ...(port === undefined || type !== "gue" ? {} : { port }),
    ...(checksum === undefined ? {} : { checksum }),
  };
}
