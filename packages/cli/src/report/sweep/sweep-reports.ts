import { type Lang, MARKS, type MessageId, say, sayAny, type Text, text } from "@hairpin/core/messages/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import {
  causesIn,
  diagnoseLine,
  fails,
  fixLead,
  fixWords,
  openWithoutFact,
  type Sweep,
  type SweptClass,
  tallyOf,
  undecidedAlike,
} from "@hairpin/core/sweep/index.ts";
import { VERSION } from "../../version.ts";
import { xmlEscaped } from "../junit.ts";
import { markdownCode, markdownPlain } from "../markdown.ts";
import { classesText, flowsText } from "./counted.ts";

/** What was not asked passes no test. */
const unasked = ({ flows, answered }: Sweep): readonly Text[] =>
  flows === 0 ? [text("sweep.nothing")] : answered < flows ? [text("sweep.partial", { answered, flows })] : [];

/** Who asks what, by the names that people have for it: CI lists nothing else of a test that passes. */
function nameOf({ from, to, example }: SweptClass): string {
  const who = from.kind === "endpoint" ? `${from.example} (its own endpoint)` : from.example;
  const at = example.node === undefined ? "" : ` by ${example.node}`;
  const via = to.via === null ? "" : `, ${to.via}`;
  const whom = to.service === null ? "" : ` (${to.service}${via})`;
  return `${who}${at} to ${example.to}${whom}, ${example.proto}`;
}

/** A test case a class: passed where it works, an error where it is open, else a failure with its causes. */
export function sweepJunit(sweep: Sweep, paths: readonly string[]): string {
  const { classes } = sweep;
  const missing = unasked(sweep).map((why) => {
    const message = xmlEscaped(say(why));
    return `  <testcase classname="hairpin.sweep" name="all flows are asked">\n    <error type="not-asked" message="${message}">${message}</error>\n  </testcase>`;
  });
  const cases = classes.map((c) => {
    const open = c.verdict === "undetermined";
    const head = `  <testcase classname="hairpin.sweep.${c.to.kind}" name="${xmlEscaped(nameOf(c))}"`;
    if (c.verdict === "reachable") return `${head}/>`;
    const tag = open ? "error" : "failure";
    const body = [
      ...c.causes.map((cause) => `${cause.code} (${cause.certainty}): ${sayAny(cause.summary)}`),
      ...c.facts.map((f) => `${f.fact}: ${f.command ?? ""}`),
      ...(c.fix === null ? [] : [`fix: ${fixWords(c.fix, "en")}`]),
      diagnoseLine(paths, c.example),
    ];
    const [cause] = c.causes;
    const why = cause === undefined ? "" : `: ${cause.code}: ${sayAny(cause.summary)}`;
    const message = `${flowsText(c.flows, "en")}: ${say({ id: `verdict.${c.verdict}`, params: {} })}${why}`;
    return `${head}>\n    <${tag} type="${xmlEscaped(c.causes[0]?.code ?? c.verdict)}" message="${xmlEscaped(message)}">${body.map(xmlEscaped).join("\n")}</${tag}>\n  </testcase>`;
  });
  const failures = classes.filter(fails).length;
  const errors = classes.filter((c) => c.verdict === "undetermined").length + missing.length;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="hairpin sweep" tests="${classes.length + missing.length}" failures="${failures}" errors="${errors}">\n${[...missing, ...cases].join("\n")}\n</testsuite>\n`;
}

/** SARIF 2.1.0: a result a cause, with how many flows it breaks. */
export function sweepSarif(sweep: Sweep, paths: readonly string[]): string {
  const missing = unasked(sweep).map((why) => ({
    ruleId: "NOT_ASKED",
    level: "error",
    message: { text: say(why) },
    locations: [],
  }));
  const causes = causesIn(sweep.classes).map((c) => ({
    ruleId: c.code,
    level: c.certainty === "possible" ? "warning" : "error",
    message: {
      text: `${c.at}: ${c.flows} flows fail. ${sayAny(c.summary)}.${c.fix === null ? "" : ` ${say(fixLead(c.fix, c.flows))}: ${fixWords(c.fix, "en")}.`} ${diagnoseLine(paths, c.example)}`,
    },
    locations: c.evidence.map(({ file, line }) => ({
      physicalLocation: { artifactLocation: { uri: encodeURI(file) }, region: { startLine: line } },
    })),
  }));
  const results = [...missing, ...causes];
  const rules = [...new Set(results.map((r) => r.ruleId))].map((id) => ({ id }));
  const run = { tool: { driver: { name: "hairpin", version: VERSION, rules } }, results };
  return `${jsonText({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] }, 2)}\n`;
}

/** For a ticket. */
export function sweepMarkdown(sweep: Sweep, paths: readonly string[], lang: Lang): string {
  const { classes, flows, answered } = sweep;
  const t = (id: MessageId, params: Record<string, string | number | readonly string[]> = {}): string =>
    say({ id, params }, lang);
  const many = (count: number): string => flowsText(count, lang);
  const tally = tallyOf(classes);
  const lines = [
    `# ${t("sweep.title", { flows: many(flows) })}`,
    "",
    t("sweep.head", {
      flows: many(answered),
      classes: classesText(classes.length, lang),
      works: tally.reachable,
      fails: tally.unreachable + tally.intermittent,
      open: tally.undetermined + tally.leaning,
    }),
    ...unasked(sweep).flatMap((why) => ["", `**${markdownPlain(say(why, lang))}**`]),
  ];
  const causes = causesIn(classes);
  if (causes.length > 0) lines.push("", `## ${t("sweep.broken")}`, "");
  for (const c of causes) {
    const targets = c.targets === 1 ? t("sweep.target") : t("sweep.targets", { count: c.targets });
    const sources = c.everybody ? [t("sweep.everybody")] : c.sources.map((s) => t(`sweep.source.${s}` as MessageId));
    lines.push(
      `- **${markdownPlain(t("sweep.cause", { code: c.code, at: c.at, flows: many(c.flows), sources, targets }))}**`,
    );
    lines.push(`  - ${markdownPlain(c.summary === "" ? t("sweep.no-cause") : sayAny(c.summary, lang))}`);
    if (c.fix !== null) {
      const words = fixWords(c.fix, lang);
      const told = c.fix.commands.length > 0 ? markdownCode(words) : markdownPlain(words);
      lines.push(`  - ${say(fixLead(c.fix, c.flows), lang)}${MARKS[lang].colon}${told}`);
    }
    lines.push(`  - ${t("sweep.worked")}${MARKS[lang].colon}${markdownCode(diagnoseLine(paths, c.example))}`);
  }
  const open = undecidedAlike(classes).slice(0, 10);
  const rest = openWithoutFact(classes);
  if (open.length > 0 || rest !== null) lines.push("", `## ${t("sweep.undecided")}`, "");
  for (const f of open)
    lines.push(
      `- ${markdownPlain(f.nodes === 1 ? t("sweep.fact", { fact: f.fact, flows: many(f.flows) }) : t("sweep.fact-alike", { fact: f.fact, nodes: f.nodes, flows: many(f.flows) }))}${f.command === null ? "" : `${MARKS[lang].colon}${markdownCode(f.command)}`}`,
    );
  if (rest !== null)
    lines.push(
      `- ${markdownPlain(t("sweep.no-fact", { flows: many(rest.flows) }))}${MARKS[lang].colon}${markdownCode(diagnoseLine(paths, rest.example))}`,
    );
  return `${lines.join("\n")}\n`;
}
