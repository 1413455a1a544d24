import type { Device, DeviceAddress } from "../../model/index.ts";
import { type Ipv6, isIpv4, isMulticast } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { addrLabel } from "./addr-label.ts";
import { isOrchid, isPreferredType, SCOPE_LINKLOCAL, sharedBits, srcScope } from "./addr-type.ts";
import { conf6, conf6Flag } from "./conf6.ts";

export interface ChosenSource {
  readonly address: Ipv6;
  readonly device: Device;
}

interface Wanted {
  readonly daddr: Ipv6;
  readonly scope: number;
  readonly label: number;
  readonly out: Device | undefined;
}

/**
 * The source address towards a destination, by RFC 6724. Follows ipv6_dev_get_saddr() (addrconf.c): for link-local and multicast
 * destinations only addresses of the device are candidates, else those of all devices, DOWN ones included, in the order of the list.
 */
export function ipv6DevGetSaddr(kernel: Kernel, out: Device | undefined, daddr: Ipv6): ChosenSource | undefined {
  const wanted: Wanted = { daddr, scope: srcScope(daddr), label: addrLabel(daddr), out };
  const near =
    out !== undefined &&
    (isMulticast(daddr) || wanted.scope <= SCOPE_LINKLOCAL || conf6Flag(kernel, "use_oif_addrs_only", out.name));
  let best: { readonly device: Device; readonly scores: readonly number[]; readonly address: Ipv6 } | undefined;
  for (const device of near ? [out!] : kernel.stack.devices.items) {
    for (const entry of device.addresses) {
      const { address } = entry.prefix;
      if (isIpv4(address) || isMulticast(address) || !isUsable(entry)) continue;
      const scores = scoresOf(kernel, wanted, device, entry, address);
      if (best === undefined || isBetter(scores, best.scores)) best = { device, scores, address };
    }
  }
  return best;
}

/** Tentative addresses are nobody's yet, those whose DAD failed never will be. */
export const isUsable = ({ flags }: DeviceAddress): boolean =>
  flags.includes("optimistic") || (!flags.includes("tentative") && !flags.includes("dadfailed"));

/** ipv6_get_saddr_eval(), rule by rule; the higher, the better. */
function scoresOf(
  kernel: Kernel,
  { daddr, scope, label, out }: Wanted,
  device: Device,
  { flags, prefix }: DeviceAddress,
  address: Ipv6,
): readonly number[] {
  const own = srcScope(address);
  const temporary = flags.includes("temporary");
  const prefersTemporary = Number(conf6(kernel, "use_tempaddr", device.name).value) >= 2;
  return [
    Number(address === daddr),
    own >= scope ? -own : own - 128,
    Number(isPreferredType(address) || !(flags.includes("deprecated") || flags.includes("optimistic"))),
    Number(out === undefined || out === device),
    Number(addrLabel(address) === label),
    Number(temporary === prefersTemporary),
    Number(isOrchid(address) === isOrchid(daddr)),
    Math.min(sharedBits(address, daddr), prefix.length),
    Number(!flags.includes("optimistic")),
  ];
}

function isBetter(a: readonly number[], b: readonly number[]): boolean {
  for (const [i, score] of a.entries()) if (score !== b[i]) return score > b[i]!;
  return false;
}
