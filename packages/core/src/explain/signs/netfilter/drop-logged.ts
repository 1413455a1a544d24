import { type LoggedStep, loggedPackets, partOf } from "../../../evidence/index.ts";
import { text } from "../../../messages/index.ts";
import type { World } from "../../../model/index.ts";
import type { ClaimedCause } from "../../cause.ts";
import type { CauseCode } from "../../code.ts";
import type { Look, Sign } from "../../sign.ts";
import { suspect } from "../claim.ts";

/** Prefixes by which people mark what they are about to drop. */
const SAYS_DROP = /drop|reject|den(?:y|ied)|block|refus|discard/i;

/**
 * The kernel's own word that a packet of the asked flow was dropped: a LOG rule whose prefix says so, or a trace that ends in a drop. No rule needs to
 * have been shown for it. Guards: a LOG rule that was shown is walked, and the walk knows what follows it; another client's packet is a suspicion only.
 */
export const dropLogged: Sign = {
  codes: ["RULE_DROP", "FORWARD_POLICY_DROP", "NFT_SECOND_TABLE_DROP"],
  detect: (look) => {
    const claims = loggedPackets(look.observations.lines).flatMap(({ ip, steps }): ClaimedCause[] => {
      const part = partOf(look.flow, ip) ?? steps.flatMap((s) => partOfStep(look, s))[0];
      const last = steps[steps.length - 1];
      if (part === undefined || last === undefined) return [];
      const place = { direction: part.way, certainty: part.own ? "inferred" : "possible" } as const;
      const traced = byTrace(last, steps);
      if (traced !== undefined) return [suspect({ ...traced, ...place })];
      const logged = steps.find((s) => s.line.kind === "log" && SAYS_DROP.test(s.line.prefix));
      return logged === undefined || isShown(look.world, logged) ? [] : [suspect({ ...byPrefix(logged), ...place })];
    });
    const strongest = [...claims].sort(
      (a, b) => Number(a.certainty !== "inferred") - Number(b.certainty !== "inferred"),
    );
    return strongest.slice(0, 1);
  },
};

const partOfStep = ({ flow }: Look, { line }: LoggedStep) => {
  const part = line.ip === undefined ? undefined : partOf(flow, line.ip);
  return part === undefined ? [] : [part];
};

/** Rules that log with this prefix are in a dump: what comes after them is known. */
const isShown = (world: World, { line }: LoggedStep): boolean =>
  world.stacks.some(
    (s) =>
      s.name === (line.place.stack ?? line.place.node) &&
      s.netfilter.tables.some((t) =>
        t.chains.some((c) =>
          c.rules.some(
            ({ target }) =>
              target.kind === "log" &&
              (target.prefix ?? "") !== "" &&
              line.prefix.includes((target.prefix ?? "").trim()),
          ),
        ),
      ),
  );

function byPrefix({ line, hook }: LoggedStep) {
  const stack = line.place.stack ?? line.place.node;
  // IN alone is PREROUTING or INPUT; of these, what says drop is nearly always INPUT.
  const where = hook ?? (line.in !== undefined && line.out === undefined ? "INPUT" : undefined);
  const step = where === undefined ? "netfilter" : `filter ${where}`;
  return {
    code: "RULE_DROP" as CauseCode,
    stack,
    step,
    evidence: [line.origin],
    summary: text("cause.rule_drop.logged", { stack, prefix: line.prefix.trim(), step }),
    check: { text: text("check.rules-that-log"), command: "iptables-save -c; nft list ruleset" },
  };
}

function byTrace({ line, chain, table }: LoggedStep, steps: readonly LoggedStep[]) {
  if (line.trace?.verdict?.toLowerCase() !== "drop") return undefined;
  const stack = line.place.stack ?? line.place.node;
  const policy = line.trace.type === "policy";
  const accepted = steps.some(
    (s) => s.line.trace?.verdict?.toLowerCase() === "accept" && s.table !== table && s.line.trace.type !== "packet",
  );
  const code: CauseCode =
    policy && chain === "FORWARD" ? "FORWARD_POLICY_DROP" : accepted ? "NFT_SECOND_TABLE_DROP" : "RULE_DROP";
  const step = [table, chain].filter((w) => w !== undefined).join(" ");
  return {
    code,
    stack,
    step: step === "" ? "netfilter" : step,
    evidence: [line.origin],
    summary: text(policy ? "cause.rule_drop.traced-policy" : "cause.rule_drop.traced", { stack, step }),
    check: { text: text("check.rules-that-log"), command: "iptables-save -c; nft list ruleset" },
  };
}
