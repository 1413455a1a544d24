import type { Missing } from "@hairpin/core/check/index.ts";
import {
  assumptionLines,
  assumptionsOf,
  type Diagnosis,
  familiesText,
  Namer,
  namesJson,
  namesOf,
  nextText,
  otherwiseText,
  type Quote,
  restsLead,
  setText,
} from "@hairpin/core/diagnose/index.ts";
import { type Lang, MARKS, type MessageId, percent, say, sayAny, text } from "@hairpin/core/messages/index.ts";
import { shell } from "@hairpin/core/model/shell.ts";
import type { Judgement, Verdict } from "@hairpin/core/trace/index.ts";
import { type Html, html } from "../html/html.ts";
import { type BranchView, branchView, type QuotedLine, quotedLines } from "../view/leg.ts";
import { branchesPart, byFate, headingOf } from "./branches.ts";
import { fixesPart } from "./fixes.ts";
import { stripPart } from "./strip.ts";

export interface Answer {
  readonly diagnosis: Diagnosis;
  readonly quote: Quote;
  /** What would make the answer fuller, and the commands that show it. */
  readonly missing: readonly Missing[];
}

const SIGN = { reachable: "✓", unreachable: "✕", intermittent: "≈", undetermined: "?" } as const;

export function verdictWords(
  { verdict, reachableShare, leaning }: Pick<Judgement, "verdict" | "reachableShare" | "leaning">,
  lang: Lang,
): string {
  return verdict === "intermittent" && reachableShare !== null
    ? say(text("verdict.intermittent-share", { share: percent(reachableShare) }), lang)
    : verdict === "reachable" && reachableShare !== null && reachableShare < 1
      ? say(text("verdict.reachable-but", { share: `${Number(((1 - reachableShare) * 100).toPrecision(1))}%` }), lang)
      : say(text(leaning === undefined ? `verdict.${verdict}` : "verdict.leaning"), lang);
}

/** What is tried in an answer: it is not how things are, and its banner says so. */
export interface Trying {
  /** Changes and assumptions, as they were typed. */
  readonly changes: readonly string[];
  /** The verdict without them. */
  readonly before: Verdict;
}

/** An answer as markup, in the order it is read: what the report and the page show alike. */
export interface AnswerParts {
  readonly verdict: Html;
  readonly why: Html;
  readonly fixes: Html;
  readonly walk: Html;
  readonly rest: Html;
}

export function answerParts({ diagnosis, quote, missing }: Answer, lang: Lang, trying?: Trying): AnswerParts {
  const { tried, fixes } = diagnosis;
  const { branches, world } = diagnosis.inquiry.exploration;
  const namer = new Namer(namesOf(world), lang);
  const named: Named = (words) => namer.line(words, diagnosis.inquiry.question?.protocol);
  const views = branches.map((b, i) => branchView(b, i, quote, world, lang));
  const t = (id: MessageId): string => say({ id, params: {} }, lang);
  const assumptions = assumptionLines(assumptionsOf(branches), lang);
  return {
    verdict: verdictPart(diagnosis, views, named, lang, trying),
    why: html`${whyPart(diagnosis, quote, named, lang)}${restsPart(diagnosis, named, lang)}${explainsPart(diagnosis, lang)}${decidesPart(diagnosis, lang)}${butPart(diagnosis, lang)}`,
    fixes:
      tried.length + fixes.length === 0 ? html`` : section("fixes", t("report.fixes"), [fixesPart(tried, fixes, lang)]),
    walk: branchesPart(views, namesJson(world, branches, lang), lang),
    rest: html`${
      assumptions.length === 0
        ? null
        : section("assumed", t("report.assumed"), [
            html`<p class="lead">${t("report.assumed-lead")}</p><ul>${assumptions.map((a) => html`<li>${sayAny(a, lang)}</li>`)}</ul>`,
          ])
    }${nextPart(diagnosis, missing, lang)}`,
  };
}

/** Writes the name of each address beside it, the first time it comes up. */
type Named = (words: string) => string;

