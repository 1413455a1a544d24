import type { Device, StepName } from "../../model/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";

/** What a VLAN tag takes, whether or not the frame has one. */
const VLAN_HLEN = 4;

/**
 * Whether a device of software takes a frame from another of its kind: the other end of a veth, a bridge's port. Follows
 * is_skb_forwardable() (net/core/dev.c). What is longer is dropped without a word, unless it is several segments in one.
 */
export const isSkbForwardable = ({ mtu }: Device, { packet, gso }: Pick<Skb, "packet" | "gso">): boolean =>
  gso || mtu === undefined || packet.length <= mtu + VLAN_HLEN;

/** `device` of `stack` does not take what `kernel` sends it. */
export function dropTooLong(kernel: Kernel, device: Device, stack: string, skb: Skb, step: StepName): void {
  const { length: bytes } = skb.packet;
  const decision = { kind: "frame-too-long", bytes, mtu: device.mtu ?? bytes, device: device.name, stack } as const;
  kernel.drop(skb, step, "PKT_TOO_BIG", decision, [device.origin]);
}
