import type { Device } from "../../model/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import type { HookState } from "../netfilter/nf-hooks.ts";
import { deviceChains } from "./hooks.ts";
import { nftDoChain } from "./nft-do-chain.ts";

/**
 * nf_hook_ingress(), before VLANs, bridges and IP, and nf_hook_egress(), behind everything: false where a chain there dropped the
 * packet. A mark set there stays.
 */
export function passesDevice(kernel: Kernel, device: Device, skb: Skb, hook: "ingress" | "egress"): boolean {
  if (kernel.stack.netfilter.nft === undefined) return true;
  for (const { table, chain } of deviceChains(kernel.stack, device.name, hook)) {
    // nf_hook_state has the device on its side only.
    const state: HookState =
      hook === "ingress"
        ? { hook: "PREROUTING", in: device, frame: true }
        : { hook: "POSTROUTING", out: device, frame: true };
    if (nftDoChain(kernel, table, chain, skb, state).kind === "drop") return false;
  }
  return true;
}
