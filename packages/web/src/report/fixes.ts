import { type Lang, say, text } from "@hairpin/core/messages/index.ts";
import type { Verdict } from "@hairpin/core/trace/index.ts";
import { type Html, html } from "../html/html.ts";

/** A proposed or tried change, as `diagnose --json` has it. */
export interface Fix {
  readonly code: string;
  readonly summary: string;
  readonly where: readonly string[];
  readonly commands: readonly string[];
  readonly undo: readonly string[];
  readonly lasting: readonly string[];
  readonly costs: readonly string[];
  readonly proof: {
    readonly verdict: Verdict;
    readonly flowsChecked: number;
    readonly flowsChanged: readonly unknown[];
    readonly kernel: unknown;
  };
}

export const fixesPart = (fixes: readonly Fix[], lang: Lang): Html =>
  html`<ol class="fix-list">${fixes.map((fix) => fixPart(fix, lang))}</ol>`;

function fixPart(fix: Fix, lang: Lang): Html {
  const { proof } = fix;
  const cured = proof.verdict === "reachable";
  const more: readonly (readonly [string, readonly string[]])[] = [
    [say(text("report.undo"), lang), fix.undo],
    [say(text("report.lasting"), lang), fix.lasting],
  ];
  return html`<li><p class="cause">${fix.summary}</p>
<p class="meta"><code>${fix.code}</code> ${fix.where.map((w) => html`<span>${w}</span> `)}</p>
${commands(fix.commands)}
<p class="proof ${proof.verdict}"><span aria-hidden="true">${cured ? "✓" : "✕"}</span> ${say(
    text("report.proof", { verdict: text(`verdict.${proof.verdict}`), flows: proof.flowsChecked }),
    lang,
  )}</p>
${proof.flowsChanged.length === 0 ? null : html`<p>${say(text("report.changed"), lang)}</p><ul>${proof.flowsChanged.map((f) => html`<li>${flowWords(f)}</li>`)}</ul>`}
${fix.costs.length === 0 ? null : html`<p>${say(text("report.costs"), lang)}</p><ul>${fix.costs.map((c) => html`<li>${c}</li>`)}</ul>`}
${more.map(([title, list]) => (list.length === 0 ? null : html`<details><summary>${title}</summary>${commands(list)}</details>`))}
</li>`;
}

const commands = (list: readonly string[]): Html | null =>
  list.length === 0
    ? null
    : html`<pre class="commands" tabindex="0">${list
        .join("\n")
        .split("\n")
        .map((c, i) => [i === 0 ? "" : BREAK, c])}</pre>`;

/** A line break inside <pre>: as text it would be shown as a control character. */
const BREAK = html`
`;

function flowWords(flow: unknown): string {
  if (typeof flow !== "object" || flow === null) return String(flow);
  return Object.entries(flow)
    .map(([key, value]) => `${key} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`)
    .join(", ");
}
