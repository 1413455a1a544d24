import type { checks as en } from "../en/checks.ts";

export const checks: Readonly<Record<keyof typeof en, string>> = {
  "check.arp": "哪些 MAC 会应答该地址",
  "check.paws": "服务器是否因时间戳拒绝 SYN",
  "check.ipvs-connections": "是否还记得到 {address} 的连接",
  "check.insert-failed": "连接失败时 insert_failed 是否增长",
  "check.conntrack-count": "连接跟踪表占用了多少",
  "check.neighbours": "邻居表占用了多少",
  "check.vtep-macs": "各节点隧道设备的 MAC",
  "check.tunnel-ends": "隧道的两端是哪些地址",
  "check.bridge-nf": "桥接报文是否经过 netfilter",
  "check.invalid": "连接被重置时 conntrack 是否把报文判为 INVALID",
  "check.underlay": "{what} 是否到达 {node}",
  "check.checksum": "校验和是否交给网卡计算；用 ethtool -K 关闭后再试",
  "check.far-rp-filter": "{endpoint} 所在节点上 {device} 实际生效的 rp_filter",
  "check.counters": "POSTROUTING 中哪条规则在计数",
  "check.rp-filter": "{stack} 的 rp_filter，以及内核是否在统计被拒收的报文",
  "check.real-servers": "客户端所在节点上 {service} 的 real server",
};
