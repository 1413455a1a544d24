import type { Kernel } from "../kernel/kernel.ts";
import { sysctl } from "../kernel/sysctl.ts";
import type { RouteResult } from "./route-result.ts";

const HOPLIMIT = /^hoplimit (?:lock )?(\d+)$/;

/** The TTL of what this stack sends by a route. Follows ip4_dst_hoplimit(): the route's own, else the default of the stack. */
export function dstHoplimit(kernel: Kernel, { route }: RouteResult): number {
  const own = route?.extra.map((phrase) => HOPLIMIT.exec(phrase)?.[1]).find((n) => n !== undefined);
  const ttl = Number(own ?? sysctl(kernel, "net.ipv4.ip_default_ttl").value);
  return ttl > 0 ? ttl : 64;
}
