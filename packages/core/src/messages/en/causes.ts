/** Why a flow does not work, one sentence each: `cause.<code>[.variant]`. */
export const causes = {
  "leg.request": "request",
  "leg.reply": "reply",
  "cause.rp_filter_strict":
    "{stack} drops the {direction} on {device}: the route back to {source} is via {reverse}, and rp_filter is {value}",
  "cause.rp_filter_strict.unnumbered":
    "{stack} drops the {direction} on {device}, which has no address: the route back to {source} is via {reverse}, and with rp_filter other than 0 such a device accepts only sources that are routed back through it",
  "cause.rp_filter_strict.no-route":
    "{stack} drops the {direction} on {device}: it has no route back to {source}, and rp_filter is {value}",
  "cause.policy_route_pod_source":
    "an ip rule for the client's address (preference {preference}) routes its return traffic out of {reverse}, while the reply comes in on {device}",
  "cause.src_selection_masquerade":
    "MASQUERADE uses {address} of {owner}, because the outgoing device {out} has no address",
  "cause.src_selection_multi_nic":
    "the source {source} was selected for {first}, the device of the route to the address that was called; after DNAT the packet leaves through {again} and keeps it",
  "cause.masq_missing_node_to_pod": "no rule masquerades traffic from {stack} itself that leaves through {device}",
  "cause.martian_local_source": "{stack} drops the {direction} because its source {source} is one of its own addresses",
  "cause.martian_local_source.on":
    "{stack} drops the {direction} because its source {source} is one of its own addresses, on {device}",
  "cause.kube_ipvs0_addr_conflict": "{address} is bound on {device}, and another host sends from it",
  "cause.lb_loopback":
    "the load balancer sends the packet back to {stack}, where it came from, with its source address unchanged",
  "cause.masq_too_much.loop":
    "{stack} masquerades a packet that needs no masquerading, so the reply comes to {stack} instead of the client",
  "cause.etp_local_no_endpoint_ipvs":
    "the virtual service {service} has no real server on {stack}: with externalTrafficPolicy Local and no endpoint here the kernel answers port unreachable",
  "cause.no_endpoints.ipvs": "the virtual service {service} has no real server that accepts connections",
  "cause.masq_missing_ipvs_host":
    "no rule masquerades traffic from {stack} itself to {address}: the real server sees the virtual address as the client and its reply cannot get back",
  "cause.src_selection_kube_ipvs0":
    "the source is {address}, because the address that was called is local to the node, on {device}",
  "cause.ipvs_localhost_nodeport":
    "a connection to 127.0.0.1 cannot be load-balanced to another host: IPVS drops it regardless of route_localnet",
  "cause.ipvs_persistence_stale":
    "a persistence template sends this client to {address}, which has weight 0 and may be gone; other clients are not affected",
  "cause.raw_table_filter": "the {direction} is dropped on {stack} by a rule in table raw, which runs before conntrack",
  "cause.rule_corrupted_by_version_skew":
    "the {direction} is dropped on {stack}: KUBE-FIREWALL drops every packet, because its rule has lost the mark match",
  "cause.etp_local_no_endpoint_iptables.marked":
    "the {direction} is dropped on {stack}: kube-proxy marked the packet for drop",
  "cause.etp_local_no_endpoint_iptables":
    "the {direction} is dropped on {stack}: the Service has no endpoint on this node and its traffic policy is Local",
  "cause.forward_policy_drop":
    "the {direction} is dropped on {stack}: no rule of FORWARD accepts it and the policy is DROP",
  "cause.no_endpoints": "the {direction} is rejected on {stack}: the Service has no endpoint",
  "cause.lb_source_ranges":
    "the {direction} is dropped on {stack}: {source} is not in the Service's loadBalancerSourceRanges",
  "cause.kube_ipvs_filter_reject":
    "the {direction} is rejected on {stack}: kube-proxy's IPVS filter accepts only the known ports of a virtual address",
  "cause.network_policy_drop": "the {direction} is dropped on {stack}: a network policy does not allow it ({chain})",
  "cause.docker_isolation": "the {direction} is dropped on {stack}: Docker isolates its networks from each other",
  "cause.rule_order_reject":
    "the {direction} is rejected on {stack}: a rule of {chain} rejects everything that no earlier rule accepted",
  "cause.forward_policy_drop.nft":
    "the {direction} is dropped on {stack}: no rule of {chain} in table {table} accepts it, and the policy of that forward chain is drop",
  "cause.nft_second_table_drop.walked":
    "the {direction} is dropped on {stack}: table {accepted} accepts it, but accept ends only that base chain; {chain} in table {table} drops it at the same hook",
  "cause.rule_drop": "the {direction} is dropped on {stack} by rule {number} of {chain} in table {table}",
  "cause.rule_drop.policy": "the {direction} is dropped on {stack}: the policy of {chain} in table {table} is DROP",
  "cause.rule_drop.logged": "{stack} logs the packet with prefix “{prefix}” ({step}): a rule drops it there",
  "cause.rule_drop.traced": "the packet trace of {stack} ends in a drop: {step}",
  "cause.rule_drop.traced-policy": "the packet trace of {stack} ends in a drop by the policy of {step}",
  "cause.rule_drop.counted":
    "a DROP rule of chain {chain} on {stack} has counted {packets} packets, and none of its matches excludes this flow: {rule}",
  "cause.rule_drop.counted-unreached":
    "a rule of chain {chain} (table {table}) on {stack} has dropped {packets} packets, and none of its matches excludes this flow; the dumps do not show what leads to the chain",
  "cause.forward_policy_drop.shown":
    "FORWARD of ip6tables on {stack} has policy DROP: traffic to {to} that is forwarded (or bridged, with bridge-nf-call-ip6tables) is dropped unless a rule accepts it",
  "cause.rp_filter_strict.logged":
    "the kernel of {stack} dropped the packet from {src} to {dst} on {device}: source validation finds no route back through that device",
  "cause.martian_local_source.logged":
    "the kernel of {stack} dropped the packet from {src} to {dst} on {device}: {src} is one of its own addresses",
  "cause.cloud_src_dst_check.seen":
    "the reply leaves {stack} through {left}, while the request came in on {came}, and it never arrives: a network with source checks drops packets from {source}, which is not an address of that interface",
  "cause.conntrack_stale_udp.shown":
    "a conntrack entry on {stack} sends source port {port} to {address}, which nothing in the dumps lists as an endpoint any more; other source ports are not affected",
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
    "{bytes} bytes of the connection leave {stack} in a fragmented tunnel packet: the underlay's MTU is too small, and fragments are often lost",
  "cause.hairpin_off":
    "after DNAT the packet would have to leave the bridge through {port}, the port it came in on, and hairpin mode is off there",
  "cause.bridge_nf_off":
    "the reply is bridged on {bridge} without passing netfilter, so its source is not translated back to the address that was called",
  "cause.masq_missing_remote_endpoint":
    "{stack} forwards the request to an endpoint on another host without masquerading: the reply goes directly to the client, from an address it did not call",
  "cause.conntrack_stale_udp":
    "an old conntrack entry on {stack} applies to this source port: packets go to {address}, whatever the rules say now",
  "cause.ip_forward_off": "{stack} does not forward packets that come in on {device}: forwarding is off",
  "cause.no_route.unlike-peers":
    "{stack} has no route to {network}, the pods of {node}, and sends them to its gateway {gateway}, while {by} sends those of {other} to {other} itself",
  "cause.no_route.only-elsewhere":
    "{stack} has no route of its own to {address} and sends it to its gateway {gateway}, while {other} has one",
  "cause.no_route": "{stack} has no route to {address} ({error})",
  "cause.blackhole_route": "a {type} route of {stack} is the best match for {address}",
  "cause.nat_port_rewrite":
    "{stack} changes the source port after the handshake: the packet goes through its conntrack a second time",
  "cause.route_localnet":
    "{stack} drops the {direction} on {device}: 127/8 is not routed outside of lo while route_localnet is 0",
  "cause.neighbour_failed.solicitation": "no host answers neighbour solicitations for {address} on {device} of {stack}",
  "cause.pmtu_filtered":
    "{stack} drops the message by which {router} tells {sender} how large packets may be: large ones are sent again and never arrive",
  "cause.masq_missing_nat_outgoing.unique_local":
    "{stack} lets {source}, a unique local address, out to {to} untranslated, and {where} has no way back to it: IPv6 is not masqueraded",
  "cause.masq_missing_nat_outgoing.leaves":
    "{stack} lets {source}, a unique local address, out to {to} untranslated: the Internet does not route such addresses, so that no answer comes back unless somebody beyond translates it",
  "cause.neighbour_discovery_filtered.solicitation":
    "{stack} drops the neighbour solicitation by which {asker} asks for {address}: without neighbour discovery no IPv6 packet leaves for it",
  "cause.neighbour_discovery_filtered.request":
    "{stack} drops the ARP request by which {asker} asks for {address}: without an answer no packet leaves for it",
  "cause.neighbour_discovery_filtered.reply":
    "{stack} drops the ARP reply that tells {asker} where {address} is: without it no packet leaves for it",
  "cause.neighbour_discovery_filtered.advertisement":
    "{stack} drops the neighbour advertisement that tells {asker} where {address} is: without neighbour discovery no IPv6 packet leaves for it",
  "cause.dad_failed":
    "{address} on {device} of {stack} failed duplicate address detection: another host has it, and {stack} does not use it",
  "cause.dad_failed.tentative":
    "{address} on {device} of {stack} is still tentative: it is not used until duplicate address detection is over",
  "cause.ndp_proxy_missing":
    "{asker} takes {address} to be on its own link, it is behind {stack}, and {stack} does not answer neighbour solicitations for it on {device}",
  "cause.ipv6_disabled": "IPv6 is disabled on {device} of {stack} (disable_ipv6)",
  "cause.link_local_without_zone": "{address} is link-local: without a zone (%DEVICE) nobody knows on which link it is",
  "cause.ra_ignored_forwarding":
    "{stack} has no default route: it ignores router advertisements on {device}, where accept_ra is 1 and forwarding is on",
  "cause.src_selection_ipv6": "{stack} sends from {address}, and {where} has no way back to that address",
  "cause.neighbour_failed": "no host answers ARP for {address} on {device} of {stack}",
  "cause.link_down.route": "{device} of {stack} is down, and with it the route to {network}",
  "cause.link_down": "{device} of {stack} is down",
  "cause.kube_proxy_drift": "{stack} is not as kube-proxy should have programmed it: {what}",
  "cause.stale_endpoint": "{stack} still sends to {endpoint}, which no longer exists",
  "cause.stale_endpoint.named": "{stack} still sends packets for {service} to {endpoint}, which no longer exists",
  "cause.no_listener": "no process listens on {port} in {stack}, where the packet is delivered",
  "cause.mtu_blackhole": "{length} bytes do not fit the MTU of {device} on {stack}",
  "cause.underlay_filter": "the network between the nodes drops packets from {source} to {destination}",
  "cause.cloud_src_dst_check":
    "the network drops packets that {stack} sends from {source}: the outgoing interface does not own that address",
  "cause.arp_not_strict.seen":
    "{macs} all answer ARP for {address}: several hosts have it and do not keep quiet about it; packets go to the host that answered last",
  "cause.arp_not_strict":
    "{stacks} all have the address and, with arp_ignore 0, all answer ARP for it: packets go to the host that answered last",
  "cause.tcp_tw_recycle_nat":
    "{stack} has tcp_tw_recycle on: SYNs of clients behind the same NAT address are dropped intermittently",
  "cause.ipvs_conn_reuse":
    "a client that reuses a source port is sent to {address}, a real server of weight 0, while IPVS still has the old connection (conn_reuse_mode 0)",
  "cause.conntrack_insert_race":
    "{count} packets were dropped because their conntrack entry clashed with another one (insert_failed)",
  "cause.conntrack_full": "the conntrack table of {stack} is or was full: new connections are dropped",
  "cause.arp_table_overflow": "the neighbour table of {stack} is full: addresses that are not in it cannot be resolved",
  "cause.duplicate_vtep_mac":
    "the VTEPs of {owners} all have the MAC {mac}: a receiver takes frames from the others for its own and drops them",
  "cause.wrong_underlay_interface.shared":
    "{nodes} all registered {address} as their tunnel endpoint: traffic between them ends at that address",
  "cause.wrong_underlay_interface.itself":
    "{device} of {stack} sends to {address}, an address of {stack} itself: the tunnel was set up on the wrong interface",
  "cause.wrong_underlay_interface.other":
    "{node} registered {address} as its tunnel endpoint, but its InternalIP is {internal}",
  "cause.bridge_nf_off.seen":
    "{endpoint} replies to {client} over {bridge} from its own address, and the client resets it: the reply does not pass netfilter, which would translate it back to the address that was called",
  "cause.conntrack_invalid_rst":
    "in an established connection a packet of {endpoint} reaches the client without NAT, and the client resets it: conntrack marks it INVALID and no rule drops it",
  "cause.underlay_filter.seen":
    "{what} from {source} to {destination} leaves {left} ({sent} packets) and does not arrive at {missing}: the network between them drops it",
  "cause.underlay_filter.sources":
    "{stack} forwards the packet correctly, and {endpoint} replies to {other} but not to {source}: the network beyond the node drops packets from {source}, or has no route back to it",
  "cause.vxlan_tx_csum_offload.walked":
    "NAT on {stack} changes the packets of {device} after their UDP checksum was computed: it no longer fits, and the receiver drops all that is not ping",
  "cause.vxlan_tx_csum_offload.partly":
    "{sent} SYNs leave {left} in VXLAN and {got} of them arrive at {arrived}: not a filter, but bad checksums from tx offload would do that, for NATed packets in particular",
  "cause.vxlan_tx_csum_offload.ping":
    "ping to {address} gets through the tunnel and TCP does not: no filter outside the tunnel can tell them apart, but bad checksums from tx offload affect TCP only",
  "cause.vxlan_tx_csum_offload.driver":
    "ping to {address} gets through the tunnel and TCP does not, and the driver is {driver}, known for bad inner checksums when VXLAN uses a non-default port",
  "cause.masq_too_much": "{stack} masquerades the packet, so {filter} sees {as}, where it would accept {source}",
  "cause.wrong_pod_route.own":
    "{stack} routes {network}, its own pod network, to {gateway}: that route wins over the one to its own device",
  "cause.wrong_pod_route.other": "{stack} routes {network} to {gateway}, but it is the pod network of {node}",
  "cause.wrong_pod_route.port": "{stack} routes {address} to its own port {device}, but it is a pod of {node}",
  "cause.rp_filter_strict.far":
    "the node of {endpoint} may drop the request on {device}: its route back to {source} is probably through another device, and its rp_filter is not in the dumps",
  "cause.rp_filter_strict.seen":
    "the reply of {answerer} to {as} reaches {stack} and goes no further: source validation may drop it there",
  "cause.martian_local_source.seen":
    "the reply of {answerer} to {as} reaches {stack} and goes no further: if {stack} has {answerer} itself (on kube-ipvs0), it drops it as a martian source",
  "cause.masq_too_much.bridged":
    "{stack} masquerades {client} as {as} although it only bridges the frame, so the reply comes to {stack} instead of the client",
  "cause.etp_local_no_endpoint_ipvs.seen":
    "{service} itself answers port unreachable: the node has the address and its virtual service has no real server there, as with externalTrafficPolicy Local and no endpoint on the node",
  "cause.no_endpoints.seen": "{service} itself answers port unreachable: its virtual service has no real server",
  "cause.duplicate_vtep_mac.walked":
    "{device} of {stack} drops the frame because its source MAC is its own: two VTEPs have the same MAC",
  "cause.wrong_underlay_interface.walked":
    "{device} of {stack} sends to an address of {stack} itself: the tunnel was set up on the wrong interface",
  "cause.neighbour_failed.tunnel":
    "{device} of {stack} does not know the remote for the frame: no FDB entry, and no default remote",
  "cause.neighbour_failed.fixed":
    "{stack} has a permanent neighbour {address} with MAC {mac}, while {holder}, which has that address, has {own}",
  "cause.neighbour_failed.other-mac":
    "{stack} gets the frame on {device} with a destination MAC that is not its own: the sender's neighbour entry is wrong",
  "cause.tunnel_mismatch": "no tunnel device of {stack} accepts the packet: the two ends differ in type, VNI or port",
  "cause.ipvs_conn_reuse.stale":
    "a reused source port matches the old connection to {address}, which conntrack still has: the SYN is dropped",
  "cause.ipvs_conn_reuse.removed":
    "a reused source port matches the old connection to {address}, a real server that was removed",
  "cause.notrack_vs_policy":
    "a rule in table raw of {stack} exempts the {direction} from conntrack, and a later rule drops it because it is untracked",
  "cause.notrack_vs_policy.nat":
    "a rule in table raw of {stack} exempts packets for {address} from conntrack, and what is not tracked is not translated: they go on to {address} as they are",
  "cause.nodeport_shadows_host_port":
    "port {port} of {stack} is a NodePort and a process ({process}) listens on it too: the rules redirect the packet before the process sees it",
  "cause.nodeport_addresses": "{stack} serves NodePort {port} on other addresses, but not on {address}",
  "cause.src_selection_masquerade.none":
    "MASQUERADE on {stack} finds no address to use for {out}, and drops the packet",
  "cause.src_selection_masquerade.moved":
    "the connection was masqueraded for another device of {stack} and now leaves by {out}: it is dropped",
  "cause.routing_loop": "packets for {address} loop between {stacks} until their TTL expires",
  "cause.l2_path": "no port of the bridge of {stack} leads to the destination of the frame (it came in on {device})",
  "cause.l2_path.port": "bridge port {device} of {stack} is {state}, so no ARP request passes it",
  "cause.l2_path.vlan": "{stack} has no device for the VLAN of a frame that comes in on {device}",
  "cause.conntrack_insert_race.walked":
    "the packet is dropped on {stack}: its conntrack entry clashes with that of another connection",
  "cause.nodeport_port_taken": "kube-proxy on {node} could not open port {port}: another socket is bound to it",
  "cause.no_endpoints.port_name":
    "the targetPort of Service {service} is named {port}, and no pod that it selects has a port of that name: it has no endpoint",
  "cause.no_endpoints.objects": "Service {service} has no ready endpoint",
  "cause.ip_family_mismatch":
    "Service {service} is called by an IPv{family} address and has no endpoint of that family",
  "cause.legacy_nft_conflict":
    "{stack} has kube-proxy's rules in both iptables-legacy and iptables-nft, with different endpoints: both are in effect",
  "cause.bridge_vlans_unknown":
    "bridge {bridge} of {stack} may filter by VLAN: the dumps do not say whether, or by which",
  "cause.datapath_not_modelled":
    "the packet reaches {what} on {stack}, which is not modelled: use that datapath's own tools",
  "cause.nft_second_table_drop":
    "{stack} has nft table {table} in addition to the iptables rules: it may still drop what they accept",
  "cause.rule_unknown":
    "the packet reaches a rule on {stack} ({step}) that is not understood, or that matches on something the dumps do not show",
  "cause.cidr_overlap":
    "the pool {pool} covers {network}, a network of the nodes: packets to hosts there are treated as pod traffic and keep the pod's address",
  "cause.carrier": "the tunnel that carries it, {from} to {to} over UDP, is stopped: {what}",
  "cause.masq_missing_nat_outgoing.left":
    "{stack} lets packets of {source} to {to} out with the address of {source}, and nothing answers: outside of the cluster nobody may know the way back to it",
  "cause.masq_missing_nat_outgoing":
    "the pool {pool} has natOutgoing off: packets leave with the pod's address, to which the outside may have no route",
  "cause.kube_ipvs0_addr_conflict.owner": "{address} is bound on {device} and is also an address of {owner}",
  "cause.mtu_blackhole.tunnel":
    "{tunnel} of {stack} accepts {mtu} bytes, which exceed the {limit} of {below} once encapsulated, and the captures show large segments stalling",
  "cause.mtu_blackhole.stall":
    "the handshake completes and large segments are retransmitted over and over: some hop on the path takes only smaller packets and sends no ICMP",
  "cause.conntrack_insert_race.dns":
    "some queries sent at the same time from one port are never answered: their conntrack entries race, and one packet is dropped",
  "cause.lb_loopback.seen":
    "{balancer} sends the packet back to {stack}, where it came from, with its source {source} unchanged",
  "cause.cloud_src_dst_check.card":
    "{stack} sends from {source} out of {device}, and the address belongs to {owner}: a network with source checks drops it",
  "cause.policy_route_pod_source.reply":
    "an ip rule of {stack} (preference {preference}) routes the reply out of {left}, while the request came in on {came}",
  "cause.nodeport_addresses.configured": "kube-proxy serves NodePort {port} on {addresses} only, not on {address}",
  "cause.kube_ipvs0_addr_conflict.kept":
    "{stack} delivers the packet locally: {address} is bound on its {device}, and is an address of {owner}",
  "cause.mtu_blackhole.pinged":
    "packets of {large} bytes are lost and packets of {small} bytes are answered: some hop takes only smaller ones and no ICMP error comes back",
  "cause.mtu_blackhole.sizes":
    "{tunnel} of {stack} accepts {mtu} bytes, which exceed the {limit} of {below} once encapsulated: large packets may be lost while small ones get through",
  "cause.masq_missing_remote_endpoint.outside":
    "{stack} forwards the client to {endpoint} on another node without masquerading: unless the reply comes back through {stack}, the client gets it from an address it did not call",
} as const;
