import type { causes as en } from "../en/causes.ts";

export const causes: Readonly<Record<keyof typeof en, string>> = {
  "leg.request": "请求",
  "leg.reply": "回包",
  "cause.rp_filter_strict":
    "{stack} 在 {device} 上丢弃该{direction}：到 {source} 的回程路由走 {reverse}，而 rp_filter 为 {value}",
  "cause.rp_filter_strict.unnumbered":
    "{stack} 在没有地址的 {device} 上丢弃该{direction}：到 {source} 的回程路由走 {reverse}；只要 rp_filter 不为 0，这样的设备只接收回程路由也走它的报文",
  "cause.rp_filter_strict.no-route":
    "{stack} 在 {device} 上丢弃该{direction}：没有到 {source} 的回程路由，而 rp_filter 为 {value}",
  "cause.policy_route_pod_source":
    "针对客户端地址的策略路由规则（优先级 {preference}）让回程走 {reverse}，而回包却从 {device} 进来",
  "cause.src_selection_masquerade": "报文从 {out} 发出，而 {out} 没有地址，MASQUERADE 因此选用了 {owner} 的 {address}",
  "cause.src_selection_multi_nic":
    "源地址 {source} 是按被访问地址的路由为 {first} 选定的；目的地址转换后报文改从 {again} 发出，源地址却没有变",
  "cause.masq_missing_node_to_pod": "{stack} 自身从 {device} 发出的报文没有做 MASQUERADE",
  "cause.martian_local_source": "{stack} 丢弃该{direction}，因为源地址 {source} 是它自己的地址",
  "cause.martian_local_source.on": "{stack} 丢弃该{direction}，因为源地址 {source} 是它自己的地址，绑定在 {device} 上",
  "cause.kube_ipvs0_addr_conflict": "{address} 绑定在 {device} 上，而另有主机用它作为源地址发包",
  "cause.lb_loopback": "负载均衡器保留源地址，把报文送回了发出它的 {stack}",
  "cause.masq_too_much.loop": "{stack} 对不需要伪装的报文做了 MASQUERADE，回包因此回到 {stack} 而不是客户端",
  "cause.etp_local_no_endpoint_ipvs":
    "虚拟服务 {service} 在 {stack} 上没有 real server：externalTrafficPolicy 为 Local 且本节点没有端点，内核回复端口不可达",
  "cause.no_endpoints.ipvs": "虚拟服务 {service} 没有可接收连接的 real server",
  "cause.masq_missing_ipvs_host":
    "{stack} 自身发往 {address} 的报文没有做 MASQUERADE：real server 看到的客户端就是虚拟地址，回包回不来",
  "cause.src_selection_kube_ipvs0": "源地址成了 {address}，因为被访问的地址就在本节点的 {device} 上",
  "cause.ipvs_localhost_nodeport":
    "发往 127.0.0.1 的连接不能被调度到另一台机器：IPVS 会丢弃它，与 route_localnet 的取值无关",
  "cause.ipvs_persistence_stale":
    "会话保持模板把该客户端送往 {address}，它的权重为 0，可能已经不存在；其他客户端不受影响",
  "cause.raw_table_filter": "该{direction}在 {stack} 上被丢弃：raw 表早于 conntrack 执行，其中一条规则丢弃了它",
  "cause.rule_corrupted_by_version_skew":
    "该{direction}在 {stack} 上被丢弃：KUBE-FIREWALL 的规则丢失了本应匹配的 mark，于是丢弃所有报文",
  "cause.etp_local_no_endpoint_iptables.marked": "该{direction}在 {stack} 上被丢弃：kube-proxy 给它打上了待丢弃的标记",
  "cause.etp_local_no_endpoint_iptables":
    "该{direction}在 {stack} 上被丢弃：Service 在本节点没有端点，而流量策略为 Local",
  "cause.forward_policy_drop": "该{direction}在 {stack} 上被丢弃：FORWARD 中没有规则放行它，而默认策略为 DROP",
  "cause.no_endpoints": "该{direction}在 {stack} 上被拒绝：Service 没有端点",
  "cause.lb_source_ranges": "该{direction}在 {stack} 上被丢弃：{source} 不在 Service 的 loadBalancerSourceRanges 中",
  "cause.kube_ipvs_filter_reject":
    "该{direction}在 {stack} 上被拒绝：kube-proxy 的 IPVS 过滤链只放行虚拟地址上已知的端口",
  "cause.network_policy_drop": "该{direction}在 {stack} 上被丢弃：网络策略不允许（{chain}）",
  "cause.docker_isolation": "该{direction}在 {stack} 上被丢弃：Docker 隔离了它的各个网络",
  "cause.rule_order_reject": "该{direction}在 {stack} 上被拒绝：{chain} 中的一条规则拒绝了之前没有放行的一切",
  "cause.forward_policy_drop.nft":
    "该{direction}在 {stack} 上被丢弃：{table} 表的 {chain} 链中没有规则放行它，而该 forward 链的默认策略为 drop",
  "cause.nft_second_table_drop.walked":
    "该{direction}在 {stack} 上被丢弃：{accepted} 表放行了它，但 accept 只结束所在的链；同一个钩子上 {table} 表的 {chain} 链将其丢弃",
  "cause.rule_drop": "该{direction}在 {stack} 上被丢弃：{table} 表 {chain} 链的第 {number} 条规则丢弃了它",
  "cause.rule_drop.policy": "该{direction}在 {stack} 上被丢弃：{table} 表 {chain} 链的默认策略为 DROP",
  "cause.rule_drop.logged": "{stack} 以前缀“{prefix}”（{step}）记录了这个报文：有规则在那里将其丢弃",
  "cause.rule_drop.traced": "{stack} 上的报文跟踪（TRACE）显示报文被丢弃：{step}",
  "cause.rule_drop.traced-policy": "{stack} 上的报文跟踪（TRACE）显示报文被 {step} 的默认策略丢弃",
  "cause.rule_drop.counted-unreached":
    "{stack} 上 {table} 表 {chain} 链的一条规则已丢弃 {packets} 个报文，且其条件不排除这条流；采集数据中没有通往该链的规则",
  "cause.rule_drop.counted": "{stack} 上链 {chain} 的一条丢弃规则已丢弃 {packets} 个报文，且其条件不排除这条流：{rule}",
  "cause.forward_policy_drop.shown":
    "{stack} 上 ip6tables 的 FORWARD 默认策略为 DROP：转发到 {to} 的报文（若启用 bridge-nf-call-ip6tables，桥接的报文也一样）没有规则放行就会在此被丢弃",
  "cause.rp_filter_strict.logged":
    "{stack} 的内核在 {device} 上丢弃了从 {src} 到 {dst} 的报文：源地址校验认为回程不走该网卡",
  "cause.martian_local_source.logged":
    "{stack} 的内核在 {device} 上丢弃了从 {src} 到 {dst} 的报文：{src} 是它自己的地址",
  "cause.cloud_src_dst_check.seen":
    "请求从 {came} 进入，回包却从 {left} 离开 {stack}，且没有到达：开启源地址检查的网络会丢弃该网卡以 {source} 为源发出的报文，因为这不是它的地址",
  "cause.conntrack_stale_udp.shown":
    "{stack} 上残留的 conntrack 条目把源端口 {port} 送往 {address}，而采集数据中 {address} 已不是任何端点；其他源端口不受影响",
  "cause.mtu_blackhole.told":
    "连接建立后卡住，而现有信息中没有任何东西阻断它：途中可能有设备只接受更小的报文且不作提示",
  "cause.conntrack_invalid_rst.told":
    "连接被重置，而现有信息中没有任何东西会这样做：{stack} 对回包做 NAT，又放行被 conntrack 判为 INVALID 的报文，客户端会重置来自未访问地址的报文",
  "cause.port_not_in_service":
    "{address} 是 Service {service} 的地址，它有端口 {ports}，没有 {asked}：没有规则转换这个报文",
  "cause.service_not_programmed_here":
    "{stack} 上没有 {address}:{port} 的任何内容，而{who}：kube-proxy 没有在那里写入它",
  "cause.service_not_programmed_here.object": "它是 Service {service}",
  "cause.service_not_programmed_here.other": "{node} 会转换它",
  "cause.target_port_mismatch":
    "Service 发往 {stack} 的 {proto} 端口 {port}，那里没有进程监听该端口；那里监听的是 {ports}",
  "cause.mtu_blackhole.fragments":
    "连接中的 {bytes} 字节从 {stack} 封装成隧道报文后被分片：底层网络的 MTU 太小，而分片常被丢弃",
  "cause.hairpin_off": "DNAT 之后报文要从进来的端口 {port} 再发出去，而该端口没有开启 hairpin 模式",
  "cause.bridge_nf_off": "回包在 {bridge} 上直接二层转发，没有经过 netfilter，源地址没有被还原成所访问的地址",
  "cause.masq_missing_remote_endpoint":
    "{stack} 把请求转发到其他节点上的端点而没有做 MASQUERADE：回包直接回到客户端，源地址不是它所访问的地址",
  "cause.conntrack_stale_udp":
    "{stack} 上残留的 conntrack 条目仍对该源端口生效：无论现在的规则如何，报文都被送往 {address}",
  "cause.ip_forward_off": "{stack} 不转发从 {device} 进入的报文：转发已关闭",
  "cause.no_route.unlike-peers":
    "{stack} 没有到 {network}（{node} 的 Pod）的路由，只能交给网关 {gateway}，而 {by} 把 {other} 的 Pod 直接发给 {other}",
  "cause.no_route.only-elsewhere": "{stack} 没有到 {address} 的专门路由，只能交给网关 {gateway}，而 {other} 上有",
  "cause.no_route": "{stack} 没有到 {address} 的路由（{error}）",
  "cause.blackhole_route": "在 {stack} 上，{address} 的最佳匹配是一条 {type} 路由",
  "cause.nat_port_rewrite": "握手之后 {stack} 改写了源端口：报文第二次经过了它的 conntrack",
  "cause.route_localnet":
    "{stack} 在 {device} 上丢弃该{direction}：route_localnet 为 0 时，127/8 的地址不能离开回环设备",
  "cause.neighbour_failed.solicitation": "在 {stack} 的 {device} 上，没有主机应答对 {address} 的邻居请求（NS）",
  "cause.pmtu_filtered": "{stack} 丢弃了 {router} 告知 {sender} 报文大小上限的消息：大报文反复重传，始终无法到达",
  "cause.masq_missing_nat_outgoing.unique_local":
    "{stack} 未做转换就让唯一本地地址 {source} 发往 {to}，而 {where} 没有到该地址的回程路径：IPv6 没有做 MASQUERADE",
  "cause.masq_missing_nat_outgoing.leaves":
    "{stack} 未做转换就让唯一本地地址 {source} 发往 {to}：互联网不路由这类地址，除非更外层另有转换，否则不会有应答返回",
  "cause.neighbour_discovery_filtered.solicitation":
    "{stack} 丢弃了 {asker} 查询 {address} 的邻居请求（NS）：没有邻居发现，IPv6 报文发不出去",
  "cause.neighbour_discovery_filtered.request":
    "{stack} 丢弃了 {asker} 查询 {address} 的 ARP 请求：没有应答，报文发不出去",
  "cause.neighbour_discovery_filtered.reply":
    "{stack} 丢弃了告知 {asker} {address} 位置的 ARP 应答：没有它，报文发不出去",
  "cause.neighbour_discovery_filtered.advertisement":
    "{stack} 丢弃了告知 {asker} {address} 位置的邻居通告（NA）：没有邻居发现，IPv6 报文发不出去",
  "cause.dad_failed":
    "{stack} 的 {device} 上的 {address} 未通过重复地址检测（DAD）：另一台主机也有该地址，{stack} 不使用它",
  "cause.dad_failed.tentative": "{stack} 的 {device} 上的 {address} 仍是 tentative：重复地址检测结束前不会使用",
  "cause.ndp_proxy_missing":
    "{asker} 认为 {address} 就在本链路上，实际在 {stack} 后面，而 {stack} 没有在 {device} 上代答邻居请求",
  "cause.ipv6_disabled": "{stack} 的 {device} 上禁用了 IPv6（disable_ipv6）",
  "cause.link_local_without_zone": "{address} 是链路本地地址：不带区域（%接口）就不知道它在哪条链路上",
  "cause.ra_ignored_forwarding": "{stack} 没有默认路由：{device} 上 accept_ra 为 1 且已开启转发，因此忽略路由通告",
  "cause.src_selection_ipv6": "{stack} 以 {address} 为源地址发送，而 {where} 没有回到该地址的路由",
  "cause.neighbour_failed": "在 {stack} 的 {device} 上，没有主机应答 {address} 的 ARP",
  "cause.link_down.route": "{stack} 的 {device} 处于 down 状态，到 {network} 的路由因此失效",
  "cause.link_down": "{stack} 的 {device} 处于 down 状态",
  "cause.kube_proxy_drift": "{stack} 与 kube-proxy 应写入的内容不符：{what}",
  "cause.stale_endpoint": "{stack} 仍把报文发往已不存在的 {endpoint}",
  "cause.stale_endpoint.named": "{stack} 仍把发给 {service} 的报文发往已不存在的 {endpoint}",
  "cause.no_listener": "报文送达 {stack}，但那里没有进程监听 {port}",
  "cause.mtu_blackhole": "{length} 字节超过了 {stack} 上 {device} 的 MTU",
  "cause.underlay_filter": "节点之间的网络丢弃了从 {source} 到 {destination} 的报文",
  "cause.cloud_src_dst_check": "网络丢弃了 {stack} 以 {source} 为源发出的报文：发送它的网卡并不拥有该地址",
  "cause.arp_not_strict.seen":
    "{macs} 都应答 {address} 的 ARP：有多台主机持有该地址且都在应答，报文会去往最后一个应答者",
  "cause.arp_not_strict": "{stacks} 都有该地址，且 arp_ignore 为 0，因此都会应答它的 ARP：报文会去往最后一个应答者",
  "cause.tcp_tw_recycle_nat": "{stack} 开启了 tcp_tw_recycle：同一 NAT 地址后的客户端，其 SYN 会间歇性被丢弃",
  "cause.ipvs_conn_reuse":
    "只要 IPVS 中旧连接还在（conn_reuse_mode 为 0），复用源端口的客户端就会被送往权重为 0 的 real server {address}",
  "cause.conntrack_insert_race": "有 {count} 个报文因 conntrack 条目与其他条目冲突而被丢弃（insert_failed）",
  "cause.conntrack_full": "{stack} 的连接跟踪表已满或曾经满过：新建连接会被丢弃",
  "cause.arp_table_overflow": "{stack} 的邻居表已满：不在表中的地址无法解析",
  "cause.duplicate_vtep_mac": "{owners} 的 VTEP MAC 都是 {mac}：接收方会把对方的帧当成自己发出的而丢弃",
  "cause.wrong_underlay_interface.shared": "{nodes} 都把 {address} 注册为隧道地址：彼此之间的报文都会落到这个地址上",
  "cause.wrong_underlay_interface.itself":
    "{stack} 的 {device} 把报文发往 {address}，而这正是 {stack} 自己的地址：隧道建立在了错误的网卡上",
  "cause.wrong_underlay_interface.other": "{node} 注册的隧道地址是 {address}，而集群所知的地址是 {internal}",
  "cause.bridge_nf_off.seen":
    "{endpoint} 经 {bridge} 以自己的地址回包给 {client}，被客户端重置：回包没有经过 netfilter，源地址没有被还原成所访问的地址",
  "cause.conntrack_invalid_rst":
    "在已建立的连接中，{endpoint} 的一个报文未经转换就到达客户端并被重置：conntrack 判它为 INVALID，而没有规则丢弃它",
  "cause.underlay_filter.seen":
    "从 {source} 到 {destination} 的 {what} 离开了 {left}（{sent} 个报文），却没有到达 {missing}：中间的网络丢弃了它",
  "cause.underlay_filter.sources":
    "{stack} 正确地转发了报文，{endpoint} 会回包给 {other}，却不回包给 {source}：节点之外的网络丢弃了来自 {source} 的报文，或没有到它的回程路由",
  "cause.vxlan_tx_csum_offload.walked":
    "{stack} 上的 NAT 在 {device} 的报文算好 UDP 校验和之后又改动了它们：校验和不再正确，接收方除 ping 外一律丢弃",
  "cause.vxlan_tx_csum_offload.partly":
    "{sent} 个 SYN 以 VXLAN 离开 {left}，只有 {got} 个到达 {arrived}：这不像过滤规则所致，而像 tx 校验和卸载算错了校验和，尤其是做过 NAT 的报文",
  "cause.vxlan_tx_csum_offload.ping":
    "到 {address} 的 ping 能通过隧道而 TCP 不能：隧道外的过滤规则无法区分二者，而 tx 校验和卸载出错只影响 TCP",
  "cause.vxlan_tx_csum_offload.driver":
    "到 {address} 的 ping 能通过隧道而 TCP 不能，而网卡驱动是 {driver}：已知它在 VXLAN 使用非默认端口时会算错内层校验和",
  "cause.masq_too_much": "{stack} 对报文做了 MASQUERADE，{filter} 看到的源地址是 {as}，而它本会放行 {source}",
  "cause.wrong_pod_route.own":
    "{network} 是 {stack} 自己的 Pod 网段，却被路由到 {gateway}：这条路由优先于指向本机设备的路由",
  "cause.wrong_pod_route.other": "{stack} 把 {network} 路由到 {gateway}，而它是 {node} 的 Pod 网段",
  "cause.wrong_pod_route.port": "{stack} 把 {address} 路由到自己的端口 {device}，而它是 {node} 上的 Pod",
  "cause.rp_filter_strict.far":
    "{endpoint} 所在节点可能在 {device} 上丢弃该请求：它到 {source} 的回程路由很可能走另一个设备，而采集数据中没有它的 rp_filter",
  "cause.rp_filter_strict.seen": "{answerer} 对 {as} 的回包到达 {stack} 后没有再转发：可能被源地址校验丢弃",
  "cause.martian_local_source.seen":
    "{answerer} 对 {as} 的回包到达 {stack} 后没有再转发：如果 {stack} 自己就有 {answerer}（在 kube-ipvs0 上），它会被当作 martian 丢弃",
  "cause.masq_too_much.bridged":
    "{stack} 只是桥接该帧，却把 {client} MASQUERADE 成 {as}，回包因此回到 {stack} 而不是客户端",
  "cause.etp_local_no_endpoint_ipvs.seen":
    "{service} 自己回复端口不可达：该地址就在节点上，而其虚拟服务在那里没有 real server，正如 externalTrafficPolicy 为 Local 且本节点没有端点时那样",
  "cause.no_endpoints.seen": "{service} 自己回复端口不可达：其虚拟服务没有 real server",
  "cause.duplicate_vtep_mac.walked": "{stack} 的 {device} 丢弃该帧，因为源 MAC 与自己的相同：两个 VTEP 用了同一个 MAC",
  "cause.wrong_underlay_interface.walked":
    "{stack} 的 {device} 把报文发往 {stack} 自己的地址：隧道建立在了错误的网卡上",
  "cause.neighbour_failed.tunnel": "{stack} 的 {device} 不知道该帧应发往哪个对端：既没有 FDB 表项，也没有默认对端",
  "cause.neighbour_failed.fixed":
    "{stack} 上 {address} 的永久邻居条目为 MAC {mac}，而拥有该地址的 {holder} 的 MAC 是 {own}",
  "cause.neighbour_failed.other-mac": "{stack} 在 {device} 上收到的帧，目的 MAC 不是它的：发送方的邻居表项有误",
  "cause.tunnel_mismatch": "{stack} 没有隧道设备接收该报文：两端的类型、VNI 或端口不一致",
  "cause.ipvs_conn_reuse.stale": "复用的源端口匹配到了到 {address} 的旧连接，conntrack 中仍有它：SYN 被丢弃",
  "cause.ipvs_conn_reuse.removed": "复用的源端口匹配到了到 {address} 的旧连接，而该 real server 已被移除",
  "cause.notrack_vs_policy":
    "{stack} 的 raw 表规则使该{direction}不被 conntrack 跟踪，后面的规则又因其未被跟踪而丢弃它",
  "cause.notrack_vs_policy.nat":
    "{stack} 的 raw 表规则使发往 {address} 的报文不被 conntrack 跟踪，而未被跟踪的报文不会被转换：它们原样继续发往 {address}",
  "cause.nodeport_shadows_host_port":
    "{stack} 的端口 {port} 既是 NodePort，又有进程（{process}）在监听：报文在到达进程之前就被规则改走了",
  "cause.nodeport_addresses": "{stack} 在其他地址上提供 NodePort {port}，但不在 {address} 上",
  "cause.src_selection_masquerade.none": "{stack} 上的 MASQUERADE 找不到可用于 {out} 的地址，丢弃了报文",
  "cause.src_selection_masquerade.moved": "该连接是为 {stack} 的另一个设备做的 MASQUERADE，现在却从 {out} 发出：被丢弃",
  "cause.routing_loop": "发往 {address} 的报文在 {stacks} 之间形成环路，直到 TTL 耗尽",
  "cause.l2_path": "{stack} 的网桥没有端口通往该帧的目的地（它从 {device} 进入）",
  "cause.l2_path.port": "{stack} 的网桥端口 {device} 处于 {state} 状态，ARP 请求无法通过",
  "cause.l2_path.vlan": "{stack} 没有与该帧 VLAN 对应的设备（它从 {device} 进入）",
  "cause.conntrack_insert_race.walked": "报文在 {stack} 上被丢弃：它的 conntrack 条目与另一连接冲突",
  "cause.nodeport_port_taken": "{node} 上的 kube-proxy 无法打开端口 {port}：它已被另一个套接字占用",
  "cause.no_endpoints.port_name":
    "Service {service} 的 targetPort 名为 {port}，而它选中的 Pod 都没有这个名字的端口：因此没有端点",
  "cause.no_endpoints.objects": "Service {service} 没有就绪的端点",
  "cause.ip_family_mismatch": "以 IPv{family} 地址访问 Service {service}，但它没有该地址族的端点",
  "cause.legacy_nft_conflict": "{stack} 的两个 iptables 后端都有 kube-proxy 的规则，且端点不同：两者都会执行",
  "cause.bridge_vlans_unknown": "{stack} 的网桥 {bridge} 可能按 VLAN 过滤：采集数据没有说明是否过滤或按哪些 VLAN",
  "cause.datapath_not_modelled": "报文在 {stack} 上遇到未建模的 {what}：请使用该数据面自己的工具",
  "cause.nft_second_table_drop": "{stack} 上除 iptables 规则外还有 nft 表 {table}：前者放行的报文仍可能被它丢弃",
  "cause.rule_unknown": "报文在 {stack} 上遇到一条无法解析、或依赖采集数据中没有的信息的规则（{step}）",
  "cause.cidr_overlap": "地址池 {pool} 覆盖了节点所在网络 {network}：发往那里主机的报文被当作发往 Pod，保留了 Pod 地址",
  "cause.carrier": "承载它的隧道（UDP，{from} 到 {to}）被拦下：{what}",
  "cause.masq_missing_nat_outgoing.left":
    "{stack} 让 {source} 发往 {to} 的报文带着 {source} 的源地址离开，且没有回应：集群外可能没有回到它的路由",
  "cause.masq_missing_nat_outgoing": "地址池 {pool} 关闭了 natOutgoing：报文以 Pod 地址发出，外部可能没有回程路径",
  "cause.kube_ipvs0_addr_conflict.owner": "{address} 绑定在 {device} 上，同时又是 {owner} 的地址",
  "cause.mtu_blackhole.tunnel":
    "{stack} 的 {tunnel} 接收 {mtu} 字节的报文，封装后超过 {below} 的 {limit}，抓包中也看到大报文反复重传",
  "cause.mtu_blackhole.stall": "握手成功，但大报文反复重传：路径上某一跳只接收更小的报文，又没有返回 ICMP",
  "cause.conntrack_insert_race.dns":
    "同一端口同时发出的部分查询始终没有回包：它们的 conntrack 条目发生竞争，其中一个报文被丢弃",
  "cause.lb_loopback.seen": "{balancer} 保留源地址 {source}，把报文送回了发出它的 {stack}",
  "cause.cloud_src_dst_check.card":
    "{stack} 以 {source} 为源从 {device} 发包，而该地址属于 {owner}：开启源地址检查的网络会丢弃它",
  "cause.policy_route_pod_source.reply":
    "{stack} 的策略路由规则（优先级 {preference}）让回包从 {left} 出去，而请求是从 {came} 进来的",
  "cause.nodeport_addresses.configured": "kube-proxy 只在 {addresses} 上提供 NodePort {port}，不包括 {address}",
  "cause.kube_ipvs0_addr_conflict.kept":
    "{stack} 把报文交给了本机：{address} 绑定在它的 {device} 上，而它是 {owner} 的地址",
  "cause.mtu_blackhole.pinged":
    "{large} 字节的报文丢失，{small} 字节的报文有应答：路径上某一跳只接收更小的报文，又没有返回 ICMP",
  "cause.mtu_blackhole.sizes":
    "{stack} 的 {tunnel} 接收 {mtu} 字节的报文，封装后超过 {below} 的 {limit}：小报文能通过时，大报文可能丢失",
  "cause.masq_missing_remote_endpoint.outside":
    "{stack} 把客户端转发到另一节点上的 {endpoint} 而没有做 MASQUERADE：除非回包经 {stack} 返回，否则客户端收到的回包来自它没有访问的地址",
};
