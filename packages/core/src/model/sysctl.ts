import { lookup } from "./lookup.ts";
import type { Origin } from "./origin.ts";

/** Keys use dots; an interface name that holds dots is written with slashes, as sysctl(8) prints it. */
export interface SysctlEntry {
  readonly key: string;
  /** As printed, outer blanks taken off; several numbers stand with tabs between them. */
  readonly value: string;
  /** Read from a file of /etc/sysctl.d: set at boot, which need not be what is in effect. */
  readonly configured?: true;
  readonly origin: Origin;
}

/** How the kernel combines `conf.all` with `conf.IFACE` (IN_DEV_MAXCONF, IN_DEV_ORCONF, IN_DEV_ANDCONF, IN_DEV_CONF_GET). */
export type SysctlCombination = "max" | "or" | "and" | "interface-only";

/** As the macros of include/linux/inetdevice.h have it since 5.11; before, proxy_arp_pvlan and ignore_routes_with_linkdown were the interface's alone. */
export const IPV4_CONF_COMBINATION: Readonly<Record<string, SysctlCombination>> = lookup({
  rp_filter: "max",
  arp_ignore: "max",
  arp_announce: "max",
  arp_filter: "or",
  arp_notify: "max",
  arp_accept: "max",
  arp_evict_nocarrier: "and",
  bc_forwarding: "and",
  drop_gratuitous_arp: "or",
  drop_unicast_in_l2_multicast: "or",
  disable_xfrm: "interface-only",
  disable_policy: "interface-only",
  accept_local: "or",
  src_valid_mark: "or",
  log_martians: "or",
  route_localnet: "or",
  proxy_arp: "or",
  proxy_arp_pvlan: "or",
  send_redirects: "or",
  shared_media: "or",
  secure_redirects: "or",
  forwarding: "interface-only",
  mc_forwarding: "and",
  accept_source_route: "and",
  ignore_routes_with_linkdown: "or",
  promote_secondaries: "or",
  bootp_relay: "and",
  medium_id: "interface-only",
  tag: "interface-only",
});

/** `net.ipv4.conf.eth0/100.rp_filter`: dots of an interface's name are written as slashes. */
export const confKey = (name: string, iface: string, family: 4 | 6 = 4): string =>
  `net.ipv${family}.conf.${iface.replaceAll(".", "/")}.${name}`;
