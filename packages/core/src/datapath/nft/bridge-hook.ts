import type { Device, Hook } from "../../model/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { Undetermined } from "../kernel/oracle.ts";
import type { Skb } from "../kernel/skb.ts";
import type { BaseChain } from "./hooks.ts";
import { nftDoChain } from "./nft-do-chain.ts";

/** br_nf_ops: where br_netfilter stands among the bridge's hooks; chains before it see the frame first. */
const BR_NETFILTER = 0;

/** Below IP: rules there that cannot be walked end the walk where a frame meets them. */
export function refuseUnwalked({ stack, name }: Kernel, below: "bridge" | "arp", step: "bridge" | "neighbour"): void {
  const found = stack.netfilter.nativeNft.find((t) => t.below === below);
  if (found !== undefined)
    throw new Undetermined(name, step, { kind: "unknown-nftables", table: found.name }, [found.origin]);
}

/**
 * The chains of the bridge's own family at a hook: NF_HOOK(NFPROTO_BRIDGE, …) in br_handle_frame(), br_pass_frame_up(), __br_forward() and
 * br_forward_finish(). False: one dropped the frame. `which`: those before br_netfilter's place, those behind it, or all.
 */
export function passesBridge(
  kernel: Kernel,
  skb: Skb,
  hook: Hook,
  ports: { readonly in?: Device; readonly out?: Device },
  which: "before" | "behind" | "all" = "all",
): boolean {
  const { nft } = kernel.stack.netfilter;
  if (nft === undefined) return true;
  if (which !== "behind") refuseUnwalked(kernel, "bridge", "bridge");
  const found = nft
    .filter((t) => t.family === "bridge" && !t.flags.includes("dormant"))
    .flatMap((table) =>
      table.chains.flatMap((chain) =>
        chain.base?.hook === hook.toLowerCase() ? [{ table, chain, base: chain.base } satisfies BaseChain] : [],
      ),
    )
    .filter(({ base }) => which === "all" || base.priority < BR_NETFILTER === (which === "before"))
    .reverse()
    .sort((a, b) => a.base.priority - b.base.priority);
  return found.every(
    ({ table, chain }) => nftDoChain(kernel, table, chain, skb, { hook, frame: true, ...ports }).kind === "accept",
  );
}
