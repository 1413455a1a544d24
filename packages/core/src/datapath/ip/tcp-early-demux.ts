import { type Device, type Packet, portKey } from "../../model/index.ts";
import { formatAddress, PROTO } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { kernelAtLeast } from "../kernel/kernel-version.ts";
import type { Skb } from "../kernel/skb.ts";
import { sysctl } from "../kernel/sysctl.ts";

const endsOf = ({ src, sport, dst, dport }: Packet): string =>
  `${formatAddress(dst)} ${portKey(dport)} ${formatAddress(src)} ${portKey(sport)}`;

/** inet_sk_rx_dst_set(): an open connection of this stack keeps by which device it was heard last. */
export function noteHeard(kernel: Kernel, { packet, dev }: Skb): void {
  if (packet.protocol === PROTO.tcp && dev !== undefined) kernel.heard.set(endsOf(packet), dev.name);
}

/** A connection is over: `packet` is one for it. */
export const forgetHeard = (kernel: Kernel, packet: Packet): boolean => kernel.heard.delete(endsOf(packet));

/**
 * Follows tcp_v4_early_demux() and tcp_v6_early_demux() as far as rules see it: what is for an open connection has its socket before INPUT, found by the addresses
 * it has then. nft_fib_can_skip() asks nothing of what comes by the device that the connection was heard by, since 6.15.
 */
export function tcpEarlyDemux(kernel: Kernel, skb: Skb, device: Device): void {
  const { packet } = skb;
  skb.heard = false;
  if (kernel.heard.size === 0 || packet.protocol !== PROTO.tcp || packet.fragment !== undefined) return;
  if (kernel.stack.netfilter.nft === undefined || !kernelAtLeast(kernel, 6, 15)) return;
  if (kernel.heard.get(endsOf(packet)) !== device.name) return;
  skb.heard = DEMUX.every((key) => sysctl(kernel, key).value !== "0");
}

const DEMUX = ["net.ipv4.ip_early_demux", "net.ipv4.tcp_early_demux"] as const;
