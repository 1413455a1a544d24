import type { lessonsLink as en } from "../../en/lessons/link.ts";

export const lessonsLink: Readonly<Record<keyof typeof en, string>> = {
  "lesson.hairpin_off.title": "Pod 通过 Service 访问自己",
  "lesson.hairpin_off.happens":
    "Pod 访问某个 Service，选中的端点恰好是它自己。转换之后，帧要从进来的那个网桥端口再出去；除非该端口开启了 hairpin 模式，否则网桥会拒绝。",
  "lesson.hairpin_off.see": "只有选中自己时才失败；bridge -d link 显示该端口 hairpin off。",
  "lesson.hairpin_off.not": "使用路由 veth 的 Pod（Calico）不需要它。",
  "lesson.link_down.title": "途经的设备处于 down 状态",
  "lesson.link_down.happens":
    "设备 down 时，内核会删除它的路由，发往它的报文被丢弃。仅仅没有载波时路由仍在，标记为 linkdown。",
  "lesson.link_down.see": "ip link 显示 state DOWN 或 NO-CARRIER。",
  "lesson.link_down.not": "隧道和环回设备的 state UNKNOWN 属于正常情况。",
  "lesson.neighbour_failed.title": "下一跳没有应答 ARP",
  "lesson.neighbour_failed.happens":
    "路由已经找到，但得不到下一跳的链路层地址。请求三次之后，邻居条目变为 FAILED，等待中的报文被丢弃，发送者得到 EHOSTUNREACH 或 ICMP 主机不可达。",
  "lesson.neighbour_failed.see": "ip neigh 中下一跳为 FAILED 或 INCOMPLETE。",
  "lesson.neighbour_failed.not": "不在途中的邻居的 FAILED 条目。",
  "lesson.l2_path.title": "网桥没有转发该帧的路径",
  "lesson.l2_path.happens":
    "网桥按 MAC 和 VLAN 转发。不属于该 VLAN 或不处于转发状态的端口会丢弃帧，此时 IP 层的规则还没有看到它。",
  "lesson.l2_path.see": "查看途经端口的 bridge vlan 和 bridge fdb。",
  "lesson.l2_path.not": "bridge 协议族的过滤规则属于规则丢弃。",
  "lesson.mtu_blackhole.title": "大报文消失",
  "lesson.mtu_blackhole.happens":
    "带有“don't fragment”的报文比出口设备的 MTU 大。内核丢弃它，并用 ICMP“fragmentation needed”告知发送者。如果该消息被过滤，或者丢失发生在隧道内部，发送者会不断重发同样大小的报文段。握手报文很小，所以能成功。",
  "lesson.mtu_blackhole.see":
    "小请求正常，大请求卡住；抓包看到同一个满长报文段反复重传；用 ping -M do 可以试出能通过的大小。",
  "lesson.mtu_blackhole.not": "MTU 较小本身不是故障：只要 ICMP 能通过，TCP 会自行调整。",
  "lesson.vxlan_tx_csum_offload.title": "VXLAN 设备发出错误的校验和",
  "lesson.vxlan_tx_csum_offload.happens":
    "校验和交给网卡计算。在某些内核和驱动上，NAT、VXLAN 与 offload 的组合会写入错误的值，接收方解封装之后静默丢弃。重传可能走内核的另一条路径而成功，间隔为 1、3 或 63 秒。",
  "lesson.vxlan_tx_csum_offload.see":
    "ethtool -k 显示 VXLAN 设备的 tx-checksum-ip-generic 为 on，设为 off 即恢复；接收方的 InCsumErrors 增长。",
  "lesson.vxlan_tx_csum_offload.not": "在发送方抓包看到“cksum incorrect”是 offload 的正常现象。",
  "lesson.duplicate_vtep_mac.title": "两个节点的 VTEP MAC 相同",
  "lesson.duplicate_vtep_mac.happens":
    "克隆的机器可能给 VXLAN 设备相同的 MAC。源 MAC 等于接收者自身 MAC 的帧会被当作环路丢弃，而转发表也只能指向其中一个。",
  "lesson.duplicate_vtep_mac.see": "两个节点上 ip -d link show type vxlan 的 link/ether 相同。",
  "lesson.duplicate_vtep_mac.not": "同一节点在采集数据中出现两次。",
  "lesson.wrong_underlay_interface.title": "隧道绑定在错误的网卡上",
  "lesson.wrong_underlay_interface.happens":
    "CNI 插件选中了一块地址不唯一或不可达的网卡（虚拟机的 NAT 地址、存储网络），并让其他节点把隧道报文发到那里。",
  "lesson.wrong_underlay_interface.see":
    "public-ip 注解与节点的 InternalIP 不同，或者多个节点相同；bridge fdb 指向该地址。",
  "lesson.wrong_underlay_interface.not": "两块网卡都能到达其他节点时没有影响。",
  "lesson.tunnel_mismatch.title": "隧道两端不一致",
  "lesson.tunnel_mismatch.happens":
    "封装的报文到达了，却没有设备接收：隧道类型、VNI、UDP 端口、key 或对端地址不同。内核丢弃它；IPIP 还会回复 ICMP。",
  "lesson.tunnel_mismatch.see": "比较两端的 ip -d link；隧道报文到达网卡，而隧道设备没有任何输出。",
  "lesson.tunnel_mismatch.not": "隧道报文根本没有到达：见 UNDERLAY_FILTER。",
  "lesson.arp_not_strict.title": "每个节点都应答该地址的 ARP",
  "lesson.arp_not_strict.happens":
    "kube-ipvs0 上的地址是本机地址，而内核默认在任何网卡上应答任何本机地址的 ARP。多个节点都声称拥有负载均衡器地址，路由器采用最后应答的那个。",
  "lesson.arp_not_strict.see": "arping 收到来自多个 MAC 的应答。",
  "lesson.arp_not_strict.not": "只有一个节点，或者所有节点的 arp_ignore 都为 1。",
  "lesson.arp_table_overflow.title": "邻居表已满",
  "lesson.arp_table_overflow.happens":
    "条目数达到 gc_thresh3 时，内核无法再建立邻居条目，发往新邻居的报文被丢弃。为每个 Pod 或节点建立条目的 overlay 容易遇到。",
  "lesson.arp_table_overflow.see": "内核日志有“neighbor table overflow”；条目数接近 gc_thresh3。",
  "lesson.arp_table_overflow.not": "低于上限的大量 FAILED 条目。",
  "lesson.underlay_filter.title": "节点之间的网络丢弃了它",
  "lesson.underlay_filter.happens":
    "报文正常离开一个节点，却没有到达另一个。两者之间的安全组、防火墙或访问控制列表不允许该协议、端口或源地址；常见的是 UDP 4789、UDP 8472 或 IP 协议号 4。",
  "lesson.underlay_filter.see": "同时在两端网卡上抓包：一端有，另一端没有。",
  "lesson.underlay_filter.not": "如果同一连接的部分报文能通过，则是校验和或 MTU 的问题。",
  "lesson.cloud_src_dst_check.title": "云平台拒绝不属于该网卡的源地址",
  "lesson.cloud_src_dst_check.happens":
    "云网络会丢弃源地址不属于出口网卡的报文。不封装的路由型 Pod 网络，以及从第二块网卡发出的回包，都会遇到。",
  "lesson.cloud_src_dst_check.see": "抓包看到报文从该网卡发出，源地址却不属于它，而且哪里都没有收到。",
  "lesson.cloud_src_dst_check.not": "封装的报文外层使用节点自己的地址，不受影响。",
};
