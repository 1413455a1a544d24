import type { Packet } from "../../model/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";

/** Without options. */
const HEADER = 20;

/**
 * Cuts a packet into fragments and sends each on its way. Follows ip_do_fragment() (net/ipv4/ip_output.c): payloads of a multiple
 * of eight bytes; what was put together from fragments is cut no longer than they were. A fragment that is cut again keeps its id. Behind one that is not taken
 * (`output` is false) no other is sent.
 */
export function ipDoFragment(kernel: Kernel, skb: Skb, mtu: number, output: (fragment: Skb) => boolean): void {
  const { packet, fragMaxSize } = skb;
  const most = fragMaxSize !== undefined && fragMaxSize < mtu ? fragMaxSize : mtu;
  const room = Math.max(8, (most - HEADER) & ~7);
  const id = packet.fragment?.id ?? kernel.network.newPort("fragments", 0, 65535).id;
  const start = packet.fragment?.offset ?? 0;
  const rest = packet.fragment?.more ?? false;
  const payload = packet.length - HEADER;
  for (let at = 0; at < payload; at += room) {
    const size = Math.min(room, payload - at);
    const fragment = { id, offset: start + at, more: at + size < payload || rest };
    const header = fragment.offset === 0 ? packet : withoutTransport(packet);
    const cut: Skb = { ...skb, packet: { ...header, length: size + HEADER, df: false, fragment } };
    cut.fragMaxSize = undefined;
    cut.gso = false;
    cut.behind = 0;
    if (!output(cut)) return;
  }
}

function withoutTransport(packet: Packet): Packet {
  const { carried: _, icmp: __, mss: ___, ...header } = packet;
  return { ...header, sport: 0, dport: 0, tcpFlags: 0 };
}
