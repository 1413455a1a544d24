import {
  assumptionLines,
  assumptionsOf,
  type Diagnosis,
  familiesText,
  type NextCommand,
  nextText,
  otherwiseText,
  packetName,
  packetText,
  placeText,
  proofText,
  type Quote,
  quotes,
  restsLead,
  setText,
} from "@hairpin/core/diagnose/index.ts";
import { type Lang, MARKS, say, sayDecision, type Text, text } from "@hairpin/core/messages/index.ts";
import { append, largest } from "@hairpin/core/net/append.ts";
import type { Fix } from "@hairpin/core/remedy/index.ts";
import { decisiveLeg } from "@hairpin/core/trace/index.ts";
import { headlineOf } from "./answer/verdict-text.ts";
import { mermaidLines } from "./mermaid.ts";
import { printable } from "./style.ts";

/** Text of a dump in a ticket: no markup, no mention, no link comes alive. */
export const markdownPlain = (value: string): string =>
  printable(value).replace(/[\\`*_{}[\]<>()#+!|~@&-]/g, (c) => (c === "-" ? c : `\\${c}`));

/** In back ticks, as many as it takes: code spans know no escapes. */
export const markdownCode = (value: string): string => {
  const clean = printable(value);
  const ticks = "`".repeat(
    largest(
      0,
      [...clean.matchAll(/`+/g)].map((m) => m[0].length),
    ) + 1,
  );
  const pad = clean.startsWith("`") || clean.endsWith("`") || clean === "" ? " " : "";
  return `${ticks}${pad}${clean}${pad}${ticks}`;
};

function fence(lines: readonly string[], kind = ""): readonly string[] {
  if (lines.length === 0) return [];
  const clean = lines.map(printable);
  const ticks = "`".repeat(
    largest(
      2,
      clean.flatMap((l) => [...l.matchAll(/`+/g)].map((m) => m[0].length)),
    ) + 1,
  );
  return [`${ticks}${kind}`, ...clean, ticks];
}

/** Opens on a click. The blank lines make what stands in it Markdown again. */
const folded = (summary: Text, lines: readonly string[], lang: Lang): readonly string[] => [
  "",
  `<details><summary>${markdownPlain(say(summary, lang))}</summary>`,
  "",
  ...lines,
  "",
  "</details>",
];

/** What to run first, the command apart so that it can be copied. */
const nextLines = (next: NextCommand, lang: Lang): readonly string[] => [
  markdownPlain(say(nextText({ ...next, command: "" }), lang).trim()),
  "",
  ...fence([next.command], "sh"),
  "",
  markdownPlain(say(text("next.settles", { what: next.settles }), lang)),
];

/** The answer as a ticket takes it: headings, quoted lines, commands to copy. */
export function markdownReport(diagnosis: Diagnosis, quote: Quote, lang: Lang): string {
  const { inquiry: query, judgement, causes, contradictions, fixes } = diagnosis;
  const families = familiesText(diagnosis);
  const t = (id: Parameters<typeof text>[0]): string => say(text(id as never), lang);
  const {
    colon,
    comma,
    brackets: [open, close],
  } = MARKS[lang];
  const lines: string[] = [
    `# ${markdownPlain(say(text("report.title", { from: query.spec.from ?? "", to: query.spec.to ?? "" }), lang))}`,
    "",
    `**${headlineOf(judgement, lang)}**`,
    ...(families === null ? [] : ["", markdownPlain(say(families, lang))]),
    ...(diagnosis.beyond === null ? [] : ["", markdownPlain(say(diagnosis.beyond, lang))]),
    ...(diagnosis.next === null ? [] : ["", ...nextLines(diagnosis.next, lang)]),
  ];
  for (const branch of query.exploration.branches.slice(0, 8)) {
    const leg = decisiveLeg(branch);
    if (branch.clientSees === "connected") continue;
    lines.push(
      "",
      `${markdownPlain(say(packetName(leg.what), lang))} ${t(`report.${leg.disposition}` as never)}${open}${markdownPlain(leg.stack)}${comma}${markdownPlain(say(placeText(leg.step), lang))}${close}${colon}${markdownPlain(sayDecision(leg.decision, lang))}`,
    );
    if (leg.final.protocol !== 0) lines.push("", markdownCode(packetText(leg.final)));
  }
  const diagram = mermaidLines(diagnosis, lang);
  if (diagram.length > 0) lines.push("", "```mermaid", ...diagram, "```");
  if (causes.length > 0) {
    lines.push("", `## ${t("report.why")}`);
    for (const c of causes) {
      lines.push(
        "",
        `- **${markdownPlain(c.code)}**${open}${t(`report.${c.certainty}` as never)}${close}${colon}${markdownPlain(say(c.summary, lang))}`,
      );
      const quoted = quotes(c.evidence, quote);
      if (quoted.length > 0)
        append(lines, folded(text("report.lines", { count: quoted.length }), fence(quoted.slice(0, 20)), lang));
    }
  }
  if (diagnosis.restsOn.length > 0) {
    lines.push("", `## ${say(restsLead(judgement), lang)}`, "");
    for (const r of diagnosis.restsOn) {
      lines.push(
        `- ${markdownPlain(say(r.fact, lang))}`,
        `  - ${markdownPlain(say(r.why, lang))}; ${markdownPlain(say(otherwiseText(r), lang))}`,
      );
      lines.push(`  - ${t("report.read-it")}${colon}${markdownCode(r.command)}`);
    }
  }
  if (diagnosis.explanations !== null) {
    const { sets, command } = diagnosis.explanations;
    lines.push("", `## ${t("explains.lead")}`, "", ...sets.map((s) => `- ${markdownCode(setText(s))}`));
    lines.push("", markdownPlain(say(text("explains.first", { command }), lang)));
  }
  if (judgement.decisiveFacts.length > 0) {
    lines.push("", `## ${t("report.decides")}`);
    for (const f of judgement.decisiveFacts) {
      lines.push("", `- ${markdownPlain(say(f.text, lang))} (${markdownCode(f.fact)})`);
      for (const o of f.outcomes)
        lines.push(`  - ${markdownCode(o.value)}${colon}${t(`verdict.${o.verdict}` as never)}`);
      if (f.command !== null) lines.push(`  - ${t("report.read-it")}${colon}${markdownCode(f.command)}`);
    }
  }
  if (contradictions.length > 0) {
    const head = judgement.verdict === "unreachable" ? "report.seen-working" : "report.but";
    lines.push("", `## ${t(head)}`, "", ...contradictions.map((c) => `- ${markdownPlain(say(c, lang))}`));
  }
  if (fixes.length > 0) {
    lines.push("", `## ${t("report.fixes")}`);
    const [first, ...others] = fixes;
    append(lines, fixLines(first!, lang));
    if (others.length > 0)
      append(
        lines,
        folded(
          text("report.other-fixes", { count: others.length }),
          others.flatMap((fix) => fixLines(fix, lang)),
          lang,
        ),
      );
  }
  const assumptions = assumptionLines(assumptionsOf(query.exploration.branches), lang);
  if (assumptions.length > 0) {
    const listed = assumptions.map((a) => `- ${markdownPlain(a)}`);
    append(lines, folded(text("report.assumed-count", { count: assumptions.length }), listed, lang));
  }
  return `${lines.join("\n")}\n`;
}

function fixLines(fix: Fix, lang: Lang): readonly string[] {
  const { flowsChecked, flowsChanged } = fix.proof;
  const proof = say(text("report.proof", { verdict: proofText(fix.proof), flows: flowsChecked }), lang);
  return [
    "",
    `### ${markdownPlain(fix.code)}`,
    "",
    markdownPlain(say(fix.summary, lang)),
    "",
    ...(fix.atRoot === undefined
      ? []
      : [
          `${markdownPlain(say(text("terminal.at-root", { how: fix.atRoot.how }), lang))}`,
          "",
          ...fence(fix.atRoot.lines, "sh"),
          "",
          markdownPlain(say(text("terminal.meanwhile"), lang)),
          "",
        ]),
    ...fence(fix.commands, "sh"),
    "",
    markdownPlain(proof),
    "",
    ...flowsChanged.map(
      (f) => `- ${markdownCode(`${f.from} → ${f.to} ${f.proto}`)}: ${markdownPlain(say(f.detail, lang))}`,
    ),
    ...fix.costs.map((c) => `- ${markdownPlain(say(c, lang))}`),
    ...(fix.undo.length === 0 ? [] : folded(text("report.undo"), fence(fix.undo, "sh"), lang)),
    ...(fix.lasting.length === 0
      ? []
      : folded(
          text("report.lasting"),
          fix.lasting.flatMap(({ how, lines }) => [markdownPlain(say(how, lang)), "", ...fence(lines), ""]),
          lang,
        )),
  ];
}
