import type { MasqueradeTarget, NatDecision, RedirectTarget } from "../../model/index.ts";
import { isIpv4, isUnspecified, LOOPBACK4 } from "../../net/index.ts";
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
  const nexthop = skb.route?.gateway ?? skb.packet.dst;
  const chosen = inetSelectAddr(kernel, state.out, nexthop, SCOPE_UNIVERSE);
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

/** Follows nf_nat_redirect_ipv4(): OUTPUT goes to 127.0.0.1, PREROUTING to the first address of the arrival device. */
export function redirect(kernel: Kernel, skb: Skb, state: HookState, target: RedirectTarget): NatDecision | undefined {
  const { ct } = skb;
  if (ct === undefined) return { kind: "nothing-to-translate", target: "REDIRECT" };
  const own = state.in?.addresses.find((a) => isIpv4(a.prefix.address))?.prefix.address;
  const address = state.hook === "OUTPUT" ? LOOPBACK4 : own;
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
