import { factText, type Lang, type MessageId, say, text } from "@hairpin/core/messages/index.ts";
import { type Html, html } from "../html/html.ts";
import { pictureOf } from "../picture/picture.ts";
import type { BranchView, LegView, StepView } from "../view/leg.ts";
import { linesPart, percent } from "./answer.ts";

/** More ways than anybody looks at one by one are counted, not drawn. */
const MAX_DRAWN = 6;

/** Every way the conversation can go: an overview where there are several, then picture and steps of each. */
export function branchesPart(all: readonly BranchView[], names: Readonly<Record<string, string>>, lang: Lang): Html {
  const sorted = [...all].sort((a, b) => Number(a.works) - Number(b.works) || b.share - a.share);
  const drawn = sorted.slice(0, MAX_DRAWN).filter((b) => b.legs.some((l) => l.steps.length > 0));
  const left = sorted.length - drawn.length;
  return html`<section class="walk" aria-labelledby="walk"><h2 id="walk">${say(text("report.walk"), lang)}</h2>
${all.length > 1 ? overview(sorted, drawn, lang) : null}
${whoPart(names, lang)}
${drawn.map((b) => branchPart(b, all.length, lang))}
${left > 0 && all.length > 1 ? html`<p>${say(text("report.not-drawn", { count: left }), lang)}</p>` : null}
</section>`;
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

function overview(all: readonly BranchView[], drawn: readonly BranchView[], lang: Lang): Html {
  const shown = new Set(drawn.map((b) => b.id));
  return html`<ul class="overview">${all.slice(0, 40).map((b) => {
    const share = isCertain(b.share)
      ? null
      : html`<progress max="1" value="${Math.round(b.share * 1000) / 1000}" aria-label="${percent(b.share)}"></progress> <b>${percent(b.share)}</b>`;
    const body = html`${share} <span aria-hidden="true">${b.works ? "✓" : "✕"}</span> ${outcome(b, lang)}`;
    return html`<li class="${b.works ? "works" : "fails"}">${shown.has(b.id) ? html`<a href="#${b.id}">${body}</a>` : body}${conditions(b, lang)}</li>`;
  })}</ul>`;
}

function conditions(b: BranchView, lang: Lang): Html | null {
  const all = [...conditionsOf(b, lang), ...b.chances.map((c) => `${c.what}: ${c.label}`)];
  return all.length === 0 ? null : html`<ul class="conditions">${all.map((c) => html`<li>${c}</li>`)}</ul>`;
}

function heading(b: BranchView, lang: Lang): string {
  const wording = isCertain(b.share)
    ? outcome(b, lang)
    : say(text("report.branch", { share: percent(b.share), outcome: outcome(b, lang) }), lang);
  return under(conditionsOf(b, lang), wording);
}

function branchPart(b: BranchView, count: number, lang: Lang): Html {
  const t = (id: MessageId): string => say({ id, params: {} }, lang);
  const which = count > 1 ? ` ${Number(b.id.slice(1)) + 1}` : "";
  return html`<article class="branch" id="${b.id}" data-branch="${b.id}">
${count > 1 ? html`<h3>${heading(b, lang)}</h3>` : null}
<div class="scene">
<div class="frame" tabindex="0" role="region" aria-label="${t("report.picture")}${which}">${pictureOf(b, lang)}</div>
<div class="life" role="region" aria-label="${t("report.steps")}${which}" tabindex="0">
<div class="bar" hidden><button type="button" data-step="-1">${t("report.previous")}</button><output></output><button type="button" data-step="1">${t("report.following")}</button></div>
${b.legs.map((leg) => legPart(leg, count > 1, lang))}
</div></div></article>`;
}

function legPart(leg: LegView, deep: boolean, lang: Lang): Html {
  const bad = leg.disposition !== "delivered" && leg.disposition !== "forwarded";
  const words = html`<span aria-hidden="true">${leg.direction === "reply" ? "←" : "→"}</span> ${leg.what}: <span class="${bad ? "bad" : "good"}">${say(text(`report.${leg.disposition}`), lang)}</span>`;
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
${s.unread.length === 0 ? null : html`<p class="unread">${s.unread.join("; ")}</p>`}</li>`;
}
