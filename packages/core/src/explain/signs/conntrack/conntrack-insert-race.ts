import { text } from "../../../messages/index.ts";
import { PROTO } from "../../../net/index.ts";
import type { Look, Sign } from "../../sign.ts";
import { suspect } from "../claim.ts";

/**
 * Entries that lost the race into the table: one of two packets sent at once, or ports drawn alike, is dropped. Guard: a
 * flow that nobody translates and that is no datagram cannot clash.
 */
export const conntrackInsertRace: Sign = {
  codes: ["CONNTRACK_INSERT_RACE"],
  detect: (look) => {
    const failed = look.observations.counters.filter((c) => c.name === "conntrack.insert_failed" && c.value > 0);
    const [first] = failed;
    if (first === undefined || !canClash(look)) return [];
    return [
      suspect({
        code: "CONNTRACK_INSERT_RACE",
        stack: first.place.node,
        summary: text("cause.conntrack_insert_race", { count: failed.reduce((n, c) => n + c.value, 0) }),
        evidence: failed.map((c) => c.origin),
        step: "conntrack confirm",
        check: { text: text("check.insert-failed"), command: "conntrack -S" },
      }),
    ];
  },
};

const canClash = ({ question, exploration }: Look): boolean =>
  question.protocol === PROTO.udp ||
  exploration.branches.some(
    ({ request }) => request.disposition === "undetermined" || request.steps.some((s) => s.kind === "nat"),
  );
