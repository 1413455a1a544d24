import { commandLine } from "../../assemble/index.ts";
import type { ClaimedCause } from "../../explain/index.ts";
import { assumptionText, say, sayDecision } from "../../messages/index.ts";
import { linesOf, type Origin } from "../../model/index.ts";
import { formatAddress } from "../../net/index.ts";
import { type Branch, decisiveLeg } from "../../trace/index.ts";
import { assumptionsOf } from "../assumptions.ts";
import { type FamilyAnswer, familiesText } from "../both-families.ts";
import type { Diagnosis } from "../diagnose.ts";
import { namesJson } from "../names.ts";
import type { Quote } from "../quote.ts";
import { fixJson, triedJson } from "./fixes-json.ts";
import { branchesJson } from "./trace-json.ts";

export const DIAGNOSIS_SCHEMA = "hairpin/diagnosis/1";

/** `diagnose --json`: a contract, fields are only added. What the user wanted tried comes before what is proposed. */
export function diagnosisJson(diagnosis: Diagnosis, quote: Quote): unknown {
  const { inquiry: query, judgement, causes, contradictions, settled, fixes, tried, restsOn, families } = diagnosis;
  const { spec, exploration } = query;
  const { branches: traces, branchesLeftOut } = branchesJson(exploration.branches);
  const question = Object.fromEntries(Object.entries({ proto: "tcp", ...spec }).filter(([, v]) => v !== undefined));
  return {
    schema: DIAGNOSIS_SCHEMA,
    question: { ...question, proto: spec.proto ?? "tcp" },
    verdict: judgement.verdict,
    reachableShare: judgement.reachableShare,
    clientSees: judgement.clientSees,
    ...(families !== undefined && { families: families.map(familyJson), familiesText: say(familiesText(diagnosis)!) }),
    causes: causes.map((c) => causeJson(c, quote)),
    deaths: exploration.branches.flatMap((b) => deathOf(b, quote)),
    leaning: judgement.leaning ?? null,
    beyond: diagnosis.beyond === null ? null : say(diagnosis.beyond),
    restsOn: restsOn.map(({ id, values, fact, why, command, otherwise }) => ({
      id,
      values,
      fact: say(fact),
      why: say(why),
      command,
      otherwise,
    })),
    explanations:
      diagnosis.explanations === null
        ? null
        : {
            sets: diagnosis.explanations.sets.map(({ facts, clientSees }) => ({
              facts: facts.map((f) => `${f.id}=${f.values[1]}`),
              clientSees,
            })),
            command: diagnosis.explanations.command,
          },
    next:
      diagnosis.next === null
        ? null
        : {
            command: diagnosis.next.command,
            node: diagnosis.next.node ?? null,
            settles: say(diagnosis.next.settles),
          },
    contradictions: contradictions.map((c) => say(c)),
    decisiveFacts: judgement.decisiveFacts.map((f) => ({ ...f, text: say(f.text) })),
    settled: settled.map((s) => ({ ...s, text: say(s.text), because: say(s.because) })),
    assumptions: assumptionsOf(exploration.branches).map((a) => say(assumptionText(a.why))),
    fixes: [...tried.flatMap(triedJson), ...fixes.map(fixJson)],
    names: namesJson(exploration.world, exploration.branches),
    traces,
    ...(branchesLeftOut !== undefined && { branchesLeftOut }),
  };
}

const familyJson = ({ family, diagnosis: { inquiry, judgement, causes } }: FamilyAnswer): unknown => ({
  family,
  to: inquiry.question === undefined ? null : formatAddress(inquiry.question.to),
  verdict: judgement.verdict,
  clientSees: judgement.clientSees,
  leaning: judgement.leaning ?? null,
  causes: causes.map((c) => c.code),
});

const causeJson = ({ check, without, root: _, ...cause }: ClaimedCause, quote: Quote): unknown => ({
  ...cause,
  summary: say(cause.summary),
  evidence: evidenceOf(cause.evidence, quote),
  ...(without !== undefined && { without: without.map(commandLine) }),
  ...(check !== undefined && { check: { text: say(check.text), command: check.command } }),
});

/** Where a branch that does not work ends. */
function deathOf(branch: Branch, quote: Quote): unknown[] {
  const leg = decisiveLeg(branch);
  if (leg.disposition === "delivered" || leg.disposition === "forwarded") return [];
  return [
    {
      share: branch.share,
      hypothesis: Object.fromEntries(branch.hypothesis),
      direction: leg === branch.request ? "request" : leg === branch.reply ? "reply" : "data",
      stack: leg.stack,
      step: leg.step,
      drop: leg.disposition === "undetermined" ? sayDecision(leg.decision) : leg.drop,
      summary: sayDecision(leg.decision),
      evidence: evidenceOf(leg.origins, quote),
    },
  ];
}

/** The lines of the case that a claim rests on, each once. */
function evidenceOf(origins: readonly Origin[], quote: Quote): unknown[] {
  const lines = new Map(origins.flatMap(linesOf).map((o) => [`${o.file}:${o.line}`, o]));
  return [...lines.values()].map((o) => ({ file: o.file, line: o.line, text: quote(o.file, o.line) ?? null }));
}
