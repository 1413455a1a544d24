import { text } from "../../messages/index.ts";
import { formatAddress, PROTO } from "../../net/index.ts";
import { type Cause, stepsOf } from "../cause.ts";

/** An entry left from before sends this very flow where the rules of today would not. */
export const conntrackStaleUdp: Cause = {
  codes: ["CONNTRACK_STALE_UDP"],
  detect: ({ branch, question }) => {
    if (question.protocol !== PROTO.udp) return [];
    const entry = stepsOf(branch.request, "conntrack").find((s) => s.action === "attach" && s.origin !== undefined);
    if (entry?.origin === undefined) return [];
    const address = formatAddress(branch.request.final.dst);
    const summary = text("cause.conntrack_stale_udp", { stack: entry.stack, address });
    return [{ code: "CONNTRACK_STALE_UDP", summary, stack: entry.stack, evidence: [entry.origin], root: true }];
  },
};
