import { type Lang, say, text } from "@hairpin/core/messages/index.ts";
import type { Sweep } from "@hairpin/core/sweep/index.ts";
import { Html, html } from "../html/html.ts";
import type { Assets } from "../report/report.ts";
import { type MatrixOptions, type Measure, sweepPart } from "./matrix.ts";

/** No report of a sweep is larger. */
export const MOST_SWEEP_BYTES = 2 * 1_048_576;

/** From all that anybody scrolls through to the little that names of any length leave room for. Every target is worth more than what is open of each. */
export const SWEEP_MEASURES: readonly Measure[] = [
  { rows: 10_000, causes: 200, worked: 12, facts: 100, failing: 20, open: 20 },
  { rows: 10_000, causes: 100, worked: 12, facts: 50, failing: 8, open: 2 },
  { rows: 10_000, causes: 100, worked: 8, facts: 50, failing: 4, open: 1 },
  { rows: 10_000, causes: 50, worked: 8, facts: 50, failing: 4, open: 0 },
  { rows: 10_000, causes: 50, worked: 4, facts: 20, failing: 1, open: 0 },
  { rows: 5000, causes: 50, worked: 4, facts: 20, failing: 2, open: 0 },
  { rows: 1000, causes: 50, worked: 4, facts: 20, failing: 4, open: 4 },
  { rows: 100, causes: 20, worked: 1, facts: 10, failing: 1, open: 1 },
  { rows: 0, causes: 1, worked: 0, facts: 1, failing: 0, open: 0 },
];

export interface SweepReport extends Omit<MatrixOptions, "measure"> {
  readonly title: string;
}

/** One file that holds the matrix and loads nothing: readable from disk, in mail, on paper, and without its script. */
export function sweepHtml(sweep: Sweep, report: SweepReport, assets: Assets): string {
  let made = "";
  for (const measure of SWEEP_MEASURES) {
    made = written(sweep, report, measure, assets);
    if (new TextEncoder().encode(made).length <= MOST_SWEEP_BYTES) return made;
  }
  return written({ ...sweep, classes: [] }, { lang: report.lang, title: "hairpin" }, SWEEP_MEASURES[0]!, assets);
}

function written(sweep: Sweep, report: SweepReport, measure: Measure, assets: Assets): string {
  const { lang } = report;
  const t = (of: Parameters<typeof say>[0]): string => say(of, lang);
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${assets.cssHash}'`,
    `script-src 'sha256-${assets.jsHash}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const nothing = sweep.flows === 0 ? html`<p><strong>${t(text("sweep.nothing"))}</strong></p>` : null;
  return `${
    html`<!doctype html>
<html lang="${lang === "zh" ? "zh-Hans" : "en"}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${titleOf(report)}</title>
<style>${new Html(assets.css)}</style>
</head>
<body class="report" data-copy="${t(text("report.copy"))}" data-copied="${t(text("report.copied"))}">
<header><h1>${titleOf(report)}</h1></header>
<main>
${nothing ?? sweepPart(sweep, { ...report, measure })}
</main>
<footer><p>${t(text("report.made-by"))}</p></footer>
<script>${new Html(assets.js)}</script>
</body>
</html>`.text
  }\n`;
}

const titleOf = ({ lang, title }: { readonly lang: Lang; readonly title: string }): string =>
  say(text("sweep.title", { flows: title }), lang);
