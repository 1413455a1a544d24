import type { Device } from "../../model/index.ts";
import { type Address, ANY4, contains, isLoopback } from "../../net/index.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Skb } from "../kernel/skb.ts";
import { devConf, devConfFlag, openConf } from "../kernel/sysctl.ts";
import { refuseUnwalked } from "../nft/bridge-hook.ts";
import { fibLookup } from "../route/fib.ts";
import { fibSelectPath } from "../route/fib-select-path.ts";
import { fibValidateSource } from "../route/fib-validate-source.ts";
import { scopeNumber } from "../route/inet-select-addr.ts";
import { ipRouteOutput } from "../route/ip-route-output.ts";
import { isRouteError, type RouteResult } from "../route/route-result.ts";
import { isNoArp } from "./neighbour.ts";

/** What `ip rule` sees of an ARP packet: neither the mark nor the protocol nor the ports of what waits for the answer. */
const ARP_FLOW = { mark: 0, tos: 0, protocol: 0 };

/** What becomes of an ARP request: it is answered, kept quiet about, or left to whoever it is for. */
export type ArpFate = "answered" | "quiet" | "left";

/**
 * What this stack makes of an ARP request for `target` that arrives on this device from `sender`. Follows arp_process()
 * (net/ipv4/arp.c): the request is routed like a packet, and its sender is source-validated like one. Nothing is learnt from one
 * that is kept quiet about.
 */
export function arpProcess(
  kernel: Kernel,
  device: Device,
  target: Address,
  sender: Address | undefined,
  skb: Skb,
): ArpFate {
  if (isNoArp(device) || device.up === false) return "quiet";
  if (isLoopback(target) && !devConfFlag(kernel, "route_localnet", device.name)) return "quiet";
  refuseUnwalked(kernel, "arp", "neighbour");
  const key = { daddr: target, saddr: sender, iif: device.name, ...ARP_FLOW };
  const found = fibLookup(kernel, key);
  if (isRouteError(found)) return "left";
  const by = (path: RouteResult): ArpFate => fateOf(kernel, device, target, sender, skb, path);
  // ip_mkroute_input(): which leg of a multipath route is taken is asked only where it matters.
  const fates = new Set((found.paths ?? [found]).map(by));
  return fates.size === 1 ? [...fates][0]! : by(fibSelectPath(kernel, found, key));
}

function fateOf(
  kernel: Kernel,
  device: Device,
  target: Address,
  sender: Address | undefined,
  skb: Skb,
  found: RouteResult,
): ArpFate {
  const forwardTo = found.type === "unicast" ? found.device : undefined;
  if (sender !== undefined && fibValidateSource(kernel, skb, device, sender, target, forwardTo, ARP_FLOW) !== "ok")
    return "left";
  if (found.type === "local")
    return ignored(kernel, device, target, sender) || filtered(kernel, device, target, sender) ? "quiet" : "answered";
  if (found.type !== "unicast" || !devConfFlag(kernel, "forwarding", device.name)) return "left";
  const proxied =
    found.device === device
      ? devConfFlag(kernel, "proxy_arp_pvlan", device.name)
      : devConfFlag(kernel, "proxy_arp", device.name) || hasProxyEntry(kernel, device, target);
  return proxied ? "answered" : "left";
}

/** kube-proxy's strictARP keeps what stands on kube-ipvs0 quiet: where nobody showed it, either may be. */
export const mayKeepQuiet = (kernel: Kernel, device: Device, target: Address): boolean =>
  kernel.compiled.interfaceAddress(target)?.device.kind === "dummy" &&
  openConf(kernel, "arp_ignore", device.name).value !== "0";

/** arp_ignore(): which local addresses are kept quiet about. */
function ignored(kernel: Kernel, device: Device, target: Address, sender: Address | undefined): boolean {
  const mode = Number(devConf(kernel, "arp_ignore", device.name).value);
  const own = device.addresses.find((a) => a.prefix.address === target);
  switch (mode) {
    case 0:
      return false;
    case 1:
      return own === undefined;
    case 2:
      return own === undefined || !contains(own.prefix, sender ?? ANY4);
    case 3: {
      const entry = kernel.compiled.interfaceAddress(target);
      return entry === undefined || scopeNumber(entry.address.scope) >= 254;
    }
    default:
      return mode === 8;
  }
}

/** arp_filter(): with it, an address is only told on the device by which the asker is reached from it. */
function filtered(kernel: Kernel, device: Device, target: Address, sender: Address | undefined): boolean {
  if (!devConfFlag(kernel, "arp_filter", device.name)) return false;
  const back = ipRouteOutput(kernel, { daddr: sender ?? ANY4, saddr: target, ...ARP_FLOW });
  return isRouteError(back) || back.device !== device;
}

const hasProxyEntry = (kernel: Kernel, device: Device, target: Address): boolean =>
  kernel.stack.neighbours.items.some((n) => n.proxy && n.device === device.name && n.address === target);
