import type { Diagnosis } from "@hairpin/core/diagnose/index.ts";
import { type Lang, say, text } from "@hairpin/core/messages/index.ts";
import { type Branch, type Leg, STEPS_SHOWN, shorten } from "@hairpin/core/trace/index.ts";
import { type Html, html } from "../html/html.ts";
import { type Answer, type AnswerParts, answerParts, type Trying } from "./answer.ts";

/** Characters of an answer as markup: what a mail takes and a browser shows at once. */
export const MOST = 1_000_000;

/** How much of an answer is put into a report. */
export interface Measure {
  readonly steps: number;
  readonly branches: number;
  /** Of every list beside the walk: causes, facts, fixes, assumptions, what is missing. */
  readonly items: number;
  /** Characters of one quoted line. */
  readonly line: number;
}

/** From everything down to what one acts on. */
export const MEASURES: readonly Measure[] = [
  { steps: STEPS_SHOWN, branches: 1_000, items: 10_000, line: 2_000 },
  { steps: 600, branches: 60, items: 100, line: 500 },
  { steps: 150, branches: 20, items: 30, line: 200 },
  { steps: 20, branches: 4, items: 5, line: 120 },
];

/** What was left out of an answer to make it fit. */
export interface LeftOut {
  readonly steps: number;
  readonly branches: number;
}

const legsOf = (b: Branch): readonly Leg[] => [b.request, ...(b.reply === null ? [] : [b.reply]), ...b.data];
const stepsIn = (branches: readonly Branch[]): number =>
  branches.reduce((n, b) => n + legsOf(b).reduce((m, l) => m + l.steps.length, 0), 0);

/** The answer by that measure. */
export function fitted(answer: Answer, measure: Measure): { readonly answer: Answer; readonly leftOut: LeftOut } {
  const { diagnosis, quote, missing } = answer;
  const { exploration } = diagnosis.inquiry;
  const { branches: kept, leftOut } = shorten(exploration.branches, measure.steps, measure.branches);
  const few = <T>(all: readonly T[]): readonly T[] => (all.length > measure.items ? all.slice(0, measure.items) : all);
  const branches = kept.map((b) => ({ ...b, assumptions: few(b.assumptions), grounds: few(b.grounds) }));
  const shown: Diagnosis = {
    ...diagnosis,
    inquiry: { ...diagnosis.inquiry, exploration: { ...exploration, branches } },
    judgement: { ...diagnosis.judgement, decisiveFacts: few(diagnosis.judgement.decisiveFacts) },
    causes: few(diagnosis.causes).map((c) => ({ ...c, evidence: few(c.evidence) })),
    contradictions: few(diagnosis.contradictions),
    settled: few(diagnosis.settled),
    fixes: few(diagnosis.fixes),
  };
  const cut = (line: string | undefined): string | undefined =>
    line !== undefined && line.length > measure.line ? `${line.slice(0, measure.line)}…` : line;
  return {
    answer: { diagnosis: shown, quote: (file, line) => cut(quote(file, line)), missing: few(missing) },
    leftOut: { steps: stepsIn(exploration.branches) - stepsIn(branches), branches: leftOut },
  };
}

export const leftOutText = ({ steps, branches }: LeftOut, lang: Lang): string | null =>
  steps + branches === 0 ? null : say(text("report.left-out", { steps, branches }), lang);

/** An answer for the page, by the largest measure that fits, with what is left out said above it. */
export function partsThatFit(answer: Answer, lang: Lang, trying?: Trying): AnswerParts {
  for (const measure of MEASURES) {
    const { answer: shown, leftOut } = fitted(answer, measure);
    const parts = answerParts(shown, lang, trying);
    if (Object.values(parts).reduce((n, part: Html) => n + part.text.length, 0) > MOST) continue;
    const short = leftOutText(leftOut, lang);
    return short === null ? parts : { ...parts, verdict: html`<p class="left-out">${short}</p>${parts.verdict}` };
  }
  const nothing = html``;
  const verdict = html`<p class="left-out">${say(text("report.too-large"), lang)}</p>`;
  return { verdict, why: nothing, fixes: nothing, walk: nothing, rest: nothing };
}
