import { text } from "../../../messages/index.ts";
import type { Origin } from "../../../model/index.ts";
import { shell } from "../../../model/shell.ts";
import type { Look, Sign } from "../../sign.ts";
import { shownStacks, suspect } from "../claim.ts";

const COUNT = "net.netfilter.nf_conntrack_count";
const MAX = "net.netfilter.nf_conntrack_max";

/** The connection table is, or was, full: what begins then is dropped. Guard: a count far below the maximum is no sign. */
export const conntrackFull: Sign = {
  codes: ["CONNTRACK_FULL"],
  detect: (look) => {
    const known = look.observations.complaints.filter((c) => c.what === "conntrack-full");
    const observed: readonly { readonly node: string; readonly origins: readonly Origin[] }[] = [
      ...known.map((c) => ({ node: c.place.node, origins: [c.origin] })),
      ...fullTables(look),
    ];
    const [first] = observed;
    if (first === undefined) return [];
    return [
      suspect({
        code: "CONNTRACK_FULL",
        stack: first.node,
        summary: text("cause.conntrack_full", { stack: first.node }),
        evidence: observed.filter((s) => s.node === first.node).flatMap((s) => s.origins),
        step: "conntrack",
        check: { text: text("check.conntrack-count"), command: shell`sysctl ${COUNT} ${MAX}` },
      }),
    ];
  },
};

const fullTables = (look: Look) =>
  shownStacks(look).flatMap((s) => {
    const [count, max] = [s.sysctls.get(COUNT), s.sysctls.get(MAX)];
    if (count === undefined || max === undefined || Number(max.value) <= 0) return [];
    return Number(count.value) >= Number(max.value) * 0.95
      ? [{ node: s.name, origins: [count.origin, max.origin] }]
      : [];
  });
