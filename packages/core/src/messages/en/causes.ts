/** Why a flow does not work, one sentence each: `cause.<code>[.variant]`. */
export const causes = {
  "leg.request": "request",
  "leg.reply": "answer",
  "cause.rp_filter_strict":
    "{stack} refuses the {direction} on {device}: the way back to {source} is {reverse}, and rp_filter is {value}",
  "cause.rp_filter_strict.unnumbered":
    "{stack} refuses the {direction} on {device}, which has no address: the way back to {source} is {reverse}, and with any rp_filter but 0 such a device takes only what routes back by it",
  "cause.rp_filter_strict.no-route":
    "{stack} refuses the {direction} on {device}: it has no route back to {source}, and rp_filter is {value}",
  "cause.policy_route_pod_source":
    "a routing rule for the client's address (preference {preference}) sends its way back out of {reverse}, while the answer comes in by {device}",
  "cause.src_selection_masquerade":
    "MASQUERADE takes {address} of {owner}, because {out}, by which the packet leaves, has no address",
  "cause.src_selection_multi_nic":
    "the source {source} was chosen for {first}, by which the called address is routed; translated, the packet leaves by {again} and keeps it",
  "cause.masq_missing_node_to_pod": "nothing masquerades what {stack} itself sends out of {device}",
  "cause.martian_local_source": "{stack} drops the {direction} because its source {source} is an address of its own",
  "cause.martian_local_source.on":
    "{stack} drops the {direction} because its source {source} is an address of its own, on {device}",
  "cause.kube_ipvs0_addr_conflict": "{address} is bound on {device}, and somebody else sends from it",
  "cause.lb_loopback": "the load balancer sends the packet back to {stack}, from which it came, with its source kept",
  "cause.masq_too_much.loop": "{stack} masquerades a packet that needs none, and so draws the answer to itself",
  "cause.etp_local_no_endpoint_ipvs":
    "the virtual service {service} has no real server on {stack}: with externalTrafficPolicy Local and no endpoint here the kernel answers port unreachable",
  "cause.no_endpoints.ipvs": "the virtual service {service} has no real server that takes connections",
  "cause.masq_missing_ipvs_host":
    "nothing masquerades what {stack} itself sends to {address}: the real server sees the virtual address as the client and cannot answer it",
  "cause.src_selection_kube_ipvs0": "the source is {address}, because the called address is the node's own on {device}",
  "cause.ipvs_localhost_nodeport":
    "a connection to 127.0.0.1 cannot be balanced to another machine: IPVS drops it, whatever route_localnet says",
  "cause.ipvs_persistence_stale":
    "a persistence template sends this client to {address}, which has weight 0 and may be gone; other clients are not affected",
  "cause.raw_table_filter":
    "the {direction} dies on {stack}: a rule of table raw, which runs before conntrack, drops it",
  "cause.rule_corrupted_by_version_skew":
    "the {direction} dies on {stack}: KUBE-FIREWALL drops every packet, its rule has lost the mark it should ask for",
  "cause.etp_local_no_endpoint_iptables.marked":
    "the {direction} dies on {stack}: kube-proxy marked the packet to be dropped",
  "cause.etp_local_no_endpoint_iptables":
    "the {direction} dies on {stack}: the Service has no endpoint on this node and its traffic policy is Local",
  "cause.forward_policy_drop": "the {direction} dies on {stack}: no rule of FORWARD accepts it and the policy is DROP",
  "cause.no_endpoints": "the {direction} dies on {stack}: the Service has no endpoint",
  "cause.lb_source_ranges":
    "the {direction} dies on {stack}: {source} is not in the Service's loadBalancerSourceRanges",
  "cause.kube_ipvs_filter_reject":
    "the {direction} dies on {stack}: kube-proxy's IPVS filter lets only known ports of a virtual address through",
  "cause.network_policy_drop": "the {direction} dies on {stack}: a network policy does not allow it ({chain})",
  "cause.docker_isolation": "the {direction} dies on {stack}: Docker keeps its networks apart",
  "cause.rule_order_reject":
    "the {direction} dies on {stack}: a rule of {chain} rejects all that no earlier rule accepted",
  "cause.forward_policy_drop.nft":
    "the {direction} dies on {stack}: no rule of {chain} in table {table} accepts it, and the policy of that forward chain is drop",
  "cause.nft_second_table_drop.walked":
    "the {direction} dies on {stack}: table {accepted} accepts it, which ends that chain only; {chain} in table {table} drops it at the same hook",
  "cause.rule_drop": "the {direction} dies on {stack}: rule {number} of {chain} in table {table} drops it",
  "cause.rule_drop.policy": "the {direction} dies on {stack}: the policy of {chain} in table {table} is DROP",
  "cause.rule_drop.logged": "{stack} logs the packet with “{prefix}” ({step}): a rule drops it there",
  "cause.rule_drop.traced": "the trace of {stack} ends in a drop: {step}",
  "cause.rule_drop.traced-policy": "the trace of {stack} ends in a drop by the policy of {step}",
  "cause.rule_drop.counted":
    "a rule of chain {chain} on {stack} drops and has dropped {packets} packets, and nothing in it excludes this flow: {rule}",
  "cause.forward_policy_drop.shown":
    "FORWARD of ip6tables on {stack} has policy DROP: what is forwarded or, with bridge-nf-call-ip6tables, bridged to {to} dies there unless a rule accepts it",
  "cause.rp_filter_strict.logged":
    "the kernel of {stack} refused the packet from {src} to {dst} on {device}: source validation does not find the way back by that device",
  "cause.martian_local_source.logged":
    "the kernel of {stack} refused the packet from {src} to {dst} on {device}: {src} is an address of its own",
  "cause.cloud_src_dst_check.seen":
    "the answer leaves {stack} by {left}, while the request came in by {came}, and nobody takes it: a network that checks sources drops what a card sends from {source}, which is not its own",
  "cause.conntrack_stale_udp.shown":
    "an entry that conntrack keeps on {stack} sends source port {port} to {address}, and nothing that was shown names {address} as an endpoint now; other source ports are not affected",
  "cause.mtu_blackhole.told":
    "it connects and then hangs, and nothing shown stops it: something on the way may take only smaller packets and not say so",
  "cause.conntrack_invalid_rst.told":
    "connections are reset while nothing shown does it: {stack} translates the answers, passes on what conntrack calls INVALID, and a client resets what comes from an address it did not call",
  "cause.port_not_in_service":
    "{address} is the address of Service {service}, which has {ports} and not {asked}: nothing translates the packet",
  "cause.service_not_programmed_here":
    "{stack} has nothing for {address}:{port}, which {who}: kube-proxy has not programmed it there",
  "cause.service_not_programmed_here.object": "is Service {service}",
  "cause.service_not_programmed_here.other": "{node} translates",
  "cause.target_port_mismatch":
    "the Service sends to {proto} port {port} of {stack}, where nobody listens on it; what listens there is {ports}",
  "cause.mtu_blackhole.fragments":
    "{bytes} bytes of the connection leave {stack} in a tunnel packet that had to be cut into fragments: the underlay's MTU is too small for them, and fragments are often lost",
  "cause.hairpin_off":
    "the translated packet would have to leave the bridge by {port}, the port it came in by, and hairpin mode is off there",
  "cause.bridge_nf_off":
    "the answer is switched on {bridge} without passing netfilter, so that nobody gives it back the address that was called",
  "cause.masq_missing_remote_endpoint":
    "{stack} sends the request to an endpoint elsewhere and keeps the client's address: the answer goes straight to the client, from an address it did not call",
  "cause.conntrack_stale_udp":
    "an entry that conntrack kept on {stack} decides for this source port: it goes to {address}, whatever the rules say now",
  "cause.ip_forward_off": "{stack} does not forward what comes in by {device}: forwarding is off",
  "cause.no_route": "{stack} has no route to {address} ({error})",
  "cause.blackhole_route": "a {type} route of {stack} is the best match for {address}",
  "cause.nat_port_rewrite":
    "{stack} changes the source port after the handshake: the packet passes its conntrack a second time",
  "cause.route_localnet":
    "{stack} drops the {direction} on {device}: addresses in 127/8 stay on loopback while route_localnet is 0",
  "cause.neighbour_failed": "nobody answers for {address} on {device} of {stack}",
  "cause.link_down.route": "{device} of {stack} is down, and with it the route to {network}",
  "cause.link_down": "{device} of {stack} is down",
  "cause.stale_endpoint": "{stack} still sends to {endpoint}, and nobody is there",
  "cause.stale_endpoint.named": "{stack} still sends packets for {service} to {endpoint}, and nobody is there",
  "cause.no_listener": "nobody listens on {port} where the packet is delivered in {stack}",
  "cause.mtu_blackhole": "{length} bytes do not fit the MTU of {device} on {stack}",
  "cause.underlay_filter": "the network between the nodes keeps back packets from {source} to {destination}",
  "cause.cloud_src_dst_check":
    "the network drops what {stack} sends from {source}: the card it leaves by does not own that address",
  "cause.arp_not_strict":
    "{stacks} all have the address and, with arp_ignore 0, all answer ARP for it: packets go to whichever answered last",
  "cause.tcp_tw_recycle_nat":
    "{stack} has tcp_tw_recycle on: SYNs of clients that share a translated address are dropped now and then",
  "cause.ipvs_conn_reuse":
    "a client that uses a source port again is sent to {address}, a real server of weight 0, as long as IPVS remembers the old connection (conn_reuse_mode 0)",
  "cause.conntrack_insert_race":
    "{count} packets were dropped because their conntrack entry clashed with another's (insert_failed)",
  "cause.conntrack_full": "the connection table of {stack} is or was full: new connections are dropped then",
  "cause.arp_table_overflow":
    "the neighbour table of {stack} has no room: addresses that are not in it yet cannot be resolved",
  "cause.duplicate_vtep_mac":
    "the tunnel ends of {owners} all have the MAC {mac}: a receiver takes the frames of another for its own and drops them",
  "cause.wrong_underlay_interface.shared":
    "{nodes} all registered {address} for their tunnels: packets for one another end at that address",
  "cause.wrong_underlay_interface.itself":
    "{device} of {stack} sends to {address}, an address of {stack} itself: the tunnel was set up on the wrong card",
  "cause.wrong_underlay_interface.other":
    "{node} registered {address} for its tunnels, and the cluster knows it by {internal}",
  "cause.bridge_nf_off.seen":
    "{endpoint} answers {client} over {bridge} from its own address, and the client resets it: the answer does not pass netfilter, which would give it the address that was called",
  "cause.conntrack_invalid_rst":
    "in an established connection a packet of {endpoint} reaches the client untranslated, and the client resets it: conntrack calls it INVALID and nothing drops it",
  "cause.underlay_filter.seen":
    "{what} from {source} to {destination} leaves {left} ({sent} packets) and does not arrive at {missing}: the network between them keeps it back",
  "cause.underlay_filter.sources":
    "{stack} sends the packet on correctly, and {endpoint} answers {other} but not {source}: the network beyond the node keeps back, or has no way for, what comes from {source}",
  "cause.vxlan_tx_csum_offload.partly":
    "{sent} SYNs leave {left} in VXLAN and {got} of them arrive at {arrived}: no filter does that, a checksum spoilt by offload does, for translated packets in particular",
  "cause.vxlan_tx_csum_offload.ping":
    "ping to {address} passes the tunnel and TCP does not: no filter outside the tunnel can tell them apart, a checksum spoilt by offload can",
  "cause.vxlan_tx_csum_offload.driver":
    "ping to {address} passes the tunnel and TCP does not, and the card's driver is {driver}, known to spoil checksums of what VXLAN carries on ports other than its default",
  "cause.masq_too_much": "{stack} masquerades the packet, and {filter} sees {as} where it would let {source} pass",
  "cause.wrong_pod_route.own":
    "{stack} sends {network}, its own network, to {gateway}: that route stands before the one to its own device",
  "cause.wrong_pod_route.other": "{stack} sends {network} to {gateway}, and it is the network of {node}",
  "cause.rp_filter_strict.far":
    "the node of {endpoint} may refuse the request on {device}: its way back to {source} is likely another one, and its rp_filter was not shown",
  "cause.rp_filter_strict.seen":
    "the answer of {answerer} to {as} reaches {stack} and goes no further: source validation may refuse it there",
  "cause.martian_local_source.seen":
    "the answer of {answerer} to {as} reaches {stack} and goes no further: if {stack} has {answerer} itself (on kube-ipvs0), it refuses it as a martian",
  "cause.masq_too_much.bridged":
    "{stack} masquerades {client} as {as} although it only bridges the frame, and so draws the answer to itself",
  "cause.etp_local_no_endpoint_ipvs.seen":
    "{service} itself answers port unreachable: the node has the address and its virtual service has no real server there, as with externalTrafficPolicy Local and no endpoint on the node",
  "cause.no_endpoints.seen": "{service} itself answers port unreachable: its virtual service has no real server",
  "cause.duplicate_vtep_mac.walked":
    "{device} of {stack} drops the frame because its source MAC is the device's own: two tunnel ends have one MAC",
  "cause.wrong_underlay_interface.walked":
    "{device} of {stack} sends to an address of {stack} itself: the tunnel was set up on the wrong card",
  "cause.neighbour_failed.tunnel":
    "{device} of {stack} does not know to which node the frame goes: no forwarding entry, and no default",
  "cause.neighbour_failed.other-mac":
    "{stack} gets the frame on {device} under a MAC that is not its own: the sender's neighbour entry is wrong",
  "cause.tunnel_mismatch": "no tunnel device of {stack} takes the packet: the ends differ in kind, VNI or port",
  "cause.ipvs_conn_reuse.stale":
    "a source port that is used again finds the old connection to {address}, which conntrack still holds: the SYN is dropped",
  "cause.ipvs_conn_reuse.removed":
    "a source port that is used again finds the old connection to {address}, a real server that was removed",
  "cause.notrack_vs_policy":
    "{stack} keeps the {direction} out of conntrack by a rule of table raw, and then drops it because conntrack does not know it",
  "cause.nodeport_shadows_host_port":
    "port {port} of {stack} is a NodePort and also that of a process ({process}): rules take the packet before the process sees it",
  "cause.nodeport_addresses": "{stack} serves NodePort {port} on other addresses, not on {address}",
  "cause.src_selection_masquerade.none":
    "MASQUERADE on {stack} finds no address to use for {out}, and drops the packet",
  "cause.src_selection_masquerade.moved":
    "the connection was masqueraded for another device of {stack} and now leaves by {out}: it is dropped",
  "cause.routing_loop": "packets for {address} go round between {stacks} until their TTL runs out",
  "cause.l2_path": "no port of the bridge of {stack} leads to the frame's destination (it came in by {device})",
  "cause.l2_path.vlan": "{stack} has no device for the VLAN of a frame that comes in by {device}",
  "cause.conntrack_insert_race.walked":
    "the packet is dropped on {stack}: its conntrack entry clashes with that of another connection",
  "cause.nodeport_port_taken": "kube-proxy on {node} could not open port {port}: another socket had it",
  "cause.no_endpoints.port_name":
    "Service {service} sends to a port named {port}, and no pod that it selects has one: it has no endpoint",
  "cause.no_endpoints.objects": "Service {service} has no ready endpoint",
  "cause.ip_family_mismatch":
    "Service {service} is called by an IPv{family} address and has no endpoint of that family",
  "cause.legacy_nft_conflict":
    "{stack} has kube-proxy's rules in both back ends of iptables, with different endpoints: both run",
  "cause.datapath_not_modelled":
    "the packet meets {what} on {stack}, which is not modelled: ask that datapath's own tools",
  "cause.nft_second_table_drop":
    "nft table {table} on {stack} stands beside the iptables rules: what they accept it may still drop",
  "cause.rule_unknown":
    "the packet meets a rule on {stack} ({step}) that is not understood, or asks for what was not shown",
  "cause.cidr_overlap":
    "the pool {pool} covers {network}, a network of the nodes: packets for hosts there are taken for pods' and keep the pod's address",
  "cause.masq_missing_nat_outgoing":
    "the pool {pool} has natOutgoing off: packets leave with the pod's address, to which the outside may have no way",
  "cause.kube_ipvs0_addr_conflict.owner": "{address} is bound on {device} and is also an address of {owner}",
  "cause.mtu_blackhole.tunnel":
    "{tunnel} of {stack} lets {mtu} bytes in, which do not fit the {limit} of {below} once wrapped, and large segments were seen to stall",
  "cause.mtu_blackhole.stall":
    "the handshake passes and large segments are sent again and again: something on the way takes only smaller packets and does not say so",
  "cause.conntrack_insert_race.dns":
    "some questions sent at once from one port are never answered: their conntrack entries race, and one packet is dropped",
  "cause.lb_loopback.seen":
    "{balancer} sends the packet back to {stack}, from which it came, with its source {source} kept",
  "cause.cloud_src_dst_check.card":
    "{stack} sends from {source} out of {device}, and the address is that of {owner}: a network that checks sources drops it",
  "cause.policy_route_pod_source.reply":
    "a routing rule of {stack} (preference {preference}) sends the answer out of {left}, while the request came in by {came}",
  "cause.nodeport_addresses.configured": "kube-proxy serves NodePort {port} on {addresses} only, not on {address}",
  "cause.kube_ipvs0_addr_conflict.kept":
    "{stack} keeps the packet for itself: {address} is bound on its {device}, and is an address of {owner}",
  "cause.mtu_blackhole.sizes":
    "{tunnel} of {stack} lets {mtu} bytes in, which do not fit the {limit} of {below} once wrapped: large packets may be lost where small ones pass",
  "cause.masq_missing_remote_endpoint.outside":
    "{stack} sends the client on to {endpoint} on another node and keeps its address: unless the answer comes back by {stack}, the client gets it from an address it did not call",
} as const;
