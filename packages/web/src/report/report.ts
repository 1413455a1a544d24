import { DIAGNOSIS_SCHEMA, diagnosisJson } from "@hairpin/core/diagnose/index.ts";
import { type Lang, say, text } from "@hairpin/core/messages/index.ts";
import { Html, html, jsonScript } from "../html/html.ts";
import { type Answer, answerParts } from "./answer.ts";
import { fitted, type LeftOut, leftOutText, MEASURES } from "./fit.ts";

/** Style and script of the report with their SHA-256 in Base64, made by the build: the file allows nothing else to run. */
export interface Assets {
  readonly css: string;
  readonly cssHash: string;
  readonly js: string;
  readonly jsHash: string;
}

/** No report is larger, its style and script and all: what a ticket or a mail takes. */
export const MOST_BYTES = 1_048_576;
const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/**
 * One file that holds the answer and loads nothing: readable from disk, in mail, on paper, and without its script. It holds all of
 * it where that is no more than MOST_BYTES; else as much as fits, and says what is left out.
 */
export function reportHtml(answer: Answer, lang: Lang, assets: Assets): string {
  let report = "";
  for (const measure of MEASURES) {
    const { answer: shown, leftOut } = fitted(answer, measure);
    report = written(shown, leftOut, lang, assets);
    if (bytesOf(report) <= MOST_BYTES) return report;
  }
  return tooLarge(answer, lang);
}

/** Names alone may be longer than a report: then nothing is left of it but the verdict. */
function tooLarge({ diagnosis }: Answer, lang: Lang): string {
  const { verdict } = diagnosis.judgement;
  const json = { schema: DIAGNOSIS_SCHEMA, verdict, leftOut: true };
  return `${
    html`<!doctype html>
<html lang="${lang === "zh" ? "zh-Hans" : "en"}"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'"><title>hairpin</title></head>
<body><main><h1>${say(text(`verdict.${verdict}`), lang)}</h1><p>${say(text("report.too-large"), lang)}</p></main>${jsonScript("diagnosis", json)}</body></html>`
      .text
  }\n`;
}

function written(answer: Answer, leftOut: LeftOut, lang: Lang, assets: Assets): string {
  const json = diagnosisJson(answer.diagnosis, answer.quote);
  const { spec } = answer.diagnosis.inquiry;
  const title = say(text("report.title", { from: spec.from ?? "?", to: spec.to ?? "?" }), lang);
  const { verdict, why, fixes, walk, rest } = answerParts(answer, lang);
  const short = leftOutText(leftOut, lang);
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${assets.cssHash}'`,
    `script-src 'sha256-${assets.jsHash}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `${
    html`<!doctype html>
<html lang="${lang === "zh" ? "zh-Hans" : "en"}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Html(assets.css)}</style>
</head>
<body class="report" data-copy="${say(text("report.copy"), lang)}" data-copied="${say(text("report.copied"), lang)}">
<header><h1>${title}</h1><p class="tools"><button type="button" data-print="" hidden>${say(text("report.print"), lang)}</button> <button type="button" data-print="steps" hidden>${say(text("report.print-steps"), lang)}</button></p>${short === null ? null : html`<p class="left-out">${short}</p>`}</header>
<main>
${verdict}<div class="act">${why}${fixes}</div>${walk}${rest}
</main>
<footer><p>${say(text("report.made-by"), lang)}</p></footer>
${jsonScript("diagnosis", json)}
<script>${new Html(assets.js)}</script>
</body>
</html>`.text
  }\n`;
}
