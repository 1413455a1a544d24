import { text } from "../../../messages/index.ts";
import type { Stack } from "../../../model/index.ts";
import { argv, type Cause, on, stackOf, stepsOf, wayOf } from "../../cause.ts";
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

/** A packet that conntrack must not see meets rules that only let pass what conntrack knows. Claimed only if it works without. */
export const notrackVsPolicy: Cause = {
  codes: ["NOTRACK_VS_POLICY"],
  detect: (scene) => {
    const { leg, world, branch } = scene;
    if (dropPlace(scene) === undefined) return [];
    // The answer of a request that conntrack did not see is NEW, whatever rules untrack the answer itself.
    const met = new Set(
      [branch.request, branch.reply]
        .flatMap((l) => stepsOf(l, "rule"))
        .filter((s) => s.stack === leg.stack && s.table === "raw" && s.effect === "matched")
        .map((s) => s.origin),
    );
    const rules = untrackingRules(stackOf(world, leg.stack), met);
    if (rules.length === 0) return [];
    return [
      {
        code: "NOTRACK_VS_POLICY",
        summary: text("cause.notrack_vs_policy", { stack: leg.stack, direction: wayOf(scene) }),
        stack: leg.stack,
        evidence: [...rules.map((r) => r.origin), ...leg.origins],
        // From the last one up, so that no number shifts.
        without: [...rules]
          .reverse()
          .map(({ chain, number }) => on(leg.stack, argv`iptables -t raw -D ${chain} ${number}`)),
        needsProof: true,
        root: true,
      },
    ];
  },
};
