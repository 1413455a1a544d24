import * as z from "zod";
import { cut, LeftOut, MOST } from "../bounded.ts";
import type { Diagnosis, Engine } from "../engine.ts";
import { assumeShape, caseOf, caseShape, questionOf, questionShape } from "../inputs.ts";
import { fix, leftOut, line, needed, next, verdict } from "../outputs.ts";
import { fixTold, linesTold, needsOf, needTold } from "../told.ts";
import { answered, READ_ONLY, type Register, withAnswer } from "../tool.ts";

const input = z.strictObject({ ...caseShape, ...questionShape, ...assumeShape });

const output = z.object({
  question: z.record(z.string(), z.unknown()),
  verdict,
  leaning: z.string().nullable().describe("With undetermined: `reachable` where nothing that was shown stops it."),
  clientSees: z.string().nullable(),
  reachableShare: z.number().nullable().describe("0 to 1, over all branches that chance allows."),
  causes: z.array(
    z.object({
      code: z.string(),
      certainty: z.enum(["proven", "inferred", "possible"]),
      summary: z.string(),
      direction: z.string().nullable(),
      stack: z.string().nullable(),
      step: z.string().nullable(),
      evidence: z.array(line),
    }),
  ),
  died: z
    .array(
      z.object({
        share: z.number(),
        direction: z.string(),
        stack: z.string(),
        step: z.string(),
        drop: z.string().nullable(),
        summary: z.string(),
        evidence: z.array(line),
      }),
    )
    .describe("Where the packet, or its answer, ends."),
  fixes: z.array(fix),
  needs: z.array(needed).describe("What settles an open answer, most decisive first."),
  contradictions: z.array(z.string()),
  assumptions: z.array(z.string()),
  leftOut,
  next,
});

export const diagnose: Register = (server, engine) => {
  server.registerTool(
    "diagnose",
    {
      title: "Can FROM reach TO, and does the answer come back",
      description:
        "Walks one flow there and back through an exact model of the Linux datapath, from the dumps of a case. Gives the verdict, what the client sees, the causes with the lines that prove them, and fixes that were walked again. An `undetermined` verdict comes with `needs`: run the first command, pass its output as `pasted`, and ask again. Leave from and to out to ask the question of the case itself.",
      inputSchema: input,
      outputSchema: output,
      annotations: READ_ONLY,
    },
    (args) =>
      withAnswer(
        engine,
        engine.diagnose({ ...caseOf(args), question: questionOf(args), assume: args.assume ?? [], try: [] }),
        (found) => told(found, caseOf(args).paths, engine),
      ),
  );
};

function told(found: Diagnosis, paths: readonly string[], engine: Engine) {
  const left = new LeftOut();
  const needs = left.take("needs", needsOf(found, engine), 5).map((n) => needTold(n, left));
  const causes = left.take("causes", found.causes, 8).map((c) => ({
    code: c.code,
    certainty: c.certainty,
    summary: cut(c.summary),
    direction: c.direction ?? null,
    stack: c.stack ?? null,
    step: c.step ?? null,
    evidence: linesTold(paths, c.evidence, left),
  }));
  const died = left.take("died", found.deaths, 6).map((d) => ({
    share: d.share,
    direction: d.direction,
    stack: d.stack,
    step: d.step,
    drop: d.drop === null ? null : cut(d.drop),
    summary: cut(d.summary),
    evidence: linesTold(paths, d.evidence, left),
  }));
  const fixes = left.take("fixes", found.fixes, 5).map((f) => fixTold(f, left));
  const answer = {
    question: found.question,
    verdict: found.verdict,
    leaning: found.leaning,
    clientSees: found.clientSees,
    reachableShare: found.reachableShare,
    causes,
    died,
    fixes,
    needs,
    contradictions: left.take("contradictions", found.contradictions, 8).map((c) => cut(c)),
    assumptions: left.take("assumptions", found.assumptions, 12).map((a) => cut(a, 240)),
    leftOut: left.counts,
    next: nextOf(found.verdict, causes.length > 0, fixes[0]?.commands ?? [], needs[0]),
  };
  return answered(
    textOf(answer),
    answer,
    [...causes, ...died].flatMap((c) => c.evidence),
  );
}

function nextOf(
  verdict: string,
  causes: boolean,
  commands: readonly string[],
  need: { readonly command: string; readonly node: string | null } | undefined,
): string {
  if (need !== undefined)
    return `run \`${need.command}\`${need.node === null ? "" : ` on ${need.node}`} and call diagnose again with its output in \`pasted\``;
  if (verdict === "reachable")
    return "nothing: what was shown answers; ask another flow, or say with `sees` what the client sees";
  if (verdict === "undetermined") return "call what_to_collect: nothing single settles it";
  if (commands.length > 0)
    return "propose the first fix with its costs; what_if says which flows it changes, and judges any other change";
  return causes ? "what_if judges a change you have in mind" : "call check: something may have been read wrongly";
}

type DiagnosisAnswer = {
  readonly verdict: string;
  readonly leaning: string | null;
  readonly clientSees: string | null;
  readonly causes: readonly { code: string; certainty: string; summary: string }[];
  readonly died: readonly { direction: string; stack: string; step: string; summary: string }[];
  readonly fixes: readonly { code: string; summary: string; verdictWithIt: string }[];
  readonly next: string;
};

/** The same in a few lines, for whoever reads text only. */
function textOf(a: DiagnosisAnswer): string {
  const [death] = a.died;
  return [
    `${a.verdict.toUpperCase()}${a.leaning === null ? "" : ` (leaning: ${a.leaning})`}${a.clientSees === null ? "" : `; the client sees: ${a.clientSees}`}`,
    ...(death === undefined || a.verdict === "undetermined"
      ? []
      : [`Where: the ${death.direction} on ${death.stack} at ${death.step}: ${death.summary}`]),
    ...a.causes.slice(0, 3).map((c) => `Why: ${c.code} (${c.certainty}): ${c.summary}`),
    ...a.fixes.slice(0, 2).map((f) => `Fix: ${f.code}: ${f.summary}; walked with it: ${f.verdictWithIt}`),
    `Next: ${a.next}`,
  ]
    .map((l) => cut(l, MOST.text))
    .join("\n");
}
