import { sayAny } from "@hairpin/core/messages/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import {
  type Broken,
  diagnoseLine,
  type Expectation,
  type Held,
  nameOf,
  saidIn,
  wishOf,
} from "@hairpin/core/sweep/index.ts";
import { VERSION } from "../../version.ts";
import { xmlEscaped } from "../junit.ts";
import { flowsText } from "./counted.ts";
import { foundText } from "./expect-text.ts";

/** As CI lists it: what its author calls it, and what it says. */
const testName = (expectation: Expectation): string =>
  expectation.name === undefined ? saidIn(expectation) : `${expectation.name} (${saidIn(expectation)})`;

/** CI takes dots for levels: a file is one of them. */
const className = (file: string): string =>
  `hairpin.expect.${file
    .replace(/^.*\//, "")
    .replace(/\.(?:ya?ml|json)$/, "")
    .replaceAll(".", "-")}`;

/** The flow that shows that an expectation does not hold. */
const shownBy = ({ broken, result }: Held): Broken | undefined => broken.find((b) => b.open === (result === "open"));

const UNSHOWN: Partial<Record<Held["result"], string>> = {
  "matches-nothing": "matches no flow of this case",
  "not-asked": "not all of its flows were asked: it was stopped early",
};

/** A test case an expectation; a failure says what was expected and found, and holds the diagnosis of the flow that shows it. */
export function expectJunit(
  held: readonly Held[],
  file: string,
  paths: readonly string[],
  diagnosed: (broken: Broken) => string,
): string {
  const cases = held.map((of) => {
    const { expectation, result } = of;
    const name = xmlEscaped(testName(expectation));
    const head = `  <testcase classname="${xmlEscaped(className(file))}" name="${name}" file="${xmlEscaped(file)}" line="${expectation.line}"`;
    if (result === "holds") return `${head}/>`;
    const tag = result === "broken" ? "failure" : "error";
    const first = shownBy(of);
    const message = first === undefined ? (UNSHOWN[result] ?? result) : foundInstead(of, first);
    const body = first === undefined ? "" : `${diagnoseLine(paths, first.asked)}\n\n${diagnosed(first)}`;
    const type = first?.answer.causes[0]?.code ?? first?.answer.verdict ?? result;
    return `${head}>\n    <${tag} type="${xmlEscaped(type)}" message="${xmlEscaped(message)}">${body.split("\n").map(xmlEscaped).join("\n")}</${tag}>\n  </testcase>`;
  });
  const of = (...results: readonly Held["result"][]): number => held.filter((h) => results.includes(h.result)).length;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="hairpin expect ${xmlEscaped(file)}" tests="${held.length}" failures="${of("broken")}" errors="${of("open", "matches-nothing", "not-asked")}">\n${cases.join("\n")}\n</testsuite>\n`;
}

/** In one line, as lists of failed tests show it. */
function foundInstead({ expectation, result, flows, broken }: Held, first: Broken): string {
  const count = broken.filter((b) => b.open === (result === "open")).reduce((n, b) => n + b.flows, 0);
  const [cause] = first.answer.causes;
  const why = cause === undefined ? "" : `: ${cause.code}: ${sayAny(cause.summary)}`;
  return `expected ${wishOf(expectation)}; ${count} of ${flowsText(flows, "en")}, such as ${first.asked.from} to ${first.asked.to}: ${foundText(first, "en")}${why}`;
}

/** SARIF 2.1.0: a result an expectation that does not hold, at its line. */
export function expectSarif(held: readonly Held[], file: string): string {
  const results = held
    .filter((h) => h.result !== "holds")
    .map((of) => {
      const { expectation, result, flows } = of;
      const first = shownBy(of);
      const found =
        first === undefined
          ? (UNSHOWN[result] ?? result)
          : `${first.asked.from} to ${first.asked.to}: ${foundText(first, "en")}. ${sayAny(first.answer.causes[0]?.summary ?? "")}`;
      return {
        ruleId: first?.answer.causes[0]?.code ?? `EXPECTATION_${result.toUpperCase().replaceAll("-", "_")}`,
        level: result === "broken" ? "error" : "warning",
        message: { text: `${nameOf(expectation)} (${flowsText(flows, "en")}): ${found}`.trim() },
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
