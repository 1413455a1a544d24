import type { lessonsRouting as en } from "../../en/lessons/routing.ts";

export const lessonsRouting: Readonly<Record<keyof typeof en, string>> = {
  "lesson.rp_filter_strict.title": "严格反向路径过滤",
  "lesson.rp_filter_strict.happens":
    "报文转发或递交之前，内核会查找到其源地址的回程路由。rp_filter 为 1 时，回程路由必须走报文进来的那个设备，否则直接丢弃，不作任何回复。查找时用的是 DNAT 或反向转换之后的地址；生效值取 conf.all 与该设备两者中较大的一个。",
  "lesson.rp_filter_strict.see":
    "内核日志中的“martian source”（需要 log_martians 为 1）、不断增长的 IPReversePathFilter 计数，以及指向另一设备的回程路由。",
  "lesson.rp_filter_strict.not":
    "rp_filter 为 2（宽松）时，只要有任意一条路由能到源地址就会接收。源地址是本机地址时，无论 rp_filter 取何值都会被拒绝：见 MARTIAN_LOCAL_SOURCE。",
  "lesson.policy_route_pod_source.title": "策略路由把回包送往另一设备",
  "lesson.policy_route_pod_source.happens":
    "按源地址（from）或入口设备（iif）选择的 ip rule 先于 main 表生效。针对 Pod 地址的规则同样决定它的回包，也决定反向路径过滤的查找：请求从一块网卡进来，回包却从 Pod 自己的网卡出去。",
  "lesson.policy_route_pod_source.see": "ip rule 中有一条针对客户端或 Pod 地址的规则，而它指向的表从另一设备出去。",
  "lesson.policy_route_pod_source.not": "如果另有优先级数值更小的规则让这类流量留在 main 表，就不会有问题。",
  "lesson.src_selection_multi_nic.title": "源地址是为另一块网卡选的",
  "lesson.src_selection_multi_nic.happens":
    "节点上的进程连接 Service 地址时，内核先按到该地址的路由选好源地址；随后 OUTPUT 中的 DNAT 改写目的地址并重新选路，报文改从另一块网卡出去，源地址却保持不变。对端收到的报文，源地址不属于它预期的网络。",
  "lesson.src_selection_multi_nic.see":
    "对 Service 地址和对端点分别执行 ip route get，得到的设备和源地址不同；在第二块网卡上抓包能看到第一块网卡的地址。",
  "lesson.src_selection_multi_nic.not": "如果出去时做了 MASQUERADE，源地址会重新变对。",
  "lesson.src_selection_masquerade.title": "MASQUERADE 选中了意料之外的地址",
  "lesson.src_selection_masquerade.happens":
    "MASQUERADE 使用出口设备的主地址。如果该设备没有地址，inet_select_addr() 会在其他设备中取第一个作用域合适的地址，常常是 lo 上的别名。回包随之发往拥有那个地址的机器。",
  "lesson.src_selection_masquerade.see": "出口设备没有 inet 一行；在它后面抓包，源地址是另一设备的地址。",
  "lesson.src_selection_masquerade.not": "作用域为 host 或 link 的地址不会被选中。",
  "lesson.martian_local_source.title": "收到源地址为本机地址的报文",
  "lesson.martian_local_source.happens":
    "对每个从设备进来的报文，内核都会查找其源地址。如果它是本机地址，就当作 martian 拒绝，因为只有本机才能用它发包。常见于负载均衡器把报文送回发出者，或者 kube-ipvs0 上的虚拟地址其实属于另一台机器。",
  "lesson.martian_local_source.see":
    "对源地址执行 ip route get，输出为 local；log_martians 为 1 时内核日志有“martian source”。",
  "lesson.martian_local_source.not":
    "与 rp_filter 无关，设为 0 也没有用。accept_local 设为 1 能让请求进来，但回包不会离开本机。",
  "lesson.wrong_pod_route.title": "路由把 Pod 流量送往错误的节点",
  "lesson.wrong_pod_route.happens":
    "最长前缀优先，前缀相同时取 metric 最小者。旧节点、以前的 CNI 插件或复制来的路由表留下的一条路由，会把某个 Pod 网段的报文送往没有这些 Pod 的机器。",
  "lesson.wrong_pod_route.see": "对 Pod 地址执行 ip route get，下一跳不是 kubectl 显示的所在节点。",
  "lesson.wrong_pod_route.not": "没有被选中的陈旧路由没有影响。",
  "lesson.blackhole_route.title": "命中 blackhole、unreachable 或 prohibit 路由",
  "lesson.blackhole_route.happens":
    "最佳匹配是一条拒绝型路由。blackhole 静默丢弃；unreachable 和 prohibit 会回复 ICMP。Calico 会在每个节点为自己的地址块加一条 blackhole，只有 Pod 的更长路由缺失时才会命中它。",
  "lesson.blackhole_route.see": "对目的地址执行 ip route get，得到错误或 blackhole。",
  "lesson.blackhole_route.not": "与各 Pod 的 /32 路由并存的 Calico blackhole 属于正常情况。",
  "lesson.no_route.title": "去程或回程没有路由",
  "lesson.no_route.happens":
    "ip rule 允许查找的所有表都没有匹配。节点自己的进程立即得到 ENETUNREACH；被转发的报文则被丢弃，发送者收到 ICMP 网络不可达。如果缺的是回程路由，客户端只会一直等待。",
  "lesson.no_route.see": "ip route get 输出“Network is unreachable”；IpInNoRoutes 计数增长。",
  "lesson.no_route.not": "设备断开时它的路由也会消失：见 LINK_DOWN。",
  "lesson.routing_loop.title": "两台机器互相转发",
  "lesson.routing_loop.happens":
    "双方都认为对方是通往目的地址的下一跳。ip_forward() 每一跳把 TTL 减一，减到 0 时丢弃报文并发送 ICMP 超时。",
  "lesson.routing_loop.see": "抓包中同一报文多次出现且 TTL 递减；traceroute 在两个地址之间交替。",
  "lesson.routing_loop.not": "经由做 MASQUERADE 的节点多走一跳不是环路。",
  "lesson.ip_forward_off.title": "没有开启 IP 转发",
  "lesson.ip_forward_off.happens":
    "不是发给本机的报文，只有在入口设备开启转发时才会继续转发，否则选路以 ip_error() 结束，报文被丢弃。通常由 Docker、kubelet 或 CNI 插件开启，而发行版的 sysctl 文件可能在启动时又把它关掉。",
  "lesson.ip_forward_off.see": "入口设备的 sysctl 为 0。",
  "lesson.ip_forward_off.not": "节点自己收发的报文（包括 hostNetwork 的 Pod）不受影响。",
  "lesson.route_localnet.title": "127.0.0.0/8 出现在 lo 以外的设备上",
  "lesson.route_localnet.happens":
    "源地址或目的地址为环回地址的报文，在其他设备上一律被拒绝，除非该设备的 route_localnet 为 1。把 127.0.0.1:NodePort 做 DNAT 到 Pod 时，报文出去和回包进来都会碰到这一点。",
  "lesson.route_localnet.see": "该设备的 route_localnet 为 0；内核日志可能有“martian destination”。",
  "lesson.route_localnet.not": "使用 IPVS 时这个 sysctl 没有作用：见 IPVS_LOCALHOST_NODEPORT。",
  "lesson.cidr_overlap.title": "Pod 网段覆盖了节点网段",
  "lesson.cidr_overlap.happens":
    "CNI 插件不改动 Pod 之间的流量，对发往其他地方的才做 MASQUERADE。如果 Pod 地址池覆盖了节点自己的网段，发往真实机器的报文看起来就像发往 Pod：它带着 Pod 地址出去，而那台机器没有到该地址的路由。",
  "lesson.cidr_overlap.see": "某个地址池或 cluster CIDR 包含 ip addr 中网卡的地址。",
  "lesson.cidr_overlap.not": "与该流量无关的地址池。",
  "lesson.masq_missing_nat_outgoing.title": "报文带着 Pod 地址离开集群",
  "lesson.masq_missing_nat_outgoing.happens":
    "Pod 发往外部的流量没有做 MASQUERADE：natOutgoing 关闭，或者目的地址被排除在外。报文能到达，但外部网络没有到 Pod 的路由，回包回不来。",
  "lesson.masq_missing_nat_outgoing.see": "在节点网卡上抓包，源地址是 Pod 地址。",
  "lesson.masq_missing_nat_outgoing.not": "外部网络本来就能路由 Pod 地址（BGP、VPC 路由）时，不需要 MASQUERADE。",
};
