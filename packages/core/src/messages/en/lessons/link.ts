/** What `hairpin explain` teaches of causes in links, tunnels and the network between nodes: `lesson.<code>.title`, `.happens`, `.see`, `.not`. */
export const lessonsLink = {
  "lesson.hairpin_off.title": "a pod calls itself through its Service",
  "lesson.hairpin_off.happens":
    "The pod calls a Service and is chosen as its endpoint. After translation the frame would have to leave the bridge by the port it came in by, which a bridge refuses unless hairpin mode is on for that port.",
  "lesson.hairpin_off.see":
    "The call fails only when the pod is chosen itself; bridge -d link shows hairpin off for its port.",
  "lesson.hairpin_off.not": "Pods on routed veths (Calico) do not need it.",
  "lesson.link_down.title": "a device on the way is down",
  "lesson.link_down.happens":
    "When a device goes down the kernel takes its routes out of the table, and what is sent to it is discarded. Without carrier the route stays, marked linkdown.",
  "lesson.link_down.see": "ip link shows state DOWN or NO-CARRIER.",
  "lesson.link_down.not": "State UNKNOWN is normal for tunnels and loopback.",
  "lesson.neighbour_failed.title": "the next hop does not answer ARP",
  "lesson.neighbour_failed.happens":
    "The route is found, but the link address of the next hop is not. After three requests the neighbour entry is FAILED, waiting packets are dropped and the sender gets EHOSTUNREACH or ICMP host unreachable.",
  "lesson.neighbour_failed.see": "ip neigh shows FAILED or INCOMPLETE for the next hop.",
  "lesson.neighbour_failed.not": "Failed entries of neighbours that are not on the way.",
  "lesson.l2_path.title": "the bridge has no way for the frame",
  "lesson.l2_path.happens":
    "A bridge forwards by MAC and VLAN. A port that is not a member of the VLAN, or is not forwarding, drops the frame before any rule of IP sees it.",
  "lesson.l2_path.see": "bridge vlan and bridge fdb for the ports on the way.",
  "lesson.l2_path.not": "A filter at the bridge family is a rule.",
  "lesson.mtu_blackhole.title": "large packets vanish",
  "lesson.mtu_blackhole.happens":
    'A packet with "don\'t fragment" is larger than the device it leaves by. The kernel drops it and tells the sender by ICMP "fragmentation needed". If that message is filtered, or the loss is inside a tunnel, the sender repeats the same large segment for ever. The handshake, being small, works.',
  "lesson.mtu_blackhole.see":
    "Small requests work, large ones hang; a capture shows the same full segment again and again; ping -M do finds the size.",
  "lesson.mtu_blackhole.not": "A smaller MTU alone is no fault: with ICMP let through, TCP adapts.",
  "lesson.vxlan_tx_csum_offload.title": "wrong checksums out of a VXLAN device",
  "lesson.vxlan_tx_csum_offload.happens":
    "The checksum is left to the card. With some kernels and drivers the combination of NAT, VXLAN and offload writes a wrong one, and the receiver drops the packet silently after decapsulation. Retransmissions may take another path in the kernel and pass, after 1, 3 or 63 seconds.",
  "lesson.vxlan_tx_csum_offload.see":
    "ethtool -k of the VXLAN device has tx-checksum-ip-generic on, and off cures it; InCsumErrors grows on the receiver.",
  "lesson.vxlan_tx_csum_offload.not": '"cksum incorrect" in a capture at the sender is normal with offload.',
  "lesson.duplicate_vtep_mac.title": "two nodes have one VTEP MAC",
  "lesson.duplicate_vtep_mac.happens":
    "Cloned machines may give their VXLAN devices the same MAC. A frame whose source MAC is the receiver's own is dropped as a loop, and the forwarding table can name only one of them.",
  "lesson.duplicate_vtep_mac.see": "ip -d link show type vxlan prints the same link/ether on both.",
  "lesson.duplicate_vtep_mac.not": "One node shown twice in a collection.",
  "lesson.wrong_underlay_interface.title": "the tunnel is bound to the wrong card",
  "lesson.wrong_underlay_interface.happens":
    "The CNI plug-in chose a card whose address is not unique or not reachable (a NAT address of a virtual machine, a storage network), and told the other nodes to send tunnel packets there.",
  "lesson.wrong_underlay_interface.see":
    "The public-ip annotation differs from the node's InternalIP, or is the same on several nodes; bridge fdb points there.",
  "lesson.wrong_underlay_interface.not": "Two cards of which both reach the others.",
  "lesson.tunnel_mismatch.title": "the ends of a tunnel do not match",
  "lesson.tunnel_mismatch.happens":
    "An encapsulated packet arrives, and no device takes it: kind of tunnel, VNI, UDP port, key or remote address differ. The kernel drops it, for IPIP with an ICMP answer.",
  "lesson.tunnel_mismatch.see":
    "ip -d link on both nodes; the tunnel's packets arrive at the card and nothing comes out of the tunnel device.",
  "lesson.tunnel_mismatch.not": "Tunnel packets that never arrive: UNDERLAY_FILTER.",
  "lesson.arp_not_strict.title": "every node answers ARP for the address",
  "lesson.arp_not_strict.happens":
    "An address on kube-ipvs0 is local, and by default the kernel answers ARP for any local address on any card. Several nodes claim a load balancer's address, and the router takes whoever answered last.",
  "lesson.arp_not_strict.see": "arping gets answers from more than one MAC.",
  "lesson.arp_not_strict.not": "A single node, or arp_ignore 1 on all of them.",
  "lesson.arp_table_overflow.title": "the neighbour table is full",
  "lesson.arp_table_overflow.happens":
    "At gc_thresh3 entries the kernel cannot make another neighbour entry, and packets to new neighbours are dropped. Overlays with an entry for every pod or node come to it.",
  "lesson.arp_table_overflow.see":
    'The kernel log says "neighbor table overflow"; the number of entries is near gc_thresh3.',
  "lesson.arp_table_overflow.not": "Many FAILED entries below the limit.",
  "lesson.underlay_filter.title": "the network between the nodes drops it",
  "lesson.underlay_filter.happens":
    "The packet leaves one node in order and never arrives at the other. A security group, a firewall or an access list between them does not allow the protocol, port or source; often it is UDP 4789 or 8472, or IP protocol 4.",
  "lesson.underlay_filter.see": "Captures of both cards at the same time: there on one, absent on the other.",
  "lesson.underlay_filter.not": "If some packets of one connection pass, it is a checksum or the MTU.",
  "lesson.cloud_src_dst_check.title": "the cloud refuses a source the card does not own",
  "lesson.cloud_src_dst_check.happens":
    "Cloud networks drop packets whose source is not an address of the card they leave by. Routed pod networks without encapsulation, and replies that leave by a second card, meet it.",
  "lesson.cloud_src_dst_check.see":
    "The packet leaves by the card in a capture, with a source that the card does not have, and arrives nowhere.",
  "lesson.cloud_src_dst_check.not": "Encapsulated packets have the node's own address outside.",
} as const;
