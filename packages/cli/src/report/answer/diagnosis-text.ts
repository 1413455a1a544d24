import {
  assumptionLines,
  assumptionsOf,
  type Diagnosis,
  Namer,
  namesOf,
  otherwiseText,
  packetName,
  packetText,
  placeText,
  type Quote,
  quotes,
  restsLead,
  setText,
} from "@hairpin/core/diagnose/index.ts";
import type { ClaimedCause } from "@hairpin/core/explain/index.ts";
import {
  decisionText,
  type Lang,
  type MessageId,
  percent,
  say,
  sayDecision,
  type Text,
  text,
} from "@hairpin/core/messages/index.ts";
import { type Branch, decisiveLeg } from "@hairpin/core/trace/index.ts";
import { clip, WIDTH } from "../layout.ts";
import { PageOfText } from "../page-of-text.ts";
import { printable, type Style } from "../style.ts";
import { firstScreen } from "./first-screen.ts";
import { fixDetails, otherFixText, triedText } from "./fixes-text.ts";
import { tellingFirst } from "./telling-first.ts";

export interface TextOptions {
  readonly quote: Quote;
  readonly style: Style;
  readonly lang: Lang;
  /** Everything there is, instead of what fits a screen. */
  readonly verbose: boolean;
  /** Columns of the terminal; lines of dumps are cut to it. Absent: nothing is lost. */
  readonly width?: number;
}

/** The answer for people: one screen with what one acts on; with -v, or where it is piped, all that is known below it. */
export function diagnosisText(diagnosis: Diagnosis, options: TextOptions): string {
  const { exploration } = diagnosis.inquiry;
  const namer = new Namer(namesOf(exploration.world), options.lang);
  const screen = firstScreen(diagnosis, options, namer);
  const whole = options.verbose || options.width === undefined;
  return `${[...screen, ...(whole ? detailsOf(diagnosis, options, namer) : [])].join("\n")}\n`;
}

/** What the first screen has no room for. */
function detailsOf(diagnosis: Diagnosis, options: TextOptions, namer: Namer): readonly string[] {
  const { inquiry: query, judgement, causes, contradictions, fixes, tried, settled } = diagnosis;
  const { style, lang } = options;
  const page = new PageOfText(options.width ?? WIDTH, style.bold, (line) => namer.line(line, query.question?.protocol));
  const t = (of: Text): string => say(of, lang);
  const label = (id: MessageId): string => say({ id, params: {} }, lang);

  const [first, ...others] = causes;
  if (first !== undefined) evidenceText(page, first, label("terminal.evidence"), options);
  if (judgement.decisiveFacts.length > 0) {
    page.line();
    for (const [i, fact] of judgement.decisiveFacts.entries()) {
      page.say(i === 0 ? label("terminal.open") : "", `${t(fact.text)} (${fact.fact})`);
      for (const o of fact.outcomes)
        page.say(
          "",
          t(text("terminal.outcome", { value: o.value, verdict: text(`verdict.${o.verdict}`) })),
          undefined,
          2,
        );
      if (fact.command !== null) page.quote(t(text("terminal.command", { command: fact.command })));
    }
  }
  if (diagnosis.restsOn.length > 0) {
    page.line();
    page.say(label("terminal.rests"), t(restsLead(judgement)));
    for (const r of diagnosis.restsOn) {
      page.say("", `- ${t(r.fact)}`, undefined, 0);
      page.say("", t(text("terminal.doubt", { why: r.why, otherwise: otherwiseText(r) })), style.dim, 2);
      page.quote(t(text("terminal.command", { command: r.command })));
    }
  }
  if (diagnosis.explanations !== null) {
    const { sets, command } = diagnosis.explanations;
    page.line();
    page.say(label("terminal.seen"), t(text("explains.lead")));
    for (const set of sets) page.say("", `- ${setText(set)}`, undefined, 0);
    page.say("", t(text("explains.first", { command })));
  }
  const [fix, ...otherFixes] = fixes;
  if (fix !== undefined) {
    page.line();
    fixDetails(page, fix, label("terminal.costs"), options);
  }

  const { branches } = query.exploration;
  if (branches.some((b) => b.clientSees !== "connected")) {
    page.line();
    for (const [i, branch] of branches.entries())
      branchText(page, branch, branches.length, i === 0 ? label("terminal.where") : "", options);
  }
  if (others.length > 0) {
    page.line();
    for (const [i, cause] of others.entries()) causeText(page, cause, i === 0 ? label("terminal.also") : "", options);
  }
  if (settled.length > 0) {
    page.line();
    for (const [i, s] of settled.entries())
      page.say(
        i === 0 ? label("terminal.seen") : "",
        t(text("terminal.settled", { fact: s.text, values: s.values, because: s.because })),
      );
  }
  if (contradictions.length > 0) {
    page.line();
    const head = judgement.verdict === "unreachable" ? "report.seen-working" : "report.but";
    page.say(label("terminal.but"), t(text(head)));
    for (const c of contradictions) page.say("", `- ${t(c)}`, undefined, 0);
  }
  if (otherFixes.length > 0) {
    page.line();
    for (const [i, f] of otherFixes.entries()) otherFixText(page, f, i === 0 ? label("terminal.or") : "", options);
  }
  for (const one of tried) {
    page.line();
    triedText(page, one, label("terminal.tried"), options);
  }
  const assumptions = assumptionLines(assumptionsOf(branches), lang);
  if (assumptions.length > 0) {
    page.line();
    for (const [i, a] of assumptions.entries()) page.say(i === 0 ? label("terminal.assumed") : "", a, style.dim);
  }
  return page.lines[0] === "" ? page.lines : ["", ...page.lines];
}

