import type { HookStep, Negatable, Rule } from "../model/index.ts";
import type { MaskedAddress } from "../model/netfilter/index.ts";
import { type Address, applyMask } from "../net/index.ts";

const addressFits = (wanted: Negatable<MaskedAddress> | undefined, address: Address): boolean =>
  wanted === undefined ||
  (applyMask(address, wanted.value.mask) === applyMask(wanted.value.address, wanted.value.mask)) !== wanted.negated;

const deviceFits = (wanted: Negatable<string> | undefined, name: string): boolean => {
  if (wanted === undefined) return true;
  const { value, negated } = wanted;
  return (value.endsWith("+") ? name.startsWith(value.slice(0, -1)) : name === value) !== negated;
};

/** ip_packet_match() alone: false where the rule cannot match this packet, whatever its extensions say. */
export const headFits = (rule: Rule, { packet, in: inDevice, out }: Pick<HookStep, "packet" | "in" | "out">): boolean =>
  addressFits(rule.source, packet.src) &&
  addressFits(rule.destination, packet.dst) &&
  deviceFits(rule.inInterface, inDevice) &&
  deviceFits(rule.outInterface, out) &&
  (rule.protocol === undefined ||
    rule.protocol.value === 0 ||
    (rule.protocol.value === packet.protocol) !== rule.protocol.negated);
