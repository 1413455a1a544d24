import {
  assumptionLines,
  assumptionsOf,
  type Diagnosis,
  familiesText,
  type Namer,
  nextText,
  otherwiseText,
  packetName,
  placeText,
  proofText,
  quotes,
  restsLead,
  setText,
  type Tried,
} from "@hairpin/core/diagnose/index.ts";
import type { ClaimedCause } from "@hairpin/core/explain/index.ts";
import { decisionText, type MessageId, say, type Text, text } from "@hairpin/core/messages/index.ts";
import { append } from "@hairpin/core/net/append.ts";
import type { Fix, PlacedLine } from "@hairpin/core/remedy/index.ts";
import { type Branch, decisiveLeg } from "@hairpin/core/trace/index.ts";
import { clip, columns, WIDTH, wrap } from "../layout.ts";
import { PageOfText } from "../page-of-text.ts";
import { printable, type Style } from "../style.ts";
import type { TextOptions } from "./diagnosis-text.ts";
import { atRootLines } from "./fixes-text.ts";
import { pasteable } from "./placed-lines.ts";
import { tellingFirst } from "./telling-first.ts";
import { endText, headlineOf } from "./verdict-text.ts";

/** Rows of a terminal, less the one its prompt takes. */
const ROWS = 23;

/** Part of the screen: what it says in full, and shorter, for a screen that is too small. */
type Section = readonly [full: readonly string[], ...shorter: (readonly string[])[]];

/**
 * What one acts on, on one screen: the verdict and what the client sees, why, where, what to type, the way back, how sure it is.
 * On a terminal it keeps to its rows: the sections give way from the last of the list of `GIVE_WAY` on.
 */
export function firstScreen(diagnosis: Diagnosis, options: TextOptions, namer: Namer): readonly string[] {
  const screen = new FirstScreen(diagnosis, options, namer);
  const head = screen.head();
  const sections = {
    why: screen.why(),
    open: screen.open(),
    where: screen.where(),
    fix: screen.fix(),
    undo: screen.undo(),
    but: screen.but(),
    sure: screen.sure(),
    more: screen.more(),
  } satisfies Record<string, Section>;
  const level: Record<keyof typeof sections, number> = {
    why: 0,
    open: 0,
    where: 0,
    fix: 0,
    undo: 0,
    but: 0,
    sure: 0,
    more: 0,
  };
  const laid = (blanks: boolean): readonly string[] => {
    const lines = [...head];
    for (const name of ORDER) {
      const shown = sections[name][level[name]] ?? [];
      if (shown.length > 0 && blanks && SPACED.has(name)) lines.push("");
      append(lines, shown);
    }
    return lines;
  };
  if (options.width === undefined) return laid(true);
  const width = options.width;
  const fits = (lines: readonly string[]): boolean => rowsOf(lines, width) <= ROWS;
  for (const blanks of [true, false]) if (fits(laid(blanks))) return laid(blanks);
  for (const name of GIVE_WAY) {
    level[name] = Math.min(level[name] + 1, sections[name].length - 1);
    if (fits(laid(false))) break;
  }
  return laid(false);
}

const ORDER = ["why", "open", "where", "fix", "undo", "but", "sure", "more"] as const;
const SPACED: ReadonlySet<string> = new Set(["why", "open", "fix", "sure"]);
/** Who gives way first; a name that comes again gives way further. */
const GIVE_WAY = ["undo", "where", "open", "but", "why", "open", "fix", "why", "undo", "sure", "open", "fix"] as const;

