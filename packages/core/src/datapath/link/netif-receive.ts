import type { Device, ReceiveStep } from "../../model/index.ts";
import { BROADCAST_MAC, isMulticast } from "../../net/index.ts";
import { protocolRcv } from "../ip/protocol-rcv.ts";
import { comesBy } from "../kernel/came-by.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { Undetermined } from "../kernel/oracle.ts";
import type { Skb } from "../kernel/skb.ts";
import { refuseUnmodelled } from "../kernel/unmodelled.ts";
import { passesDevice } from "../nft/device-hook.ts";
import { brHandleFrame } from "./bridge.ts";
import { FABRIC_MAC } from "./neighbour.ts";

/**
 * A frame reaches a device from its link. Follows __netif_receive_skb_core(): nft's ingress, VLAN tag, then the rx handler of a
 * bridge port, then IP.
 */
export function netifReceive(kernel: Kernel, device: Device, skb: Skb): void {
  comesBy(kernel.name);
  if (kernel.recording) kernel.record(skb, received(kernel, device, skb));
  if (device.up === false) {
    kernel.drop(skb, "receive", "DEV_DOWN", { kind: "device-down", device: device.name }, [device.origin]);
    return;
  }
  refuseUnmodelled(kernel, device, "receive");
  if (!passesDevice(kernel, device, skb, "ingress")) return;
  if (skb.vlan !== undefined) {
    const { vlan } = skb;
    const upper = kernel.stack.devices.items.find(
      (d) => d.kind === "vlan" && d.lower === device.name && d.vlan?.id === vlan,
    );
    if (upper !== undefined) {
      skb.vlan = undefined;
      netifReceive(kernel, upper, skb);
      return;
    }
    if (device.master === undefined) {
      kernel.drop(skb, "receive", "VLAN_FILTER", { kind: "no-vlan", vlan, device: device.name }, [device.origin]);
      return;
    }
  }
  const master = device.master === undefined ? undefined : kernel.device(device.master);
  if (master?.kind === "bridge") {
    if (isSolicitation(skb)) skb.type = "multicast";
    brHandleFrame(kernel, master, device, skb);
    return;
  }
  if (master !== undefined && (master.kind === "bond" || master.kind === "team")) {
    netifReceive(kernel, master, skb);
    return;
  }
  if (master?.kind === "vrf")
    throw new Undetermined(kernel.name, "receive", { kind: "unknown-vrf-device" }, [master.origin]);
  skb.type = typeOf(device, skb);
  protocolRcv(kernel, skb, device);
}

/** Sent to a group's MAC, whoever of it the walk hands it to. */
const isSolicitation = ({ probe, packet }: Skb): boolean => probe !== undefined && isMulticast(packet.dst);

/** eth_type_trans(): who the frame is for, by its destination MAC. Without MACs (tun, or not known) it is for us. */
function typeOf(device: Device, skb: Skb): Skb["type"] {
  const mac = skb.destinationMac;
  if (isSolicitation(skb)) return "multicast";
  if (mac === undefined || device.mac === undefined || mac === FABRIC_MAC || mac === device.mac) return "host";
  return mac === BROADCAST_MAC ? "broadcast" : "otherhost";
}

/** A device took a frame. */
export const received = (kernel: Kernel, device: Device, skb: Skb): ReceiveStep => ({
  kind: "receive",
  stack: kernel.name,
  packet: skb.packet,
  device: device.name,
  ...(skb.sourceMac !== undefined && { sourceMac: skb.sourceMac }),
  ...(skb.destinationMac !== undefined && { destinationMac: skb.destinationMac }),
});
