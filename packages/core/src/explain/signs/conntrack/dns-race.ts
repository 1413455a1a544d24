import { text } from "../../../messages/index.ts";
import { PROTO } from "../../../net/index.ts";
import type { Sign } from "../../sign.ts";
import { suspect } from "../claim.ts";

/** Two questions of one socket at once: the entries of both race into conntrack's table, and one packet is dropped. */
export const dnsRace: Sign = {
  codes: ["CONNTRACK_INSERT_RACE"],
  detect: ({ question, testimonies, exploration, observations }) => {
    // Where the counter was shown, it speaks for itself.
    if (observations.counters.some((c) => c.name === "conntrack.insert_failed" && c.value > 0)) return [];
    const partly = testimonies.find((t) => t.outcome === "partly-answered");
    if (question.protocol !== PROTO.udp || partly === undefined) return [];
    const translated = exploration.branches.some(
      ({ request }) =>
        request.disposition === "undetermined" || request.steps.some((s) => s.kind === "nat" || s.kind === "ipvs"),
    );
    if (!translated) return [];
    return [
      suspect({
        code: "CONNTRACK_INSERT_RACE",
        stack: question.client,
        summary: text("cause.conntrack_insert_race.dns"),
        evidence: [partly.origin],
        step: "conntrack confirm",
        check: { text: text("check.insert-failed"), command: "conntrack -S" },
      }),
    ];
  },
};
