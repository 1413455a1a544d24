import type { Missing } from "@hairpin/core/check/index.ts";
import { assumptionLines, assumptionsOf, type Diagnosis, type Quote } from "@hairpin/core/diagnose/index.ts";
import { type Lang, type MessageId, say, type Text, text } from "@hairpin/core/messages/index.ts";
import type { Judgement } from "@hairpin/core/trace/index.ts";
import { type Html, html } from "../html/html.ts";
import { type BranchView, branchView, type QuotedLine, quotedLines } from "../view/leg.ts";
import { branchesPart } from "./branches.ts";
import { type Fix, fixesPart } from "./fixes.ts";

export interface Answer {
  readonly diagnosis: Diagnosis;
  readonly quote: Quote;
  /** What would make the answer fuller, and the commands that show it. */
  readonly missing: readonly Missing[];
  readonly fixes: readonly Fix[];
}

/** A text of the catalogue, or one that has no other language yet. */
export const spoken = (of: Text | string, lang: Lang): string => (typeof of === "string" ? of : say(of, lang));

export const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`;

const SIGN = { reachable: "✓", unreachable: "✕", intermittent: "≈", undetermined: "?" } as const;

export function verdictWords(
  { verdict, reachableShare }: Pick<Judgement, "verdict" | "reachableShare">,
  lang: Lang,
): string {
  return verdict === "intermittent" && reachableShare !== null
    ? say(text("verdict.intermittent-share", { share: percent(reachableShare) }), lang)
    : say(text(`verdict.${verdict}`), lang);
}

/** The whole answer as markup: what the report and the page show alike. */
export function answerParts({ diagnosis, quote, missing, fixes }: Answer, lang: Lang): Html {
  const { asked, judgement, causes, contradictions } = diagnosis;
  const { branches } = asked.exploration;
  const t = (id: MessageId): string => say({ id, params: {} }, lang);
  const views = branches.map((b, i) => branchView(b, i, quote));
  const assumptions = assumptionLines(assumptionsOf(branches));
  const { verdict, clientSees } = judgement;
  return html`<section class="verdict ${verdict}" aria-labelledby="verdict">
<p class="asked">${asked.spec.from ?? ""} <span class="arrow" aria-hidden="true">→</span><span class="sr"> ${t("report.to")} </span> ${asked.spec.to ?? ""}<span class="proto">${asked.spec.proto ?? "tcp"}</span></p>
<h2 id="verdict"><span class="sign" aria-hidden="true">${SIGN[verdict]}</span> ${verdictWords(judgement, lang)}</h2>
${clientSees === null ? null : html`<p class="sees">${say(text(`sees.${clientSees}`), lang)}</p>`}
${deathsPart(views, lang)}
</section>
${
  causes.length === 0
    ? null
    : section("why", t("report.why"), [
        html`<ol class="causes">${causes.map(
          (c) => html`<li><p class="cause">${spoken(c.summary, lang)}</p>
<p class="meta"><code>${c.code}</code> <span class="tag ${c.certainty}">${t(`report.${c.certainty}`)}</span> ${c.stack === "" ? null : html`<span>${c.stack}</span>`}</p>
${linesPart(quotedLines(c.evidence, quote).slice(0, 6))}</li>`,
        )}</ol>`,
      ])
}
${
  judgement.decisiveFacts.length === 0
    ? null
    : section("decides", t("report.decides"), [
        html`<ul class="facts">${judgement.decisiveFacts.map(
          (f) => html`<li><p>${spoken(f.text, lang)}</p>
<ul>${f.outcomes.map((o) => html`<li><code>${o.value}</code>: ${say(text(`verdict.${o.verdict}`), lang)}</li>`)}</ul>
${f.command === null ? null : html`<p>${t("report.read-it")} <code class="command">${f.command}</code></p>`}</li>`,
        )}</ul>`,
      ])
}
${
  contradictions.length === 0
    ? null
    : section("but", t(verdict === "unreachable" ? "report.seen-working" : "report.but"), [
        html`<ul>${contradictions.map((c) => html`<li>${spoken(c, lang)}</li>`)}</ul>`,
      ])
}
${fixes.length === 0 ? null : section("fixes", t("report.fixes"), [fixesPart(fixes, lang)])}
${branchesPart(views, lang)}
${
  assumptions.length === 0
    ? null
    : section("assumed", t("report.assumed"), [
        html`<p class="lead">${t("report.assumed-lead")}</p><ul>${assumptions.map((a) => html`<li>${spoken(a, lang)}</li>`)}</ul>`,
      ])
}
${
  missing.length === 0
    ? null
    : section("next", t("report.next"), [
        html`<ul class="missing">${missing.map(
          (m) =>
            html`<li><code class="command">${m.command}</code> <span class="on">${say(text("report.on", { node: m.node }), lang)}</span><br>${spoken(m.what, lang)}: ${spoken(m.why, lang)}</li>`,
        )}</ul>`,
      ])
}`;
}

/** Where the branches that fail end, each with a link to that step. */
function deathsPart(branches: readonly BranchView[], lang: Lang): Html | null {
  const ends = branches.flatMap((b) => {
    const leg = b.legs.find((l) => l.decisive);
    const fine = leg === undefined || leg.disposition === "delivered" || leg.disposition === "forwarded";
    if (fine) return [];
    const share = branches.length === 1 ? "" : `${percent(b.share)}: `;
    const words = text("report.end", {
      what: leg.what,
      disposition: text(`report.${leg.disposition}`),
      stack: leg.steps.at(-1)?.stack ?? "?",
      decision: leg.decision,
    });
    const label = `${share}${say(words, lang)}${leg.drop === null || leg.drop === leg.decision ? "" : ` (${leg.drop})`}`;
    return leg.steps.length === 0
      ? [html`<li>${label}</li>`]
      : [html`<li><a href="#${leg.steps.at(-1)!.id}">${label}</a></li>`];
  });
  return ends.length === 0 ? null : html`<ul class="deaths">${ends.slice(0, 4)}</ul>`;
}

export const section = (id: string, title: string, content: readonly Html[]): Html =>
  html`<section class="${id}" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;

/** Lines of the case, quoted. */
export const linesPart = (lines: readonly QuotedLine[]): Html | null =>
  lines.length === 0
    ? null
    : html`<ul class="lines">${lines.map(
        ({ file, line, text: quoted }) =>
          html`<li><span class="where">${file}:${line}</span>${quoted === undefined ? null : html` <code>${quoted}</code>`}</li>`,
      )}</ul>`;
