import { lookup } from "../../../model/lookup.ts";
import type { Address, PortRange } from "../../../net/index.ts";
import { PROTO, parseMac } from "../../../net/index.ts";
import { given, type OptionValues, option } from "../rule/extension.ts";
import {
  address,
  flag,
  interfaceName,
  oneOf,
  parseUnsigned,
  phrase,
  single,
  U8,
  U16,
  U32,
  unsigned,
  unsignedHex,
  type Value,
  word,
} from "../values/index.ts";
import { otherTarget } from "./other.ts";

/** Targets that are read, checked and printed, not simulated. */

export const AUDIT = otherTarget({
  name: "AUDIT",
  fields: { type: option("--type", oneOf(["accept", "drop", "reject"], {}, true), { required: true }) },
});

export const CLUSTERIP = otherTarget({
  name: "CLUSTERIP",
  family: 4,
  fields: {
    new: option("--new", flag),
    hashmode: option("--hashmode", oneOf(["sourceip", "sourceip-sourceport", "sourceip-sourceport-destport"])),
    mac: option("--clustermac", single("a hardware address", parseMac)),
    total: option("--total-nodes", unsigned(16, 1)),
    local: option("--local-node", unsigned(16, 1)),
    seed: option("--hash-init", unsigned(U32)),
  },
});

export const CONNSECMARK = otherTarget({
  name: "CONNSECMARK",
  fields: { save: option("--save", flag), restore: option("--restore", flag) },
  check: (all) =>
    (all.save === undefined) === (all.restore === undefined) ? "one of --save and --restore is needed" : undefined,
});

export const ECN = otherTarget({
  name: "ECN",
  family: 4,
  tables: ["mangle"],
  protocols: [PROTO.tcp],
  fields: { remove: option("--ecn-tcp-remove", flag, { required: true }) },
});

const mask16 = unsignedHex(U16, 4);
const word32 = unsignedHex(U32, 8);
const TUPLE = ["src", "dst", "sport", "dport", "spi", "proto", "ct"];
interface HmarkOptions {
  source: number;
  destination: number;
  sourcePortMask: number;
  destinationPortMask: number;
  spiMask: number;
  sourcePort: number;
  destinationPort: number;
  spi: number;
  protocolMask: number;
  random: number;
  modulus: number;
  offset: number;
  tuple: string;
}
const tuple: Value<string> = single(`a list of ${TUPLE.join(", ")}`, (text) =>
  text.split(",").every((part) => TUPLE.includes(part)) ? text : undefined,
);
/** What a tuple's word stands for: that part taken whole. */
const WHOLE: Readonly<Record<string, Partial<Record<keyof HmarkOptions, number>>>> = lookup({
  src: { source: 32 },
  dst: { destination: 32 },
  sport: { sourcePortMask: U16 },
  dport: { destinationPortMask: U16 },
  spi: { spiMask: U32 },
  proto: { protocolMask: U8 },
});

export const HMARK = otherTarget<HmarkOptions>({
  name: "HMARK",
  fields: {
    source: option("--hmark-src-prefix", unsigned(128)),
    destination: option("--hmark-dst-prefix", unsigned(128)),
    sourcePortMask: option("--hmark-sport-mask", mask16),
    destinationPortMask: option("--hmark-dport-mask", mask16),
    spiMask: option("--hmark-spi-mask", word32),
    sourcePort: option("--hmark-sport", mask16),
    destinationPort: option("--hmark-dport", mask16),
    spi: option("--hmark-spi", word32),
    protocolMask: option("--hmark-proto-mask", unsignedHex(U16, 2)),
    random: option("--hmark-rnd", word32),
    modulus: option("--hmark-mod", unsigned(U32, 1), { required: true }),
    offset: option("--hmark-offset", unsigned(U32)),
    tuple: option("--hmark-tuple", tuple),
  },
  check: (all) => {
    const ports = all.sourcePortMask ?? all.destinationPortMask ?? all.sourcePort ?? all.destinationPort;
    return ports && (all.spiMask ?? all.spi) ? "ports and SPI are the same bytes" : undefined;
  },
  normal: (all): OptionValues<HmarkOptions> => {
    if (all.tuple === undefined) return all;
    const { tuple: list, ...rest } = all;
    const words = list.value.split(",");
    const whole = Object.assign({}, ...words.map((w) => WHOLE[w] ?? {})) as Partial<Record<keyof HmarkOptions, number>>;
    const filled = Object.fromEntries(Object.entries(whole).map(([key, value]) => [key, given(value)]));
    return { ...filled, ...rest, ...(words.includes("ct") && { tuple: given("ct") }) };
  },
});

