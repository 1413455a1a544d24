import { type Device, TABLE_LOCAL } from "../../model/index.ts";
import { type Address, isIpv4 } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { fib6Of } from "./compiled-fib6.ts";
import { conf6Flag } from "./conf6.ts";
import { ICMPV6 } from "./icmpv6-send.ts";
import { ipv6DevGetSaddr, isUsable } from "./ipv6-dev-get-saddr.ts";
import { ndiscAdvertise } from "./ndisc.ts";

/** Who has an address, or stands in for it, has joined its solicited-node group on that device (addrconf_join_solict()). */
export function listensToGroup(kernel: Kernel, device: Device, { probe, packet }: Skb): boolean {
  if (probe === undefined || packet.icmp?.type !== ICMPV6.solicitation) return false;
  const { target } = probe;
  return (
    device.addresses.some((a) => a.prefix.address === target) ||
    isAnycast(kernel, device, target) ||
    hasProxyEntry(kernel, device, target)
  );
}

const HOP_LIMIT = 255;

/** A packet of neighbour discovery passed INPUT. Follows ndisc_rcv(): one whose hop limit is no longer whole, be it a rule's doing, is not heeded. */
export function ndiscRcv(kernel: Kernel, skb: Skb, device: Device): void {
  if (skb.packet.ttl !== HOP_LIMIT) return;
  if (skb.packet.icmp?.type === ICMPV6.solicitation) ndiscRecvNs(kernel, skb, device);
  else if (skb.packet.icmp?.type === ICMPV6.advertisement) ndiscRecvNa(kernel, skb, device);
}

/**
 * Follows ndisc_recv_ns(): unlike ARP a stack answers only for addresses of the very device that was asked, for anycast addresses of
 * it, and for those it is told to stand in for. Who answers learns the asker.
 */
function ndiscRecvNs(kernel: Kernel, skb: Skb, device: Device): void {
  const { probe } = skb;
  if (probe === undefined) return;
  const own = device.addresses.find((a) => a.prefix.address === probe.target);
  if (own !== undefined && !isUsable(own)) return;
  const anycast = own === undefined && isAnycast(kernel, device, probe.target);
  if (own === undefined && !anycast) {
    if (!standsIn(kernel, device, probe.target)) return;
    if (!probe.patient && answersLate(kernel, device)) {
      probe.late = { stack: kernel.name, device: device.name };
      return;
    }
  }
  if (skb.sourceMac !== undefined) kernel.network.learn(kernel, device, skb.packet.src, skb.sourceMac);
  const { src } = skb.packet;
  const source = own !== undefined || isIpv4(src) ? probe.target : ipv6DevGetSaddr(kernel, device, src)?.address;
  if (source !== undefined) ndiscAdvertise(kernel, device, source, skb, probe);
}

/** Follows ndisc_recv_na(). */
function ndiscRecvNa(kernel: Kernel, skb: Skb, device: Device): void {
  const { probe, sourceMac } = skb;
  if (probe === undefined || probe.asker !== kernel.name || probe.device !== device.name || sourceMac === undefined)
    return;
  if (!probe.answers.includes(sourceMac)) probe.answers.push(sourceMac);
}

/** ipv6_chk_acast_addr(): table local lists what a forwarding device has joined. */
function isAnycast(kernel: Kernel, device: Device, target: Address): boolean {
  for (const leaf of fib6Of(kernel.stack).tables.get(TABLE_LOCAL)?.leaves(target, target) ?? [])
    if (
      leaf.some(
        (r) => r.type === "anycast" && r.destination.address === target && r.nexthops[0]?.device === device.name,
      )
    )
      return true;
  return false;
}

/** In hundredths of a second. */
const PROXY_DELAY = 80;
/** What most who send a datagram or an echo wait for at least. */
const WAITED = 65;

/**
 * pneigh_enqueue(): a proxy draws a time of up to net.ipv6.neigh.DEV.proxy_delay before it answers, so that whoever has the address himself comes
 * first. The sender of a datagram may have given up by then; TCP sends its SYN again only after a second.
 */
function answersLate(kernel: Kernel, device: Device): boolean {
  const key = `net.ipv6.neigh.${device.name.replace(/\./g, "/")}.proxy_delay`;
  const delay = Number(kernel.stack.sysctls.get(key)?.value ?? PROXY_DELAY);
  if (!(delay > WAITED)) return false;
  const share = WAITED / delay;
  const options = [
    { label: "answers in time", share },
    { label: "answers late", share: 1 - share },
  ];
  return kernel.oracle.chance(`${kernel.name}/proxy-delay/${device.name}`, options) === 1;
}

/** proxy_ndp needs the entry, the switch on the device or on all, and forwarding. */
const standsIn = (kernel: Kernel, device: Device, target: Address): boolean =>
  hasProxyEntry(kernel, device, target) &&
  conf6Flag(kernel, "forwarding", device.name) &&
  (conf6Flag(kernel, "proxy_ndp", device.name) || conf6Flag(kernel, "proxy_ndp", "all"));

const hasProxyEntry = (kernel: Kernel, device: Device, target: Address): boolean =>
  kernel.stack.neighbours.items.some((n) => n.proxy && n.device === device.name && n.address === target);
