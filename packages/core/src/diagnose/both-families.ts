import { type Text, text } from "../messages/index.ts";
import type { Family } from "../net/index.ts";
import { decisiveLeg, type Verdict } from "../trace/index.ts";
import type { Diagnosis } from "./diagnose.ts";

export interface FamilyAnswer {
  readonly family: Family;
  readonly diagnosis: Diagnosis;
}

const verdictIn = ({ diagnosis }: FamilyAnswer): Verdict => diagnosis.judgement.verdict;
const fails = (a: FamilyAnswer): boolean => verdictIn(a) === "unreachable" || verdictIn(a) === "intermittent";

/**
 * One answer over both: what fails leads, for it is what one asks about. Where one family works and the other does not, it depends on the
 * client which of the two it sees, and how late.
 */
export function inBothFamilies(answers: readonly FamilyAnswer[]): Diagnosis {
  const lead = answers.find(fails) ?? answers.find((a) => verdictIn(a) === "undetermined") ?? answers[0]!;
  const { diagnosis } = lead;
  const others = answers.filter((a) => a !== lead).map((a) => a.diagnosis);
  const alike = answers.every((a) => verdictIn(a) === verdictIn(lead));
  const codes = new Set(diagnosis.causes.map((c) => c.code));
  return {
    ...diagnosis,
    judgement: alike
      ? diagnosis.judgement
      : { ...diagnosis.judgement, verdict: combined(answers), reachableShare: null },
    causes: [...diagnosis.causes, ...others.flatMap((o) => o.causes.filter((c) => !codes.has(c.code)))],
    fixes: [...diagnosis.fixes, ...others.flatMap((o) => o.fixes)],
    families: answers,
  };
}

/** Of verdicts that differ. */
function combined(answers: readonly FamilyAnswer[]): Verdict {
  return answers.some((a) => verdictIn(a) === "undetermined") ? "undetermined" : "intermittent";
}

/** Three solicitations, a second apart, before the client is told (ndisc_send_ns(), mcast_solicit). */
const asks = ({ diagnosis }: FamilyAnswer): boolean =>
  diagnosis.inquiry.exploration.branches.some((b) => decisiveLeg(b).drop === "NEIGH_FAILED");

/** What becomes of clients where the families differ: "IPv6 fails, IPv4 works". */
export function familiesText({ families }: Diagnosis): Text | null {
  const [first, second] = families ?? [];
  if (first === undefined || second === undefined) return null;
  const of = ({ family, diagnosis: { judgement } }: FamilyAnswer): Text =>
    text("families.one", { family: `IPv${family}`, verdict: text(`families.${judgement.verdict}`) });
  const both = { one: of(first), other: of(second) };
  const works = (a: FamilyAnswer): boolean => verdictIn(a) === "reachable";
  if (works(first) === works(second) || !(fails(first) || fails(second))) return text("families.both", both);
  if (works(first)) return text("families.second-fails", { ...both, family: `IPv${second.family}` });
  const waits =
    first.diagnosis.judgement.clientSees === "timeout" || verdictIn(first) === "intermittent" || asks(first);
  return text(waits ? "families.late" : "families.moves-on", { ...both, family: `IPv${first.family}` });
}
