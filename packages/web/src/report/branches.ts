import { factText, type Lang, MARKS, type MessageId, percent, say, text } from "@hairpin/core/messages/index.ts";
import { type Html, html } from "../html/html.ts";
import { pictureOf } from "../picture/picture.ts";
import { type Alike, alikeBranches } from "../view/alike.ts";
import type { BranchView, LegView, StepView } from "../view/leg.ts";
import { linesPart } from "./answer.ts";
import { pathPart } from "./path.ts";

/** More ways than anybody looks at one by one are counted, not drawn. */
const MAX_DRAWN = 6;

/** Branches of one shape together; those that fail first, then the most frequent. */
export const byFate = (all: readonly BranchView[]): readonly Alike[] =>
  [...alikeBranches(all)].sort((a, b) => Number(a.first.works) - Number(b.first.works) || b.share - a.share);

/** Every way the conversation can go: an overview where there are several, then picture and steps of each; equal ones once. */
export function branchesPart(all: readonly BranchView[], names: Readonly<Record<string, string>>, lang: Lang): Html {
  const fates = byFate(all);
  const drawn = fates.slice(0, MAX_DRAWN).filter(({ first }) => first.legs.some((l) => l.steps.length > 0));
  const left = fates.length - drawn.length;
  const steps = drawn.reduce((n, { first }) => n + first.legs.reduce((m, l) => m + l.steps.length, 0), 0);
  return html`<section class="walk" aria-labelledby="walk"><details class="whole-walk" open><summary><h2 id="walk">${say(text("report.walk"), lang)}</h2> <span class="meta">${say(text("report.walk-steps", { steps }), lang)}</span></summary>
${all.length > 1 ? overview(fates, drawn, lang) : null}
${whoPart(names, lang)}
${drawn.map((alike) => branchPart(alike, fates.length, lang))}
${left > 0 && fates.length > 1 ? html`<p>${say(text("report.not-drawn", { count: left }), lang)}</p>` : null}
</details></section>`;
}

/** Whose the addresses are, where somebody said so. */
function whoPart(names: Readonly<Record<string, string>>, lang: Lang): Html | null {
  const all = Object.entries(names);
  if (all.length === 0) return null;
  return html`<details class="who" open><summary>${say(text("report.who"), lang)}</summary><ul>${all.map(
    ([address, name]) => html`<li><code>${address}</code> ${name}</li>`,
  )}</ul></details>`;
}

/** Under which values of open facts a branch holds. */
export const conditionsOf = (b: BranchView, lang: Lang): readonly string[] =>
  b.hypothesis.map(([id, values]) => say(text("report.if", { fact: factText(id), values: values.join(" | ") }), lang));

export const under = (conditions: readonly string[], phrase: string): string =>
  conditions.length === 0 ? phrase : `${conditions.join("; ")} → ${phrase}`;

const isCertain = (share: number): boolean => share > 0.9999;

function outcome(b: BranchView, lang: Lang): string {
  return b.clientSees === null ? say(text("verdict.undetermined"), lang) : say(text(`sees.${b.clientSees}`), lang);
}

function overview(fates: readonly Alike[], drawn: readonly Alike[], lang: Lang): Html {
  const shown = new Set(drawn.map((a) => a.first.id));
  return html`<ul class="overview">${fates.slice(0, 40).map((alike) => {
    const { first, share } = alike;
    const part = isCertain(share)
      ? null
      : html`<progress max="1" value="${Math.round(share * 1000) / 1000}" aria-label="${percent(share)}"></progress> <b>${percent(share)}</b>`;
    const body = html`${part} <span aria-hidden="true">${first.works ? "✓" : "✕"}</span> ${outcome(first, lang)}`;
    return html`<li class="${first.works ? "works" : "fails"}">${shown.has(first.id) ? html`<a href="#${first.id}">${body}</a>` : body}${conditions(alike, lang)}</li>`;
  })}</ul>`;
}

