import type { lessonsNetfilter as en } from "../../en/lessons/netfilter.ts";

export const lessonsNetfilter: Readonly<Record<keyof typeof en, string>> = {
  "lesson.masq_missing_node_to_pod.title": "节点自身的流量进入 overlay 时没有做 MASQUERADE",
  "lesson.masq_missing_node_to_pod.happens":
    "节点上的进程访问 Service；DNAT 之后报文从 overlay 设备出去，源地址却仍是网卡的地址。对端节点绕过 overlay 直接回复该地址，或者被对端的反向路径过滤拒绝。",
  "lesson.masq_missing_node_to_pod.see":
    "在 overlay 设备上抓包，源地址是节点网卡的地址；POSTROUTING 中没有匹配它的 MASQUERADE。",
  "lesson.masq_missing_node_to_pod.not": "Pod 自己发出的报文带的是 Pod 地址，这里不需要 MASQUERADE。",
  "lesson.masq_missing_ipvs_host.title": "IPVS：节点访问绑定在本机的虚拟地址",
  "lesson.masq_missing_ipvs_host.happens":
    "虚拟地址绑定在 kube-ipvs0 上，属于本机地址；目的地址为本机地址时，源地址也会选它。IPVS 只改写目的地址。如果没有做 MASQUERADE，real server 收到的报文源地址就是虚拟地址，于是在它自己的节点上回复给自己。",
  "lesson.masq_missing_ipvs_host.see":
    "在途中抓包，源地址是 Service 地址；KUBE-SERVICES 和 KUBE-POSTROUTING 中没有规则对它做 MASQUERADE。",
  "lesson.masq_missing_ipvs_host.not": "real server 在同一节点上时，回包经过本机，能正常工作。",
  "lesson.masq_missing_remote_endpoint.title": "回包绕过了做转换的节点",
  "lesson.masq_missing_remote_endpoint.happens":
    "节点转换了目的地址，但保留客户端地址。端点在别处，而且到客户端的路径不经过该节点：回包带着端点自己的地址到达，客户端没有这样的连接，于是复位。只有转换过请求的节点才能把回包转换回来。",
  "lesson.masq_missing_remote_endpoint.see": "客户端抓到的回包来自端点地址，而不是 Service 地址。",
  "lesson.masq_missing_remote_endpoint.not": "如果回程只能经过做转换的节点，就没有问题。",
  "lesson.masq_too_much.title": "不该有的 MASQUERADE",
  "lesson.masq_too_much.happens":
    "某条规则对本应保留源地址的流量做了 MASQUERADE（masquerade-all、错误的 cluster CIDR、虚拟机网桥的规则）。回包因此回到做 MASQUERADE 的节点而不是客户端；或者后面的网络策略只放行 Pod 地址，看到的却是节点地址。",
  "lesson.masq_too_much.see": "在端点一侧抓包，源地址是节点地址；某条 MASQUERADE 规则的计数随该流量增长。",
  "lesson.masq_too_much.not": "如果策略本来也不放行客户端地址，那就是 NETWORK_POLICY_DROP。",
  "lesson.bridge_nf_off.title": "回包经网桥转发，没有经过 iptables",
  "lesson.bridge_nf_off.happens":
    "客户端和端点接在同一网桥上。请求经过路由，并做了 DNAT；回包的目的地址是同一网桥上的邻居，作为二层帧直接交换。bridge-nf-call-iptables 为 0 时没有任何 hook 看到它，因此不会转换回来。",
  "lesson.bridge_nf_off.see": "客户端抓到来自 Pod 自身地址的 SYN-ACK，并逐个回复 RST。",
  "lesson.bridge_nf_off.not":
    "做了 MASQUERADE 的流量会经节点返回，能正常工作。如果握手已经完成，则是 CONNTRACK_INVALID_RST。",
  "lesson.forward_policy_drop.title": "FORWARD 没有规则放行，默认策略为 DROP",
  "lesson.forward_policy_drop.happens":
    "FORWARD 链的规则逐条匹配，没有一条放行，最后由默认策略决定。Docker 会把它设为 DROP。常见的情况是：请求被针对 Pod 网段的规则放行，落到默认策略上的是回包。",
  "lesson.forward_policy_drop.see":
    "iptables -S FORWARD 以 -P FORWARD DROP 开头；每次尝试，-L -v 中默认策略的计数都会增长。",
  "lesson.forward_policy_drop.not": "同一节点上的 Pod 之间，如果没有启用 br_netfilter，二层转发根本不经过 FORWARD。",
  "lesson.rule_order_reject.title": "REJECT 或 DROP 排在 ACCEPT 之前",
  "lesson.rule_order_reject.happens":
    "规则按顺序匹配，第一个结论在该表内就是最终结论。防火墙常在链尾放一条无条件的 REJECT，而为该流量准备的 ACCEPT 却排在它后面。客户端看到的是“No route to host”还是“Connection refused”，取决于 --reject-with。",
  "lesson.rule_order_reject.see": "iptables -L -v --line-numbers 中 REJECT 的计数增长，而后面的 ACCEPT 一直为 0。",
  "lesson.rule_order_reject.not": "带有具体条件的 REJECT 属于 RULE_DROP。",
  "lesson.rule_drop.title": "某条规则丢弃了报文",
  "lesson.rule_drop.happens":
    "报文命中了结论为 DROP 或 REJECT 的规则，或者没有命中规则而链的默认策略为 DROP，并且没有更具体的原因可以说明。回答会给出表、链和规则序号。",
  "lesson.rule_drop.see": "它的计数随每次尝试增长；在它前面加一条 LOG，或者用 nft monitor trace，可以看到具体报文。",
  "lesson.rule_drop.not": "报文根本不经过的链中的规则，看上去再可疑也与此无关。",
  "lesson.raw_table_filter.title": "在 raw 表被丢弃",
  "lesson.raw_table_filter.happens":
    "raw 表的优先级为 -300，早于 conntrack（-200）。那里的 DROP 看不到连接状态，也看不到转换后的地址：匹配 Service 地址发生在 DNAT 之前，而 ctstate 没有可匹配的内容。",
  "lesson.raw_table_filter.see": "iptables -t raw -L -v 中该规则的计数增长；该流量没有产生 conntrack 条目。",
  "lesson.raw_table_filter.not": "同一张表中的 NOTRACK 规则本身不丢弃报文：见 NOTRACK_VS_POLICY。",
  "lesson.notrack_vs_policy.title": "未被跟踪的报文遇到要求连接状态的规则",
  "lesson.notrack_vs_policy.happens":
    "raw 表的一条规则（CT --notrack）让报文不进入 conntrack。它的状态是 UNTRACKED，放行 ESTABLISHED 的规则不匹配，地址转换也不会还原，报文于是落到后面的丢弃规则上。",
  "lesson.notrack_vs_policy.see": "notrack 规则的计数增长，而正在进行的流量在 conntrack -L 中没有条目。",
  "lesson.notrack_vs_policy.not": "如果恢复跟踪也不能解决，那就是别的规则所致。",
  "lesson.rule_corrupted_by_version_skew.title": "KUBE-FIREWALL 丢弃所有报文",
  "lesson.rule_corrupted_by_version_skew.happens":
    "两个版本的 iptables（主机的和容器里的）写了同一张表，mark 匹配在途中丢失。“dropping marked packets”这条规则不再要求任何 mark，于是匹配所有报文。",
  "lesson.rule_corrupted_by_version_skew.see": "KUBE-FIREWALL 的 DROP 规则没有 -m mark。",
  "lesson.rule_corrupted_by_version_skew.not": "带有 mark 的这条规则正是 kubelet 想要的。",
  "lesson.network_policy_drop.title": "网络策略不允许",
  "lesson.network_policy_drop.happens":
    "CNI 插件为每个有策略的 Pod 建立链和集合。报文到达这样的链，而没有策略放行它。链看到的源地址取决于之前的地址转换。",
  "lesson.network_policy_drop.see":
    "Pod 对应的链（cali-tw-、cali-fw-、KUBE-POD-FW-）最后一条规则的计数增长；允许地址的集合中没有该源地址。",
  "lesson.network_policy_drop.not":
    "如果集合中有 Pod 地址，而报文带的是节点地址，问题在 MASQUERADE：见 MASQ_TOO_MUCH。",
  "lesson.docker_isolation.title": "Docker 隔离了各个网络",
  "lesson.docker_isolation.happens":
    "DOCKER-ISOLATION-STAGE-1 和 -2 丢弃从一个 Docker 网桥进来、又从另一个 Docker 网桥出去的报文。",
  "lesson.docker_isolation.see": "DOCKER-ISOLATION-STAGE-2 中 DROP 的计数增长；入口和出口是 Docker 的两个网桥。",
  "lesson.docker_isolation.not": "同一网络中的容器之间不经过它。",
  "lesson.nft_second_table_drop.title": "在一张 nftables 表中放行，在另一张表中被丢弃",
  "lesson.nft_second_table_drop.happens":
    "同一 hook 上的所有 base chain 按优先级依次执行。accept 只结束它所在的 base chain，报文继续进入下一个；drop 则立即生效。因此独立成表的防火墙可以丢弃 kube-proxy、Docker 或 iptables-nft 已经放行的报文。",
  "lesson.nft_second_table_drop.see": "nft monitor trace 显示先有 accept，随后在同一 hook 的另一张表中 drop。",
  "lesson.nft_second_table_drop.not": "在其他 hook 上的 accept 与此无关。",
  "lesson.legacy_nft_conflict.title": "两个 iptables 后端中都有 kube-proxy 的规则",
  "lesson.legacy_nft_conflict.happens":
    "iptables-legacy 和 iptables-nft 是同一内核中的两套规则，都会执行。切换后端之后，旧规则带着旧端点留了下来。对地址转换而言，谁先建立连接的转换就由谁决定。",
  "lesson.legacy_nft_conflict.see": "iptables-legacy-save 和 iptables-nft-save 都有 KUBE-SEP 链，而且端点不同。",
  "lesson.legacy_nft_conflict.not": "legacy 表为空，或者两边端点相同，没有影响。",
  "lesson.conntrack_stale_udp.title": "旧的 conntrack 条目在起作用",
  "lesson.conntrack_stale_udp.happens":
    "地址转换规则只对连接的第一个报文生效，之后由 conntrack 条目决定。UDP 没有结束标志，只要客户端不停发送，条目就一直存在。端点消失之后，或者第一个报文早于规则到达时，后续报文都按条目走。",
  "lesson.conntrack_stale_udp.see":
    "对该客户端执行 conntrack -L，回包方向的源地址已不是现有端点，或者就是 Service 地址本身。",
  "lesson.conntrack_stale_udp.not": "只有那个源端口失败，换一个源端口就正常。",
  "lesson.conntrack_insert_race.title": "两个报文争用同一个 conntrack 条目",
  "lesson.conntrack_insert_race.happens":
    "条目不是在创建时，而是在第一个报文离开时才插入。同时出现的两个报文（解析器的 A 和 AAAA 查询，或者 MASQUERADE 到同一端口的两个连接）可能都没有查到已有条目；后确认的一个发生冲突，不能合并时就被丢弃。客户端超时后重发，DNS 为五秒。",
  "lesson.conntrack_insert_race.see": "conntrack -S 的 insert_failed 增长。",
  "lesson.conntrack_insert_race.not": "表满计入 drop 和 early_drop：见 CONNTRACK_FULL。",
  "lesson.conntrack_invalid_rst.title": "窗口之外的报文未经转换就到达客户端",
  "lesson.conntrack_invalid_rst.happens":
    "端点发出的某个报文落在 conntrack 计算的窗口之外，被判为 INVALID，因此不会转换回来，但也没有规则丢弃它。它带着陌生的地址到达客户端，客户端于是复位一个正常的连接。",
  "lesson.conntrack_invalid_rst.see":
    "在客户端抓包：已建立的连接中出现来自端点自身地址的报文，随后是 RST；conntrack -S 的 invalid 增长。",
  "lesson.conntrack_invalid_rst.not": "握手没有完成时是 BRIDGE_NF_OFF。nf_conntrack_tcp_be_liberal 为 1 时不会发生。",
  "lesson.conntrack_full.title": "conntrack 表已满",
  "lesson.conntrack_full.happens":
    "每个新连接都需要一个条目。达到 nf_conntrack_max 时，内核会尝试淘汰一个未确认的条目；找不到就丢弃报文。已在表中的连接不受影响。",
  "lesson.conntrack_full.see": "内核日志有“nf_conntrack: table full, dropping packet”；条目数已到上限。",
  "lesson.conntrack_full.not": "条目数远低于上限时不是它。",
  "lesson.nat_port_rewrite.title": "源端口在连接中途改变",
  "lesson.nat_port_rewrite.happens":
    "第二次经过 conntrack 的报文（在网桥上、在另一个 zone 中、经过隧道之后）需要自己的元组。如果原来的元组已被占用，即使没有 NAT 规则，内核也会改用另一个源端口，对端看到的便是陌生的连接。",
  "lesson.nat_port_rewrite.see": "在节点前后抓包，源端口不同；conntrack -L 中同一连接有两个条目。",
  "lesson.nat_port_rewrite.not": "MASQUERADE 在连接开始时改用另一个端口属于正常情况。",
  "lesson.tcp_tw_recycle_nat.title": "NAT 后面的 tcp_tw_recycle",
  "lesson.tcp_tw_recycle_nat.happens":
    "tcp_tw_recycle 为 1 时，服务器按客户端地址记录最近的时间戳，丢弃时间戳更旧的 SYN。NAT 后面许多客户端共用一个地址，而它们的时钟各不相同。",
  "lesson.tcp_tw_recycle_nat.see": "服务器上的 PAWSPassive（netstat -s 中因时间戳被拒绝的被动连接）增长。",
  "lesson.tcp_tw_recycle_nat.not": "内核 4.12 起已没有这个 sysctl。",
  "lesson.rule_unknown.title": "由一条无法理解的规则决定",
  "lesson.rule_unknown.happens":
    "报文路径遇到不认识的匹配或目标，或者它要求的内容没有任何文件给出。两种结果都会继续分析；结果不同时，回答保持未定，而不是猜测。",
  "lesson.rule_unknown.see": "比较一次尝试前后该规则的计数。",
  "lesson.rule_unknown.not": "报文没有遇到的未知规则不影响结果。",
  "lesson.datapath_not_modelled.title": "报文由另一条数据路径处理",
  "lesson.datapath_not_modelled.happens":
    "XDP 或 tc 上的程序（Cilium、Calico 的 eBPF 模式）、flowtable 或特殊设备把报文带离了这里建模的路径。如何处理取决于它自己的 map。",
  "lesson.datapath_not_modelled.see": "tc 和 ip -d link 会列出途经设备上的程序。",
  "lesson.datapath_not_modelled.not": "该流量不经过的设备上的程序。",
};
