import type { Device } from "../../model/index.ts";
import {
  type Address,
  familyOf,
  type Ipv6,
  isIpv4,
  isLinkLocal,
  linkLocalOfMac,
  type Mac,
  PROTO,
} from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { macOf } from "../kernel/mac-of.ts";
import { icmp6Packet, type NdProbe, newSkb, type Skb } from "../kernel/skb.ts";
import { devQueueXmit } from "../link/dev-queue-xmit.ts";
import { nfHook } from "../netfilter/nf-hooks.ts";
import { isRouteError } from "../route/route-result.ts";
import { solicitedNode } from "./addr-type.ts";
import { hasAddress, ICMPV6 } from "./icmpv6-send.ts";
import { ip6Output } from "./ip6-output.ts";
import { ip6RouteOutput } from "./ip6-route-output.ts";
import { isUsable } from "./ipv6-dev-get-saddr.ts";

/** Packets of neighbour discovery belong to no leg. */
const NO_LEG = -1;

/** What came of asking for a neighbour: who answered, and what kept a question or an answer from arriving. */
export type Solicited = Readonly<Pick<NdProbe, "lost" | "late">> & { readonly answers: readonly Mac[] };

/**
 * Asks who has an address. Follows ndisc_solicit() and ndisc_send_ns() (net/ipv6/ndisc.c): from the packet's own source if that is the
 * device's, else from its link-local address; without one nothing is asked.
 */
export function ndiscSolicit(kernel: Kernel, out: Device, target: Ipv6, cause: Skb): Solicited {
  const patient = cause.packet.protocol === PROTO.tcp;
  const probe: NdProbe = { asker: kernel.name, device: out.name, target, answers: [], patient };
  const source = sourceOf(kernel, out, cause);
  if (source === undefined)
    return {
      ...probe,
      lost: {
        what: "solicitation",
        stack: kernel.name,
        decision: { kind: "no-link-local", device: out.name },
        origins: [out.origin],
      },
    };
  const ns = ndSkb(source, solicitedNode(target), ICMPV6.solicitation, probe);
  if (!passesOut(kernel, ns, out)) return probe;
  kernel.network.flood(kernel, out, target, (mac) => {
    const copy: Skb = { ...ns, destinationMac: mac, sourceMac: macOf(kernel.name, out) };
    devQueueXmit(kernel, out, copy);
  });
  return probe;
}

function sourceOf(kernel: Kernel, out: Device, { packet }: Skb): Address | undefined {
  if (familyOf(packet.src) === 6 && hasAddress(kernel, packet.src, out)) return packet.src;
  // Every device of IPv6 has one; where nobody showed the addresses, that of its MAC stands for it.
  return linkLocalOf(out) ?? (out.addressesKnown ? undefined : linkLocalOfMac(macOf(kernel.name, out)));
}

/** ipv6_get_lladdr(). */
export const linkLocalOf = (device: Device): Ipv6 | undefined => {
  for (const entry of device.addresses) {
    const { address } = entry.prefix;
    if (!isIpv4(address) && isLinkLocal(address) && isUsable(entry)) return address;
  }
  return undefined;
};

/**
 * A packet goes back to its own sender: it is told of the shorter way first, from the link-local address of the device, and if it has to be asked for, the first
 * question is the redirect's, not the packet's. Follows ip6_forward() and ndisc_send_redirect(). What else redirects do is not walked.
 */
export function ndiscSendRedirect(kernel: Kernel, device: Device, to: Address): void {
  const from = linkLocalOf(device);
  if (isIpv4(to) || from === undefined || kernel.network.learnt(kernel, device, to) !== undefined) return;
  const key = { daddr: to, saddr: from, oif: device.name, preferred: true, mark: 0, tos: 0 } as const;
  const back = ip6RouteOutput(kernel, { ...key, protocol: PROTO.icmp6 });
  if (isRouteError(back) || back.gateway !== undefined || back.device !== device) return;
  const probe: NdProbe = { asker: kernel.name, device: device.name, target: to, answers: [], patient: false };
  const redirect = ndSkb(from, to, ICMPV6.redirect, probe);
  if (!passesOut(kernel, redirect, device)) return;
  const { answers } = ndiscSolicit(kernel, device, to, redirect);
  if (answers.length === 1) kernel.network.learn(kernel, device, to, answers[0]!);
}

/** Follows ndisc_send_na(): the answer goes back over the device the question came by. */
export function ndiscAdvertise(kernel: Kernel, device: Device, source: Address, ns: Skb, probe: NdProbe): void {
  const na = ndSkb(source, ns.packet.src, ICMPV6.advertisement, probe);
  if (!passesOut(kernel, na, device)) return;
  na.sourceMac = macOf(kernel.name, device);
  const to = fixedMac(kernel, device, ns.packet.src) ?? ns.sourceMac;
  if (to !== undefined) na.destinationMac = to;
  devQueueXmit(kernel, device, na);
}

/** Unlike ARP's, the answer goes where the answerer's own table says; what a question says of its sender changes no entry that is fixed (__neigh_update()). */
const fixedMac = (kernel: Kernel, device: Device, address: Address): Mac | undefined =>
  kernel.stack.neighbours.items.find(
    (n) => n.address === address && n.device === device.name && !n.proxy && n.states.some((s) => FIXED.has(s)),
  )?.mac;

const FIXED: ReadonlySet<string> = new Set(["PERMANENT", "NOARP"]);

/**
 * Follows ndisc_send_skb(): OUTPUT and POSTROUTING as any packet of this stack, without routing; but what a rule of OUTPUT routed anew
 * goes where that leads. False: it is not to be sent by `out`.
 */
function passesOut(kernel: Kernel, skb: Skb, out: Device): boolean {
  skb.type = "outgoing";
  skb.route = { type: "unicast", device: out, table: "none", origins: [] };
  if (nfHook(kernel, skb, { hook: "OUTPUT", out }) !== "accept") return false;
  if (skb.route.device === out && skb.route.gateway === undefined)
    // ip6_output() takes skb->dev for the device it came in by, and ndisc_alloc_skb() has set it.
    return nfHook(kernel, skb, { hook: "POSTROUTING", in: out, out }) === "accept";
  ip6Output(kernel, skb);
  return false;
}

function ndSkb(src: Address, dst: Address, type: number, probe: NdProbe): Skb {
  const packet = { ...icmp6Packet(src, dst, { type, code: 0, id: 0, target: probe.target }, 72), ttl: 255 };
  // ndisc_alloc_skb()
  return { ...newSkb(NO_LEG, packet), probe, socket: { kernel: true } };
}