function verdictPart(
  diagnosis: Diagnosis,
  views: readonly BranchView[],
  named: Named,
  lang: Lang,
  trying: Trying | undefined,
): Html {
  const { inquiry: query, judgement, beyond, next } = diagnosis;
  const families = familiesText(diagnosis);
  const { spec } = query;
  const { verdict, clientSees } = judgement;
  return html`<section class="verdict ${verdict}${trying === undefined ? "" : " trying"}" aria-labelledby="verdict">
${trying === undefined ? null : tryingPart(trying, lang)}
<p class="asked">${named(spec.from ?? "")} <span class="arrow" aria-hidden="true">→</span><span class="sr"> ${say(text("report.to"), lang)} </span> ${named(spec.to ?? "")}<span class="proto">${spec.proto ?? "tcp"}</span></p>
<h2 id="verdict"><span class="sign" aria-hidden="true">${SIGN[verdict]}</span> ${verdictWords(judgement, lang)}</h2>
${clientSees === null ? null : html`<p class="sees">${say(text(`sees.${clientSees}`), lang)}</p>`}
${families === null ? null : html`<p>${say(families, lang)}</p>`}
${beyond === null ? null : html`<p class="meta">${say(beyond, lang)}</p>`}
${next === null ? null : html`<p class="first">${say(nextText({ ...next, command: "" }), lang)} <code class="command">${next.command}</code><br><span class="meta">${say(text("next.settles", { what: next.settles }), lang)}</span></p>`}
${stripsPart(views, spec.to ?? "", lang)}
</section>`;
}

/** First in the banner, before any verdict is read: this is what would be. */
const tryingPart = ({ changes, before }: Trying, lang: Lang): Html =>
  html`<div class="trying-mark"><p><strong>${say(text("report.trying"), lang)}</strong> ${say(text("report.trying-before", { before: text(`verdict.${before}`) }), lang)}</p>
<ul>${changes.map((c) => html`<li><code>${c}</code></li>`)}</ul></div>`;

/** More fates than these are told in the overview of the walk. */
const MAX_STRIPS = 3;

/** Each fate at a glance, those that fail first. */
function stripsPart(views: readonly BranchView[], target: string, lang: Lang): Html | null {
  const fates = byFate(views);
  const strips = fates.slice(0, MAX_STRIPS).flatMap((alike) => {
    const strip = stripPart(alike.first, target, lang);
    return strip === null
      ? []
      : [
          html`<div class="fate-of">${fates.length > 1 ? html`<p class="fate-head">${headingOf(alike, lang)}</p>` : null}${strip}</div>`,
        ];
  });
  if (strips.length === 0) return null;
  return html`${strips}<p class="to-walk"><a href="#walk">${say(text("strip.all-steps"), lang)}</a></p>`;
}

function whyPart({ causes }: Diagnosis, quote: Quote, named: Named, lang: Lang): Html | null {
  if (causes.length === 0) return null;
  return section("why", say(text("report.why"), lang), [
    html`<ol class="causes">${causes.map(
      (c) => html`<li><p class="cause">${named(sayAny(c.summary, lang))}</p>
<p class="meta"><code>${c.code}</code> <span class="tag ${c.certainty}">${say(text(`report.${c.certainty}`), lang)}</span> ${c.stack === "" ? null : html`<span>${c.stack}</span>`}</p>
${linesPart(quotedLines(c.evidence, quote).slice(0, 6))}
${c.check === undefined ? null : html`<p class="check">${sayAny(c.check.text, lang)} ${c.check.command === null ? null : html`<code class="command">${c.check.command}</code>`}</p>`}</li>`,
    )}</ol>`,
  ]);
}

