import type { verdicts as en } from "../en/verdicts.ts";

export const verdicts: Readonly<Record<keyof typeof en, string>> = {
  "verdict.reachable": "可达",
  "verdict.reachable-but": "可达，但有 {share} 的源端口或选择除外",
  "verdict.unreachable": "不可达",
  "verdict.intermittent": "时通时断",
  "verdict.intermittent-share": "时通时断，成功比例 {share}",
  "verdict.undetermined": "无法确定",
  "sees.connected": "客户端可以建立连接",
  "sees.refused": "客户端看到：连接被拒绝（connection refused）",
  "sees.timeout": "客户端看到：连接超时（timed out）",
  "sees.unreachable": "客户端看到：没有到主机的路由，或网络不可达",
  "sees.reset": "客户端看到：连接被重置（connection reset）",
  "sees.stalled": "客户端建立了连接，但之后收不到任何数据",
};
