import { isLaterFragment, type TcpmssTarget } from "../../../model/index.ts";
import { lowerMss, mssOfPath } from "../../ip/tcp-mss.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Skb } from "../../kernel/skb.ts";
import type { TargetOutcome } from "./index.ts";

/** Follows tcpmss_mangle_packet() (xt_TCPMSS.c). */
export function tcpmss({
  kernel,
  target,
  skb,
}: {
  readonly kernel: Kernel;
  readonly target: TcpmssTarget;
  readonly skb: Skb;
}): TargetOutcome {
  if (isLaterFragment(skb.packet)) return { kind: "continue", decision: { kind: "target", name: "TCPMSS" } };
  const mss = target.mss ?? mssOfPath(kernel, skb);
  if (mss === undefined) return { kind: "drop", decision: { kind: "target", name: "TCPMSS" } };
  lowerMss(skb, mss);
  return { kind: "continue", decision: { kind: "mss", mss: skb.packet.mss ?? mss } };
}
