import { lookup } from "@hairpin/core/model/lookup.ts";
import { BadWord, sysctlPart, sysctlValue } from "@hairpin/core/model/word.ts";
import type { SysctlWrite } from "../executor/protocol.ts";
import type { LabStack, SysctlSetting } from "../plan.ts";
import { attempt, type Refusal } from "./refusal.ts";

/** `net.ipv4.conf.eth0/5.rp_filter` and `net/ipv4/conf/eth0.5/rp_filter` name the same file (sysctl(8)). */
export function sysctlParts(key: string): readonly string[] {
  const first = /[./]/.exec(key)?.[0];
  return first === "/" ? key.split("/") : key.split(".").map((part) => part.replace(/\//g, "."));
}

/** The key of a device's setting, dots in its name written as slashes. */
export const confKey = (family: 4 | 6, device: string, name: string): string =>
  `net.ipv${family}.conf.${device.replace(/\./g, "/")}.${name}`;

/**
 * The kernel's own defaults for what decides a packet's fate. A new namespace takes `all` and `default` from the
 * machine's current values (devinet_init_net), so they are written down first, whatever the machine is set to.
 */
export const CONF_DEFAULTS: Readonly<Record<string, string>> = lookup({
  rp_filter: "0",
  accept_local: "0",
  route_localnet: "0",
  src_valid_mark: "0",
  arp_ignore: "0",
  arp_announce: "0",
  arp_filter: "0",
  arp_accept: "0",
  proxy_arp: "0",
  proxy_arp_pvlan: "0",
  send_redirects: "1",
  // A host that follows a redirect takes another path for a while; nothing in a dump shows it.
  accept_redirects: "0",
  shared_media: "1",
  log_martians: "0",
  ignore_routes_with_linkdown: "0",
  promote_secondaries: "0",
});

const DEFAULTS: readonly (readonly [string, string])[] = [
  ["net.ipv4.ip_forward", "0"],
  ["net.ipv4.ip_default_ttl", "64"],
  ["net.ipv4.ip_nonlocal_bind", "0"],
  ["net.ipv4.ip_no_pmtu_disc", "0"],
  ["net.ipv4.ip_forward_use_pmtu", "0"],
  ["net.ipv4.tcp_mtu_probing", "0"],
  ["net.ipv4.tcp_reflect_tos", "0"],
  ["net.ipv4.tcp_fwmark_accept", "0"],
  ["net.ipv4.fwmark_reflect", "0"],
  ["net.ipv4.fib_multipath_hash_policy", "0"],
  ["net.ipv4.icmp_echo_ignore_all", "0"],
  ["net.ipv4.icmp_errors_use_inbound_ifaddr", "0"],
  // Errors are rate-limited by default; two tests in a row would differ. A limit of 0 would take the tokens that ip_error()
  // draws from the same bucket (inet_peer_xrlim_allow), so no type is limited instead.
  ["net.ipv4.icmp_ratemask", "0"],
  // A SYN-ACK that is not acknowledged is not sent again, a second later, into another stimulus.
  ["net.ipv4.tcp_synack_retries", "0"],
  ["net.ipv4.tcp_timestamps", "1"],
  ["net.ipv4.tcp_syncookies", "1"],
  ["net.netfilter.nf_conntrack_tcp_loose", "1"],
  ["net.netfilter.nf_conntrack_tcp_be_liberal", "0"],
];

const QUIET_IPV6: readonly (readonly [string, string])[] = ["all", "default"].flatMap((where) => [
  [confKey(6, where, "accept_dad"), "0"] as const,
  [confKey(6, where, "dad_transmits"), "0"] as const,
  [confKey(6, where, "autoconf"), "0"] as const,
  [confKey(6, where, "accept_ra"), "0"] as const,
  [confKey(6, where, "router_solicitations"), "0"] as const,
  // Reports of multicast groups come at once, and not in the midst of a test.
  [confKey(6, where, "mldv1_unsolicited_report_interval"), "1"] as const,
  [confKey(6, where, "mldv2_unsolicited_report_interval"), "1"] as const,
]);

/** As with IPv4, two tests in a row would differ (icmpv6_xrlim_allow()). */
const UNLIMITED_IPV6 = ["net.ipv6.icmp.ratelimit", "0"] as const;

/** Below net, and nowhere else. */
export function sysctlWrite([key, value]: SysctlSetting): SysctlWrite {
  const parts = sysctlParts(key);
  if (parts[0] !== "net") throw new BadWord("sysctl", key);
  return [parts.map(sysctlPart), sysctlValue(value)];
}

function writes(stack: LabStack, settings: readonly SysctlSetting[], refused: Refusal[]): readonly SysctlWrite[] {
  const found: SysctlWrite[] = [];
  for (const setting of settings) {
    attempt(refused, { stack: stack.name, what: `sysctl ${setting[0]}`, origin: setting[2] }, () => {
      found.push(sysctlWrite(setting));
    });
  }
  return found;
}

/** Before any device is there: defaults, then what the plan says of `all` and `default`. */
export function earlySysctls(stack: LabStack, refused: Refusal[]): readonly SysctlWrite[] {
  const conf = Object.entries(CONF_DEFAULTS).flatMap(([name, value]) => [
    [confKey(4, "all", name), value] as const,
    [confKey(4, "default", name), value] as const,
  ]);
  const six: readonly (readonly [string, string])[] = stack.ipv6
    ? [
        ["net.ipv6.conf.all.disable_ipv6", "0"],
        ["net.ipv6.conf.default.disable_ipv6", "0"],
        ...QUIET_IPV6,
        UNLIMITED_IPV6,
      ]
    : [
        ["net.ipv6.conf.all.disable_ipv6", "1"],
        ["net.ipv6.conf.default.disable_ipv6", "1"],
      ];
  return writes(stack, [...six, ...DEFAULTS, ...conf, ...stack.sysctls.filter(([key]) => isEarly(key))], refused);
}

const isEarly = (key: string): boolean => {
  const parts = sysctlParts(key);
  return parts[2] !== "conf" || parts[3] === "default";
};

/**
 * Neighbour discovery fails within 60 ms instead of 3 s, and proxies answer at once instead of within 0.8 s. An entry that is there is not
 * probed after five seconds: how long a run takes on a busy machine must not decide who is known.
 */
const NEIGHBOUR: readonly (readonly [string, string])[] = [
  ["retrans_time_ms", "20"],
  ["proxy_delay", "0"],
  ["delay_first_probe_time", "3600"],
];

/** Once the devices are there: their own settings, and `all` again, whose writing some settings spread to devices. */
export function lateSysctls(stack: LabStack, refused: Refusal[]): readonly SysctlWrite[] {
  const families = stack.ipv6 ? ([4, 6] as const) : ([4] as const);
  const neighbours = stack.devices
    .filter((d) => d.kind !== "loopback")
    .flatMap((d) =>
      families.flatMap((f) =>
        NEIGHBOUR.map(([name, v]) => [`net/ipv${f}/neigh/${d.name}/${name}`, v, d.origin] as const),
      ),
    );
  const late = stack.sysctls.filter(([key]) => !isEarly(key));
  const all = late.filter(([key]) => sysctlParts(key)[3] === "all");
  const own = late.filter(([key]) => sysctlParts(key)[3] !== "all");
  return writes(stack, [...neighbours, ...all, ...own], refused);
}

/** Refusals worth telling: a default that this kernel does not have is none. */
export function refusedSysctls(
  stack: LabStack,
  refused: readonly (readonly [parts: readonly string[], value: string, errno: string])[],
): readonly Refusal[] {
  const query = new Set(stack.sysctls.map(([key]) => sysctlParts(key).join("/")));
  return refused
    .filter(([parts]) => query.has(parts.join("/")))
    .map(([parts, value, errno]) => ({
      stack: stack.name,
      what: `sysctl ${parts.join("/")} = ${value}`,
      answer: errno,
    }));
}
