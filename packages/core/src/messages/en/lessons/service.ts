/** What `hairpin explain` teaches of causes in Services, kube-proxy and IPVS: `lesson.<code>.title`, `.happens`, `.see`, `.not`. */
export const lessonsService = {
  "lesson.no_endpoints.title": "the Service has no ready endpoint",
  "lesson.no_endpoints.happens":
    'kube-proxy programs a REJECT for a Service without endpoints (iptables, nftables), or a virtual service without real servers (IPVS), to which the kernel answers ICMP port unreachable. Either way the client sees "connection refused" at once.',
  "lesson.no_endpoints.see":
    'The EndpointSlices list no ready address; a REJECT with the comment "has no endpoints" counts.',
  "lesson.no_endpoints.not":
    "An endpoint that exists on another node only, under policy Local: ETP_LOCAL_NO_ENDPOINT_IPTABLES or _IPVS.",
  "lesson.no_listener.title": "nothing listens there",
  "lesson.no_listener.happens":
    "The packet is delivered, and no socket matches address and port. TCP answers with RST, UDP with ICMP port unreachable. A process that listens on 127.0.0.1 only is not there for anybody else.",
  "lesson.no_listener.see": "ss -lntu in the namespace of the endpoint lacks the port, or shows it on 127.0.0.1.",
  "lesson.no_listener.not": "If the endpoint listens on another port of the same Service: TARGET_PORT_MISMATCH.",
  "lesson.target_port_mismatch.title": "the Service sends to a port nobody has",
  "lesson.target_port_mismatch.happens":
    "Translation rewrites the destination to the Service's targetPort. The endpoint listens on another port, so its kernel answers the SYN with RST. kube-proxy does not check who listens.",
  "lesson.target_port_mismatch.see":
    "The port of the endpoint in kubectl get endpointslices differs from what ss shows in the pod.",
  "lesson.target_port_mismatch.not": "Calls to the pod's own address: NO_LISTENER.",
  "lesson.stale_endpoint.title": "rules send to an endpoint that is gone",
  "lesson.stale_endpoint.happens":
    "A KUBE-SEP chain, a map element or a real server still names an address whose pod no longer exists. The kernel translates to it faithfully; the packet ends in ARP that nobody answers, or at a pod that got the address since.",
  "lesson.stale_endpoint.see": "The address is in the rules and not in the EndpointSlices.",
  "lesson.stale_endpoint.not": "An endpoint that the objects do list and that is merely silent: NEIGHBOUR_FAILED.",
  "lesson.service_not_programmed_here.title": "this node does not know the Service",
  "lesson.service_not_programmed_here.happens":
    "The Service exists and other nodes have rules for it, but here kube-proxy has not written any: it is down, behind, or stuck on an error. Without a rule the packet for the virtual address is routed like any other and leaves by the default route.",
  "lesson.service_not_programmed_here.see":
    "iptables-save, nft or ipvsadm lacks the address; kube-proxy's pod or log on that node says why.",
  "lesson.service_not_programmed_here.not": "A Service without ready endpoints, or a dump that was cut.",
  "lesson.kube_proxy_drift.title": "rules differ from what kube-proxy should have written",
  "lesson.kube_proxy_drift.happens":
    "From the objects it follows what kube-proxy should have programmed. What the node has differs, and with the expected rules the flow works: an old kube-proxy, a missed sync, or somebody's edit.",
  "lesson.kube_proxy_drift.see": "hairpin diff --expected lists the rules that differ.",
  "lesson.kube_proxy_drift.not": "STALE_ENDPOINT and SERVICE_NOT_PROGRAMMED_HERE say the same more precisely.",
  "lesson.port_not_in_service.title": "the Service does not have that port",
  "lesson.port_not_in_service.happens":
    "A virtual address answers for the ports of its Service only. For another port no rule matches: with iptables the packet leaves by the default route and the client waits; with IPVS the address is local, nobody listens, and it is refused.",
  "lesson.port_not_in_service.see": "kubectl get svc lists the ports.",
  "lesson.port_not_in_service.not": "An address that a node's card has may serve any port.",
  "lesson.ip_family_mismatch.title": "Service and endpoints are of different IP families",
  "lesson.ip_family_mismatch.happens":
    "A Service called by its IPv6 address is served by IPv6 endpoints only, and likewise for IPv4. If every ready endpoint is of the other family, that address has none and the packet is rejected.",
  "lesson.ip_family_mismatch.see": "ipFamilies of the Service and the addressType of its EndpointSlices.",
  "lesson.ip_family_mismatch.not": "A dual-stack Service with endpoints of both families.",
  "lesson.etp_local_no_endpoint_iptables.title": "traffic policy Local and no endpoint on this node",
  "lesson.etp_local_no_endpoint_iptables.happens":
    "With externalTrafficPolicy Local a node serves external traffic from its own endpoints only, to keep the client's address. A node without one drops the packet, silently, so that the load balancer's health check takes it out. A client that calls this node all the same waits for its timeout.",
  "lesson.etp_local_no_endpoint_iptables.see":
    'A rule with the comment "has no local endpoints" counts; the health check port answers 503.',
  "lesson.etp_local_no_endpoint_iptables.not": "Pods of the cluster are served by every endpoint, policy or not.",
  "lesson.etp_local_no_endpoint_ipvs.title": "traffic policy Local, no endpoint here, IPVS",
  "lesson.etp_local_no_endpoint_ipvs.happens":
    "The node has the virtual service but no real server under it. IPVS finds nobody to schedule to and answers ICMP port unreachable in the name of the virtual address: the client is refused at once, unlike with iptables.",
  "lesson.etp_local_no_endpoint_ipvs.see": "ipvsadm -Ln shows the virtual service with no line below it.",
  "lesson.etp_local_no_endpoint_ipvs.not": "A cluster address without endpoints anywhere: NO_ENDPOINTS.",
  "lesson.lb_source_ranges.title": "the client is not in loadBalancerSourceRanges",
  "lesson.lb_source_ranges.happens":
    "kube-proxy enforces the ranges on every node, in KUBE-FW-, KUBE-PROXY-FIREWALL or the nftables firewall chains. Whoever is not listed is dropped; since 1.25 pods of the cluster are, too.",
  "lesson.lb_source_ranges.see": "The drop in the firewall chain counts; kubectl get svc -o yaml shows the ranges.",
  "lesson.lb_source_ranges.not": "Calls to the cluster address are not restricted by it.",
  "lesson.lb_loopback.title": "the load balancer sends the packet back to its sender",
  "lesson.lb_loopback.happens":
    "A node, or a pod masqueraded by it, calls the address of a load balancer of which the node itself is a target. The balancer keeps the client's address and chooses this very node: the packet arrives from outside with the node's own address as source and is refused as a martian.",
  "lesson.lb_loopback.see":
    "A capture on the card shows the SYN go out to the balancer and come back for a node port, source unchanged.",
  "lesson.lb_loopback.not":
    "A balancer that puts its own address in, or an address that kube-proxy serves on the node.",
  "lesson.nodeport_addresses.title": "the NodePort is not served on this address",
  "lesson.nodeport_addresses.happens":
    "kube-proxy serves NodePorts on the addresses that nodePortAddresses selects; in nftables mode that is the primary address by default. On another address of the node no rule matches, and nobody listens.",
  "lesson.nodeport_addresses.see":
    "The set nodeport-ips, or the -d of the jump to KUBE-NODEPORTS, lacks the called address.",
  "lesson.nodeport_addresses.not": "A Service without that NodePort.",
  "lesson.nodeport_shadows_host_port.title": "a NodePort takes the port of a process",
  "lesson.nodeport_shadows_host_port.happens":
    "DNAT in PREROUTING comes before the socket is looked up. A packet for the port of a process of the node is translated to a Service's endpoint, because the Service has the same number as its NodePort.",
  "lesson.nodeport_shadows_host_port.see": "ss shows a process on the port, and KUBE-NODEPORTS has a rule for it.",
  "lesson.nodeport_shadows_host_port.not": "The socket that kube-proxy itself holds on its NodePorts.",
  "lesson.nodeport_port_taken.title": "a process holds the NodePort",
  "lesson.nodeport_port_taken.happens":
    "Older versions of kube-proxy bind every NodePort to reserve it. If a process has it already, often as an ephemeral port, bind() fails with EADDRINUSE and kube-proxy skips the port.",
  "lesson.nodeport_port_taken.see": 'kube-proxy\'s log says "address already in use".',
  "lesson.nodeport_port_taken.not": "A process that listens there while rules exist: NODEPORT_SHADOWS_HOST_PORT.",
  "lesson.kube_ipvs_filter_reject.title": "IPVS: port not allowed on a virtual address",
  "lesson.kube_ipvs_filter_reject.happens":
    "Since 1.26 kube-proxy protects processes of the node from being reached by a virtual address: what is for an address of KUBE-IPVS-IPS and in no set of known ports is rejected in INPUT. A set that lacks a legitimate kind of address rejects good traffic.",
  "lesson.kube_ipvs_filter_reject.see": "The REJECT in KUBE-IPVS-FILTER counts.",
  "lesson.kube_ipvs_filter_reject.not":
    "A port that the Service does not have is rejected rightly: PORT_NOT_IN_SERVICE.",
  "lesson.kube_ipvs0_addr_conflict.title": "an address on kube-ipvs0 that belongs to another machine",
  "lesson.kube_ipvs0_addr_conflict.happens":
    "In IPVS mode every Service address is bound on kube-ipvs0, on every node. If an external IP or load balancer address is also a real machine's, each node takes packets for it as its own, and refuses packets that come from it.",
  "lesson.kube_ipvs0_addr_conflict.see":
    "ip addr show kube-ipvs0 lists an address that another machine has on its card.",
  "lesson.kube_ipvs0_addr_conflict.not": "A virtual address that nobody has on a card.",
  "lesson.src_selection_kube_ipvs0.title": "the virtual address becomes the source",
  "lesson.src_selection_kube_ipvs0.happens":
    "For a local destination the kernel selects the destination itself as source. Because the Service address is on kube-ipvs0, a process of the node that calls it sends from it. It accompanies MASQ_MISSING_IPVS_HOST.",
  "lesson.src_selection_kube_ipvs0.see":
    'ip route get for the Service address prints "local" and src with the same address.',
  "lesson.src_selection_kube_ipvs0.not": "A client that binds another address, or a pod.",
  "lesson.ipvs_localhost_nodeport.title": "IPVS: 127.0.0.1 and a NodePort",
  "lesson.ipvs_localhost_nodeport.happens":
    "IPVS does not send a packet with a loopback source to another machine: the route lookup of the transmitter refuses to cross that boundary. route_localnet changes nothing.",
  "lesson.ipvs_localhost_nodeport.see": "It works by the node's address and not by 127.0.0.1.",
  "lesson.ipvs_localhost_nodeport.not": "In iptables mode it is a matter of a sysctl: ROUTE_LOCALNET.",
  "lesson.ipvs_persistence_stale.title": "session affinity sends to a drained server",
  "lesson.ipvs_persistence_stale.happens":
    "A persistence template ties a client to a real server. When the server is drained (weight 0) the template stays, and new connections of that client still go there, until it expires.",
  "lesson.ipvs_persistence_stale.see":
    "ipvsadm -lnc has an entry with client port 0 that names a real server of weight 0.",
  "lesson.ipvs_persistence_stale.not": "Other clients are not affected.",
  "lesson.ipvs_conn_reuse.title": "IPVS reuses an old connection for a new SYN",
  "lesson.ipvs_conn_reuse.happens":
    "A client that uses a source port again meets the entry of its old connection. With conn_reuse_mode 0 the SYN goes to the old real server, even one that is drained or gone; with 1 older kernels delay it by a second.",
  "lesson.ipvs_conn_reuse.see": "ipvsadm -lnc shows the old entry in TIME_WAIT for that client port.",
  "lesson.ipvs_conn_reuse.not": "Kernels since 5.9 with mode 1 reschedule without delay.",
} as const;
