import type { Origin } from "./origin.ts";

/** Keys use dots; an interface name that holds dots is written with slashes, as sysctl(8) prints it. */
export interface SysctlEntry {
  readonly key: string;
  readonly value: string;
  readonly origin: Origin;
}

/** How the kernel combines `conf.all` with `conf.IFACE` (IN_DEV_MAXCONF, IN_DEV_ORCONF, IN_DEV_ANDCONF, IN_DEV_CONF_GET). */
export type SysctlCombination = "max" | "or" | "and" | "interface-only";

export const IPV4_CONF_COMBINATION: Readonly<Record<string, SysctlCombination>> = {
  rp_filter: "max",
  arp_ignore: "max",
  arp_announce: "max",
  arp_filter: "or",
  arp_notify: "or",
  accept_local: "or",
  src_valid_mark: "or",
  log_martians: "or",
  route_localnet: "or",
  proxy_arp: "or",
  proxy_arp_pvlan: "interface-only",
  send_redirects: "or",
  shared_media: "or",
  secure_redirects: "or",
  forwarding: "interface-only",
  mc_forwarding: "and",
  accept_source_route: "and",
  ignore_routes_with_linkdown: "interface-only",
  promote_secondaries: "or",
  bootp_relay: "and",
  medium_id: "interface-only",
  tag: "interface-only",
};
