/** 按名称说出网络策略。 */
export const policies = {
  "cause.network_policy_drop.logged": "网络插件日志表明其策略拦下了 {from} 发往 {to} 的报文",
  "cause.network_policy_drop.named":
    "该{direction}在 {stack} 上被丢弃：选中{pod}的网络策略 {policies} 不允许（{chain}）",
  "cause.network_policy_drop.several":
    "该{direction}在 {stack} 上被丢弃：选中{pod}的网络策略均不允许：{policies}（{chain}）",
  "policies.a-pod": "该 Pod",
} as const;