/** The lines a cause rests on that the first screen left out. */
function evidenceText(page: PageOfText, cause: ClaimedCause, label: string, options: TextOptions): void {
  const lines = tellingFirst(quotes(cause.evidence, options.quote));
  if (lines.length <= 2) return;
  page.line(options.style.bold(label));
  quoteText(page, lines, options);
}

function causeText(page: PageOfText, cause: ClaimedCause, label: string, options: TextOptions): void {
  const { lang, style } = options;
  const certainty = text(`report.${cause.certainty}`);
  page.say(label, say(text("terminal.cause", { summary: cause.summary, code: cause.code, certainty }), lang));
  quoteText(page, tellingFirst(quotes(cause.evidence, options.quote)), options);
  if (cause.check !== undefined && cause.certainty !== "proven") {
    page.say("", say(text("terminal.settle", { what: cause.check.text }), lang), style.dim);
    page.quote(cause.check.command, style.dim);
  }
}

/** Lines of the dumps. On a terminal they are cut to it; what is piped is whole. */
function quoteText(page: PageOfText, lines: readonly string[], { style, width }: TextOptions): void {
  for (const line of lines) page.quote(width === undefined ? line : clip(printable(line), width - 11), style.dim);
}

function branchText(page: PageOfText, branch: Branch, count: number, label: string, options: TextOptions): void {
  const { lang, style, quote } = options;
  const leg = decisiveLeg(branch);
  const facts = [...branch.hypothesis].map(([fact, values]) => say(text("terminal.if", { fact, values }), lang));
  const head = [...(count > 1 ? [percent(branch.share)] : []), ...facts].join(", ");
  const lead = head === "" ? "" : `${head}: `;
  if (branch.clientSees === "connected") {
    page.say(label, `${lead}${say(text("terminal.works"), lang)}`);
    return;
  }
  const params = {
    what: packetName(leg.what),
    disposition: text(`report.${leg.disposition}`),
    step: placeText(leg.step),
    decision: decisionText(leg.decision),
  };
  const end =
    leg.stack === "" ? text("terminal.lost", params) : text("terminal.death", { ...params, stack: leg.stack });
  page.say(label, lead + say(end, lang));
  if (leg.final.protocol !== 0) page.quote(packetText(leg.final), style.dim);
  const check = [...leg.steps].reverse().find((s) => s.kind === "source validation");
  if (check?.kind === "source validation" && check.result !== "ok") {
    page.say("", sayDecision(check.decision, lang));
    quoteText(page, quotes(check.origins, quote), options);
  }
  quoteText(page, quotes(leg.origins, quote), options);
}
