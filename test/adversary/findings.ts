/**
 * What an adversary found, by number, and the folders that hold each to a kernel: conformance cases, or experiments by hand where they begin with `found/`.
 */
export const FINDINGS: readonly (readonly [number: number, ...folders: readonly string[]])[] = [
  // TCPMSS clamp or set cures an MTU black hole
  [1, "mss-clamped", "mss-set"],
  // UDP of 3,000 bytes through a router: fragmented without DF, works
  [2, "fragments-udp"],
  // `advmss`, `ip_no_pmtu_disc` 1, `mtu lock` cure the black hole at once, `tcp_mtu_probing` after seconds
  [3, "mss-advmss-of-the-client", "mss-advmss-of-the-server"],
  // `advmss`, `ip_no_pmtu_disc` 1, `mtu lock` cure the black hole at once, `tcp_mtu_probing` after seconds
  [4, "mtu-no-pmtu-disc-tcp"],
  // `advmss`, `ip_no_pmtu_disc` 1, `mtu lock` cure the black hole at once, `tcp_mtu_probing` after seconds
  [5, "found/mtu-probing-of-both", "found/mtu-probing-of-the-client-alone"],
  // `advmss`, `ip_no_pmtu_disc` 1, `mtu lock` cure the black hole at once, `tcp_mtu_probing` after seconds
  [6, "mtu-locked"],
  // veth and bridge drop frames longer than the receiving end's or the port's MTU, silently
  [7, "mtu-veth-other-end"],
  // veth and bridge drop frames longer than the receiving end's or the port's MTU, silently
  [8, "bridge-port-mtu"],
  // an echo request has DF; its size counts
  [9, "echo-request-too-big", "echo-reply-without-df"],
  // VXLAN `df set`: stalled
  [10, "vxlan-df-set"],
  // `-f` meets the fragments of a large ping
  [11, "fragments-echo"],
  // `nth` rules with packets 0, 1, 2 are one sequence: every flow is met
  [12, "match-statistic-nth-one-sequence"],
  // a flow keeps its nexthop; the layer-3 hash is constant for a pair of addresses
  [13, "found/flow-keeps-its-nexthop"],
  // from about 6.16 the nexthop that fits the source is preferred
  [14, "found/nexthop-that-fits-the-source"],
  // a FAILED neighbour is skipped (`fib_multipath_use_neigh`, equal-metric defaults)
  [15, "found/failed-neighbour-of-two-nexthops"],
  // a DNAT or SNAT range is a fixed hash of the client
  [16, "dnat-address-range"],
  // a FAILED neighbour is skipped (`fib_multipath_use_neigh`, equal-metric defaults)
  [17, "found/dead-gateway-of-two"],
  // `ip_default_ttl`, `hoplimit`, `ip_local_port_range`, `tcp_fwmark_accept`, `tcp_reflect_tos` act
  [18, "ttl-default"],
  // `ip_default_ttl`, `hoplimit`, `ip_local_port_range`, `tcp_fwmark_accept`, `tcp_reflect_tos` act
  [19, "ttl-of-the-route"],
  // `ip_default_ttl`, `hoplimit`, `ip_local_port_range`, `tcp_fwmark_accept`, `tcp_reflect_tos` act
  [20, "found/local-port-range"],
  // `ip_default_ttl`, `hoplimit`, `ip_local_port_range`, `tcp_fwmark_accept`, `tcp_reflect_tos` act
  [21, "tcp-fwmark-accept"],
  // `ip_default_ttl`, `hoplimit`, `ip_local_port_range`, `tcp_fwmark_accept`, `tcp_reflect_tos` act
  [22, "tcp-reflect-tos"],
  // an echo reply keeps the TOS of the request
  [23, "echo-reply-tos"],
  // an ICMP redirect (default on) makes the client go direct: works
  [24, "found/redirect-client-forwards"],
  // conntrack match without an entry: `--ctstate INVALID`/`UNTRACKED` matches, the rest is not looked at
  [25, "match-conntrack-without-connection"],
  // `physdev:` in `hash:net,iface` never matches from iptables
  [26, "match-set-physdev"],
  // `--limit-iface-in` with one address on two devices: the first only
  [27, "match-addrtype-address-on-two-devices"],
  // the look-up of `-m rpfilter` has no ports
  [28, "match-rpfilter-no-ports"],
  // `-m owner`: echo replies have none; RST and ICMP errors have a socket
  [29, "owner-of-an-echo-reply", "owner-of-a-reset", "owner-of-an-icmp-error"],
  // `-m socket --transparent` meets a transparent listener
  [30, "found/tproxy-behind-divert"],
  // a flow's own handshake exceeds burst 1 or hitcount 2; dumped entries fill connlimit
  [31, "limit-used-up-by-the-flow", "recent-hitcount-reached-by-the-flow", "found/connlimit-filled-before"],
  // `CT --zone mark`
  [32, "ct-zone-mark"],
  // `SET --add-set` on hash:net, `--map-set --map-mark` act
  [33, "target-set-add", "target-set-map-mark"],
  // TCP's source is chosen with source port 0: `ip rule sport` comes too late
  [34, "rule-sport"],
  // `goto … [unresolved]` is skipped
  [35, "rule-goto-unresolved"],
  // `suppress_ifgroup`
  [36, "rule-suppress-ifgroup"],
  // `default via inet6 fe80::1` works
  [37, "found/route-via-inet6"],
  // no default route on the node: 169.254.1.1 is not answered by proxy ARP
  [38, "proxy-arp-no-route"],
  // `arp_announce` 1 wants source and target in one subnet
  [39, "arp-announce-1-other-device"],
  // a REACHABLE or NOARP entry with a wrong MAC is used
  [40, "neighbour-noarp-wrong-mac"],
  // `--bind` to a foreign address: EADDRNOTAVAIL or ENETUNREACH
  [41, "bind-foreign-address", "bind-foreign-address-allowed"],
  // SO_BINDTODEVICE to one's own address works; 0.0.0.0 is 127.0.0.1
  [42, "bind-device-to-itself", "found/oneself-by-device"],
  // listeners `[::]:P` with v6only and `0.0.0.0%dev:P` refuse others
  [43, "found/listener-v6only"],
  // listeners `[::]:P` with v6only and `0.0.0.0%dev:P` refuse others
  [44, "listener-on-another-device"],
  // bridge ports with `flood off`, `bcast_flood off`, `locked`
  [45, "bridge-port-no-flood", "bridge-port-no-broadcast", "bridge-port-locked"],
  // an fdb entry moves with the host's first frame unless sticky
  [46, "found/fdb-entries-move"],
  // an address on an enslaved port never resolves
  [47, "address-on-a-bridge-port"],
  // a bridge port that is down: EHOSTUNREACH after ARP
  [48, "bridge-port-down"],
  // macvlan pod and host or router on the parent's described segment: works
  [49, "found/macvlan-on-a-described-wire"],
  // a clashing SNAT port is never redrawn
  [50, "found/snat-port-clashes"],
  // the server's uid is in `ss -e`
  [51, "found/server-uid-rule"],
];
