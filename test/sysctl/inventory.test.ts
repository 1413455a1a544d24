import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { CONSULTED_SYSCTLS } from "../../packages/core/src/datapath/index.ts";

/** Keys of `sysctl -a` that no walk asks for, by why. */
const IRRELEVANT: readonly (readonly [RegExp, string])[] = [
  [
    /^net\.(?:core|unix|mptcp|mpls|sctp|dccp|x25|ax25|appletalk|nf_conntrack_max|vsock|smc|iucv|can|llc|rxrpc)\b/,
    "memory, queues, other families",
  ],
  [/^net\.ipv[46]\.neigh\./, "timers and sizes of neighbour tables"],
  [/^net\.ipv[46]\.route\.(?!min_)/, "sizes and rates of the route cache"],
  [
    /^net\.netfilter\.(?:nf_log|nf_flowtable|nf_hooks_lwtunnel|nf_conntrack_(?:.*timeout.*|.*frag.*|max|buckets|count|expect_max|events|timestamp|helper|checksum|log_invalid|acct))/,
    "timers, sizes, logging; connbytes turns accounting on",
  ],
  [
    /^net\.ipv4\.tcp_(?!ecn|timestamps|mtu_probing|fwmark_accept|reflect_tos|l3mdev_accept|base_mss|min_snd_mss|sack$|window_scaling)/,
    "congestion, timers, memory: one handshake and its first data",
  ],
  [
    /^net\.ipv4\.(?:udp_|igmp_|inet_peer|cipso_|ipfrag_|ip_unprivileged_port_start|ip_local_reserved_ports|ping_group_range|icmp_(?:ratelimit|ratemask|msgs_|ignore_bogus)|ip_autobind_reuse|ip_dynaddr|raw_l3mdev|fib_sync_mem|fib_notify|nexthop_compat|icmp_echo_enable_probe|icmp_echo_ignore_broadcasts|xfrm4)/,
    "rates, memory, multicast, rights",
  ],
  [
    /^net\.ipv4\.conf\.[^.]+\.(?:.*igmp.*|log_martians|mc_forwarding|medium_id|tag|bootp_relay|bc_forwarding|disable_policy|disable_xfrm|arp_accept|arp_notify|arp_evict_nocarrier|drop_gratuitous_arp|drop_unicast_in_l2_multicast|promote_secondaries|accept_source_route)$/,
    "multicast, logging, gratuitous ARP, options",
  ],
  [/^net\.ipv6\./, "what IPv6 asks for is listed with its own walk"],
  [/^net\.bridge\.(?!bridge-nf-call-iptables)/, "ARP and IPv6 tables, VLAN and PPPoE headers"],
];

/** Keys that act and that the walk does not ask for yet: an answer does not say so. */
const OPEN: readonly RegExp[] = [
  /^net\.ipv4\.(?:fib_multipath_hash_seed|ip_early_demux|ip_forward_update_priority|tcp_ecn\w*|tcp_timestamps|tcp_sack|tcp_window_scaling|tcp_l3mdev_accept|tcp_min_snd_mss|udp_l3mdev_accept|icmp_errors_extension_mask|ip_forward_use_pmtu)$/,
  /^net\.ipv4\.conf\.[^.]+\.(?:proxy_arp_pvlan)$/,
  /^net\.netfilter\.nf_conntrack_tcp_(?:ignore_invalid_rst|max_retrans)$/,
];

const query = (key: string): string => key.replace(/^net\.ipv4\.conf\.[^.]+\./, "conf.");
const walked = (key: string): boolean => CONSULTED_SYSCTLS.includes(query(key)) || key === "net.ipv4.ip_forward";

test("every key under net. is walked, has no effect on a walk, or is listed as open", () => {
  const keys = execFileSync("sysctl", ["-aN"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
    .split("\n")
    .filter((key) => key.startsWith("net."));
  expect(keys.length).toBeGreaterThan(100);
  const unlisted = keys.filter(
    (key) => !walked(key) && !OPEN.some((o) => o.test(key)) && !IRRELEVANT.some(([pattern]) => pattern.test(key)),
  );
  expect(unlisted).toEqual([]);
});
