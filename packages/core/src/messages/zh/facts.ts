import type { facts as en } from "../en/facts.ts";

export const facts: Readonly<Record<keyof typeof en, string>> = {
  "fact.sysctl": "{stack} 上 {key} 的取值",
  "fact.rp-filter": "{stack} 上 {device} 实际生效的 rp_filter（取 all 与 {device} 中较大者）",
  "fact.listen": "{stack} 中是否有进程监听 {port}",
  "fact.neighbour": "{address} 是否应答 {stack} 在 {device} 上的询问（采集数据时正在询问）",
  "fact.address": "{stack} 是否拥有地址 {address}",
  "fact.src-dst-check": "底层网络是否会丢弃源地址不属于发送网卡的报文（源/目的检查）",
  "fact.preserve-client": "负载均衡器 {address} 是否保留客户端地址",
  "fact.balancer-target": "负载均衡器 {address} 把报文送往哪里",
  "fact.home": "{address} 在哪个节点的哪个设备后面",
  "fact.endpoint": "已下线的 {address} 是否仍会回包",
  "fact.ip-rule": "{stack} 上位于 {where} 的策略路由规则是否匹配：该规则无法解析",
  "fact.rule": "{stack} 上位于 {where} 的规则是否匹配：该规则无法解析，或依赖未提供的信息",
  "fact.beside-conntrack": "{stack} 上优先级为 -200 的 nft 链与 conntrack 优先级相同，它在 conntrack 之前还是之后执行",
  "fact.datagram-source":
    "{stack} 上监听 {port} 的服务用哪个源地址应答：它绑定了所有地址，除非程序使用被请求的地址，否则由路由决定",
  "fact.native-order":
    "{stack} 上两张 nft 表在同一优先级有链，它们是按列表顺序注册的（listed）还是相反（reversed）：后注册的先执行",
  "fact.native-registered":
    "{stack} 上 nft 链与 iptables 在同一优先级注册钩子的先后（first 先、last 后）：后注册的先执行",
  "fact.registered-first": "{stack} 的两个 iptables 后端都有规则，哪一个先注册了钩子",
  "fact.masquerade": "{stack} 是否对该连接做 MASQUERADE：其 nat 表未提供",
  "fact.multipath":
    "{stack} 上从 {source} 到 {destination} 走哪个下一跳：由带秘密种子的哈希选定，同一客户端每次都相同，其他客户端可能不同",
  "fact.hairpin": "{stack} 的网桥端口 {port} 是否开启了 hairpin 模式",
  "fact.other": "{id}",
  "fact.set": "{stack} 上未提供的集合 {set} 是否包含 {entry}",
  "fact.mode": "kube-proxy 运行在哪种模式",
};
