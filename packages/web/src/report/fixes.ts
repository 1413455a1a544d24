import { proofText, type Tried } from "@hairpin/core/diagnose/index.ts";
import { type Lang, say, sayAny, type Text, text } from "@hairpin/core/messages/index.ts";
import type { Fix } from "@hairpin/core/remedy/index.ts";
import type { Verdict } from "@hairpin/core/trace/index.ts";
import { type Html, html } from "../html/html.ts";

/** What was typed comes before what is proposed; the first of each is open. */
export const fixesPart = (tried: readonly Tried[], fixes: readonly Fix[], lang: Lang): Html =>
  html`<ol class="fix-list">${tried.map((t) => triedPart(t, lang))}${fixes.map((f, i) => fixPart(f, i === 0, lang))}</ol>`;

function triedPart({ patch, commands: typed, judgement, fix }: Tried, lang: Lang): Html {
  return html`<li><p class="cause">${say(text("report.tried", { patch }), lang)}</p>
${commands(typed)}
${outcome(fix?.proof.verdict ?? judgement.verdict, fix?.proof, lang)}
${fix === undefined ? null : list(fix.remarks, lang)}
${fix === undefined ? null : details(fix, lang)}</li>
${fix?.nearest === undefined ? null : fixPart(fix.nearest, true, lang)}`;
}

function fixPart(fix: Fix, open: boolean, lang: Lang): Html {
  return html`<li><p class="cause">${say(fix.summary, lang)}</p>
<p class="meta"><code>${fix.code}</code> ${fix.where.map((w) => html`<span>${sayAny(w, lang)}</span> `)}</p>
${fix.atRoot === undefined ? null : html`<p>${say(text("terminal.at-root", { how: fix.atRoot.how }), lang)}</p>${commands(fix.atRoot.lines)}<p class="meta">${say(text("terminal.meanwhile"), lang)}</p>`}
${commands(fix.commands)}
${outcome(fix.proof.verdict, fix.proof, lang)}
${open ? details(fix, lang) : html`<details><summary>${say(text("report.more"), lang)}</summary>${details(fix, lang)}</details>`}</li>`;
}

const outcome = (verdict: Verdict, proof: Fix["proof"] | undefined, lang: Lang): Html =>
  html`<p class="proof ${verdict}"><span aria-hidden="true">${verdict === "reachable" ? "✓" : "✕"}</span> ${say(
    text("report.proof", {
      verdict: proof === undefined ? text(`verdict.${verdict}`) : proofText(proof),
      flows: proof?.flowsChecked ?? 1,
    }),
    lang,
  )}</p>`;

function details(fix: Fix, lang: Lang): Html {
  const { flowsChanged } = fix.proof;
  return html`${fix.costs.length === 0 ? null : html`<p>${say(text("report.costs"), lang)}</p>${list(fix.costs, lang)}`}
${
  flowsChanged.length === 0
    ? null
    : html`<details><summary>${say(text("report.changed", { count: flowsChanged.length }), lang)}</summary><ul>${flowsChanged.map(
        (f) => html`<li>${f.from} → ${f.to} (${f.proto}): ${say(f.detail, lang)}</li>`,
      )}</ul></details>`
}
${fix.undo.length === 0 ? null : html`<details><summary>${say(text("report.undo"), lang)}</summary>${commands(fix.undo)}</details>`}
${
  fix.lasting.length === 0
    ? null
    : html`<details><summary>${say(text("report.lasting"), lang)}</summary>${fix.lasting.map(
        ({ how, lines }) => html`<p>${say(how, lang)}</p>${commands(lines)}`,
      )}</details>`
}`;
}

const list = (texts: readonly Text[], lang: Lang): Html | null =>
  texts.length === 0 ? null : html`<ul>${texts.map((t) => html`<li>${say(t, lang)}</li>`)}</ul>`;

/** A line break inside <pre>: as text it would be shown as a control character. */
const BREAK = html`
`;

const commands = (lines: readonly string[]): Html | null =>
  lines.length === 0
    ? null
    : html`<pre class="commands" tabindex="0">${lines.flatMap((l) => l.split("\n")).map((l, i) => [i === 0 ? "" : BREAK, l])}</pre>`;
