import type {
  DccpMatch,
  MultiportMatch,
  SctpMatch,
  TcpFlagsTest,
  TcpMatch,
  UdpMatch,
} from "../../../../model/index.ts";
import { type PortRange, PROTO } from "../../../../net/index.ts";
import { given, matchExtension, option } from "../../rule/extension.ts";
import { flag, listOf, portList, portRange, U8, U16, unsigned, type Value } from "../../values/index.ts";
import { chunkTypes } from "./sctp-chunks.ts";

const anyPort = (range: PortRange) => range.from === 0 && range.to === U16;
const sport = option("--sport", portRange, { also: ["--source-port"], negatable: true, everything: anyPort });
const dport = option("--dport", portRange, { also: ["--destination-port"], negatable: true, everything: anyPort });

const FLAGS: readonly (readonly [string, number])[] = [
  ["FIN", 1],
  ["SYN", 2],
  ["RST", 4],
  ["PSH", 8],
  ["ACK", 16],
  ["URG", 32],
];
const ALL_FLAGS = 63;

function parseFlags(text: string): number | undefined {
  let bits = 0;
  for (const name of text.split(",")) {
    if (name === "ALL") bits |= ALL_FLAGS;
    else if (name !== "NONE") {
      const known = FLAGS.find(([n]) => n === name.toUpperCase());
      if (known === undefined) return undefined;
      bits |= known[1];
    }
  }
  return bits;
}

export const formatFlags = (bits: number): string => {
  const names = FLAGS.filter(([, bit]) => (bits & bit) !== 0).map(([name]) => name);
  return names.length === 0 ? "NONE" : names.join(",");
};

const flagsTest: Value<TcpFlagsTest> = {
  words: 2,
  expects: "a mask of TCP flags and the flags that must be set in it",
  read: ([mask, set]) => {
    const m = parseFlags(mask ?? "");
    const s = parseFlags(set ?? "");
    return m === undefined || s === undefined ? undefined : { mask: m, set: s };
  },
  print: (test) => [formatFlags(test.mask), formatFlags(test.set)],
};

/** `--syn` is `--tcp-flags FIN,SYN,RST,ACK SYN`. */
export const SYN: TcpFlagsTest = { mask: 1 | 2 | 4 | 16, set: 2 };

export const tcp = matchExtension<
  { sport: PortRange; dport: PortRange; option: number; flags: TcpFlagsTest; syn: true },
  TcpMatch
>({
  name: "tcp",
  protocols: [PROTO.tcp],
  fields: {
    sport,
    dport,
    option: option("--tcp-option", unsigned(U8, 1), { negatable: true }),
    flags: option("--tcp-flags", flagsTest, { negatable: true }),
    syn: option("--syn", flag, { negatable: true }),
  },
  make: ({ syn, flags, ...rest }) => {
    if (syn && flags) return "--syn and --tcp-flags together";
    const test = syn ? given(SYN, syn.negated) : flags;
    return { kind: "tcp", ...rest, ...(test && { flags: test }) };
  },
  show: ({ kind: _, ...rest }) => rest,
});

export const udp = matchExtension<{ sport: PortRange; dport: PortRange }, UdpMatch>({
  name: "udp",
  protocols: [PROTO.udp],
  fields: { sport, dport },
  make: (all) => ({ kind: "udp", ...all }),
  show: ({ kind: _, ...rest }) => rest,
});

export const sctp = matchExtension<{ sport: PortRange; dport: PortRange; chunkTypes: string }, SctpMatch>({
  name: "sctp",
  protocols: [PROTO.sctp],
  fields: { sport, dport, chunkTypes: option("--chunk-types", chunkTypes, { negatable: true }) },
  make: (all) => ({ kind: "sctp", ...all }),
  show: ({ kind: _, ...rest }) => rest,
});

const DCCP_TYPES = [
  "REQUEST",
  "RESPONSE",
  "DATA",
  "ACK",
  "DATAACK",
  "CLOSEREQ",
  "CLOSE",
  "RESET",
  "SYNC",
  "SYNCACK",
  "INVALID",
];

/** libxt_dccp prints a full range of ports, unlike its neighbours. */
export const dccp = matchExtension<
  { sport: PortRange; dport: PortRange; types: readonly string[]; option: number },
  DccpMatch
>({
  name: "dccp",
  protocols: [PROTO.dccp],
  fields: {
    sport: option("--sport", portRange, { also: ["--source-port"], negatable: true }),
    dport: option("--dport", portRange, { also: ["--destination-port"], negatable: true }),
    types: option("--dccp-types", listOf(DCCP_TYPES, { ignoreCase: true }), { negatable: true }),
    option: option("--dccp-option", unsigned(U8), { negatable: true }),
  },
  make: (all) => ({ kind: "dccp", ...all }),
  show: ({ kind: _, ...rest }) => rest,
});

type PortLists = {
  source: readonly PortRange[];
  destination: readonly PortRange[];
  either: readonly PortRange[];
};

export const multiport = matchExtension<PortLists, MultiportMatch>({
  name: "multiport",
  protocols: [PROTO.tcp, PROTO.udp, PROTO.udplite, PROTO.sctp, PROTO.dccp],
  fields: {
    source: option("--sports", portList, { also: ["--source-ports"], negatable: true }),
    destination: option("--dports", portList, { also: ["--destination-ports"], negatable: true }),
    either: option("--ports", portList, { negatable: true }),
  },
  make: (all) => {
    const [first, more] = Object.entries(all);
    if (first === undefined) return "one of --sports, --dports and --ports is needed";
    if (more !== undefined) return "only one of --sports, --dports and --ports is possible";
    const direction = first[0] as MultiportMatch["direction"];
    const { value, negated } = all[direction]!;
    return { kind: "multiport", direction, ports: value, negated };
  },
  show: (match) => ({ [match.direction]: given(match.ports, match.negated) }),
});
