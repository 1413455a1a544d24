import type { lessonsService as en } from "../../en/lessons/service.ts";

export const lessonsService: Readonly<Record<keyof typeof en, string>> = {
  "lesson.no_endpoints.title": "Service 没有就绪的端点",
  "lesson.no_endpoints.happens":
    "对没有端点的 Service，kube-proxy 会写入一条 REJECT（iptables、nftables），或者一个没有 real server 的虚拟服务（IPVS），内核对它回复 ICMP 端口不可达。两种情况下客户端都立即看到“Connection refused”。",
  "lesson.no_endpoints.see": "EndpointSlice 中没有就绪的地址；注释为“has no endpoints”的 REJECT 计数增长。",
  "lesson.no_endpoints.not": "策略为 Local 而端点只在其他节点上：见 ETP_LOCAL_NO_ENDPOINT_IPTABLES 或 _IPVS。",
  "lesson.no_listener.title": "没有进程在监听",
  "lesson.no_listener.happens":
    "报文已经递交，但没有与地址和端口匹配的套接字。TCP 回复 RST，UDP 回复 ICMP 端口不可达。只监听 127.0.0.1 的进程，别人是访问不到的。",
  "lesson.no_listener.see": "在端点的命名空间中执行 ss -lntu，没有该端口，或者只在 127.0.0.1 上。",
  "lesson.no_listener.not": "如果端点在同一 Service 的另一个端口上监听：见 TARGET_PORT_MISMATCH。",
  "lesson.target_port_mismatch.title": "Service 发往没有人监听的端口",
  "lesson.target_port_mismatch.happens":
    "地址转换把目的端口改写为 Service 的 targetPort。端点监听的是另一个端口，于是内核对 SYN 回复 RST。kube-proxy 不检查谁在监听。",
  "lesson.target_port_mismatch.see": "kubectl get endpointslices 中的端口与 Pod 内 ss 显示的不同。",
  "lesson.target_port_mismatch.not": "直接访问 Pod 自身地址：见 NO_LISTENER。",
  "lesson.stale_endpoint.title": "规则指向已不存在的端点",
  "lesson.stale_endpoint.happens":
    "某条 KUBE-SEP 链、map 元素或 real server 仍然指向一个 Pod 早已不在的地址。内核照样转换过去；报文要么停在无人应答的 ARP 上，要么到达后来得到该地址的 Pod。",
  "lesson.stale_endpoint.see": "规则中有该地址，EndpointSlice 中却没有。",
  "lesson.stale_endpoint.not": "对象中列出、只是没有应答的端点：见 NEIGHBOUR_FAILED。",
  "lesson.service_not_programmed_here.title": "该节点没有这个 Service 的规则",
  "lesson.service_not_programmed_here.happens":
    "Service 存在，其他节点也有它的规则，但本节点的 kube-proxy 没有写入：它没有运行、落后，或者卡在某个错误上。没有规则时，发往虚拟地址的报文照常选路，从默认路由出去。",
  "lesson.service_not_programmed_here.see":
    "iptables-save、nft 或 ipvsadm 中没有该地址；该节点上 kube-proxy 的 Pod 或日志会说明原因。",
  "lesson.service_not_programmed_here.not": "没有就绪端点的 Service，或者被截断的采集数据。",
  "lesson.kube_proxy_drift.title": "规则与 kube-proxy 应写入的不同",
  "lesson.kube_proxy_drift.happens":
    "由对象可以推出 kube-proxy 应写入哪些规则。节点上的规则与之不同，而换成应有的规则，流量就能通：可能是旧版 kube-proxy、漏掉的一次同步，或者有人改过。",
  "lesson.kube_proxy_drift.see": "hairpin diff --expected 会列出不同的规则。",
  "lesson.kube_proxy_drift.not": "STALE_ENDPOINT 和 SERVICE_NOT_PROGRAMMED_HERE 说得更准确。",
  "lesson.port_not_in_service.title": "Service 没有这个端口",
  "lesson.port_not_in_service.happens":
    "虚拟地址只服务于其 Service 的端口。其他端口没有规则匹配：iptables 模式下报文从默认路由出去，客户端一直等待；IPVS 模式下地址在本机而无人监听，连接被拒绝。",
  "lesson.port_not_in_service.see": "kubectl get svc 会列出端口。",
  "lesson.port_not_in_service.not": "节点网卡上的地址可以服务任何端口。",
  "lesson.ip_family_mismatch.title": "Service 与端点的 IP 协议族不同",
  "lesson.ip_family_mismatch.happens":
    "用 IPv6 地址访问的 Service 只由 IPv6 端点服务，IPv4 同理。如果所有就绪端点都属于另一协议族，该地址就没有端点，报文被拒绝。",
  "lesson.ip_family_mismatch.see": "比较 Service 的 ipFamilies 与 EndpointSlice 的 addressType。",
  "lesson.ip_family_mismatch.not": "两种协议族都有端点的双栈 Service。",
  "lesson.etp_local_no_endpoint_iptables.title": "流量策略为 Local，而本节点没有端点",
  "lesson.etp_local_no_endpoint_iptables.happens":
    "externalTrafficPolicy 为 Local 时，节点只用自己的端点服务外部流量，以保留客户端地址。没有端点的节点静默丢弃报文，好让负载均衡器的健康检查把它摘除。仍然访问该节点的客户端只能等到超时。",
  "lesson.etp_local_no_endpoint_iptables.see": "注释为“has no local endpoints”的规则计数增长；健康检查端口返回 503。",
  "lesson.etp_local_no_endpoint_iptables.not": "集群内的 Pod 不受该策略限制，由所有端点服务。",
  "lesson.etp_local_no_endpoint_ipvs.title": "IPVS：流量策略为 Local，而本节点没有端点",
  "lesson.etp_local_no_endpoint_ipvs.happens":
    "节点有虚拟服务，下面却没有 real server。IPVS 无处调度，以虚拟地址的名义回复 ICMP 端口不可达：与 iptables 不同，客户端立即被拒绝。",
  "lesson.etp_local_no_endpoint_ipvs.see": "ipvsadm -Ln 中该虚拟服务下面没有任何一行。",
  "lesson.etp_local_no_endpoint_ipvs.not": "任何地方都没有端点的集群地址：见 NO_ENDPOINTS。",
  "lesson.lb_source_ranges.title": "客户端不在 loadBalancerSourceRanges 中",
  "lesson.lb_source_ranges.happens":
    "kube-proxy 在每个节点上执行该限制：KUBE-FW-、KUBE-PROXY-FIREWALL 或 nftables 的防火墙链。不在列表中的一律丢弃；1.25 起集群内的 Pod 也不例外。",
  "lesson.lb_source_ranges.see": "防火墙链中的丢弃计数增长；kubectl get svc -o yaml 会显示允许的网段。",
  "lesson.lb_source_ranges.not": "访问集群地址不受它限制。",
  "lesson.lb_loopback.title": "负载均衡器把报文送回发出者",
  "lesson.lb_loopback.happens":
    "节点（或由它做 MASQUERADE 的 Pod）访问某个负载均衡器的地址，而该节点自己就是其后端之一。负载均衡器保留客户端地址，又恰好选中该节点：报文从外部进来，源地址却是本机地址，于是当作 martian 被拒绝。",
  "lesson.lb_loopback.see": "在网卡上抓包，能看到 SYN 发往负载均衡器，又以 NodePort 为目的返回，源地址不变。",
  "lesson.lb_loopback.not": "使用自己地址作为源地址的负载均衡器，或者 kube-proxy 在本节点直接承接的地址。",
  "lesson.nodeport_addresses.title": "NodePort 不在这个地址上提供服务",
  "lesson.nodeport_addresses.happens":
    "kube-proxy 只在 nodePortAddresses 选中的地址上提供 NodePort；nftables 模式默认只有主地址。访问节点的其他地址时没有规则匹配，也没有进程监听。",
  "lesson.nodeport_addresses.see": "集合 nodeport-ips，或跳转到 KUBE-NODEPORTS 的规则中的 -d，没有被访问的地址。",
  "lesson.nodeport_addresses.not": "Service 根本没有这个 NodePort。",
  "lesson.nodeport_shadows_host_port.title": "NodePort 占了进程的端口",
  "lesson.nodeport_shadows_host_port.happens":
    "PREROUTING 中的 DNAT 早于套接字查找。某个 Service 的 NodePort 与节点上某进程的端口号相同时，发给该进程的报文被转换到了 Service 的端点。",
  "lesson.nodeport_shadows_host_port.see": "ss 显示有进程在该端口上，而 KUBE-NODEPORTS 也有对应规则。",
  "lesson.nodeport_shadows_host_port.not": "kube-proxy 自己在 NodePort 上占用的套接字。",
  "lesson.nodeport_port_taken.title": "NodePort 被某个进程占用",
  "lesson.nodeport_port_taken.happens":
    "旧版 kube-proxy 会绑定每个 NodePort 以便保留它。如果某个进程已经占用（常常是临时端口），bind() 返回 EADDRINUSE，kube-proxy 便跳过该端口。",
  "lesson.nodeport_port_taken.see": "kube-proxy 的日志有“address already in use”。",
  "lesson.nodeport_port_taken.not": "规则存在、同时又有进程监听：见 NODEPORT_SHADOWS_HOST_PORT。",
  "lesson.kube_ipvs_filter_reject.title": "IPVS：虚拟地址上不允许的端口",
  "lesson.kube_ipvs_filter_reject.happens":
    "1.26 起，kube-proxy 不让别人通过虚拟地址访问节点上的进程：目的地址在 KUBE-IPVS-IPS 中、又不在任何已知端口集合中的报文，在 INPUT 中被拒绝。如果集合漏掉了某类正当的地址，正常流量也会被拒绝。",
  "lesson.kube_ipvs_filter_reject.see": "KUBE-IPVS-FILTER 中 REJECT 的计数增长。",
  "lesson.kube_ipvs_filter_reject.not": "Service 本来就没有的端口，拒绝是对的：见 PORT_NOT_IN_SERVICE。",
  "lesson.kube_ipvs0_addr_conflict.title": "kube-ipvs0 上的地址属于另一台机器",
  "lesson.kube_ipvs0_addr_conflict.happens":
    "IPVS 模式下，每个 Service 地址都绑定在每个节点的 kube-ipvs0 上。如果某个 external IP 或负载均衡器地址同时是真实机器的地址，每个节点都会把发给它的报文当作自己的，并拒绝来自它的报文。",
  "lesson.kube_ipvs0_addr_conflict.see": "ip addr show kube-ipvs0 列出了另一台机器网卡上的地址。",
  "lesson.kube_ipvs0_addr_conflict.not": "没有任何网卡拥有的虚拟地址。",
  "lesson.src_selection_kube_ipvs0.title": "虚拟地址成了源地址",
  "lesson.src_selection_kube_ipvs0.happens":
    "目的地址为本机地址时，内核就选它作为源地址。Service 地址绑定在 kube-ipvs0 上，因此节点上的进程访问它时也用它发包。它总与 MASQ_MISSING_IPVS_HOST 一同出现。",
  "lesson.src_selection_kube_ipvs0.see": "对 Service 地址执行 ip route get，输出 local，且 src 为同一地址。",
  "lesson.src_selection_kube_ipvs0.not": "绑定了其他源地址的客户端，或者 Pod。",
  "lesson.ipvs_localhost_nodeport.title": "IPVS：127.0.0.1 与 NodePort",
  "lesson.ipvs_localhost_nodeport.happens":
    "IPVS 不会把源地址为环回地址的报文发往另一台机器：它的发送路径在选路时拒绝跨越这个边界。route_localnet 不起作用。",
  "lesson.ipvs_localhost_nodeport.see": "用节点地址访问正常，用 127.0.0.1 则不行。",
  "lesson.ipvs_localhost_nodeport.not": "iptables 模式下只是一个 sysctl 的问题：见 ROUTE_LOCALNET。",
  "lesson.ipvs_persistence_stale.title": "会话保持把客户端送往已下线的 real server",
  "lesson.ipvs_persistence_stale.happens":
    "会话保持模板把客户端绑定到某个 real server。它下线（权重为 0）后模板仍在，该客户端的新连接在模板过期之前仍然发往那里。",
  "lesson.ipvs_persistence_stale.see": "ipvsadm -lnc 中有一个客户端端口为 0 的条目，指向权重为 0 的 real server。",
  "lesson.ipvs_persistence_stale.not": "其他客户端不受影响。",
  "lesson.ipvs_conn_reuse.title": "IPVS 把新的 SYN 交给旧连接",
  "lesson.ipvs_conn_reuse.happens":
    "客户端重复使用源端口时，会碰到旧连接的条目。conn_reuse_mode 为 0 时，SYN 发往旧的 real server，即使它已下线或已不存在；为 1 时，旧内核会延迟一秒。",
  "lesson.ipvs_conn_reuse.see": "ipvsadm -lnc 中该客户端端口有一个处于 TIME_WAIT 的旧条目。",
  "lesson.ipvs_conn_reuse.not": "内核 5.9 起，模式 1 会立即重新调度，没有延迟。",
};
