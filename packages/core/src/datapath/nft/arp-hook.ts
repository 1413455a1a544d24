import type { Device, NftTable } from "../../model/index.ts";
import { BROADCAST_MAC } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { type ArpFrame, newSkb, type Skb } from "../kernel/skb.ts";
import { passesDevice } from "./device-hook.ts";
import type { BaseChain } from "./hooks.ts";
import { nftDoChain } from "./nft-do-chain.ts";

const NO_LEG = -1;

/** What rules see of an ARP packet. */
export function arpSkb(arp: ArpFrame): Skb {
  const packet = {
    src: arp.sender,
    dst: arp.target,
    protocol: 0,
    sport: 0,
    dport: 0,
    tcpFlags: 0,
    ttl: 0,
    tos: 0,
    length: 28,
    df: false,
  };
  const skb = newSkb(NO_LEG, packet);
  skb.arp = arp;
  skb.sourceMac = arp.senderMac;
  skb.destinationMac = arp.operation === "request" ? BROADCAST_MAC : arp.targetMac;
  return skb;
}

/**
 * Whether an ARP packet gets by the rules where it is sent or comes in: NF_HOOK(NFPROTO_ARP, …) in arp_xmit() and arp_rcv(), and the chains at
 * the device, which see it behind the one and before the other, on a VLAN at the device below as well. Tables of inet have no part in it but at devices.
 */
export function passesArp(kernel: Kernel, hook: "INPUT" | "OUTPUT", device: Device, arp: ArpFrame): boolean {
  const { nft } = kernel.stack.netfilter;
  if (nft === undefined) return true;
  const skb = arpSkb(arp);
  return hook === "OUTPUT"
    ? passesChains(kernel, nft, hook, device, skb) && passesDevices(kernel, device, skb, "egress")
    : passesDevices(kernel, device, skb, "ingress") && passesChains(kernel, nft, hook, device, skb);
}

function passesChains(
  kernel: Kernel,
  nft: readonly NftTable[],
  hook: "INPUT" | "OUTPUT",
  device: Device,
  skb: Skb,
): boolean {
  if (!nft.some((t) => t.family === "arp")) return true;
  const chains = nft
    .filter((t) => t.family === "arp" && !t.flags.includes("dormant"))
    .flatMap((table) =>
      table.chains.flatMap((chain) =>
        chain.base?.hook === hook.toLowerCase() ? [{ table, chain, base: chain.base } satisfies BaseChain] : [],
      ),
    )
    .reverse()
    .sort((a, b) => a.base.priority - b.base.priority);
  const state = hook === "INPUT" ? { hook, in: device } : { hook, out: device };
  return chains.every(({ table, chain }) => nftDoChain(kernel, table, chain, skb, state).kind === "accept");
}

/** The device, and the one that a VLAN is upon: behind it on the way out, with the tag, and before it on the way in. */
function passesDevices(kernel: Kernel, device: Device, skb: Skb, hook: "ingress" | "egress"): boolean {
  const lower = device.kind === "vlan" && device.lower !== undefined ? kernel.device(device.lower) : undefined;
  const passes = (at: Device, vlan: number | undefined): boolean => {
    skb.vlan = vlan;
    return passesDevice(kernel, at, skb, hook);
  };
  if (lower === undefined) return passes(device, undefined);
  const tag = device.vlan?.id;
  return hook === "egress"
    ? passes(device, undefined) && passes(lower, tag)
    : passes(lower, tag) && passes(device, undefined);
}
