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

/** What a switch may be set to where nobody has shown it; others are 0 or 1. */
const DOMAINS: Readonly<Record<string, readonly number[]>> = lookup({
  rp_filter: [0, 1, 2],
  arp_ignore: [0, 1, 2, 3, 8],
  arp_announce: [0, 1, 2],
  arp_accept: [0, 1, 2],
});
const BOOLEAN: readonly number[] = [0, 1];

/** `net.ipv4.conf.eth0/100.rp_filter`: dots of an interface's name are written as slashes. */
export const confKey = (name: string, iface: string, family: 4 | 6 = 4): string =>
  `net.ipv${family}.conf.${iface.replaceAll(".", "/")}.${name}`;

export interface EffectiveConf {
  /** Every value that fits what is known, smallest first. One: it is decided. */
  readonly values: readonly number[];
  readonly origins: readonly Origin[];
  /** The keys that would narrow it down; none where it is decided. */
  readonly missing: readonly string[];
}

type Sysctls = ReadonlyMap<string, SysctlEntry>;

/** ip_forward is another name of conf.all.forwarding. */
const entryOf = (sysctls: Sysctls, key: string): SysctlEntry | undefined =>
  sysctls.get(key) ?? (key === "net.ipv4.conf.all.forwarding" ? sysctls.get("net.ipv4.ip_forward") : undefined);

const numberOf = (entry: SysctlEntry | undefined): number | undefined =>
  entry !== undefined && /^-?\d{1,9}$/.test(entry.value) ? Number(entry.value) : undefined;

function combine(how: SysctlCombination, all: number, own: number): number {
  switch (how) {
    case "max":
      return Math.max(all, own);
    case "or":
      return all !== 0 || own !== 0 ? 1 : 0;
    case "and":
      return all !== 0 && own !== 0 ? 1 : 0;
    case "interface-only":
      return own;
  }
}

/**
 * What the kernel goes by for an IPv4 interface, from conf.all and conf.IFACE as far as they were shown. Nothing is
 * assumed of what was not: a strict conf.all with an unknown interface leaves 1 and 2 possible, 2 on either side is 2.
 */
export function effectiveConf(sysctls: Sysctls, name: string, iface: string): EffectiveConf {
  const how = IPV4_CONF_COMBINATION[name] ?? "interface-only";
  const keys = how === "interface-only" ? [confKey(name, iface)] : [confKey(name, "all"), confKey(name, iface)];
  const domain = DOMAINS[name] ?? BOOLEAN;
  const entries = keys.map((key) => entryOf(sysctls, key));
  const sides = entries.map((entry) => {
    const known = numberOf(entry);
    return known === undefined ? domain : [known];
  });
  const own = sides[sides.length - 1]!;
  const all = sides.length === 2 ? sides[0]! : [0];
  const values = [...new Set(all.flatMap((a) => own.map((o) => combine(how, a, o))))].sort((a, b) => a - b);
  return {
    values,
    origins: entries.flatMap((entry) => (entry === undefined ? [] : [entry.origin])),
    missing: values.length === 1 ? [] : keys.filter((_, i) => numberOf(entries[i]) === undefined),
  };
}
