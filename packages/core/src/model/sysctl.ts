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

/**
 * Sysctls that act on what a walk follows and that it does not ask for yet, with the value that every kernel starts with and that
 * the walk goes by. Another value is noted by `check` and listed among what an answer assumes.
 */
const UNWALKED: readonly (readonly [key: RegExp, usual: readonly string[]])[] = [
  [/^net\.ipv4\.fib_multipath_hash_seed$/, ["0", "(null)", ""]],
  [/^net\.ipv4\.tcp_ecn$/, ["2", "0"]],
  [/^net\.ipv4\.tcp_(?:timestamps|sack|window_scaling)$/, ["1"]],
  [/^net\.ipv4\.(?:tcp|udp|raw)_l3mdev_accept$/, ["0", "1"]],
  [/^net\.ipv4\.tcp_min_snd_mss$/, ["48"]],
  [/^net\.ipv4\.tcp_mtu_probe_floor$/, ["48"]],
  [/^net\.ipv4\.icmp_errors_extension_mask$/, ["0x00", "0"]],
  [/^net\.netfilter\.nf_conntrack_tcp_ignore_invalid_rst$/, ["0"]],
  [/^net\.bridge\.bridge-nf-(?:filter-pppoe-tagged|pass-vlan-input-dev)$/, ["0"]],
  [/^net\.ipv6\.ip_nonlocal_bind$/, ["0"]],
  [/^net\.ipv6\.fib_multipath_hash_policy$/, ["0"]],
  [/^net\.ipv6\.fib_multipath_hash_fields$/, ["0x0007", "7"]],
  [/^net\.ipv6\.icmp\.(?:error_anycast_as_unicast|echo_ignore_anycast)$/, ["0"]],
  [/^net\.ipv6\.conf\.[^.]+\.hop_limit$/, ["64"]],
  [/^net\.ipv6\.conf\.[^.]+\.(?:drop_unsolicited_na|accept_untracked_na)$/, ["0"]],
  [/^net\.ipv6\.conf\.[^.]+\.suppress_frag_ndisc$/, ["1"]],
  [/^net\.ipv4\.conf\.[^.]+\.(?:drop_unicast_in_l2_multicast|bc_forwarding)$/, ["0"]],
];

/** The value that a walk goes by, whatever a dump says; undefined: it asks for the key, or the key has no effect. */
export const unwalkedDefault = (key: string): string | undefined =>
  UNWALKED.find(([pattern]) => pattern.test(key))?.[1][0];

/** Whether a dump shows another value than the one that a walk goes by. */
export const isUnwalked = (key: string, value: string): boolean =>
  UNWALKED.some(([pattern, usual]) => pattern.test(key) && !usual.includes(value));
