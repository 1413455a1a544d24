import { type Address, equalUnder } from "../../net/index.ts";
import type { Negatable } from "../negatable.ts";
import { isLaterFragment, type Packet } from "../packet.ts";
import type { MaskedAddress } from "./match.ts";
import type { Rule } from "./rule.ts";

/** The criteria of struct ipt_ip: what a rule says itself, without an extension. */
export type HeaderCriterion = "protocol" | "source" | "destination" | "in" | "out" | "fragment";

export const inMask = (wanted: MaskedAddress, address: Address): boolean =>
  equalUnder(wanted.mask, wanted.address, address);

export const addressMatches = (wanted: Negatable<MaskedAddress>, address: Address): boolean =>
  inMask(wanted.value, address) !== wanted.negated;

/** ifname_compare(): `eth+` is a prefix, a bare `+` anything; an absent device is the empty name. */
export function interfaceMatches({ value, negated }: Negatable<string>, name: string): boolean {
  const hit = value.endsWith("+") ? name.startsWith(value.slice(0, -1)) : name === value;
  return hit !== negated;
}

/** Protocol 0 is every protocol, negated or not. */
export const protocolMatches = ({ value, negated }: Negatable<number>, protocol: number): boolean =>
  value === 0 || (value === protocol) !== negated;

/**
 * Which of its criteria keeps a rule from a packet; undefined: none does. Follows ip_packet_match()
 * (net/ipv4/netfilter/ip_tables.c).
 */
export function headerMismatch(
  rule: Rule,
  packet: Pick<Packet, "src" | "dst" | "protocol" | "fragment">,
  inDevice: string,
  outDevice: string,
): HeaderCriterion | undefined {
  const { protocol, source, destination, inInterface, outInterface, fragment } = rule;
  if (protocol !== undefined && !protocolMatches(protocol, packet.protocol)) return "protocol";
  if (source !== undefined && !addressMatches(source, packet.src)) return "source";
  if (destination !== undefined && !addressMatches(destination, packet.dst)) return "destination";
  if (inInterface !== undefined && !interfaceMatches(inInterface, inDevice)) return "in";
  if (outInterface !== undefined && !interfaceMatches(outInterface, outDevice)) return "out";
  return fragment !== undefined && isLaterFragment(packet) === fragment.negated ? "fragment" : undefined;
}
