import type { Decision, Device } from "../../model/index.ts";
import { protocolRcv } from "../ip/protocol-rcv.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { refuseUnmodelled } from "../kernel/unmodelled.ts";
import { passesDevice } from "../nft/device-hook.ts";
import { ipTunnelXmit } from "../tunnel/ip-tunnel.ts";
import { ip6TunnelXmit } from "../tunnel/ip6-tunnel.ts";
import { vxlanXmit } from "../tunnel/vxlan.ts";
import { brDevXmit } from "./bridge.ts";

/** Hands a frame to a device. Follows dev_queue_xmit() and each driver's ndo_start_xmit. False: not taken (NET_XMIT_DROP), as far as its sender is told. */
export function devQueueXmit(kernel: Kernel, device: Device, skb: Skb): boolean {
  if (device.up === false || (device.carrier === false && device.kind !== "loopback" && device.kind !== "dummy")) {
    // dev_deactivate() puts noop_qdisc in the place of a device's queue when its carrier goes.
    const why: Decision = { kind: device.up === false ? "device-down" : "no-carrier", device: device.name };
    kernel.drop(skb, "dev_queue_xmit", "DEV_DOWN", why, [device.origin]);
    return false;
  }
  refuseUnmodelled(kernel, device, "transmit");
  // nf_hook_egress() tells NET_XMIT_DROP, which neither a datagram's nor a stream's sender hears of.
  skb.left = true;
  if (!passesDevice(kernel, device, skb, "egress")) return false;
  if (kernel.recording)
    kernel.record(skb, {
      kind: "transmit",
      stack: kernel.name,
      packet: skb.packet,
      device: device.name,
      ...(skb.sourceMac !== undefined && { sourceMac: skb.sourceMac }),
      ...(skb.destinationMac !== undefined && { destinationMac: skb.destinationMac }),
    });
  switch (device.kind) {
    case "loopback":
      // loopback_xmit(): route, connection and mark stay with the packet.
      skb.dev = device;
      skb.type = "host";
      protocolRcv(kernel, skb, device);
      return true;
    case "bridge":
      // A bridge fills in no checksum inside a tunnel's packet (hw_enc_features): skb_checksum_help() does.
      if (skb.packet.carried !== undefined) skb.checksumLeft = false;
      brDevXmit(kernel, device, skb);
      return true;
    case "dummy":
      kernel.drop(skb, "transmit", "UNHANDLED_PROTO", { kind: "dummy", device: device.name }, [device.origin]);
      return true;
    case "vlan": {
      const lower = device.lower === undefined ? undefined : kernel.device(device.lower);
      if (lower === undefined || device.vlan === undefined) break;
      skb.vlan = device.vlan.id;
      return devQueueXmit(kernel, lower, skb);
    }
    case "vxlan":
      vxlanXmit(kernel, device, skb);
      return true;
    case "ipip":
    case "gre":
      ipTunnelXmit(kernel, device, skb);
      return true;
    case "ip6tnl":
    case "ip6gre":
      ip6TunnelXmit(kernel, device, skb);
      return true;
  }
  return kernel.network.transmit(kernel, device, skb);
}
