import type { Kernel } from "../kernel/kernel.ts";
import { sysctl } from "../kernel/sysctl.ts";
import type { RouteResult } from "./route-result.ts";

const HOPLIMIT = /^hoplimit (?:lock )?(\d+)$/;

/** The TTL of what this stack sends by a route. Follows ip4_dst_hoplimit() and ip6_dst_hoplimit(): the route's own, else the default. */
export function dstHoplimit(kernel: Kernel, { route, device }: RouteResult): number {
  const own = route?.extra.map((phrase) => HOPLIMIT.exec(phrase)?.[1]).find((n) => n !== undefined);
  const ttl = Number(own ?? (route?.family === 6 ? hopLimit6(kernel, device.name) : defaultTtl(kernel)));
  return ttl > 0 ? ttl : 64;
}

const defaultTtl = (kernel: Kernel): string => sysctl(kernel, "net.ipv4.ip_default_ttl").value;
const hopLimit6 = ({ stack }: Kernel, device: string): string =>
  stack.sysctls.get(`net.ipv6.conf.${device.replace(/\./g, "/")}.hop_limit`)?.value ?? "64";
