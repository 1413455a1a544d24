import type { kubeProxy as en } from "../en/kube-proxy.ts";

export const kubeProxy: Readonly<Record<keyof typeof en, string>> = {
  "kube-proxy.no-configuration":
    "未提供 KubeProxyConfiguration：按默认值处理，即没有 clusterCIDR，不区分 Pod 与其他来源",
  "kube-proxy.endpoints-unseen":
    "未提供 {service} 的 EndpointSlice 或 Endpoints：按没有任何端点处理，即 kube-proxy 会拒绝发往它的报文",
  "kube-proxy.endpoints-cut": "{service} 的端点列表被截断：缺少其余端点的规则",
  "kube-proxy.endpoints-row":
    "{service} 的端点仅来自 kubectl get 的一行输出：视为全部就绪，并位于拥有该地址的 Pod 所在的节点",
  "kube-proxy.service-row": "{service} 仅来自 kubectl get 的一行输出：其流量策略、会话保持和源地址范围按默认值处理",
  "kube-proxy.gates-at-once": "{gate} 会一次切换许多特性，未建模：各特性按该版本的默认值处理",
};
