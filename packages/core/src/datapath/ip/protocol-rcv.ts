import type { Device } from "../../model/index.ts";
import { isIpv4 } from "../../net/index.ts";
import { ipv6Rcv } from "../ipv6/ipv6-rcv.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { ipRcv } from "./ip-rcv.ts";

/** deliver_skb(): to whom the EtherType says. */
export function protocolRcv(kernel: Kernel, skb: Skb, device: Device): void {
  if (isIpv4(skb.packet.dst)) ipRcv(kernel, skb, device);
  else ipv6Rcv(kernel, skb, device);
}
