import type { Device, MasqueradeTarget, NatDecision, RedirectTarget } from "../../model/index.ts";
import { type Address, isIpv4, isUnspecified, LOOPBACK4, LOOPBACK6 } from "../../net/index.ts";
import { SCOPE_GLOBAL, srcScope } from "../ipv6/addr-type.ts";
import { ipv6DevGetSaddr, isUsable } from "../ipv6/ipv6-dev-get-saddr.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import type { HookState } from "../netfilter/nf-hooks.ts";
import { inetSelectAddr, SCOPE_UNIVERSE } from "../route/inet-select-addr.ts";
import { natSetup } from "./nf-nat.ts";

/**
 * Follows nf_nat_masquerade_ipv4(): the source is an address of the egress device, the one in the next hop's subnet
 * if there is one; the route's own `src` is not asked. Returns what was decided, or undefined where there is none.
 */
export function masquerade(
  kernel: Kernel,
  skb: Skb,
  state: HookState,
  target: MasqueradeTarget,
): NatDecision | undefined {
  const { ct } = skb;
  if (ct === undefined || state.out === undefined) return { kind: "nothing-to-translate", target: "MASQUERADE" };
  if (isUnspecified(ct.tuple.original.src)) return { kind: "masquerade-unset" };
  const chosen = sourceOn(kernel, skb, state.out);
  if (chosen === undefined) return undefined;
  ct.masqueradeDevice = state.out.name;
  natSetup(
    kernel,
    ct,
    {
      addresses: { from: chosen.address, to: chosen.address },
      ...(target.ports !== undefined && { ports: target.ports }),
      flags: { random: target.random, randomFully: target.randomFully },
    },
    "source",
    true,
  );
  const { address } = chosen;
  return chosen.device === state.out
    ? { kind: "masquerade-own", address, device: state.out.name }
    : { kind: "masquerade-other", address, owner: chosen.device.name, device: state.out.name };
}

/** IPv6 (nf_nat_masquerade_ipv6()) chooses as for a packet of its own that leaves by that device. */
function sourceOn(
  kernel: Kernel,
  skb: Skb,
  out: Device,
): { readonly address: Address; readonly device: Device } | undefined {
  const { dst } = skb.packet;
  if (!isIpv4(dst)) return ipv6DevGetSaddr(kernel, out, dst);
  return inetSelectAddr(kernel, out, skb.route?.gateway ?? dst, SCOPE_UNIVERSE);
}

/**
 * Follows nf_nat_redirect_ipv6(): ::1 in OUTPUT, else the first address of the arrival device that is good for the scope of the destination. For one of
 * global scope any is, also a link-local one (nf_nat_redirect_ipv6_usable()).
 */
function redirectAddress6({ packet }: Skb, state: HookState): Address | undefined {
  if (state.hook === "OUTPUT") return LOOPBACK6;
  if (isIpv4(packet.dst)) return undefined;
  const scope = srcScope(packet.dst);
  return state.in?.addresses.find((a) => {
    const { address } = a.prefix;
    return !isIpv4(address) && isUsable(a) && (scope === SCOPE_GLOBAL || srcScope(address) === scope);
  })?.prefix.address;
}

/** Follows nf_nat_redirect_ipv4(): OUTPUT goes to 127.0.0.1, PREROUTING to the first address of the arrival device. */
export function redirect(kernel: Kernel, skb: Skb, state: HookState, target: RedirectTarget): NatDecision | undefined {
  const { ct } = skb;
  if (ct === undefined) return { kind: "nothing-to-translate", target: "REDIRECT" };
  const own = state.in?.addresses.find((a) => isIpv4(a.prefix.address))?.prefix.address;
  const four = isIpv4(skb.packet.dst);
  const address = four ? (state.hook === "OUTPUT" ? LOOPBACK4 : own) : redirectAddress6(skb, state);
  if (address === undefined) return undefined;
  natSetup(
    kernel,
    ct,
    {
      addresses: { from: address, to: address },
      ...(target.ports !== undefined && { ports: target.ports }),
      flags: { random: target.random },
    },
    "destination",
    true,
  );
  return { kind: "nat-to", target: "REDIRECT", to: { addresses: { from: address, to: address } } };
}
