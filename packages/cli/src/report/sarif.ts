import { type Diagnosis, nextText, otherwiseText } from "@hairpin/core/diagnose/index.ts";
import { say } from "@hairpin/core/messages/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import { linesOf } from "@hairpin/core/model/index.ts";
import { VERSION } from "../version.ts";
import { headlineOf } from "./answer/verdict-text.ts";

const LEVEL = { proven: "error", inferred: "error", possible: "warning" } as const;

/** SARIF 2.1.0: a result a cause, at the line of the dump it rests on; without a cause, the verdict if it is not `reachable`. */
export function sarifReport({ inquiry: query, judgement, causes, restsOn, next }: Diagnosis): string {
  const { from = "", to = "" } = query.spec;
  const location = (file: string, line: number) => ({
    physicalLocation: { artifactLocation: { uri: encodeURI(file) }, region: { startLine: line } },
  });
  const results = causes.map((c) => ({
    ruleId: c.code,
    level: LEVEL[c.certainty],
    message: { text: `${from} to ${to}: ${say(c.summary)} (${c.certainty})` },
    locations: c.evidence
      .flatMap(linesOf)
      .slice(0, 10)
      .map((o) => location(o.file, o.line)),
  }));
  const verdict = {
    ruleId: `VERDICT_${judgement.verdict.toUpperCase()}`,
    level: judgement.verdict === "undetermined" ? "warning" : "error",
    message: {
      text: `${from} to ${to}: ${headlineOf(judgement, "en")}${next === null ? "" : `. ${say(nextText(next))}`}`,
    },
    locations: [],
  };
  const rests = restsOn.map((r) => ({
    ruleId: "RESTS_ON_UNSHOWN",
    level: "note",
    message: { text: `${say(r.fact)}: ${say(r.why)}; ${say(otherwiseText(r))}. ${r.command}` },
    locations: [],
  }));
  const all = judgement.verdict === "reachable" || causes.length > 0 ? [...results, ...rests] : [verdict, ...rests];
  const rules = [...new Set(all.map((r) => r.ruleId))].map((id) => ({ id }));
  const run = {
    tool: { driver: { name: "hairpin", version: VERSION, rules } },
    properties: { question: query.spec, verdict: judgement.verdict, leaning: judgement.leaning ?? null },
    results: all,
  };
  return `${jsonText({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] }, 2)}\n`;
}
