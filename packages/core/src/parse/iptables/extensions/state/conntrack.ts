import type {
  ConnlimitMatch,
  ConntrackMatch,
  ConntrackState,
  HelperMatch,
  MaskedAddress,
  StateMatch,
} from "../../../../model/index.ts";
import type { PortRange } from "../../../../net/index.ts";
import { protocolNumber } from "../../../../net/index.ts";
import { compact, given, matchExtension, option, shown } from "../../rule/extension.ts";
import {
  flag,
  hostOrNetwork,
  listOf,
  oneOf,
  phrase,
  portRange,
  single,
  U32,
  unsigned,
  unsignedRange,
} from "../../values/index.ts";

/** In the order in which both extensions print them. */
const STATES: readonly ConntrackState[] = ["INVALID", "NEW", "RELATED", "ESTABLISHED", "UNTRACKED"];
const CT_STATES: readonly ConntrackState[] = [...STATES, "SNAT", "DNAT"];

export const state = matchExtension<{ states: readonly ConntrackState[] }, StateMatch>({
  name: "state",
  fields: { states: option("--state", listOf(STATES, { ignoreCase: true }), { negatable: true, required: true }) },
  make: ({ states }) => ({ kind: "state", states: states!.value, negated: states!.negated }),
  show: (match) => ({ states: given(match.states, match.negated) }),
});

const protocol = single("a protocol by name or number, not 0", (text) => {
  const n = protocolNumber(text);
  return n === 0 ? undefined : n;
});
const address = (name: string) => option(name, hostOrNetwork, { negatable: true });
const ports = (name: string) => option(name, portRange, { negatable: true });

interface Options {
  states: readonly ConntrackState[];
  protocol: number;
  originalSource: MaskedAddress;
  originalDestination: MaskedAddress;
  replySource: MaskedAddress;
  replyDestination: MaskedAddress;
  originalSourcePort: PortRange;
  originalDestinationPort: PortRange;
  replySourcePort: PortRange;
  replyDestinationPort: PortRange;
  status: readonly string[];
  expire: PortRange;
  direction: "ORIGINAL" | "REPLY";
}

export const conntrack = matchExtension<Options, ConntrackMatch>({
  name: "conntrack",
  fields: {
    states: option("--ctstate", listOf(CT_STATES, { ignoreCase: true }), { negatable: true }),
    protocol: option("--ctproto", protocol, { negatable: true }),
    originalSource: address("--ctorigsrc"),
    originalDestination: address("--ctorigdst"),
    replySource: address("--ctreplsrc"),
    replyDestination: address("--ctrepldst"),
    originalSourcePort: ports("--ctorigsrcport"),
    originalDestinationPort: ports("--ctorigdstport"),
    replySourcePort: ports("--ctreplsrcport"),
    replyDestinationPort: ports("--ctrepldstport"),
    status: option("--ctstatus", listOf(["NONE", "EXPECTED", "SEEN_REPLY", "ASSURED", "CONFIRMED"]), {
      negatable: true,
    }),
    expire: option("--ctexpire", unsignedRange(U32), { negatable: true }),
    direction: option("--ctdir", oneOf(["ORIGINAL", "REPLY"], {}, true)),
  },
  make: ({ direction, ...rest }) =>
    direction === undefined && Object.keys(rest).length === 0
      ? "at least one option is needed"
      : compact<ConntrackMatch>({ kind: "conntrack", ...rest, direction: direction?.value } as never),
  show: ({ kind: _, direction, ...rest }) => ({ ...rest, ...(direction && { direction: given(direction) }) }),
});

export const helper = matchExtension<{ name: string }, HelperMatch>({
  name: "helper",
  fields: {
    name: option("--helper", phrase("the name of a helper", 29), {
      negatable: true,
      required: true,
      quoting: "needed",
    }),
  },
  make: ({ name }) => ({ kind: "helper", name: name!.value, negated: name!.negated }),
  show: (match) => ({ name: given(match.name, match.negated) }),
});

export const connlimit = matchExtension<
  { upto: number; above: number; mask: number; source: true; destination: true },
  ConnlimitMatch
>({
  name: "connlimit",
  fields: {
    upto: option("--connlimit-upto", unsigned(U32), { negatable: true }),
    above: option("--connlimit-above", unsigned(U32), { negatable: true }),
    mask: option("--connlimit-mask", unsigned(128)),
    source: option("--connlimit-saddr", flag),
    destination: option("--connlimit-daddr", flag),
  },
  make: ({ upto, above, mask, source, destination }, { family }) => {
    const bound = upto ?? above;
    if (bound === undefined || (upto && above)) return "one of --connlimit-upto and --connlimit-above is needed";
    if (source && destination) return "--connlimit-saddr and --connlimit-daddr together";
    const full = family === 4 ? 32 : 128;
    if (mask !== undefined && mask.value > full) return `--connlimit-mask is at most ${full} here`;
    return {
      kind: "connlimit",
      test: (upto !== undefined) === bound.negated ? "above" : "upto",
      count: bound.value,
      mask: mask?.value ?? full,
      address: destination ? "daddr" : "saddr",
    };
  },
  show: (match) => ({
    [match.test]: given(match.count),
    mask: given(match.mask),
    ...(match.address === "saddr" ? { source: shown(true)! } : { destination: shown(true)! }),
  }),
});
