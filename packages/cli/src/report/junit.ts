import type { Diagnosis, Quote } from "@hairpin/core/diagnose/index.ts";
import { nextText, otherwiseText, quotes } from "@hairpin/core/diagnose/index.ts";
import { say } from "@hairpin/core/messages/index.ts";
import { headlineOf } from "./answer/verdict-text.ts";
import { printable } from "./style.ts";

export const xmlEscaped = (text: string): string =>
  printable(text)
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;")
    // XML 1.0 has no way to write these.
    .replace(/[\ud800-\udfff\ufffe\uffff]/gu, "?");

/** One test case, the question: passed if reachable, an error if undetermined, else a failure with its causes. */
export function junitReport({ inquiry: query, judgement, causes, restsOn, next }: Diagnosis, quote: Quote): string {
  const { from = "", to = "", proto = "tcp" } = query.spec;
  const { verdict } = judgement;
  const why = causes.flatMap((c) => [
    `${c.code} (${c.certainty}): ${say(c.summary)}`,
    ...quotes(c.evidence, quote).map((q) => `  ${q}`),
  ]);
  const open = judgement.decisiveFacts.map((f) => `${say(f.text)}: ${f.command ?? f.fact}`);
  const rests = restsOn.map((r) => `${say(r.fact)} (${say(r.why)}; ${say(otherwiseText(r))}): ${r.command}`);
  const first = next === null ? [] : [say(nextText(next))];
  const body = [...first, ...why, ...rests, ...open].map(xmlEscaped).join("\n");
  const tag = verdict === "undetermined" ? "error" : "failure";
  const outcome =
    verdict === "reachable"
      ? ""
      : `\n    <${tag} type="${causes[0]?.code ?? verdict}" message="${xmlEscaped(headlineOf(judgement, "en"))}">${body}</${tag}>\n  `;
  const failures = verdict === "unreachable" || verdict === "intermittent" ? 1 : 0;
  const errors = verdict === "undetermined" ? 1 : 0;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="hairpin" tests="1" failures="${failures}" errors="${errors}">
  <testcase classname="hairpin.diagnose" name="${xmlEscaped(`${from} to ${to}, ${proto}`)}">${outcome}</testcase>
</testsuite>
`;
}
