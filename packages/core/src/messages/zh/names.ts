import type { names as en } from "../en/names.ts";

export const names: Readonly<Record<keyof typeof en, string>> = {
  "name.svc": "svc {service}",
  "name.pod": "pod {pod}",
  "name.on": "{what}，在 {node} 上",
  "name.endpoint": "svc {service} 的端点",
  "name.balancer": "负载均衡器",
  "name.balancer-named": "负载均衡器 {name}",
  "name.balancer-of": "{service} 的负载均衡器",
  "name.own-address": "{what}自己的地址",
  "name.outside": "外部",
  "name.node-port": "{host}，{service} 的 NodePort",
  "name.device": "{host}，{device}",
  "name.node": "节点 {name}",
  "name.lb": "负载均衡器 {name}",
  "name.vm": "虚拟机 {name}",
  "name.client": "客户端 {name}",
  "name.router": "路由器 {name}",
};
