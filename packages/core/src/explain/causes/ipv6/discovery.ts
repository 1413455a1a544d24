import { text } from "../../../messages/index.ts";
import type { LostDiscovery, Stack, SysctlEntry } from "../../../model/index.ts";
import { type Address, formatAddress, isIpv4, isLinkLocal } from "../../../net/index.ts";
import { argv, type Cause, type Finding, on, type Scene, stackOf } from "../../cause.ts";
import { withoutRule } from "../netfilter/netfilter-drop.ts";
import { droppingRule } from "../rules/dropping-rule.ts";

/**
 * The next hop does not answer, and the World shows why: a rule drops the question or its answer (of ARP a chain of nft's arp family); in IPv6
 * the address did not pass duplicate address detection, or it stands behind a router that does not answer for it.
 */
export const discovery: Cause = {
  codes: ["NEIGHBOUR_DISCOVERY_FILTERED", "DAD_FAILED", "IPV6_DISABLED", "NDP_PROXY_MISSING"],
  detect: (scene) => {
    const { leg } = scene;
    if (leg.drop !== "NEIGH_FAILED" || leg.decision.kind !== "no-neighbour") return [];
    const { address, device, lost } = leg.decision;
    const found = isIpv4(address)
      ? lost && filtered(scene, lost, address)
      : ((lost === undefined ? undefined : filtered(scene, lost, address)) ??
        duplicate(scene, address) ??
        disabled(scene, address) ??
        unproxied(scene, address, device));
    return found === undefined ? [] : [found];
  },
};

/** Why a scene's neighbour does not answer is told better than that it does not. */
export const explainsSilence = (scene: Scene): boolean => discovery.detect(scene).length > 0;

function filtered({ world, leg }: Scene, lost: LostDiscovery, target: Address): Finding | undefined {
  const { decision } = lost;
  if (decision.kind !== "in-chain" && decision.kind !== "policy-of") return undefined;
  const place = droppingRule(stackOf(world, lost.stack), decision);
  const address = formatAddress(target);
  const at = { stack: lost.stack, address, asker: leg.stack };
  return {
    code: "NEIGHBOUR_DISCOVERY_FILTERED",
    summary: text(`cause.neighbour_discovery_filtered.${lost.what}`, at),
    stack: lost.stack,
    evidence: lost.origins,
    ...(place !== undefined && { without: [on(lost.stack, withoutRule(place))] }),
    root: true,
  };
}

/** addrconf_dad_failure(): an address that another machine has, too, is kept and not used. */
function duplicate({ world }: Scene, target: Address): Finding | undefined {
  for (const stack of world.stacks)
    for (const device of stack.devices.items) {
      const held = device.addresses.find((a) => a.prefix.address === target);
      if (held === undefined || !(held.flags.includes("dadfailed") || held.flags.includes("tentative"))) continue;
      const failed = held.flags.includes("dadfailed");
      const at = { stack: stack.name, device: device.name, address: formatAddress(target) };
      return {
        code: "DAD_FAILED",
        summary: failed ? text("cause.dad_failed", at) : text("cause.dad_failed.tentative", at),
        stack: stack.name,
        evidence: [held.origin],
        root: true,
      };
    }
  return undefined;
}

const switchOf = (device: string): string => `net.ipv6.conf.${device.replace(/\./g, "/")}.disable_ipv6`;

/** Whoever has an address on a device that takes no IPv6: ipv6_rcv() drops the question for it. */
export function disabledHolder(
  stacks: readonly Stack[],
  address: Address,
): { readonly stack: Stack; readonly device: string; readonly setting: SysctlEntry } | undefined {
  for (const stack of stacks)
    for (const { name, addresses } of stack.devices.items) {
      const setting = stack.sysctls.get(switchOf(name));
      if (setting?.value === "1" && addresses.some((a) => a.prefix.address === address))
        return { stack, device: name, setting };
    }
  return undefined;
}

function disabled({ world }: Scene, target: Address): Finding | undefined {
  const held = disabledHolder(world.stacks, target);
  if (held === undefined) return undefined;
  const { stack, device, setting } = held;
  return {
    code: "IPV6_DISABLED",
    summary: text("cause.ipv6_disabled", { stack: stack.name, device }),
    stack: stack.name,
    evidence: [setting.origin],
    without: [on(stack.name, argv`sysctl -w ${switchOf(device)}=0`)],
    root: true,
  };
}

/** Somebody on the link has a route to the address by another device, and neither an entry nor the switch to answer for it. */
function unproxied({ world, leg }: Scene, target: Address, device: string): Finding | undefined {
  if (isLinkLocal(target)) return undefined;
  const asker = stackOf(world, leg.stack);
  const link = world.links.find((l) => l.ends.some((e) => e.stack === leg.stack && e.device === device));
  if (asker === undefined || link === undefined) return undefined;
  for (const end of link.ends) {
    const router = world.stacks.find((s) => s.name === end.stack && s !== asker);
    if (router === undefined || !leadsTo(router, target, end.device)) continue;
    const at = { stack: router.name, device: end.device, address: formatAddress(target), asker: asker.name };
    return {
      code: "NDP_PROXY_MISSING",
      summary: text("cause.ndp_proxy_missing", at),
      stack: router.name,
      evidence: [],
      without: [
        on(router.name, argv`ip -6 neigh add proxy ${formatAddress(target)} dev ${end.device}`),
        on(router.name, argv`sysctl -w net.ipv6.conf.${end.device.replace(/\./g, "/")}.proxy_ndp=1`),
      ],
      needsProof: true,
      root: true,
    };
  }
  return undefined;
}

const leadsTo = (stack: Stack, target: Address, not: string): boolean =>
  stack.routeTables
    .filter((t) => t.family === 6)
    .flatMap((t) => t.routes)
    .some(
      (r) =>
        r.type === "unicast" &&
        r.destination.length === 128 &&
        r.destination.address === target &&
        r.nexthops.some((n) => n.device !== undefined && n.device !== not),
    );
