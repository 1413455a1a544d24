import type { lessonsIpv6 as en } from "../../en/lessons/ipv6.ts";

export const lessonsIpv6: Readonly<Record<keyof typeof en, string>> = {
  "lesson.neighbour_discovery_filtered.title": "规则丢弃了邻居发现报文",
  "lesson.neighbour_discovery_filtered.happens":
    "IPv6 用 ICMPv6 寻找邻居，这些报文与其他报文一样经过 ip6tables 和 nftables，而 ARP 从不经过。把 ICMPv6 整体丢弃的防火墙会丢掉邻居请求或邻居通告，下一跳的条目变为失败，报文发不出去。",
  "lesson.neighbour_discovery_filtered.see":
    "机器在线，ip -6 neigh 却显示 FAILED；丢弃 ICMPv6 的规则或默认策略的计数增长。",
  "lesson.neighbour_discovery_filtered.not": "没有任何机器拥有该地址：见 NEIGHBOUR_FAILED。",
  "lesson.pmtu_filtered.title": "规则丢弃了告知路径 MTU 的报文",
  "lesson.pmtu_filtered.happens":
    "路由器因报文过大而无法转发时会告知发送方（ICMPv6 的 packet too big），发送方随后改发较小的报文。防火墙丢弃这类消息后，连接能够建立却随即停住：小报文能通过，大报文始终不能。IPv6 中途没有任何设备会分片。",
  "lesson.pmtu_filtered.see": "抓包能看到握手完成，满长报文段反复重传，ICMP 或默认丢弃规则的计数增长。",
  "lesson.pmtu_filtered.not": "IPv4，以及不作任何回应就丢弃的设备：见 MTU_BLACKHOLE。",
  "lesson.dad_failed.title": "重复地址检测失败",
  "lesson.dad_failed.happens":
    "IPv6 地址启用之前，内核会询问是否已有人使用。如果有人应答，地址就以 dadfailed 状态留在设备上，既不作为源地址，也不代为应答。检测尚未结束时为 tentative。",
  "lesson.dad_failed.see": "ip -6 addr 中该地址后面有 dadfailed 或 tentative。",
  "lesson.dad_failed.not": "optimistic 状态的地址在检测期间就可以使用。",
  "lesson.ndp_proxy_missing.title": "路由器没有为身后的地址代答",
  "lesson.ndp_proxy_missing.happens":
    "发送者认为该地址就在本链路上，于是在链路上发送邻居请求。它其实在某个路由器后面，而路由器只有在开启 proxy_ndp 并登记了该地址时才会代答。",
  "lesson.ndp_proxy_missing.see": "路由器有经另一设备到该地址的路由，而 ip -6 neigh show proxy 中没有它。",
  "lesson.ndp_proxy_missing.not": "链路上没有任何路由器有到该地址的路由。",
  "lesson.ipv6_disabled.title": "设备上禁用了 IPv6",
  "lesson.ipv6_disabled.happens":
    "disable_ipv6 为 1 时，设备没有 IPv6 地址，也不接收 IPv6 报文，到达的报文一开始就被丢弃。改为 0 并不会恢复手工配置的地址。",
  "lesson.ipv6_disabled.see": "该设备的 sysctl 为 1，ip -6 addr 没有它的任何输出。",
  "lesson.ipv6_disabled.not": "sysctl 为 0、只是没有地址的设备。",
  "lesson.link_local_without_zone.title": "链路本地地址没有指明设备",
  "lesson.link_local_without_zone.happens":
    "每条链路上都有 fe80::/10。没有区域标识（fe80::1%eth0）时，内核不知道是哪条链路，connect() 返回 EINVAL。",
  "lesson.link_local_without_zone.see": "地址以 fe80 开头，后面没有 %。",
  "lesson.link_local_without_zone.not": "绑定了设备的客户端已经指明了链路。",
  "lesson.ra_ignored_forwarding.title": "节点开启了转发，因此忽略路由通告",
  "lesson.ra_ignored_forwarding.happens":
    "主机从路由通告得到默认路由。开启转发的节点被视为路由器，除非 accept_ra 为 2，否则忽略路由通告。为了 Pod 开启转发，默认路由会在生存期结束后消失。",
  "lesson.ra_ignored_forwarding.see": "ip -6 route 没有 default，而该设备的 forwarding 和 accept_ra 都为 1。",
  "lesson.ra_ignored_forwarding.not": "手工配置的默认路由不受影响。",
  "lesson.src_selection_ipv6.title": "IPv6 选中的源地址没有回程路由",
  "lesson.src_selection_ipv6.happens":
    "一个设备通常有多个 IPv6 地址，RFC 6724 按作用域、标签和最长公共前缀从中选择。选中的地址所在网段，对端可能没有路由，而换一个地址就能通。",
  "lesson.src_selection_ipv6.see": "ip -6 route get 会显示源地址；对端没有到它的路由。",
  "lesson.src_selection_ipv6.not": "客户端自己绑定的源地址。",
};
