import type { Decision } from "../../model/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { Undetermined } from "../kernel/oracle.ts";
import type { Skb } from "../kernel/skb.ts";
import { sysctl } from "../kernel/sysctl.ts";

/**
 * NAT changes a VXLAN packet while the checksum of what it carries is still left to a device. Follows inet_proto_csum_replace4(): it takes
 * CHECKSUM_PARTIAL to be that of the header it changes, but that one udp_set_csum() has written already (lco_csum()), so that it fits no
 * more. Ping is summed at once and passes. Without a checksum (`noudpcsum`) there is none to spoil.
 */
export function spoilChecksum(kernel: Kernel, skb: Skb): void {
  const shown = skb.wrappedBy?.tunnel?.udpChecksum;
  if (shown === false) return;
  skb.checksumWrong = shown === true ? true : "unless zero";
  if (skb.wrappedBy !== undefined) kernel.meet(skb, skb.wrappedBy.origin);
}

/** Whether who sums up the UDP header finds it wrong: not while skb_csum_unnecessary() takes a device to fill it in yet. */
export function isChecksumWrong(kernel: Kernel, skb: Skb): boolean {
  if (skb.checksumWrong === false || skb.checksumLeft) return false;
  if (skb.checksumWrong === true) return true;
  const device = skb.wrappedBy;
  throw new Undetermined(
    kernel.name,
    "vxlan",
    { kind: "unknown-udp-checksum", device: device?.name ?? "?" },
    device === undefined ? [] : [device.origin],
  );
}

/** Follows udp_error() of conntrack: what comes in with a wrong checksum belongs to no connection. */
export const isInvalidByChecksum = (kernel: Kernel, skb: Skb): boolean =>
  skb.checksumWrong !== false &&
  skb.dev !== undefined &&
  sysctl(kernel, "net.netfilter.nf_conntrack_checksum").value !== "0" &&
  isChecksumWrong(kernel, skb);

/** Follows __udp4_lib_rcv(): nobody is told of a datagram that is dropped for its checksum. */
export function dropsByChecksum(kernel: Kernel, skb: Skb): boolean {
  if (!isChecksumWrong(kernel, skb)) return false;
  const decision: Decision = { kind: "udp-checksum", device: skb.wrappedBy?.name ?? "?" };
  const { wrappedBy } = skb;
  kernel.drop(skb, "vxlan", "UDP_CSUM", decision, wrappedBy === undefined ? [] : [wrappedBy.origin]);
  return true;
}
