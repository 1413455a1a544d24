import type { Packet } from "../../model/index.ts";
import { isIpv4 } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { sysctl } from "../kernel/sysctl.ts";
import type { HookState, HookVerdict } from "../netfilter/nf-hooks.ts";
import { ipRouteMeHarder } from "../route/ip-route-me-harder.ts";
import { connIn, connOut } from "./ip-vs-conn.ts";
import { icmpXmit, mark, updateConntrack } from "./ip-vs-xmit.ts";

/** Destination unreachable, source quench, time exceeded: what ip_vs_in_icmp() looks into. */
const LOOKED_INTO: ReadonlySet<number> = new Set([3, 4, 11]);

/** The packet an ICMP error quotes, with its ends swapped; undefined: not an error that IPVS looks into. */
function quotedBackwards({ icmp, dst }: Packet): Packet | undefined {
  const inner = icmp?.inner;
  if (icmp === undefined || inner === undefined) return undefined;
  // ip_vs_in_icmp_v6(): every ICMPv6 error is.
  if (isIpv4(dst) && !LOOKED_INTO.has(icmp.type)) return undefined;
  return { ...inner, src: inner.dst, sport: inner.dport, dst: inner.src, dport: inner.sport };
}

/** An error of a client about an answer it got. Follows ip_vs_in_icmp(); FORWARD is for errors to other addresses. */
export function ipVsInIcmp(kernel: Kernel, skb: Skb, state: HookState): HookVerdict {
  const quoted = skb.ipvsProperty ? undefined : quotedBackwards(skb.packet);
  const conn = quoted === undefined ? undefined : connIn(kernel.ipvsConns, quoted);
  return conn === undefined ? "accept" : icmpXmit(kernel, skb, state.hook, conn);
}

/**
 * An error about a request that was balanced. Follows ip_vs_out_icmp() and handle_response_icmp(): it is shown to the client as the
 * virtual address's own.
 */
export function ipVsOutIcmp(kernel: Kernel, skb: Skb, state: HookState): HookVerdict {
  const quoted = quotedBackwards(skb.packet);
  const conn = quoted === undefined ? undefined : connOut(kernel.ipvsConns, quoted);
  const { icmp } = skb.packet;
  if (conn === undefined || icmp?.inner === undefined) return "accept";
  const before = skb.packet;
  if (conn.server.method === "masq") {
    const inner = { ...icmp.inner, dst: conn.virtual, dport: conn.virtualPort };
    skb.packet = { ...before, src: conn.virtual, icmp: { ...icmp, inner } };
    if (kernel.recording)
      kernel.record(skb, {
        kind: "ipvs",
        stack: kernel.name,
        packet: skb.packet,
        before,
        hook: state.hook,
        decision: { kind: "ipvs-icmp-answer" },
        origins: [conn.service.origin],
      });
    else kernel.meet(skb, conn.service.origin);
    if (!snatReroute(kernel, skb, state)) return "drop";
  }
  mark(kernel, skb, conn);
  updateConntrack(kernel, skb, conn, "answer");
  return "accept";
}

/** Follows ip_vs_route_me_harder(): what goes to a remote client is routed as if it came from this machine. */
export function snatReroute(kernel: Kernel, skb: Skb, state: HookState): boolean {
  if (state.hook === "INPUT" || skb.route?.type === "local") return true;
  if (sysctl(kernel, "net.ipv4.vs.snat_reroute").value === "0") return true;
  return ipRouteMeHarder(kernel, skb, "ipvs reply");
}