export const IDLETIMER = otherTarget({
  name: "IDLETIMER",
  fields: {
    timeout: option("--timeout", unsigned(U32, 1), { required: true }),
    label: option("--label", word("a label of at most 27 letters", 27), { required: true }),
    alarm: option("--alarm", flag),
  },
});

export const LED = otherTarget({
  name: "LED",
  fields: {
    trigger: option("--led-trigger-id", phrase("a name", 26), { required: true, quoting: "always" }),
    delay: option(
      "--led-delay",
      single("milliseconds, or inf", (text) => (text === "inf" ? text : parseUnsigned(text, U32)?.toString())),
    ),
    blink: option("--led-always-blink", flag),
  },
});

/** `FROM:TO`, both ends below 65535 and different. */
const queues: Value<PortRange> = single(
  "FROM:TO with different numbers below 65535",
  (text) => {
    const colon = text.indexOf(":");
    if (colon < 0) return undefined;
    const low = text.slice(0, colon);
    const high = text.slice(colon + 1);
    const from = low === "" ? 0 : parseUnsigned(low, U16 - 1);
    const to = high === "" ? U16 - 1 : parseUnsigned(high, U16 - 1);
    return from === undefined || to === undefined || from >= to ? undefined : { from, to };
  },
  (range) => `${range.from}:${range.to}`,
);
interface NfqueueOptions {
  number: number;
  balance: PortRange;
  bypass: true;
  fanout: true;
}

export const NFQUEUE = otherTarget<NfqueueOptions>({
  name: "NFQUEUE",
  fields: {
    number: option("--queue-num", unsigned(U16)),
    balance: option("--queue-balance", queues),
    bypass: option("--queue-bypass", flag),
    fanout: option("--queue-cpu-fanout", flag),
  },
  check: (all) => {
    if (all.number && all.balance) return "--queue-num and --queue-balance together";
    return all.fanout && !all.balance ? "--queue-cpu-fanout goes with --queue-balance" : undefined;
  },
  normal: (all): OptionValues<NfqueueOptions> => (all.number || all.balance ? all : { number: given(0), ...all }),
});

export const SECMARK = otherTarget({
  name: "SECMARK",
  tables: ["mangle", "security"],
  fields: { context: option("--selctx", word("an SELinux context", 255), { required: true }) },
});

export const SYNPROXY = otherTarget({
  name: "SYNPROXY",
  hooks: ["INPUT", "FORWARD"],
  protocols: [PROTO.tcp],
  fields: {
    sack: option("--sack-perm", flag),
    timestamp: option("--timestamp", flag),
    scale: option("--wscale", unsigned(14)),
    mss: option("--mss", unsigned(U16)),
    ecn: option("--ecn", flag),
  },
});

const TCP_OPTIONS: ReadonlyMap<string, number> = new Map([
  ["mss", 2],
  ["wscale", 3],
  ["sack-permitted", 4],
  ["sack", 5],
  ["timestamp", 8],
  ["md5", 19],
]);
const tcpOptions: Value<string> = single("a list of TCP options from 2 to 255, by number or name", (text) => {
  const numbers = new Set<number>();
  for (const part of text.split(",")) {
    const n = TCP_OPTIONS.get(part) ?? parseUnsigned(part, U8, 2);
    if (n === undefined) return undefined;
    numbers.add(n);
  }
  return [...numbers].sort((a, b) => a - b).join(",");
});

export const TCPOPTSTRIP = otherTarget({
  name: "TCPOPTSTRIP",
  tables: ["mangle"],
  protocols: [PROTO.tcp],
  fields: { options: option("--strip-options", tcpOptions) },
});

export const TEE = otherTarget<{ gateway: Address; device: string }>({
  name: "TEE",
  fields: {
    gateway: option("--gateway", address, { required: true }),
    device: option("--oif", interfaceName),
  },
});