/** What tells its branches apart; of many alike the first few. */
function conditions({ all }: Alike, lang: Lang): Html | null {
  const lines = all
    .slice(0, 8)
    .map((b) =>
      [...conditionsOf(b, lang), ...b.chances.map((c) => `${c.what}: ${c.label}`)].join(MARKS[lang].semicolon),
    );
  const said = [...new Set(lines)].filter((l) => l !== "");
  if (all.length > 8) said.push("…");
  return said.length === 0 ? null : html`<ul class="conditions">${said.map((c) => html`<li>${c}</li>`)}</ul>`;
}

export function headingOf({ first, all, share }: Alike, lang: Lang): string {
  const wording = isCertain(share)
    ? outcome(first, lang)
    : say(text("report.branch", { share: percent(share), outcome: outcome(first, lang) }), lang);
  const alike = all.length < 2 ? "" : ` ${say(text("report.alike", { count: all.length }), lang)}`;
  return `${under(all.length < 2 ? conditionsOf(first, lang) : [], wording)}${alike}`;
}

function branchPart(alike: Alike, count: number, lang: Lang): Html {
  const b = alike.first;
  const t = (id: MessageId): string => say({ id, params: {} }, lang);
  const which = count > 1 ? ` ${Number(b.id.slice(1)) + 1}` : "";
  return html`<article class="branch" id="${b.id}" data-branch="${b.id}">
${count > 1 ? html`<h3>${headingOf(alike, lang)}</h3>` : null}
<div class="scene">
<div class="frame" tabindex="0" role="region" aria-label="${t("report.picture")}${which}">${pictureOf(b, lang)}</div>
${pathPart(b, lang)}
<div class="life" role="region" aria-label="${t("report.steps")}${which}" tabindex="0">
<div class="bar" hidden><button type="button" data-step="-1">${t("report.previous")}</button><output></output><button type="button" data-step="1">${t("report.following")}</button></div>
${b.legs.map((leg) => legPart(leg, count > 1, lang))}
</div></div></article>`;
}

function legPart(leg: LegView, deep: boolean, lang: Lang): Html {
  const bad = leg.disposition !== "delivered" && leg.disposition !== "forwarded";
  const words = html`<span aria-hidden="true">${leg.direction === "reply" ? "←" : "→"}</span> ${leg.what}${MARKS[lang].colon}<span class="${bad ? "bad" : "good"}">${say(text(`report.${leg.disposition}`), lang)}</span>`;
  return html`<div class="leg-steps ${leg.direction}">${deep ? html`<h4 id="${leg.id}">${words}</h4>` : html`<h3 id="${leg.id}">${words}</h3>`}
<ol class="steps" aria-labelledby="${leg.id}">${leg.steps.map((s) => stepPart(s, lang))}</ol>
${leg.disposition === "undetermined" ? html`<p class="bad">${leg.decision}</p>` : null}</div>`;
}

function stepPart(s: StepView, lang: Lang): Html {
  const t = (id: MessageId): string => say({ id, params: {} }, lang);
  return html`<li id="${s.id}" class="step${s.death ? " death" : ""}" tabindex="-1"><p><span class="stack">${s.stack}</span> <b>${s.kind}</b> <span class="what">${s.text}</span></p>
${
  s.before === undefined
    ? null
    : html`<dl><dt>${t("report.before")}</dt><dd><code>${s.before}</code></dd><dt>${t("report.after")}</dt><dd><code>${s.packet}</code></dd></dl>`
}
${s.lookedUp === undefined ? null : html`<p class="looked-up">${t("report.looked-up")} <code>${s.lookedUp}</code></p>`}
${linesPart(s.lines)}
${
  s.why.length === 0
    ? null
    : html`<ul class="reasons" aria-label="${t("report.matched")}">${s.why.map(
        ({ asks, has }) =>
          html`<li><code>${asks}</code>${has === "" ? null : html` <span class="has"><span aria-hidden="true">✓</span> <code>${has}</code></span>`}</li>`,
      )}</ul>`
}
${s.unread.length === 0 ? null : html`<p class="unread">${s.unread.join(MARKS[lang].semicolon)}</p>`}</li>`;
}
