import { text } from "../../../messages/index.ts";
import { PROTO } from "../../../net/index.ts";
import type { Sign } from "../../sign.ts";
import { shownStacks, suspect } from "../claim.ts";

/** Linux 4.12 took the setting away. */
const hadRecycle = (kernel: { readonly major: number; readonly minor: number } | undefined): boolean =>
  kernel === undefined || kernel.major < 4 || (kernel.major === 4 && kernel.minor < 12);

/** A server that recycles TIME_WAIT sockets expects the timestamps of one address to grow; those of many clients do not. */
export const tcpTwRecycleNat: Sign = {
  codes: ["TCP_TW_RECYCLE_NAT"],
  detect: (look) =>
    shownStacks(look).flatMap((stack) => {
      const entry = stack.sysctls.get("net.ipv4.tcp_tw_recycle");
      if (entry === undefined || entry.value === "0" || !hadRecycle(stack.machine.kernel)) return [];
      if (look.question.protocol !== PROTO.tcp) return [];
      return [
        suspect({
          code: "TCP_TW_RECYCLE_NAT",
          stack: stack.name,
          summary: text("cause.tcp_tw_recycle_nat", { stack: stack.name }),
          evidence: [entry.origin],
          step: "tcp",
          check: { text: text("check.paws"), command: "nstat -az TcpExtPAWSPassive" },
        }),
      ];
    }),
};
