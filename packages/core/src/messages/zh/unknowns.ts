import type { unknowns as en } from "../en/unknowns.ts";

export const unknowns: Readonly<Record<keyof typeof en, string>> = {
  "unknown.addresses": "没有给出 {stack} 的全部地址",
  "unknown.open-fact": "{fact} 未知",
  "unknown.nothing-read": "没有识别出任何节点的采集数据，无从模拟",
  "unknown.host": "没有任何采集报文含地址 {address} 所在的主机",
  "unknown.queue": "QUEUE 会把报文交给用户态程序",
  "unknown.tproxy": "TPROXY 会把报文交给本地的透明代理套接字",
  "unknown.udp-checksum":
    "NAT 改动了隧道 {device} 的报文：若带 UDP 校验和（ip -d link show 显示 udpcsum），校验和不再正确，接收方除 ping 外一律丢弃；若不带（noudpcsum）则能通过",
  "unknown.fragments6": "发送方会对该 IPv6 数据报分片，分片之后的去向未建模",
  "unknown.target": "目标 {target} 未建模",
  "unknown.target-not-understood": "无法解析目标 {target}",
  "unknown.too-much-work": "规则与随机分支需要的模拟量超出一次回答的上限，已模拟的部分不足以得出结论",
  "unknown.host-not-found": "采集数据没有说明谁拥有 {address}，为它假定的主机在应在的位置也无法到达：采集数据互相矛盾",
  "unknown.no-chain": "链 {chain} 不存在",
  "unknown.nftables": "已加载原生 nftables 规则，尚未建模（表 {table}）",
  "unknown.neighbour": "{address} 的永久邻居条目是 MAC {mac}，与拥有该地址的主机不同：没有采集到谁拥有它",
  "unknown.bridge-vlans":
    "网桥 {bridge} 可能按 VLAN 过滤：是否过滤看 ip -d link show {bridge}，按哪些 VLAN 看 bridge vlan show",
  "unknown.encapsulation": "该路由会封装报文（encap {encapsulation}），未建模",
  "unknown.vrf-device": "VRF 设备未建模",
  "unknown.vrf": "VRF 路由（l3mdev）未建模",
  "unknown.rule-action": "策略路由规则的动作无法解析：{action}",
  "unknown.table": "未提供路由表 {table}（ip route show table {table}）",
  "unknown.route-device": "路由所用的设备 {device} 不在任何设备列表中",
  "unknown.program": "{device} 上运行 {program}，未建模",
  "unknown.socket-program": "{owner} 的程序可能在套接字连接时转换 {address}:{port}，未建模",
  "unknown.ipvlan": "{device} 是 {mode} 模式的 ipvlan 设备，未建模",
  "unknown.device": "{device} 是 {kind} 类型的设备，未建模",
  "unknown.ipvs-method": "转发方式 {method} 未建模",
  "unknown.real-servers": "该虚拟服务的后端未完整提供",
};
