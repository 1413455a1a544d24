import { text } from "../../../messages/index.ts";
import { shell } from "../../../model/shell.ts";
import type { Sign } from "../../sign.ts";
import { shownStacks, suspect } from "../claim.ts";

const LIMIT = "net.ipv4.neigh.default.gc_thresh3";

/** The neighbour table has no room: addresses that are not in it yet cannot be resolved. */
export const arpTableOverflow: Sign = {
  codes: ["ARP_TABLE_OVERFLOW"],
  detect: (look) => {
    const known = look.observations.complaints.filter((c) => c.what === "neighbour-overflow");
    const full = shownStacks(look).flatMap((s) => {
      const limit = s.sysctls.get(LIMIT);
      const whole = s.neighbours.extent === "whole" && limit !== undefined;
      return whole && Number(limit.value) > 0 && s.neighbours.items.length >= Number(limit.value)
        ? [{ node: s.name, origin: limit.origin }]
        : [];
    });
    const observed = [...known.map((c) => ({ node: c.place.node, origin: c.origin })), ...full];
    const [first] = observed;
    if (first === undefined) return [];
    return [
      suspect({
        code: "ARP_TABLE_OVERFLOW",
        stack: first.node,
        summary: text("cause.arp_table_overflow", { stack: first.node }),
        evidence: observed.filter((s) => s.node === first.node).map((s) => s.origin),
        step: "neighbour",
        check: { text: text("check.neighbours"), command: shell`ip neigh | wc -l; sysctl ${LIMIT}` },
      }),
    ];
  },
};
