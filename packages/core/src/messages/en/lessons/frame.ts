/** The frame of what `hairpin explain` prints; the lessons themselves stand beside it. */
export const frame = {
  "lesson.room.routing": "Routing and source validation",
  "lesson.room.netfilter": "Netfilter: rules and translation",
  "lesson.room.conntrack": "Connection tracking",
  "lesson.room.service": "Services and kube-proxy",
  "lesson.room.ipvs": "IPVS",
  "lesson.room.link": "Links, bridges and tunnels",
  "lesson.room.ipv6": "IPv6 addressing and neighbour discovery",
  "lesson.room.network": "The network between the nodes",
  "lesson.room.limits": "Where the model ends",
  "lesson.heading.happens": "What happens",
  "lesson.heading.kernel": "In the kernel: {functions}",
  "lesson.heading.see": "How to see it",
  "lesson.heading.cures": "What cures it",
  "lesson.heading.not": "Not to be confused with",
  "lesson.heading.sure": "How sure an answer can be",
  "lesson.heading.case": "A worked case",
  "lesson.no-function": "no function of the kernel decides it",
  "lesson.no-case": "None of the bundled cases shows it.",
  "lesson.list.intro": "Why flows fail, {count} causes. hairpin explain CODE teaches one of them.",
  "lesson.unknown-code": "there is no cause {code}; hairpin explain lists them all",
  "lesson.unknown-code.near": "there is no cause {code}; did you mean {near}? hairpin explain lists them all",
  "lesson.sure.proven":
    "Up to proven: the trace takes this one thing away in the model, changes nothing else, and the flow works.",
  "lesson.sure.inferred":
    "Up to inferred: the trace or a capture shows it, but no single change in the model takes it away.",
  "lesson.sure.possible":
    "Possible only: it depends on time or load, or no file shows it. The commands above settle it.",
  "lesson.no-cure.no_endpoints":
    "No change of a node helps: a pod must become ready, or the Service's selector be right.",
  "lesson.no-cure.no_listener": "Start the process, or make it listen on the address that is called.",
  "lesson.no-cure.ipvs_localhost_nodeport": "Call an address of the node instead of 127.0.0.1.",
  "lesson.no-cure.dad_failed": "Two machines have the address: give one of them another.",
  "lesson.no-cure.link_local_without_zone": "Name the device: fe80::1%eth0.",
  "lesson.no-cure.src_selection_ipv6":
    "Route that prefix back, or take the address off or deprecate it; which is right is for the network to say.",
  "lesson.no-cure.neighbour_failed": "Find the machine, cable or VLAN that is missing.",
  "lesson.no-cure.l2_path": "Add the port, or the VLAN to the port.",
  "lesson.no-cure.duplicate_vtep_mac":
    "Let the CNI plug-in make the device again with another MAC, so that every node learns it.",
  "lesson.no-cure.wrong_underlay_interface":
    "Tell the CNI plug-in which card to use (flannel --iface, Calico IP_AUTODETECTION_METHOD); it tells the other nodes.",
  "lesson.no-cure.tunnel_mismatch": "Make both ends agree; which of them is right only you know.",
  "lesson.no-cure.nodeport_addresses": "Call the served address, or change nodePortAddresses of kube-proxy.",
  "lesson.no-cure.nodeport_shadows_host_port": "Give the Service or the process another port.",
  "lesson.no-cure.nodeport_port_taken":
    "Reserve the NodePort range (net.ipv4.ip_local_reserved_ports) and end the process that has the port.",
  "lesson.no-cure.conntrack_insert_race":
    "Masquerade with --random-fully; for DNS a cache on the node, or single-request-reopen in resolv.conf.",
  "lesson.no-cure.cidr_overlap": "Move the pool of pods to a network that nobody else has.",
  "lesson.no-cure.ip_family_mismatch": "Correct ipFamilies of the Service, or give the pods addresses of that family.",
  "lesson.no-cure.port_not_in_service": "Call a port that the Service has, or add the port to it.",
  "lesson.no-cure.service_not_programmed_here": "Repair kube-proxy on that node; its log says what stops it.",
  "lesson.no-cure.kube_proxy_drift": "Restart kube-proxy on that node and see whether the difference comes back.",
  "lesson.no-cure.rule_unknown": "None until it is known what the rule does: read its counter.",
  "lesson.no-cure.datapath_not_modelled": "Ask that datapath's own tools (cilium monitor, bpftool, calico-node -bpf).",
} as const;
