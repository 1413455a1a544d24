import { diagnosisJson } from "@hairpin/core/diagnose/index.ts";
import { type Lang, say, text } from "@hairpin/core/messages/index.ts";
import { Html, html, jsonScript } from "../html/html.ts";
import { type Answer, answerParts } from "./answer.ts";

/** Style and script of the report with their SHA-256 in Base64, made by the build: the file allows nothing else to run. */
export interface Assets {
  readonly css: string;
  readonly cssHash: string;
  readonly js: string;
  readonly jsHash: string;
}

/** One file that holds the whole answer and loads nothing: readable from disk, in mail, on paper, and without its script. */
export function reportHtml(answer: Answer, lang: Lang, assets: Assets): string {
  const json = diagnosisJson(answer.diagnosis, answer.quote);
  const { spec } = answer.diagnosis.asked;
  const title = say(text("report.title", { from: spec.from ?? "?", to: spec.to ?? "?" }), lang);
  const { head, fixes, walk, rest } = answerParts(answer, lang);
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
<body class="report">
<header><h1>${title}</h1></header>
<main>
${head}${fixes}${walk}${rest}
</main>
<footer><p>${say(text("report.made-by"), lang)}</p></footer>
${jsonScript("diagnosis", json)}
<script>${new Html(assets.js)}</script>
</body>
</html>`.text
  }\n`;
}
