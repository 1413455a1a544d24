import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { assemble } from "../../packages/core/src/assemble/index.ts";
import { CONSULTED_CONF6, CONSULTED_SYSCTLS } from "../../packages/core/src/datapath/index.ts";
import { unwalkedDefault } from "../../packages/core/src/model/index.ts";
import { readCase } from "../../packages/core/src/parse/index.ts";
import { resolveQuestion, trace } from "../../packages/core/src/trace/index.ts";

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
    /^net\.ipv4\.tcp_(?!ecn$|timestamps|mtu_probing|fwmark_accept|reflect_tos|l3mdev_accept|base_mss|min_snd_mss|sack$|window_scaling)/,
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
  [
    /^net\.ipv6\.(?:calipso_|conf\.[^.]+\.ioam6|ioam6|flowlabel_|auto_flowlabels|idgen_|ip6frag_|mld_|max_(?:dst|hbh)_|xfrm6|seg6_|bindv6only|fib_notify|icmp\.(?:ratelimit|ratemask|echo_ignore_multicast))/,
    "labels, limits, multicast; `ss` says which socket is IPv6 alone",
  ],
  [
    /^net\.ipv6\.conf\.[^.]+\.(?:accept_ra\w*|accept_dad|addr_gen_mode|autoconf|dad_transmits|enhanced_dad|keep_addr_on_down|max_addresses|max_desync_factor|optimistic_dad|ra_\w+|regen_\w+|router_\w+|stable_secret|temp_\w+|mtu)$/,
    "how addresses, routes and MTUs come to be: the dumps show what came of it, and RA_IGNORED_FORWARDING asks for accept_ra",
  ],
  [
    /^net\.ipv6\.conf\.[^.]+\.(?:accept_redirects|accept_source_route|disable_policy|drop_unicast_in_l2_multicast|force_mld_version|force_tllao|mc_forwarding|mldv\d\w+|ndisc_(?:evict_nocarrier|notify|tclass)|rpl_seg_enabled|seg6_\w+)$/,
    "redirects are not played in IPv6; multicast, segment routing, notices",
  ],
  [/^net\.bridge\.bridge-nf-call-arptables$/, "arptables are not walked, and recognised where shown"],
  [/^net\.ipv4\.ip_forward_update_priority$/, "queues"],
  [/^net\.netfilter\.nf_conntrack_tcp_max_retrans$/, "retransmissions"],
];

const query = (key: string): string => key.replace(/^net\.ipv4\.conf\.[^.]+\./, "conf.");
const conf6 = (key: string): string => key.replace(/^net\.ipv6\.conf\.[^.]+\./, "");
const walked = (key: string): boolean =>
  CONSULTED_SYSCTLS.includes(query(key)) ||
  (key.startsWith("net.ipv6.conf.") && CONSULTED_CONF6.includes(conf6(key))) ||
  key === "net.ipv4.ip_forward";
/** Those that act and that no walk asks for yet: `check` notes them, and answers list them. */
const isOpen = (key: string): boolean => unwalkedDefault(key) !== undefined;

test("every key under net. is walked, has no effect on a walk, or is listed as open", () => {
  const keys = execFileSync("sysctl", ["-aN"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
    .split("\n")
    .filter((key) => key.startsWith("net."));
  expect(keys.length).toBeGreaterThan(100);
  const unlisted = keys.filter(
    (key) => !walked(key) && !isOpen(key) && !IRRELEVANT.some(([pattern]) => pattern.test(key)),
  );
  expect(unlisted).toEqual([]);
  // What is walked is not called open as well.
  expect(keys.filter((key) => walked(key) && isOpen(key))).toEqual([]);
});

test("another value than the one a walk goes by is noted by check, and listed by an answer of that stack", () => {
  const files = {
    "nodes/n/sysctl.txt": "net.ipv4.tcp_ecn = 1\nnet.ipv4.tcp_timestamps = 1\nnet.ipv4.ip_forward = 1\n",
    "nodes/n/ip-addr.txt":
      "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500\n    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n    inet 10.0.0.1/24 scope global eth0\n",
  };
  const reading = readCase(Object.entries(files).map(([path, text]) => ({ path, text })));
  const notes = reading.dumps.flatMap((d) => d.reading.diagnostics).filter((d) => d.code === "sysctl-not-walked");
  expect(notes.map((d) => [d.line, d.severity])).toEqual([[1, "note"]]);
  const { world } = assemble(reading);
  const asked = resolveQuestion(world, { from: "node/n", to: "10.0.0.9:80" });
  if (asked.ok !== true) throw new Error("not asked");
  const { branches } = trace(asked.world, asked.question);
  const ids = branches.map((b) => b.assumptions.map((a) => a.id).filter((id) => id.includes("tcp_")));
  expect(ids).toEqual(branches.map(() => ["n/sysctl/net.ipv4.tcp_ecn"]));
});
