import { sayAny } from "@hairpin/core/messages/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import { type Broken, type Held, nameOf } from "@hairpin/core/sweep/index.ts";
import { VERSION } from "../../version.ts";
import { xmlEscaped } from "../junit.ts";
import { foundText } from "./expect-text.ts";

/** A test case an expectation; a failure holds the diagnosis of the flow that shows it. */
export function expectJunit(held: readonly Held[], file: string, diagnosed: (broken: Broken) => string): string {
  const cases = held.map(({ expectation, result, broken }) => {
    const head = `  <testcase classname="hairpin.expect" name="${xmlEscaped(nameOf(expectation))}" file="${xmlEscaped(file)}" line="${expectation.line}"`;
    if (result === "holds") return `${head}/>`;
    const tag = result === "broken" ? "failure" : "error";
    const first = broken.find((b) => b.open === (result === "open"));
    const message =
      first === undefined ? "matches no flow" : `${first.asked.from} to ${first.asked.to}: ${foundText(first, "en")}`;
    const body = first === undefined ? "" : diagnosed(first);
    const type = first?.answer.causes[0]?.code ?? first?.answer.verdict ?? result;
    return `${head}>\n    <${tag} type="${xmlEscaped(type)}" message="${xmlEscaped(message)}">${body.split("\n").map(xmlEscaped).join("\n")}</${tag}>\n  </testcase>`;
  });
  const of = (...results: readonly Held["result"][]): number => held.filter((h) => results.includes(h.result)).length;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="hairpin expect" tests="${held.length}" failures="${of("broken")}" errors="${of("open", "matches-nothing")}">\n${cases.join("\n")}\n</testsuite>\n`;
}

/** SARIF 2.1.0: a result an expectation that does not hold, at its line. */
export function expectSarif(held: readonly Held[], file: string): string {
  const results = held
    .filter((h) => h.result !== "holds")
    .map(({ expectation, result, broken, flows }) => {
      const first = broken.find((b) => b.open === (result === "open"));
      const found =
        first === undefined
          ? "matches no flow"
          : `${first.asked.from} to ${first.asked.to}: ${foundText(first, "en")}. ${sayAny(first.answer.causes[0]?.summary ?? "")}`;
      return {
        ruleId: first?.answer.causes[0]?.code ?? `EXPECTATION_${result.toUpperCase().replaceAll("-", "_")}`,
        level: result === "broken" ? "error" : "warning",
        message: { text: `${nameOf(expectation)} (${flows} flows): ${found}`.trim() },
        locations: [
          {
            physicalLocation: { artifactLocation: { uri: encodeURI(file) }, region: { startLine: expectation.line } },
          },
        ],
      };
    });
  const rules = [...new Set(results.map((r) => r.ruleId))].map((id) => ({ id }));
  const run = { tool: { driver: { name: "hairpin", version: VERSION, rules } }, results };
  return `${jsonText({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] }, 2)}\n`;
}
