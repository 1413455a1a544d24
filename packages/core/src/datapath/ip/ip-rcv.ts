import type { Decision, Device } from "../../model/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { prerouted } from "../link/br-netfilter.ts";
import { nfHook } from "../netfilter/nf-hooks.ts";
import { type InputRoute, ipRouteInput } from "../route/ip-route-input.ts";
import { ipTunnelRcv } from "../tunnel/ip-tunnel.ts";
import { vxlanRcv } from "../tunnel/vxlan.ts";
import { icmpSend } from "./icmp-send.ts";
import { ipDefrag } from "./ip-defrag.ts";
import { ipForward } from "./ip-forward.ts";
import { tcpEarlyDemux } from "./tcp-early-demux.ts";

/** Follows ip_rcv(): frames for others end here, before any hook; then PREROUTING, routing, and on. */
export function ipRcv(kernel: Kernel, skb: Skb, device: Device): void {
  skb.dev = device;
  // ip_rcv_core() clears IPCB(skb): what was put together on a bridge's port is a packet like any other to who routes it.
  skb.fragMaxSize = undefined;
  if (skb.type === "otherhost") {
    kernel.drop(skb, "ip_rcv", "OTHERHOST", { kind: "otherhost", device: device.name });
    return;
  }
  // ip_sabotage_in(): br_netfilter ran PREROUTING on the bridge port already.
  if (!prerouted(skb) && nfHook(kernel, skb, { hook: "PREROUTING", in: device }) !== "accept") return;
  ipRcvFinish(kernel, skb, device);
}

/** Follows ip_rcv_finish(): a packet that kept its route (lo) is not routed again. */
export function ipRcvFinish(kernel: Kernel, skb: Skb, device: Device): void {
  // __mkroute_output(): whatever goes out by lo is RTCF_LOCAL, and is delivered when it comes back by it.
  const looped = skb.route !== undefined && device.kind === "loopback";
  if (skb.route === undefined) tcpEarlyDemux(kernel, skb, device);
  if (skb.route === undefined) {
    const input = skb.nfBridge?.unroutable ?? ipRouteInput(kernel, skb, device);
    if (!takeRoute(kernel, skb, device, input)) return;
  }
  const { route } = skb;
  if (route === undefined) return;
  if (route.type === "unicast" && !looped) ipForward(kernel, skb, device, route);
  else ipLocalDeliver(kernel, skb, device);
}

/** Stores the route, or ends the packet: a martian in silence, an unreachable destination with an ICMP error. */
export function takeRoute(kernel: Kernel, skb: Skb, device: Device, input: InputRoute): boolean {
  switch (input.kind) {
    case "route":
      skb.route = input.route;
      return true;
    case "martian":
      kernel.drop(skb, "source validation", input.reason, input.decision, input.origins);
      return false;
    case "error": {
      const code = { ENETUNREACH: 0, EHOSTUNREACH: 1, EACCES: 13, EINVAL: -1, EADDRNOTAVAIL: -1 }[input.errno];
      if (!input.silent && code >= 0) {
        // ip_error() answers over a route of its own: the packet itself has none.
        skb.route = { type: "unicast", device, table: "none", origins: input.origins };
        icmpSend(kernel, skb, 3, code, { kind: "input-routing", errno: input.errno });
        skb.route = undefined;
      }
      const reason = input.silent && input.errno === "EHOSTUNREACH" ? "IP_INADDRERRORS" : "IP_INNOROUTES";
      const decision: Decision =
        reason === "IP_INADDRERRORS"
          ? { kind: "forwarding-off", device: device.name }
          : { kind: "unroutable", errno: input.errno };
      kernel.drop(skb, "input routing", reason, decision, input.origins);
      return false;
    }
  }
}

/** Follows ip_local_deliver(): fragments are put together, INPUT, then the transport layer. */
export function ipLocalDeliver(kernel: Kernel, skb: Skb, device: Device): void {
  if (!ipDefrag(kernel, skb, "local deliver")) return;
  // What IPVS sends on from here is cut again as it was.
  if (nfHook(kernel, skb, { hook: "INPUT", in: device }) !== "accept") return;
  skb.fragMaxSize = undefined;
  switch (skb.packet.carried?.tunnel) {
    case "vxlan":
      vxlanRcv(kernel, skb);
      return;
    case "ipip":
    case "gre":
      ipTunnelRcv(kernel, skb);
      return;
  }
  kernel.network.deliver(kernel, skb);
}
