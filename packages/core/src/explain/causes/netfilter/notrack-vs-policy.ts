import { type Text, text } from "../../../messages/index.ts";
import type { Stack } from "../../../model/index.ts";
import { formatAddress } from "../../../net/index.ts";
import { argv, type Cause, on, type Scene, stackOf, stepsOf, wayOf } from "../../cause.ts";
import { dropPlace } from "./netfilter-drop.ts";

interface Untracking {
  readonly chain: string;
  readonly number: number;
  readonly origin: Stack["origin"];
}

/** The rules of table raw that took a packet, or its answer, out of conntrack's sight. */
const untrackingRules = (stack: Stack | undefined, met: ReadonlySet<unknown>): readonly Untracking[] =>
  (stack?.netfilter.tables ?? [])
    .filter((t) => t.name === "raw")
    .flatMap(({ chains }) =>
      chains.flatMap(({ name: chain, rules }) =>
        rules.flatMap(({ target, origin }, at): readonly Untracking[] => {
          const untracks = target.kind === "notrack" || (target.kind === "ct" && target.notrack);
          return untracks && met.has(origin) ? [{ chain, number: at + 1, origin }] : [];
        }),
      ),
    );

/** The stack whose rules of table raw may be to blame, and what becomes of a packet that it does not track. */
function place(scene: Scene): { readonly stack: string; readonly summary: Text } | undefined {
  const { leg, branch } = scene;
  if (dropPlace(scene) !== undefined)
    return {
      stack: leg.stack,
      summary: text("cause.notrack_vs_policy", { stack: leg.stack, direction: wayOf(scene) }),
    };
  // Rules that translate see the first packet of a connection (nf_nat_inet_fn), and an untracked one is of none.
  const first = stepsOf(branch.request, "rule").find((s) => s.table === "raw" && s.effect === "matched");
  if (leg !== branch.request || first === undefined || leg.final.dst !== first.packet.dst) return undefined;
  const { stack, packet } = first;
  return { stack, summary: text("cause.notrack_vs_policy.nat", { stack, address: formatAddress(packet.dst) }) };
}

/**
 * A packet that conntrack must not see meets rules that only let pass what conntrack knows, or goes on untranslated. Claimed only if it
 * works without.
 */
export const notrackVsPolicy: Cause = {
  codes: ["NOTRACK_VS_POLICY"],
  detect: (scene) => {
    const { leg, world, branch } = scene;
    const { stack, summary } = place(scene) ?? {};
    if (stack === undefined || summary === undefined) return [];
    // The answer of a request that conntrack did not see is NEW, whatever rules untrack the answer itself.
    const met = new Set(
      [branch.request, branch.reply]
        .flatMap((l) => stepsOf(l, "rule"))
        .filter((s) => s.stack === stack && s.table === "raw" && s.effect === "matched")
        .map((s) => s.origin),
    );
    const rules = untrackingRules(stackOf(world, stack), met);
    if (rules.length === 0) return [];
    return [
      {
        code: "NOTRACK_VS_POLICY",
        summary,
        stack,
        evidence: [...rules.map((r) => r.origin), ...leg.origins],
        // From the last one up, so that no number shifts.
        without: [...rules]
          .reverse()
          .map(({ chain, number }) => on(stack, argv`iptables -t raw -D ${chain} ${number}`)),
        needsProof: true,
        root: true,
      },
    ];
  },
};
