import type { unknowns as en } from "../en/unknowns.ts";

export const unknowns: Readonly<Record<keyof typeof en, string>> = {
  "unknown.open-fact": "事实 {fact} 未定",
  "unknown.nothing-read": "没有读到任何节点的信息，无从推演",
  "unknown.ipv6": "尚不支持推演 IPv6",
  "unknown.queue": "QUEUE 会把报文交给用户态程序",
  "unknown.tproxy": "TPROXY 会把报文交给本地的透明代理套接字",
  "unknown.target": "目标 {target} 未予建模",
  "unknown.target-not-understood": "无法解读目标 {target}",
  "unknown.too-much-work": "规则与随机分支需要的推演量超出一次回答的上限，已推演的部分不足以得出结论",
  "unknown.no-chain": "链 {chain} 不存在",
  "unknown.nftables": "已加载原生 nftables 规则，尚未建模（表 {table}）",
  "unknown.vrf-device": "VRF 设备未予建模",
  "unknown.vrf": "VRF 路由（l3mdev）未予建模",
  "unknown.rule-action": "策略路由规则的动作无法解读：{action}",
  "unknown.table": "未提供路由表 {table}（ip route show table {table}）",
  "unknown.route-device": "路由所用的设备 {device} 不在任何设备列表中",
  "unknown.program": "{device} 上运行 {program}，未予建模",
  "unknown.ipvlan": "{device} 是 {mode} 模式的 ipvlan 设备，未予建模",
  "unknown.device": "{device} 是 {kind} 类型的设备，未予建模",
  "unknown.ipvs-method": "转发方式 {method} 未予建模",
  "unknown.real-servers": "该虚拟服务的后端未完整提供",
};
