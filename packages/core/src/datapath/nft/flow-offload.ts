import type { Device, NftFlowtable } from "../../model/index.ts";
import { PROTO } from "../../net/index.ts";
import { type Conntrack, type CtDirection, tupleOf } from "../conntrack/nf-conntrack.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import type { HookState } from "../netfilter/nf-hooks.ts";
import type { RouteResult } from "../route/route-result.ts";
import { isAmong } from "./hooks.ts";

/** struct flow_offload: both directions of a connection that a flowtable forwards at the ingress of its devices. */
export interface Offloaded {
  readonly flowtable: NftFlowtable;
  /** On which device the packets of a direction arrive. */
  readonly in: Readonly<Partial<Record<CtDirection, string>>>;
  /** The route of the packet that was offloaded; the other direction is looked up anew, without its mark. */
  readonly route: Readonly<Partial<Record<CtDirection, RouteResult>>>;
}

const FIN = 1;
const RST = 4;
const isEnding = (skb: Skb): boolean => skb.packet.protocol === PROTO.tcp && (skb.packet.tcpFlags & (FIN | RST)) !== 0;

/**
 * Follows nft_flow_offload_eval() (net/netfilter/nft_flow_offload.c): an established TCP connection, or one of UDP that is confirmed, is
 * handed over once. Every other packet ends the rule (NFT_BREAK).
 */
export function offload(skb: Skb, state: HookState, flowtable: NftFlowtable): boolean {
  const { ct, route } = skb;
  if (ct === undefined || !ct.confirmed || ct.offloaded !== undefined || isEnding(skb)) return false;
  if (skb.ctInfo !== "established" && skb.ctInfo !== "new") return false;
  const { protocol } = ct.tuple.original;
  if (protocol === PROTO.tcp) {
    if (ct.tcpState !== "ESTABLISHED" || !ct.assured) return false;
  } else if (protocol !== PROTO.udp) return false;
  const here = skb.ctDirection;
  const there = here === "original" ? "reply" : "original";
  ct.offloaded = {
    flowtable,
    in: {
      ...(state.in !== undefined && { [here]: state.in.name }),
      ...(state.out !== undefined && { [there]: state.out.name }),
    },
    route: route === undefined ? {} : { [here]: route },
  };
  return true;
}

/**
 * Follows nf_flow_offload_ip_hook() (net/netfilter/nf_flow_table_ip.c): a packet of an offloaded connection that arrives where it is
 * expected is translated and forwarded at once; FIN and RST go the slow way.
 */
export function takenByFlowtable(kernel: Kernel, skb: Skb, device: Device | undefined): Conntrack | undefined {
  const { nft } = kernel.stack.netfilter;
  if (nft === undefined || device === undefined || isEnding(skb)) return undefined;
  if (!nft.some((t) => t.flowtables.length > 0)) return undefined;
  const found = kernel.conntrack.find(tupleOf(skb.packet), { id: 0 });
  const offloaded = found?.ct.offloaded;
  if (found === undefined || offloaded === undefined) return undefined;
  return offloaded.in[found.direction] === device.name && isAmong(offloaded.flowtable.devices, device.name)
    ? found.ct
    : undefined;
}
