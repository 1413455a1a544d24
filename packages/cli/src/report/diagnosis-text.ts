import {
  assumptionLines,
  assumptionsOf,
  type Diagnosis,
  familiesText,
  Namer,
  namesOf,
  nextText,
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
  say,
  sayDecision,
  type Text,
  text,
} from "@hairpin/core/messages/index.ts";
import { type Branch, decisiveLeg } from "@hairpin/core/trace/index.ts";
import { fixText, otherFixText, triedText } from "./fixes-text.ts";
import { clip, WIDTH, wrap } from "./layout.ts";
import { PageOfText } from "./page-of-text.ts";
import { printable, type Style } from "./style.ts";
import { headlineOf, percent } from "./verdict-text.ts";

export interface TextOptions {
  readonly quote: Quote;
  readonly style: Style;
  readonly lang: Lang;
  /** Everything there is, instead of what fits a screen. */
  readonly verbose: boolean;
  /** Columns of the terminal; lines of dumps are cut to it. Absent: nothing is lost. */
  readonly width?: number;
}

/** How much of each is told without -v. */
const FEW = { causes: 3, evidence: 2, branches: 3, fixes: 3, facts: 4, rests: 3, assumptions: 4 } as const;

/**
 * The answer for people. What one acts on comes first and fits a screen: the verdict, the cause, the line it rests on, the
 * first fix. Below it, what else is known.
 */
export function diagnosisText(diagnosis: Diagnosis, options: TextOptions): string {
  const { inquiry: query, judgement, causes, contradictions, fixes, tried, settled } = diagnosis;
  const { style, lang, verbose } = options;
  const namer = new Namer(namesOf(query.exploration.world), lang);
  const page = new PageOfText(options.width ?? WIDTH, style.bold, (line) => namer.line(line, query.question?.protocol));
  const t = (of: Text): string => say(of, lang);
  const label = (id: MessageId): string => say({ id, params: {} }, lang);
  const few = (kind: keyof typeof FEW): number =>
    verbose || options.width === undefined ? Number.POSITIVE_INFINITY : FEW[kind];
  const more = (hidden: number): void => {
    if (hidden > 0) page.say("", t(text("terminal.more", { count: hidden })), style.dim);
  };
  const colour =
    judgement.verdict === "reachable" ? style.green : judgement.verdict === "undetermined" ? style.yellow : style.red;

  const title = text("terminal.asked", {
    from: query.spec.from ?? "",
    to: query.spec.to ?? "",
    proto: query.spec.proto ?? "tcp",
  });
  const named = printable(namer.line(t(title), query.question?.protocol));
  for (const line of wrap(named, 0, 2, options.width ?? WIDTH)) page.line(line);
  page.line(colour(style.bold(headlineOf(judgement, lang))));
  const families = familiesText(diagnosis);
  if (families !== null) for (const line of wrap(printable(t(families)), 0, 0, options.width ?? WIDTH)) page.line(line);
  if (diagnosis.beyond !== null)
    for (const line of wrap(printable(t(diagnosis.beyond)), 0, 0, options.width ?? WIDTH)) page.line(style.dim(line));

  if (diagnosis.next !== null) {
    // One line, however long: it is there to be copied.
    page.line(printable(t(nextText(diagnosis.next))));
    const settles = t(text("next.settles", { what: diagnosis.next.settles }));
    for (const line of wrap(printable(settles), 2, 2, options.width ?? WIDTH)) page.line(style.dim(line));
  }

  const [first, ...others] = causes;
  if (first !== undefined) {
    page.line();
    causeText(page, first, label("terminal.why"), options, verbose ? Number.POSITIVE_INFINITY : FEW.evidence);
  }
  if (judgement.decisiveFacts.length > 0) {
    page.line();
    const shown = judgement.decisiveFacts.slice(0, few("facts"));
    for (const [i, fact] of shown.entries()) {
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
    more(judgement.decisiveFacts.length - shown.length);
  }
  if (diagnosis.restsOn.length > 0) {
    page.line();
    page.say(label("terminal.rests"), t(restsLead(judgement)));
    const shown = diagnosis.restsOn.slice(0, few("rests"));
    for (const r of shown) {
      page.say("", `- ${t(r.fact)}`, undefined, 0);
      page.say("", t(text("terminal.doubt", { why: r.why, otherwise: otherwiseText(r) })), style.dim, 2);
      page.quote(t(text("terminal.command", { command: r.command })));
    }
    more(diagnosis.restsOn.length - shown.length);
  }
  if (diagnosis.explanations !== null) {
    const { sets, command } = diagnosis.explanations;
    const shown = sets.slice(0, few("rests"));
    page.line();
    page.say(label("terminal.seen"), t(text("explains.lead")));
    for (const set of shown) page.say("", `- ${setText(set)}`, undefined, 0);
    more(sets.length - shown.length);
    page.say("", t(text("explains.first", { command })));
  }
  const [fix, ...otherFixes] = fixes;
  if (fix !== undefined) {
    page.line();
    fixText(page, fix, label("terminal.fix"), options);
  }

  const lost = query.exploration.branches.filter((b) => b.clientSees !== "connected");
  const known = (lost.length > 0 ? query.exploration.branches : []).slice(0, few("branches"));
  if (known.length > 0) page.line();
  for (const [i, branch] of known.entries())
    branchText(page, branch, query.exploration.branches.length, i === 0 ? label("terminal.where") : "", options);
  if (lost.length > 0) more(query.exploration.branches.length - known.length);

  if (others.length > 0) {
    page.line();
    const shown = others.slice(0, few("causes"));
    for (const [i, cause] of shown.entries())
      causeText(page, cause, i === 0 ? label("terminal.also") : "", options, verbose ? 10 : 1);
    more(others.length - shown.length);
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
    const shown = otherFixes.slice(0, few("fixes"));
    for (const [i, f] of shown.entries()) otherFixText(page, f, i === 0 ? label("terminal.or") : "", options);
    more(otherFixes.length - shown.length);
  }
  for (const one of tried) {
    page.line();
    triedText(page, one, label("terminal.tried"), options);
  }
  const assumptions = assumptionLines(assumptionsOf(query.exploration.branches), lang);
  if (assumptions.length > 0) {
    page.line();
    const shown = assumptions.slice(0, few("assumptions"));
    for (const [i, a] of shown.entries()) page.say(i === 0 ? label("terminal.assumed") : "", a, style.dim);
    more(assumptions.length - shown.length);
  }
  return page.toString();
}

function causeText(page: PageOfText, cause: ClaimedCause, label: string, options: TextOptions, evidence: number): void {
  const { lang, style } = options;
  const certainty = text(`report.${cause.certainty}`);
  page.say(label, say(text("terminal.cause", { code: cause.code, certainty, summary: cause.summary }), lang));
  quoteText(page, tellingFirst(quotes(cause.evidence, options.quote)).slice(0, evidence), options);
  if (cause.check !== undefined && cause.certainty !== "proven") {
    page.say("", say(text("terminal.settle", { what: cause.check.text }), lang), style.dim);
    page.quote(cause.check.command, style.dim);
  }
}

/** The rules every kernel starts with stand in every look-up and explain none. */
const EVERYBODYS = /: \d+:\s+from all lookup (?:local|main|default)\s*$/;

const tellingFirst = (lines: readonly string[]): readonly string[] => [
  ...lines.filter((l) => !EVERYBODYS.test(l)),
  ...lines.filter((l) => EVERYBODYS.test(l)),
];

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
