import { text } from "../../../messages/index.ts";
import { formatAddress, PROTO } from "../../../net/index.ts";
import { argv, type Cause, on, stackOf, stepsOf } from "../../cause.ts";

/**
 * An entry left from before sends this very flow where the rules of today would not. Guard: it is claimed only if the flow
 * works once the entry is gone.
 */
export const conntrackStaleUdp: Cause = {
  codes: ["CONNTRACK_STALE_UDP"],
  detect: ({ branch, question, world }) => {
    if (question.protocol !== PROTO.udp) return [];
    const step = stepsOf(branch.request, "conntrack").find((s) => s.action === "attach" && s.origin !== undefined);
    if (step?.origin === undefined) return [];
    const entry = stackOf(world, step.stack)?.conntrack.items.find((e) => e.origin === step.origin);
    const address = formatAddress(branch.request.final.dst);
    const summary = text("cause.conntrack_stale_udp", { stack: step.stack, address });
    const { src, dst, sport, dport } = entry?.original ?? {};
    // Made while the Service had no endpoint: nobody translates it, and nobody has the address.
    const untranslated =
      entry !== undefined && entry.reply.src === entry.original.dst && branch.request.drop === "FABRIC_NO_OWNER";
    const forget =
      src === undefined || dst === undefined
        ? undefined
        : argv`conntrack -D -p udp -s ${formatAddress(src)} -d ${formatAddress(dst)} --sport ${String(sport)} --dport ${String(dport)}`;
    return [
      {
        code: "CONNTRACK_STALE_UDP",
        summary,
        stack: step.stack,
        evidence: [step.origin],
        ...(forget !== undefined && { without: [on(step.stack, forget)], needsProof: !untranslated }),
        root: true,
      },
    ];
  },
};
