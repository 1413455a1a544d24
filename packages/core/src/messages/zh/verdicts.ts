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
  "families.one": "{family} {verdict}",
  "families.reachable": "可达",
  "families.unreachable": "不可达",
  "families.intermittent": "时通时断",
  "families.undetermined": "无法确定",
  "families.both": "{one}，{other}。",
  "families.late":
    "{one}，{other}：客户端会延迟连上。解析器先返回 {family} 地址（RFC 6724）；支持 happy eyeballs 的客户端（curl、浏览器）约 0.25 秒后改用另一地址，逐个尝试地址的客户端要等到这次尝试失败，只用 {family} 的客户端始终连不上。",
  "families.moves-on":
    "{one}，{other}：解析器先返回 {family} 地址（RFC 6724），该尝试立即失败，会继续尝试下一个地址的客户端能连上，只用 {family} 的客户端连不上。",
  "families.second-fails":
    "{one}，{other}：解析器先返回可达的地址族（RFC 6724），多数客户端能连上；只用 {family} 的客户端连不上。",
};
