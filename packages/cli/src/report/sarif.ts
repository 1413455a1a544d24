import { createHash } from "node:crypto";
import { type Diagnosis, nextText, otherwiseText } from "@hairpin/core/diagnose/index.ts";
import type { CauseCode } from "@hairpin/core/explain/index.ts";
import { say, text } from "@hairpin/core/messages/index.ts";
import { jsonText } from "@hairpin/core/messages/printable.ts";
import { linesOf } from "@hairpin/core/model/index.ts";
import { VERSION } from "../version.ts";
import { headlineOf } from "./answer/verdict-text.ts";
import { lessonOf } from "./lesson.ts";

const LEVEL = { proven: "error", inferred: "error", possible: "warning" } as const;

/** Where a file of the case lies: relative to the root of the repository, or undefined for one inside a bundle. */
export type Located = (file: string) => { readonly uri: string; readonly whole: boolean };

/** Where the pages of the causes are: `npm run site`, wherever it was put. Unset, a name that is no link. */
const siteOf = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  env.HAIRPIN_SITE?.replace(/\/$/, "");

/** SARIF 2.1.0: a result a cause, at the line of the dump it rests on; without a cause, the verdict if it is not `reachable`. */
export function sarifReport(diagnosis: Diagnosis, located: Located, site = siteOf(process.env)): string {
  const { inquiry: query, judgement, causes, restsOn, next } = diagnosis;
  const { from = "", to = "", proto = "tcp" } = query.spec;
  const location = (file: string, line: number) => {
    const { uri, whole } = located(file);
    return {
      physicalLocation: {
        artifactLocation: { uri: encodeURI(uri), uriBaseId: "%SRCROOT%" },
        // A line inside of a bundle is no line of the bundle.
        ...(whole ? { region: { startLine: line } } : {}),
      },
    };
  };
  /** The same finding keeps its print while lines move: whose flow, what, and where. */
  const print = (...parts: readonly string[]) => ({
    "hairpinFinding/v1": createHash("sha256")
      .update([from, to, proto, ...parts].join("\0"))
      .digest("hex")
      .slice(0, 32),
  });
  const results = causes.map((c) => ({
    ruleId: c.code,
    level: LEVEL[c.certainty],
    message: { text: `${from} to ${to}: ${say(c.summary)} (${c.certainty})` },
    locations: c.evidence
      .flatMap(linesOf)
      .slice(0, 10)
      .map((o) => location(o.file, o.line)),
    partialFingerprints: print(c.code, c.stack),
  }));
  const verdictRule = `VERDICT_${judgement.verdict.toUpperCase()}`;
  const verdict = {
    ruleId: verdictRule,
    level: judgement.verdict === "undetermined" ? "warning" : "error",
    message: {
      text: `${from} to ${to}: ${headlineOf(judgement, "en")}${next === null ? "" : `. ${say(nextText(next))}`}`,
    },
    locations: [],
    partialFingerprints: print(verdictRule),
  };
  const rests = restsOn.map((r) => ({
    ruleId: RESTS,
    level: "note",
    message: { text: `${say(r.fact)}: ${say(r.why)}; ${say(otherwiseText(r))}. ${r.command}` },
    locations: [],
    partialFingerprints: print(RESTS, say(r.fact)),
  }));
  const all = judgement.verdict === "reachable" || causes.length > 0 ? [...results, ...rests] : [verdict, ...rests];
  const codes = new Set<string>(causes.map((c) => c.code));
  const rules = [...new Set(all.map((r) => r.ruleId))].map((id) =>
    codes.has(id) ? causeRule(id as CauseCode, site) : plainRule(id, site),
  );
  const run = {
    tool: { driver: { name: "hairpin", version: VERSION, rules } },
    originalUriBaseIds: { "%SRCROOT%": { description: { text: say(text("sarif.root")) } } },
    properties: { question: query.spec, verdict: judgement.verdict, leaning: judgement.leaning ?? null },
    results: all.map((r) => ({ ...r, ruleIndex: rules.findIndex((rule) => rule.id === r.ruleId) })),
  };
  return `${jsonText({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] }, 2)}\n`;
}

const RESTS = "RESTS_ON_UNSHOWN";
const camel = (id: string): string => id.toLowerCase().replace(/(?:^|_)([a-z0-9])/g, (_, c: string) => c.toUpperCase());
const page = (path: string, name: string, site: string | undefined): string =>
  site === undefined ? `urn:hairpin:${name}` : `${site}/${path}`;

/** A cause, as `hairpin explain` teaches it. */
function causeRule(code: CauseCode, site: string | undefined) {
  const lesson = lessonOf(code, "en");
  const cures = [...lesson.cures.map((c) => c.text), ...(lesson.instead === null ? [] : [lesson.instead])];
  const help = [
    lesson.happens,
    lesson.see.text,
    ...lesson.see.commands.map((c) => `  ${c}`),
    ...cures.map((c) => `- ${c}`),
  ];
  const markdown = [
    lesson.happens,
    `\`\`\`\n${lesson.picture}\n\`\`\``,
    lesson.see.text,
    `\`\`\`sh\n${lesson.see.commands.join("\n")}\n\`\`\``,
    cures.map((c) => `- ${c}`).join("\n"),
  ];
  return {
    id: code,
    name: camel(code),
    shortDescription: { text: lesson.title },
    fullDescription: { text: lesson.happens },
    help: { text: help.join("\n"), markdown: markdown.join("\n\n") },
    helpUri: page(`causes/${code}.html`, `cause:${code}`, site),
    defaultConfiguration: { level: "error" },
    properties: { tags: ["network", lesson.room] },
  };
}

/** The verdict itself, or what it rests on. */
function plainRule(id: string, site: string | undefined) {
  const rests = id === RESTS;
  const short = say(text(rests ? "sarif.rests" : "sarif.verdict"));
  const full = say(text(rests ? "sarif.rests-help" : "sarif.verdict-help"));
  return {
    id,
    name: camel(id),
    shortDescription: { text: short },
    fullDescription: { text: full },
    help: { text: full, markdown: full },
    helpUri: page("how-to-read-an-answer.html", `answer:${id}`, site),
    defaultConfiguration: { level: rests ? "note" : "error" },
    properties: { tags: ["network"] },
  };
}
