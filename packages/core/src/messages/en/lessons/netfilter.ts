/** What `hairpin explain` teaches of causes in netfilter and conntrack: `lesson.<code>.title`, `.happens`, `.see`, `.not`. */
export const lessonsNetfilter = {
  "lesson.masq_missing_node_to_pod.title": "a node's own traffic enters the overlay unmasqueraded",
  "lesson.masq_missing_node_to_pod.happens":
    "A process on the node calls a Service; after DNAT the packet leaves through the overlay device but still carries the address of the card. The other node answers to that address directly, outside the overlay, or its reverse path filter refuses the packet.",
  "lesson.masq_missing_node_to_pod.see":
    "A capture on the overlay device shows the node's card as source; POSTROUTING has no MASQUERADE that matches it.",
  "lesson.masq_missing_node_to_pod.not": "A pod's own packets have a pod's address and need no masquerading here.",
  "lesson.masq_missing_ipvs_host.title": "IPVS: a node calls a virtual address it has itself",
  "lesson.masq_missing_ipvs_host.happens":
    "The virtual address stands on kube-ipvs0, so it is local, and a local destination is also chosen as source. IPVS rewrites the destination only. Without masquerading, the real server gets a packet from the virtual address and answers to it on its own node.",
  "lesson.masq_missing_ipvs_host.see":
    "A capture on the way shows the Service address as source; no rule of KUBE-SERVICES or KUBE-POSTROUTING masquerades it.",
  "lesson.masq_missing_ipvs_host.not": "A real server on the same node answers through the node itself and works.",
  "lesson.masq_missing_remote_endpoint.title": "the reply bypasses the node that translated",
  "lesson.masq_missing_remote_endpoint.happens":
    "A node translates the destination but keeps the client's address. The endpoint is elsewhere and has a way to the client that does not lead through that node: the reply arrives with the endpoint's address, belongs to no connection of the client and is reset. Only the node that translated the request can translate the reply back.",
  "lesson.masq_missing_remote_endpoint.see":
    "The client captures answers from the endpoint's address instead of the Service's.",
  "lesson.masq_missing_remote_endpoint.not": "If the only way back leads through the translating node, all is well.",
  "lesson.masq_too_much.title": "a masquerade that should not be there",
  "lesson.masq_too_much.happens":
    "A rule masquerades traffic whose source ought to be kept (masquerade-all, a wrong cluster CIDR, a rule of a virtual machine's bridge). The reply is drawn to the node that masqueraded instead of the client, or a network policy further on sees the node's address where it allows the pod's.",
  "lesson.masq_too_much.see":
    "The endpoint's side captures a node's address as source; a MASQUERADE rule counts for this flow.",
  "lesson.masq_too_much.not":
    "A policy that does not allow the client's address either is a plain NETWORK_POLICY_DROP.",
  "lesson.bridge_nf_off.title": "the reply is bridged past iptables",
  "lesson.bridge_nf_off.happens":
    "Client and endpoint are ports of one bridge. The request was routed, and DNAT rewrote it. The reply is for a neighbour on the same bridge and is switched as a frame; with bridge-nf-call-iptables 0 no hook sees it, so it is not translated back.",
  "lesson.bridge_nf_off.see": "The client captures SYN-ACKs from the pod's own address and answers each with RST.",
  "lesson.bridge_nf_off.not":
    "Masqueraded flows come back through the node and work. If the handshake completes first it is CONNTRACK_INVALID_RST.",
  "lesson.forward_policy_drop.title": "no rule of FORWARD accepts, and the policy is DROP",
  "lesson.forward_policy_drop.happens":
    "Every rule of the FORWARD chain was tried and none accepted; then the policy decides. Docker sets it to DROP. Often the request is accepted by a rule for the pod network and it is the reply that falls through.",
  "lesson.forward_policy_drop.see":
    "iptables -S FORWARD begins with -P FORWARD DROP, and the policy counter of -L -v grows with every attempt.",
  "lesson.forward_policy_drop.not":
    "Pods of one node that are bridged without br_netfilter do not pass FORWARD at all.",
  "lesson.rule_order_reject.title": "a REJECT or DROP stands before the ACCEPT",
  "lesson.rule_order_reject.happens":
    'Rules are tried in order and the first verdict is final for the table. A REJECT without conditions, as firewalls put at the end of their chain, comes before the ACCEPT that was meant for this traffic. The client sees "no route to host" or "connection refused", depending on --reject-with.',
  "lesson.rule_order_reject.see":
    "iptables -L -v --line-numbers shows the REJECT counting and the ACCEPT behind it at 0.",
  "lesson.rule_order_reject.not": "A REJECT that asks for something particular is a RULE_DROP.",
  "lesson.rule_drop.title": "a rule drops the packet",
  "lesson.rule_drop.happens":
    "The packet matches a rule whose verdict is DROP or REJECT, or no rule and a chain whose policy is DROP, and no more specific cause is known for it. The rule is named with table, chain and number.",
  "lesson.rule_drop.see":
    "Its counter grows with every attempt; a LOG rule in front of it, or nft monitor trace, names the packet.",
  "lesson.rule_drop.not": "A rule of a chain that this packet never traverses, however suspicious it looks.",
  "lesson.raw_table_filter.title": "dropped in table raw",
  "lesson.raw_table_filter.happens":
    "Table raw runs at priority -300, before conntrack (-200). A DROP there sees no connection state and no translated address: what matches the Service's address matches before DNAT, and a ctstate match sees nothing it could match.",
  "lesson.raw_table_filter.see":
    "iptables -t raw -L -v shows the rule counting; no conntrack entry appears for the flow.",
  "lesson.raw_table_filter.not": "A NOTRACK rule of the same table drops nothing by itself: NOTRACK_VS_POLICY.",
  "lesson.notrack_vs_policy.title": "untracked packets meet rules that ask for state",
  "lesson.notrack_vs_policy.happens":
    "A rule of table raw (CT --notrack) keeps the packet out of conntrack. Its state is UNTRACKED, so a rule that accepts ESTABLISHED does not match, no translation is undone, and the packet falls to the drop behind.",
  "lesson.notrack_vs_policy.see":
    "The notrack rule counts, and conntrack -L has no entry for a flow that is under way.",
  "lesson.notrack_vs_policy.not": "If tracking the packet does not cure it, another rule is to blame.",
  "lesson.rule_corrupted_by_version_skew.title": "KUBE-FIREWALL drops everything",
  "lesson.rule_corrupted_by_version_skew.happens":
    "Two versions of iptables wrote the same table (the host's and a container's), and a mark match was lost on the way. The rule \"dropping marked packets\" has no mark left to ask for, so it matches every packet.",
  "lesson.rule_corrupted_by_version_skew.see": "The DROP rule of KUBE-FIREWALL has no -m mark.",
  "lesson.rule_corrupted_by_version_skew.not": "With its mark the rule is as kubelet wants it.",
  "lesson.network_policy_drop.title": "a network policy does not allow it",
  "lesson.network_policy_drop.happens":
    "The CNI plug-in has chains and sets for every pod with a policy. The packet reached such a chain and no policy passed it. Which source the chain sees depends on translation before it.",
  "lesson.network_policy_drop.see":
    "The last rule of the pod's chain (cali-tw-, cali-fw-, KUBE-POD-FW-) counts; the set of allowed addresses lacks the source.",
  "lesson.network_policy_drop.not":
    "If the set has the pod's address and the packet a node's, the masquerade is the fault: MASQ_TOO_MUCH.",
  "lesson.docker_isolation.title": "Docker keeps its networks apart",
  "lesson.docker_isolation.happens":
    "DOCKER-ISOLATION-STAGE-1 and -2 drop what comes in from one Docker bridge and leaves by another.",
  "lesson.docker_isolation.see":
    "The DROP in DOCKER-ISOLATION-STAGE-2 counts; incoming and outgoing device are two bridges of Docker.",
  "lesson.docker_isolation.not": "Containers of one network do not pass it.",
  "lesson.nft_second_table_drop.title": "accepted in one nftables table, dropped in another",
  "lesson.nft_second_table_drop.happens":
    "Every base chain at a hook is run, in order of priority. accept ends only its own base chain; the packet goes on to the next. drop is final. So a firewall in a table of its own can drop what kube-proxy, Docker or iptables-nft accepted.",
  "lesson.nft_second_table_drop.see":
    "nft monitor trace shows an accept, and after it a drop at the same hook in another table.",
  "lesson.nft_second_table_drop.not": "An accept at another hook says nothing about this one.",
  "lesson.legacy_nft_conflict.title": "kube-proxy's rules in both iptables backends",
  "lesson.legacy_nft_conflict.happens":
    "iptables-legacy and iptables-nft are two rule sets in one kernel, and both are run. After a change of backend the old rules stay, with old endpoints. For translation, whichever sets the connection up first decides.",
  "lesson.legacy_nft_conflict.see":
    "Both iptables-legacy-save and iptables-nft-save list KUBE-SEP chains, and their endpoints differ.",
  "lesson.legacy_nft_conflict.not": "An empty legacy table, or the same endpoints twice, does no harm.",
  "lesson.conntrack_stale_udp.title": "an old conntrack entry decides",
  "lesson.conntrack_stale_udp.happens":
    "Translation rules are consulted for the first packet of a connection only; afterwards the conntrack entry decides. UDP has no end, so an entry lives as long as the client keeps sending. After an endpoint is gone, or if the first packet came before the rules, every further packet goes where the entry says.",
  "lesson.conntrack_stale_udp.see":
    "conntrack -L for that client shows a reply source that is no endpoint now, or the Service address itself.",
  "lesson.conntrack_stale_udp.not": "Only that source port fails; a new one works.",
  "lesson.conntrack_insert_race.title": "two packets race for one conntrack entry",
  "lesson.conntrack_insert_race.happens":
    "An entry is inserted when its first packet leaves, not when it is made. Two packets at the same moment (the A and AAAA questions of a resolver, two connections masqueraded to one port) may both have found nothing; the second to confirm clashes and is dropped if it cannot be merged. The client sends again after its timeout, five seconds for DNS.",
  "lesson.conntrack_insert_race.see": "insert_failed of conntrack -S grows.",
  "lesson.conntrack_insert_race.not": "A full table counts under drop and early_drop: CONNTRACK_FULL.",
  "lesson.conntrack_invalid_rst.title": "a packet out of the window gets through untranslated",
  "lesson.conntrack_invalid_rst.happens":
    "A packet of the endpoint lies outside the window that conntrack computed. It is INVALID, so it is not translated back, but nothing drops it either. It reaches the client from an unknown address, and the client resets a healthy connection.",
  "lesson.conntrack_invalid_rst.see":
    "In a capture at the client: in an established connection a packet from the endpoint's own address, then RST; invalid in conntrack -S grows.",
  "lesson.conntrack_invalid_rst.not":
    "Without a completed handshake it is BRIDGE_NF_OFF. With nf_conntrack_tcp_be_liberal 1 it cannot happen.",
  "lesson.conntrack_full.title": "the conntrack table is full",
  "lesson.conntrack_full.happens":
    "Every new connection needs an entry. At nf_conntrack_max the kernel tries to evict an unassured one; if none is found the packet is dropped. Connections that are in the table go on.",
  "lesson.conntrack_full.see":
    'The kernel log says "nf_conntrack: table full, dropping packet"; the count is at the maximum.',
  "lesson.conntrack_full.not": "A count far below the maximum.",
  "lesson.nat_port_rewrite.title": "the source port changes in the middle of a flow",
  "lesson.nat_port_rewrite.happens":
    "A packet that passes conntrack a second time (on a bridge, in another zone, after a tunnel) needs a tuple of its own. If the one it has is taken, the kernel chooses another source port, even without a NAT rule. The peer then sees an unknown connection.",
  "lesson.nat_port_rewrite.see":
    "Captures before and after the node show different source ports; conntrack -L has two entries for one connection.",
  "lesson.nat_port_rewrite.not": "A masquerade that chooses another port at the start of a connection is in order.",
  "lesson.tcp_tw_recycle_nat.title": "tcp_tw_recycle behind NAT",
  "lesson.tcp_tw_recycle_nat.happens":
    "With tcp_tw_recycle 1 a server remembers the last timestamp for each client address and drops SYNs with an older one. Behind NAT many clients share an address, and their clocks differ.",
  "lesson.tcp_tw_recycle_nat.see":
    "PAWSPassive (netstat -s: passive connections rejected because of time stamp) grows on the server.",
  "lesson.tcp_tw_recycle_nat.not": "The sysctl is gone since kernel 4.12.",
  "lesson.rule_unknown.title": "a rule that is not understood decides",
  "lesson.rule_unknown.happens":
    "The trace meets a match or target it does not know, or one that asks for something no file shows. Both outcomes are followed; where they differ, the answer stays open rather than guessed.",
  "lesson.rule_unknown.see": "Look at the rule's counter before and after one attempt.",
  "lesson.rule_unknown.not": "Unknown rules that this packet does not meet decide nothing.",
  "lesson.datapath_not_modelled.title": "another datapath takes the packet",
  "lesson.datapath_not_modelled.happens":
    "A program at XDP or tc (Cilium, Calico's eBPF mode), a flowtable or a special device takes the packet out of the path that is modelled here. What it does with it is in its own maps.",
  "lesson.datapath_not_modelled.see": "tc and ip -d link list programs on the devices of the way.",
  "lesson.datapath_not_modelled.not": "Programs on devices that this flow does not use.",
} as const;
