/** What `hairpin explain` teaches of causes in routing: `lesson.<code>.title`, `.happens`, `.see`, `.not`. */
export const lessonsRouting = {
  "lesson.rp_filter_strict.title": "strict reverse path filter",
  "lesson.rp_filter_strict.happens":
    "Before a packet is forwarded or delivered, the kernel looks up the route back to its source. With rp_filter 1 that route must leave through the device the packet came in on; otherwise the packet is dropped without an answer. The lookup uses the addresses after DNAT or de-NAT, and the value in force is the larger of conf.all and the device's own.",
  "lesson.rp_filter_strict.see":
    'A line "martian source" in the kernel log (with log_martians 1), a growing IPReversePathFilter counter, and a route back to the source that names another device.',
  "lesson.rp_filter_strict.not":
    "rp_filter 2 (loose) accepts any source that has some route. A source that is the node's own address is refused whatever rp_filter says: MARTIAN_LOCAL_SOURCE.",
  "lesson.policy_route_pod_source.title": "an ip rule sends the reply out of another device",
  "lesson.policy_route_pod_source.happens":
    "ip rules that select by source (from) or incoming device (iif) are looked at before table main. Such a rule for a pod's address also decides about its replies, and about the lookup of the reverse path filter: the reply leaves through the pod's own card although the request came in by another.",
  "lesson.policy_route_pod_source.see":
    "ip rule shows a rule with the client's or the pod's address, and the table it names routes out of another device than the one the request came in on.",
  "lesson.policy_route_pod_source.not":
    "A rule with a smaller preference that keeps this traffic in table main makes it harmless.",
  "lesson.src_selection_multi_nic.title": "source selected for the wrong card",
  "lesson.src_selection_multi_nic.happens":
    "A process on a node connects to a Service address. The kernel selects the source for the route to that address. Only then does DNAT in OUTPUT rewrite the destination and route the packet again, out of another card; the source stays. The peer gets a packet whose source belongs to a network it does not expect there.",
  "lesson.src_selection_multi_nic.see":
    "ip route get for the Service address and for the endpoint name different devices and sources, and a capture on the second device shows the first one's address.",
  "lesson.src_selection_multi_nic.not": "A flow that is masqueraded on its way out gets the right source again.",
  "lesson.src_selection_masquerade.title": "MASQUERADE picks an unexpected address",
  "lesson.src_selection_masquerade.happens":
    "MASQUERADE takes the primary address of the outgoing device. If that device has none, inet_select_addr() takes the first address of a suitable scope of any device, often an alias on lo. The reply goes to whoever is reached by that address.",
  "lesson.src_selection_masquerade.see":
    "The outgoing device has no inet line, and a capture behind it shows an address of another device as source.",
  "lesson.src_selection_masquerade.not": "Addresses with scope host or link are not taken.",
  "lesson.martian_local_source.title": "a packet arrives with the node's own address as source",
  "lesson.martian_local_source.happens":
    "Source validation looks up the source of every packet that comes in from a device. If the address is local, it refuses the packet as a martian, because only the node itself may send from it. This happens when a load balancer sends a packet back to where it came from, or when a virtual address on kube-ipvs0 is really another machine's.",
  "lesson.martian_local_source.see":
    'ip route get from the source says "local"; the kernel log has "martian source" when log_martians is 1.',
  "lesson.martian_local_source.not":
    "rp_filter plays no part: 0 does not help. accept_local 1 lets the request in, but the reply then never leaves the node.",
  "lesson.wrong_pod_route.title": "a route sends pod traffic to the wrong node",
  "lesson.wrong_pod_route.happens":
    "The longest prefix wins, and among equal prefixes the smallest metric. A route that an old node, an earlier CNI plug-in or a copied table left behind sends the packets of one pod network to a machine that does not have these pods.",
  "lesson.wrong_pod_route.see":
    "ip route get for the pod's address names a next hop that is not the node on which kubectl shows the pod.",
  "lesson.wrong_pod_route.not": "A stale route that loses against a better one does nothing.",
  "lesson.blackhole_route.title": "a blackhole, unreachable or prohibit route wins",
  "lesson.blackhole_route.happens":
    "The best match for the destination is of a type that refuses. blackhole drops silently; unreachable and prohibit answer with ICMP. Calico puts a blackhole for its own block on every node: it is only met when the longer route of the pod is missing.",
  "lesson.blackhole_route.see": "ip route get for the destination prints an error or the word blackhole.",
  "lesson.blackhole_route.not": "Calico's blackhole beside the /32 routes of its pods is as it should be.",
  "lesson.no_route.title": "no route, there or back",
  "lesson.no_route.happens":
    "No table that the ip rules allow has a match. A node's own process gets ENETUNREACH at once; a forwarded packet is dropped and its sender gets ICMP net unreachable. If it is the way back that is missing, the client only waits.",
  "lesson.no_route.see": 'ip route get prints "Network is unreachable"; IpInNoRoutes counts.',
  "lesson.no_route.not": "A route whose device is down disappears as well: LINK_DOWN.",
  "lesson.routing_loop.title": "two machines send the packet to each other",
  "lesson.routing_loop.happens":
    "Each takes the other for the way to the destination. ip_forward() decrements the TTL at every hop until it is 0, drops the packet and sends ICMP time exceeded.",
  "lesson.routing_loop.see":
    "The same packet is captured several times with a falling TTL; traceroute alternates between two addresses.",
  "lesson.routing_loop.not": "One extra hop through a node that masquerades is no loop.",
  "lesson.ip_forward_off.title": "IP forwarding is off",
  "lesson.ip_forward_off.happens":
    "A packet that is not for the node itself is only passed on if forwarding is on for the device it came in by. Otherwise routing ends in ip_error() and the packet is dropped. Docker, kubelet or a CNI plug-in usually turn it on, and a sysctl file of the distribution may turn it off again at boot.",
  "lesson.ip_forward_off.see": "The sysctl of the incoming device is 0.",
  "lesson.ip_forward_off.not":
    "What the node itself sends or receives, pods with hostNetwork included, is not affected.",
  "lesson.route_localnet.title": "127.0.0.0/8 on a device that is not lo",
  "lesson.route_localnet.happens":
    "A packet with a loopback address as source or destination is refused on every other device unless route_localnet is 1 there. DNAT of 127.0.0.1:NodePort to a pod meets this when it leaves, and its reply when it comes back.",
  "lesson.route_localnet.see":
    'The sysctl route_localnet of the device is 0; the kernel log may say "martian destination".',
  "lesson.route_localnet.not": "With IPVS the sysctl does not help: IPVS_LOCALHOST_NODEPORT.",
  "lesson.cidr_overlap.title": "the pod network covers a network of the nodes",
  "lesson.cidr_overlap.happens":
    "CNI plug-ins leave traffic between pods alone and masquerade what goes elsewhere. If a pool of pod addresses covers the nodes' own network, a packet to a real machine looks like one to a pod: it leaves with the pod's address, to which that machine has no route.",
  "lesson.cidr_overlap.see": "A pool or cluster CIDR contains an address that ip addr shows on a card.",
  "lesson.cidr_overlap.not": "Pools that nobody's packet of this flow touches.",
  "lesson.masq_missing_nat_outgoing.title": "packets leave the cluster with a pod's address",
  "lesson.masq_missing_nat_outgoing.happens":
    "Nothing masquerades what pods send outside: natOutgoing is off, or the destination is exempted. The packet arrives, and the answer has no way back, for the network outside knows no route to pods.",
  "lesson.masq_missing_nat_outgoing.see": "A capture on the node's card shows the pod's address as source.",
  "lesson.masq_missing_nat_outgoing.not":
    "A network that routes pod addresses (BGP, VPC routes) needs no masquerading.",
} as const;
