import type {
  AddressRange,
  AddressType,
  AddrtypeMatch,
  IprangeMatch,
  MacMatch,
  PkttypeMatch,
} from "../../../../model/index.ts";
import { parseMac } from "../../../../net/index.ts";
import { compact, given, matchExtension, option, shown } from "../../rule/extension.ts";
import { addressRange, flag, listOf, oneOf, single } from "../../values/index.ts";

const ADDRESS_TYPES: readonly AddressType[] = [
  "UNSPEC",
  "UNICAST",
  "LOCAL",
  "BROADCAST",
  "ANYCAST",
  "MULTICAST",
  "BLACKHOLE",
  "UNREACHABLE",
  "PROHIBIT",
  "THROW",
  "NAT",
  "XRESOLVE",
];
const types = listOf(ADDRESS_TYPES, { ignoreCase: true });

export const addrtype = matchExtension<
  { source: readonly AddressType[]; destination: readonly AddressType[]; limitIn: true; limitOut: true },
  AddrtypeMatch
>({
  name: "addrtype",
  fields: {
    source: option("--src-type", types, { negatable: true }),
    destination: option("--dst-type", types, { negatable: true }),
    limitIn: option("--limit-iface-in", flag),
    limitOut: option("--limit-iface-out", flag),
  },
  make: ({ source, destination, limitIn, limitOut }) => {
    if (!source && !destination) return "one of --src-type and --dst-type is needed";
    if (limitIn && limitOut) return "--limit-iface-in and --limit-iface-out together";
    return compact<AddrtypeMatch>({
      kind: "addrtype",
      source,
      destination,
      limitIn: limitIn !== undefined,
      limitOut: limitOut !== undefined,
    });
  },
  show: (match) =>
    compact({
      source: match.source,
      destination: match.destination,
      limitIn: shown(match.limitIn),
      limitOut: shown(match.limitOut),
    }),
});

export const iprange = matchExtension<{ source: AddressRange; destination: AddressRange }, IprangeMatch>({
  name: "iprange",
  fields: {
    source: option("--src-range", addressRange, { negatable: true }),
    destination: option("--dst-range", addressRange, { negatable: true }),
  },
  make: (all) =>
    all.source || all.destination ? { kind: "iprange", ...all } : "one of --src-range and --dst-range is needed",
  show: ({ kind: _, ...rest }) => rest,
});

export const mac = matchExtension<{ source: string }, MacMatch>({
  name: "mac",
  hooks: ["PREROUTING", "INPUT", "FORWARD"],
  fields: {
    source: option("--mac-source", single("a hardware address", parseMac), { negatable: true, required: true }),
  },
  make: ({ source }) => ({ kind: "mac", source: source!.value, negated: source!.negated }),
  show: (match) => ({ source: given(match.source, match.negated) }),
});

const PACKET_TYPES: readonly PkttypeMatch["type"][] = ["unicast", "broadcast", "multicast", "otherhost"];

export const pkttype = matchExtension<{ type: PkttypeMatch["type"] }, PkttypeMatch>({
  name: "pkttype",
  fields: {
    type: option("--pkt-type", oneOf(PACKET_TYPES, { bcast: "broadcast", mcast: "multicast", host: "unicast" }, true), {
      negatable: true,
      required: true,
    }),
  },
  make: ({ type }) => ({ kind: "pkttype", type: type!.value, negated: type!.negated }),
  show: (match) => ({ type: given(match.type, match.negated) }),
});
