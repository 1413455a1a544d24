import { text } from "../../../messages/index.ts";
import type { Stack } from "../../../model/index.ts";
import { argv, type Cause, on, stackOf, stepsOf, wayOf } from "../../cause.ts";
import { dropPlace } from "./netfilter-drop.ts";

interface Untracking {
  readonly chain: string;
  readonly number: number;
  readonly origin: Stack["origin"];
}

/** The rule of table raw that took a packet out of conntrack's sight. */
function untrackingRule(stack: Stack | undefined, met: ReadonlySet<unknown>): Untracking | undefined {
  for (const table of stack?.netfilter.tables ?? []) {
    if (table.name !== "raw") continue;
    for (const chain of table.chains) {
      const at = chain.rules.findIndex(
        ({ target, origin }) =>
          met.has(origin) && (target.kind === "notrack" || (target.kind === "ct" && target.notrack)),
      );
      const rule = chain.rules[at];
      if (rule !== undefined) return { chain: chain.name, number: at + 1, origin: rule.origin };
    }
  }
  return undefined;
}

/** A packet that conntrack must not see meets rules that only let pass what conntrack knows. Claimed only if it works without. */
export const notrackVsPolicy: Cause = {
  codes: ["NOTRACK_VS_POLICY"],
  detect: (scene) => {
    const { leg, world } = scene;
    if (dropPlace(scene) === undefined) return [];
    const met = new Set(
      stepsOf(leg, "rule")
        .filter((s) => s.stack === leg.stack && s.table === "raw" && s.effect === "matched")
        .map((s) => s.origin),
    );
    const rule = untrackingRule(stackOf(world, leg.stack), met);
    if (rule === undefined) return [];
    return [
      {
        code: "NOTRACK_VS_POLICY",
        summary: text("cause.notrack_vs_policy", { stack: leg.stack, direction: wayOf(scene) }),
        stack: leg.stack,
        evidence: [rule.origin, ...leg.origins],
        without: [on(leg.stack, argv`iptables -t raw -D ${rule.chain} ${rule.number}`)],
        needsProof: true,
        root: true,
      },
    ];
  },
};
