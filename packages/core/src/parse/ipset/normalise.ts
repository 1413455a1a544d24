import { type IpSet, maskOfSet, optionOf, type SetEntry, type SetPart } from "../../model/index.ts";
import {
  type Address,
  applyMask,
  type Ipv4,
  ipv4Of,
  isIpv4,
  isUnspecified,
  lastOf,
  lowBitsOf,
  maskFor,
  maxLength,
  uint32Of,
} from "../../net/index.ts";
import { parseRange } from "./options.ts";

const markMask = (set: IpSet): number => {
  const mask = optionOf(set, "markmask");
  return mask !== undefined && /^0[xX][0-9a-fA-F]{1,8}$/.test(mask) ? Number(mask) : 0xffffffff;
};

/** The networks that make up a range, largest first, as ip_set_range_to_cidr() cuts it. */
export function networksOf(first: Ipv4, last: Ipv4): SetPart[] {
  const parts: SetPart[] = [];
  let at = uint32Of(first);
  const to = uint32Of(last);
  while (at <= to) {
    let length = 32;
    while (length > 1 && at % 2 ** (33 - length) === 0 && at + 2 ** (33 - length) - 1 <= to) length--;
    parts.push({ kind: "address", from: ipv4Of(at), length });
    at += 2 ** (32 - length);
  }
  return parts;
}

const span = (from: Address, to: Address): SetPart =>
  from === to ? { kind: "address", from, length: maxLength(from) } : { kind: "range", from, to };

const product = (lists: readonly (readonly SetPart[])[]): SetPart[][] =>
  lists.reduce<SetPart[][]>((made, list) => made.flatMap((parts) => list.map((p) => [...parts, p])), [[]]);

/** An entry as the kernel stores it: networks without host bits, ranges cut into networks where the set holds networks. */
export function normalise(set: IpSet, entry: SetEntry): SetEntry[] {
  const mask = maskOfSet(set);
  const masked = (a: Address): Address => (mask === undefined ? a : applyMask(a, mask));
  const lists = entry.parts.map((part, i): readonly SetPart[] => {
    const network = set.dimensions[i] === "net";
    if (part.kind === "range" && network && isIpv4(part.from) && isIpv4(part.to)) {
      return networksOf(part.from, part.to);
    }
    if (part.kind === "range") return [span(masked(part.from), masked(part.to))];
    if (part.kind === "mark") return [{ kind: "mark", value: (part.value & markMask(set)) >>> 0 }];
    if (part.kind !== "address") return [part];
    const from = masked(applyMask(part.from, maskFor(part.from, part.length)));
    if (network || part.length === maxLength(part.from) || !isIpv4(from)) return [{ ...part, from }];
    return [span(from, masked(lastOf({ address: from, length: part.length })))];
  });
  return product(lists).map((parts) => ({ ...entry, parts }));
}

const ZERO_MAC = "00:00:00:00:00:00";

/** Why the kernel refuses this element, if it does. */
export function refusal(set: IpSet, entry: SetEntry): string | undefined {
  const [first] = entry.parts;
  const type = set.dimensions.join();
  for (const [i, part] of entry.parts.entries()) {
    if (part.kind === "unknown") return "is not understood";
    // 0.0.0.0/0 is an element only of hash:net,iface and hash:net,port,net.
    const zeroFits = type === "net,iface" || type === "net,port,net";
    if (set.dimensions[i] === "net" && part.kind === "address" && part.length === 0 && !zeroFits) {
      return "has a prefix of length 0";
    }
  }
  const zeroAddress = first?.kind === "address" && isUnspecified(first.from);
  if (zeroAddress && set.method === "hash" && (type === "ip" || (maskOfSet(set) !== undefined && type !== "net"))) {
    return "is the zero address";
  }
  if (set.method === "hash" && first?.kind === "mac" && first.mac === ZERO_MAC) return "is the zero address";
  if (set.method !== "bitmap" || first === undefined) return undefined;
  const range = parseRange(optionOf(set, "range") ?? "", set.dimensions[0] === "port");
  if (range === undefined) return undefined;
  const [from, to] = boundsOf(first);
  return from === undefined || to === undefined || (from >= range.from && to <= range.to)
    ? undefined
    : "is out of the range of its set";
}

function boundsOf(part: SetPart): readonly [number | undefined, number | undefined] {
  if (part.kind === "port") return [part.from, part.to];
  if (part.kind === "range") return [lowBitsOf(part.from), lowBitsOf(part.to)];
  return part.kind === "address" && isIpv4(part.from)
    ? [uint32Of(part.from), uint32Of(part.from)]
    : [undefined, undefined];
}