function decidesPart({ judgement: { decisiveFacts }, settled }: Diagnosis, lang: Lang): Html | null {
  if (decisiveFacts.length + settled.length === 0) return null;
  return section("decides", say(text("report.decides"), lang), [
    html`<ul class="facts">${settled.map(
      (f) =>
        html`<li>${say(text("report.settled", { fact: f.text, values: [...f.values], because: f.because }), lang)}</li>`,
    )}${decisiveFacts.map(
      (f) => html`<li><p>${sayAny(f.text, lang)}</p>
<ul>${f.outcomes.map((o) => html`<li><code>${o.value}</code>: ${say(text(`verdict.${o.verdict}`), lang)}</li>`)}</ul>
${f.command === null ? null : html`<p>${say(text("report.read-it"), lang)} <code class="command">${f.command}</code></p>`}</li>`,
    )}</ul>`,
  ]);
}

/** What nobody showed, each with what reads it and what it would be called if it were otherwise. */
function restsPart({ judgement, restsOn }: Diagnosis, named: Named, lang: Lang): Html | null {
  if (restsOn.length === 0) return null;
  return section("rests", say(restsLead(judgement), lang), [
    html`<ol class="facts">${restsOn.map(
      (r) => html`<li><p>${named(say(r.fact, lang))}</p>
<p class="meta">${named(say(r.why, lang))}; ${say(otherwiseText(r), lang)}</p>
<p>${say(text("report.read-it"), lang)} <code class="command">${r.command}</code></p></li>`,
    )}</ol>`,
  ]);
}

/** Which of these would let the client see what it sees, and what to run first. */
function explainsPart({ explanations }: Diagnosis, lang: Lang): Html | null {
  if (explanations === null) return null;
  const { sets, command } = explanations;
  return section("explains", say(text("explains.lead"), lang), [
    html`<ol>${sets.map((s) => html`<li><code>${setText(s)}</code></li>`)}</ol>`,
    html`<p>${say(text("explains.first", { command }), lang)}</p>`,
  ]);
}

function butPart({ contradictions, judgement }: Diagnosis, lang: Lang): Html | null {
  if (contradictions.length === 0) return null;
  const title = judgement.verdict === "unreachable" ? text("report.seen-working") : text("report.but");
  return section("but", say(title, lang), [
    html`<ul>${contradictions.map((c) => html`<li>${sayAny(c, lang)}</li>`)}</ul>`,
  ]);
}

/** Commands that would make the answer fuller, or sure. */
function nextPart({ inquiry: asked, judgement }: Diagnosis, missing: readonly Missing[], lang: Lang): Html | null {
  const watch = judgement.verdict === "undetermined" && asked.question !== undefined;
  if (missing.length === 0 && !watch) return null;
  return section("next", say(text("report.next"), lang), [
    html`<ul class="missing">${
      watch
        ? html`<li><code class="command">${instrumentCommand(asked.spec)}</code><br>${say(text("report.watch"), lang)}</li>`
        : null
    }${missing.map(
      (m) =>
        html`<li><code class="command">${sayAny(m.command, lang)}</code> <span class="on">${say(text("report.on", { node: m.node }), lang)}</span><br>${sayAny(m.what, lang)}${MARKS[lang].colon}${sayAny(m.why, lang)}</li>`,
    )}</ul>`,
  ]);
}

function instrumentCommand(spec: Diagnosis["inquiry"]["spec"]): string {
  const options = Object.entries(spec).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, shell`${String(value)}`],
  );
  return ["hairpin instrument CASE", ...options].join(" ");
}

export const section = (id: string, title: string, content: readonly Html[]): Html =>
  html`<section class="${id}" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;

/** A line that is longer opens: its beginning says which one it is. */
const LONG = 160;

/** Lines of the case, quoted. */
export const linesPart = (lines: readonly QuotedLine[]): Html | null =>
  lines.length === 0
    ? null
    : html`<ul class="lines">${lines.map(
        ({ file, line, text: quoted }) =>
          html`<li>${quoted !== undefined && quoted.length > LONG ? longLine(`${file}:${line}`, quoted) : html`<span class="where">${file}:${line}</span>${quoted === undefined ? null : html` <code>${quoted}</code>`}`}</li>`,
      )}</ul>`;

const longLine = (where: string, quoted: string): Html =>
  html`<details class="long-line"><summary><span class="where">${where}</span> <code>${quoted.slice(0, LONG - 40)}…</code></summary><code>${quoted}</code></details>`;