const ESCAPES = /\u001b\[[0-9;]*m/g;
const rowsOf = (lines: readonly string[], width: number): number =>
  lines.reduce((n, line) => n + Math.max(1, Math.ceil(columns(line.replace(ESCAPES, "")) / width)), 0);

class FirstScreen {
  readonly #diagnosis: Diagnosis;
  readonly #options: TextOptions;
  readonly #namer: Namer;
  readonly #style: Style;
  readonly #width: number;

  constructor(diagnosis: Diagnosis, options: TextOptions, namer: Namer) {
    this.#diagnosis = diagnosis;
    this.#options = options;
    this.#namer = namer;
    this.#style = options.style;
    this.#width = options.width ?? WIDTH;
  }

  #say = (of: Text): string => say(of, this.#options.lang);
  #label = (id: MessageId): string => say({ id, params: {} }, this.#options.lang);
  #page(): PageOfText {
    const protocol = this.#diagnosis.inquiry.question?.protocol;
    return new PageOfText(this.#width, this.#style.bold, (line) => this.#namer.line(line, protocol));
  }

  /** The question and the verdict. What a trial does comes before what is. */
  head(): readonly string[] {
    const { inquiry, judgement, tried, beyond } = this.#diagnosis;
    const { from = "", to = "", proto = "tcp" } = inquiry.spec;
    const ends = { from: endText(from), to: endText(to), proto };
    const asked = this.#namer.line(this.#say(text("terminal.asked", ends)), inquiry.question?.protocol);
    const lines = [...wrap(printable(asked), 0, 2, this.#width)];
    for (const one of tried) append(lines, this.#trial(one));
    const verdict = headlineOf(judgement, this.#options.lang);
    const headline = tried.length === 0 ? verdict : this.#say(text("terminal.as-it-is", { verdict }));
    lines.push(this.#colour(judgement.verdict)(this.#style.bold(headline)));
    const families = familiesText(this.#diagnosis);
    if (families !== null) append(lines, wrap(printable(this.#say(families)), 0, 0, this.#width));
    if (beyond !== null)
      append(
        lines,
        wrap(printable(this.#say(beyond)), 0, 0, this.#width).map((line) => this.#style.dim(line)),
      );
    return [...lines, ...this.#next()];
  }

  /** Where it is open, the one command to run first. */
  #next(): readonly string[] {
    const { next } = this.#diagnosis;
    if (next === null) return [];
    const settles = printable(this.#say(text("next.settles", { what: next.settles })));
    // One line, however long: it is there to be copied.
    return [
      printable(this.#say(nextText(next))),
      ...wrap(settles, 2, 2, this.#width).map((line) => this.#style.dim(line)),
    ];
  }

  #trial({ patch, judgement }: Tried): readonly string[] {
    const said = this.#say(text("terminal.with", { patch, verdict: headlineOf(judgement, this.#options.lang) }));
    return wrap(printable(said), 0, 2, this.#width).map((l) => this.#colour(judgement.verdict)(this.#style.bold(l)));
  }

  #colour(verdict: Diagnosis["judgement"]["verdict"]): (text: string) => string {
    const { green, yellow, red } = this.#style;
    return verdict === "reachable" ? green : verdict === "undetermined" ? yellow : red;
  }

  why(): Section {
    const [cause] = this.#diagnosis.causes;
    if (cause === undefined) return [[]];
    const certainty = text(`report.${cause.certainty}`);
    const said = this.#say(text("terminal.cause", { summary: cause.summary, code: cause.code, certainty }));
    const prose = this.#page().say(this.#label("terminal.why"), said).lines;
    const quoted = this.#quoted(cause);
    return [[...prose, ...quoted.slice(0, 2)], [...prose, ...quoted.slice(0, 1)], shortened(prose, 3, this.#width)];
  }

  #quoted(cause: ClaimedCause): readonly string[] {
    const page = this.#page();
    for (const line of tellingFirst(quotes(cause.evidence, this.#options.quote))) {
      const shown = this.#options.width === undefined ? line : clip(printable(line), this.#width - 11);
      page.quote(shown, this.#style.dim);
    }
    return page.lines;
  }

  /** What is not known and decides, or what a walk that delivers rests on: each with the command that settles it. */
  open(): Section {
    const { judgement, restsOn, explanations } = this.#diagnosis;
    const blocks: (readonly string[])[] = [];
    for (const [i, fact] of judgement.decisiveFacts.entries()) {
      const page = this.#page().say(i === 0 ? this.#label("terminal.open") : "", this.#say(fact.text));
      if (fact.command !== null) page.quote(this.#say(text("terminal.command", { command: fact.command })));
      blocks.push(page.lines);
    }
    if (restsOn.length > 0)
      blocks.push(this.#page().say(this.#label("terminal.rests"), this.#say(restsLead(judgement))).lines);
    for (const r of restsOn) {
      const page = this.#page().say("", `- ${this.#say(r.fact)}: ${this.#say(otherwiseText(r))}`);
      blocks.push(page.quote(this.#say(text("terminal.command", { command: r.command }))).lines);
    }
    if (explanations !== null) {
      const page = this.#page().say(this.#label("terminal.seen"), this.#say(text("explains.lead")));
      for (const set of explanations.sets.slice(0, 2)) page.say("", `- ${setText(set)}`);
      blocks.unshift(page.say("", this.#say(text("explains.first", { command: explanations.command }))).lines);
    }
    const first = (n: number): readonly string[] => blocks.slice(0, n).flat();
    return [first(4), first(3), first(2), first(1)];
  }

  /** On one line: which packet, on which machine, at which step. */
  where(): Section {
    const { branches } = this.#diagnosis.inquiry.exploration;
    const lost = branches.filter((b) => b.clientSees !== "connected").sort((a, b) => b.share - a.share)[0];
    if (lost === undefined || lost.clientSees === null) return [[]];
    const prose = this.#page().say(this.#label("terminal.where"), this.#say(deathOf(lost))).lines;
    return [prose, shortened(prose, 1, this.#width)];
  }

  fix(): Section {
    const [fix] = this.#diagnosis.fixes;
    if (fix === undefined) return [[]];
    const said = this.#page().say(
      this.#label("terminal.fix"),
      this.#say(text("terminal.fix-named", { summary: fix.summary, code: fix.code })),
    ).lines;
    if (fix.placed.commands.length === 0) {
      return [
        [...said, ...this.#page().say("", this.#say(text("terminal.outside", { where: fix.where }))).lines],
        said,
      ];
    }
    const short = shortened(said, 2, this.#width);
    if (fix.atRoot === undefined) {
      const typed = this.#typed(fix.placed.commands, this.#style.bold);
      return [
        [...said, ...typed],
        [...short, ...typed],
      ];
    }
    const page = this.#page();
    atRootLines(page, fix, this.#options);
    const typed = this.#typed(fix.placed.commands, this.#style.dim);
    return [
      [...said, ...page.lines, ...typed],
      [...short, ...page.lines, ...typed],
      [...short, ...page.lines],
    ];
  }

  undo(): Section {
    const [fix] = this.#diagnosis.fixes;
    if (fix === undefined || fix.placed.undo.length === 0) return [[]];
    const lines = this.#typed(fix.placed.undo, this.#style.dim);
    const label = this.#label("terminal.undo-label");
    const under = (shown: readonly string[]): readonly string[] => labelled(label, shown, this.#style);
    const rest = this.#page().quote(`# ${this.#say(text("terminal.unwritten", { count: lines.length - 2 }))}`).lines;
    const briefly = lines.length > 3 ? [...lines.slice(0, 2), ...rest] : lines;
    const pointer = this.#page().quote(`# ${this.#say(text("terminal.unwritten", { count: lines.length }))}`).lines;
    return [under(lines), under(briefly), under(lines.length > 1 ? pointer : lines)];
  }

  #typed(lines: readonly PlacedLine[], style: (text: string) => string): readonly string[] {
    const page = this.#page();
    const { stacks } = this.#diagnosis.inquiry.exploration.world;
    for (const line of pasteable(lines, stacks, this.#options.lang))
      page.quote(line, line.startsWith("# ") ? this.#style.dim : style);
    return page.lines;
  }

  but(): Section {
    const { contradictions, judgement } = this.#diagnosis;
    const [first] = contradictions;
    if (first === undefined) return [[]];
    const head = this.#say(text(judgement.verdict === "unreachable" ? "report.seen-working" : "report.but"));
    const full = this.#page().say(this.#label("terminal.but"), head);
    for (const c of contradictions.slice(0, 2)) full.say("", `- ${this.#say(c)}`);
    return [full.lines, this.#page().say(this.#label("terminal.but"), head).lines];
  }

  /** How sure it is, in a sentence or two. */
  sure(): Section {
    const { causes, fixes, judgement } = this.#diagnosis;
    const [cause] = causes;
    const [fix] = fixes;
    const assumed = this.#assumed();
    const parts: Text[] = [];
    if (cause !== undefined) parts.push(text(`terminal.sure-${cause.certainty}`));
    if (fix !== undefined) parts.push(fixText(fix));
    else if (cause !== undefined) parts.push(text("terminal.sure-unfixed"));
    if (assumed > 0) parts.push(text("terminal.sure-assumed", { count: assumed }));
    else if (judgement.verdict === "reachable") parts.push(text("terminal.sure-all"));
    if (parts.length === 0) return [[]];
    const zh = this.#options.lang === "zh";
    const said = (of: readonly Text[]): readonly string[] =>
      this.#page().say(this.#label("terminal.sure"), of.map(this.#say).join(zh ? "；" : "; ")).lines;
    const check = cause?.certainty === "proven" ? undefined : cause?.check;
    if (check === undefined) return [said(parts), shortened(said(parts), 1, this.#width)];
    const confirm = this.#page().say("", this.#say(text("terminal.settle", { what: check.text })), this.#style.dim);
    return [[...said(parts), ...confirm.quote(check.command, this.#style.dim).lines], said(parts)];
  }

  #assumed = (): number =>
    assumptionLines(assumptionsOf(this.#diagnosis.inquiry.exploration.branches), this.#options.lang).length;

  /** What -v adds. */
  more(): Section {
    if (this.#options.verbose || this.#options.width === undefined) return [[]];
    const { causes, fixes, judgement, restsOn } = this.#diagnosis;
    const [fix] = fixes;
    const counts: readonly [MessageId, number][] = [
      ["terminal.part-costs", fix?.costs.length ?? 0],
      ["terminal.part-fixes", fixes.length - 1],
      ["terminal.part-causes", causes.length - 1],
      ["terminal.part-facts", judgement.decisiveFacts.length + restsOn.length - 1],
      ["terminal.part-assumed", this.#assumed()],
    ];
    const parts = counts
      .filter(([, n]) => n > 0)
      .map(([id, n]) => say({ id, params: { count: n } }, this.#options.lang));
    if (parts.length === 0) return [[]];
    const separator = this.#options.lang === "zh" ? "、" : ", ";
    const said = this.#say(text("terminal.all-of-it", { parts: parts.join(separator) }));
    return [this.#page().say(this.#label("terminal.more-label"), said, this.#style.dim).lines];
  }
}

function fixText({ proof }: Fix): Text {
  const { flowsChanged, flowsChecked } = proof;
  const changed =
    flowsChanged.length === 0
      ? text("terminal.none-change")
      : text("terminal.some-change", { count: flowsChanged.length });
  return text("terminal.sure-fix", { verdict: proofText(proof), checked: flowsChecked, changed });
}

function deathOf(branch: Branch): Text {
  const leg = decisiveLeg(branch);
  const params = {
    what: packetName(leg.what),
    disposition: text(`report.${leg.disposition}`),
    step: placeText(leg.step),
    decision: decisionText(leg.decision),
  };
  return leg.stack === "" ? text("terminal.lost", params) : text("terminal.death", { ...params, stack: leg.stack });
}

/** The first rows of a text, and an ellipsis where there are more. */
function shortened(lines: readonly string[], rows: number, width: number): readonly string[] {
  if (lines.length <= rows) return lines;
  return [...lines.slice(0, rows - 1), clip(`${lines[rows - 1]!} …`, width)];
}

/** Quoted lines stand further in than the margin: a label fits before the first. */
function labelled(label: string, [first, ...rest]: readonly string[], { bold }: Style): readonly string[] {
  return first === undefined ? [] : [bold(label) + first.slice(columns(label)), ...rest];
}
