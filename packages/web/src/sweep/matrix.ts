import { type Lang, MARKS, type MessageId, say, sayAny, type Text, text } from "@hairpin/core/messages/index.ts";
import {
  causesIn,
  diagnoseLine,
  type FlowQuestion,
  fails,
  fixLead,
  fixWords,
  healsMost,
  type MatrixRow,
  matrixOf,
  openWithoutFact,
  SOURCE_KINDS,
  type Sweep,
  type SweptCause,
  type SweptClass,
  type SweptFix,
  type Tally,
  tallyOf,
  undecidedAlike,
} from "@hairpin/core/sweep/index.ts";
import { type Html, html } from "../html/html.ts";

export interface MatrixOptions {
  readonly lang: Lang;
  /** What the case is called on the command line; none where there is no command line. */
  readonly paths?: readonly string[];
  /** The usual diagnosis of an example, as text, where the case is at hand. */
  readonly worked?: (asked: FlowQuestion) => string;
  readonly measure: Measure;
}

/** How much is shown. */
export interface Measure {
  readonly rows: number;
  readonly causes: number;
  /** Causes with their worked example. */
  readonly worked: number;
  readonly facts: number;
  /** Classes of a row in which something fails, and of one in which some are open. */
  readonly failing: number;
  readonly open: number;
}

/** A worked example is cut after so many characters. */
const MOST_WORKED = 12_000;
/** Groups in which something fails that are open from the beginning. */
const MOST_OPEN = 5;

/** What a sweep found, as markup: what is broken, what is open, and the matrix, whose rows open. */
export const sweepPart = (sweep: Sweep, options: MatrixOptions): Html => new SweepMarkup(sweep, options).part();

class SweepMarkup {
  readonly #sweep: Sweep;
  readonly #options: MatrixOptions;

  constructor(sweep: Sweep, options: MatrixOptions) {
    this.#sweep = sweep;
    this.#options = options;
  }

  part(): Html {
    const { classes, flows, answered } = this.#sweep;
    const tally = tallyOf(classes);
    const count = {
      flows: this.#flows(answered),
      classes: this.#say(classes.length === 1 ? text("sweep.class") : text("sweep.classes", { count: classes.length })),
      works: tally.reachable,
      fails: failing(tally),
      open: open(tally),
    };
    return html`<section class="swept" data-swept="">
<p class="swept-head"><strong>${this.#say(text("sweep.head", count))}</strong>${answered < flows ? html` <span class="partial">${this.#say(text("sweep.partial", { answered, flows }))}</span>` : null}</p>
${tally.leaning > 0 ? html`<p class="meta">${this.#say(text("sweep.leaning", { flows: this.#flows(tally.leaning) }))}</p>` : null}
${this.#causes()}${this.#facts()}${this.#matrix()}</section>`;
  }

  #causes(): Html | null {
    const { classes } = this.#sweep;
    const { measure } = this.#options;
    const causes = causesIn(classes);
    if (causes.length === 0) return null;
    const shown = causes.slice(0, measure.causes);
    const rest = causes.slice(shown.length);
    const best = causes.length > 1 ? healsMost(classes.filter(fails)) : null;
    return html`<h2>${this.#say(text("sweep.broken"))}</h2>
${best === null ? null : html`<p class="heals-most">${this.#say(text("sweep.heals-most", { flows: this.#flows(best.heals) }))}${MARKS[this.#options.lang].colon}${this.#fix(best)}</p>`}
<ol class="swept-causes">${shown.map((c, i) => this.#cause(c, i < measure.worked))}</ol>
${rest.length === 0 ? null : html`<p class="meta">${this.#say(text("matrix.more-causes", { count: rest.length, flows: this.#flows(rest.reduce((n, c) => n + c.flows, 0)) }))}</p>`}`;
  }

  #cause(cause: SweptCause, withExample: boolean): Html {
    const { fix, example, summary, flows, code } = cause;
    const targets =
      cause.targets === 1
        ? this.#say(text("sweep.target"))
        : this.#say(text("sweep.targets", { count: cause.targets }));
    const sources = cause.everybody ? [text("sweep.everybody")] : cause.sources.map((s) => sourceText(s));
    const head = text("sweep.cause", { code, at: cause.at, flows: this.#flows(flows), sources, targets });
    const lead = fix === null ? "" : this.#say(fixLead(fix, flows));
    const worked = withExample ? this.#options.worked?.(example).trimEnd() : undefined;
    return html`<li class="${cause.everybody ? "everybody" : "some"}"><h3>${this.#say(head)}</h3>
<p>${summary === "" ? this.#say(text("sweep.no-cause")) : sayAny(summary, this.#options.lang)}</p>
${fix === null ? null : html`<p>${lead}${MARKS[this.#options.lang].colon}${this.#fix(fix)}</p>`}
${this.#example(example, worked)}</li>`;
  }

  #fix(fix: SweptFix): Html | string {
    const words = fixWords(fix, this.#options.lang);
    return fix.commands.length > 0 ? html`<code class="command">${words}</code>` : words;
  }

  #example(example: FlowQuestion, worked: string | undefined): Html {
    const said = this.#say(text("sweep.worked"));
    const line = this.#asked(example);
    if (worked === undefined) return html`<p class="meta">${said}${MARKS[this.#options.lang].colon}${line}</p>`;
    const cut = worked.length > MOST_WORKED ? `${worked.slice(0, MOST_WORKED)}\n…` : worked;
    return html`<details class="worked"><summary>${said}${MARKS[this.#options.lang].colon}${example.from} → ${example.to}</summary><p>${line}</p><pre tabindex="0">${cut}</pre></details>`;
  }

  #asked(example: FlowQuestion): Html {
    const { paths } = this.#options;
    return paths === undefined
      ? this.#ask(example)
      : html`<code class="command">${diagnoseLine(paths, example)}</code>`;
  }

  /** A question that the page asks when it is clicked. */
  #ask({ from, to, proto, node }: FlowQuestion): Html {
    return html`<button type="button" class="ask" data-from="${from}" data-to="${to}" data-proto="${proto}" data-node="${node ?? ""}">${this.#say(text("matrix.ask", { from, to }))}</button>`;
  }

  #facts(): Html | null {
    const facts = undecidedAlike(this.#sweep.classes);
    const rest = openWithoutFact(this.#sweep.classes);
    if (facts.length === 0 && rest === null) return null;
    const shown = facts.slice(0, this.#options.measure.facts);
    const left = facts.length - shown.length;
    return html`<h2>${this.#say(text("sweep.undecided"))}</h2>
<ul class="swept-facts">${shown.map(
      (f) =>
        html`<li>${this.#say(f.nodes === 1 ? text("sweep.fact", { fact: f.fact, flows: this.#flows(f.flows) }) : text("sweep.fact-alike", { fact: f.fact, nodes: f.nodes, flows: this.#flows(f.flows) }))}${f.command === null ? null : html` <code class="command">${f.command}</code>`}</li>`,
    )}${rest === null ? null : html`<li>${this.#say(text("sweep.no-fact", { flows: this.#flows(rest.flows) }))}${MARKS[this.#options.lang].colon}${this.#asked(rest.example)}</li>`}</ul>
${left > 0 ? html`<p class="meta">${this.#say(text("matrix.more-facts", { count: left }))}</p>` : null}`;
  }

  #matrix(): Html {
    const rows = matrixOf(this.#sweep.classes);
    const shown = rows.slice(0, this.#options.measure.rows);
    const rest = rows.slice(shown.length);
    const groups = new Map<string, MatrixRow[]>();
    for (const row of shown) {
      const known = groups.get(row.group);
      if (known === undefined) groups.set(row.group, [row]);
      else known.push(row);
    }
    let opened = 0;
    const parts = [...groups].map(([name, list]) => {
      const sum = tallyOf(list.flatMap((r) => r.classes));
      return this.#group(name, list, sum, failing(sum) > 0 && opened++ < MOST_OPEN);
    });
    const left = {
      count: rest.length,
      flows: this.#flows(rest.reduce((n, r) => n + failing(tallyOf(r.classes)), 0)),
    };
    return html`<h2>${this.#say(text("sweep.matrix"))}</h2>
<p class="find" hidden><label>${this.#say(text("matrix.search"))} <input type="search" data-find=""></label> <label><input type="checkbox" data-only=""> ${this.#say(text("matrix.only"))}</label> <span role="status" data-found="" data-none="${this.#say(text("matrix.none"))}"></span></p>
<div class="matrix">${parts}</div>
${rest.length === 0 ? null : html`<p class="left-out">${this.#say(text("matrix.left-out", left))}</p>`}`;
  }

  #group(name: string, rows: readonly MatrixRow[], sum: Tally, isOpen: boolean): Html {
    const inside = html`<summary><strong>${name}</strong> ${this.#say(text("matrix.group", { targets: rows.length, fails: failing(sum), open: open(sum) }))}</summary>
${rows.map((r) => this.#row(r))}`;
    return isOpen
      ? html`<details class="group" open>${inside}</details>`
      : html`<details class="group">${inside}</details>`;
  }

  #row(row: MatrixRow): Html {
    const kinds = SOURCE_KINDS.filter((k) => row.cells.has(k));
    const cells = kinds.map((kind) => this.#cell(kind, row.cells.get(kind)!));
    const head = html`<span class="target-name"><code>${row.target}</code> <small>${row.via}</small></span> <span class="cells">${cells}</span>`;
    const told = row.classes.filter((c) => c.verdict !== "reachable");
    if (told.length === 0) return html`<div class="target fine">${head}</div>`;
    const shown = [...told].sort((a, b) => Number(fails(b)) - Number(fails(a)) || b.flows - a.flows);
    const { measure } = this.#options;
    const most = fails(shown[0]!) ? measure.failing : measure.open;
    if (most === 0) return html`<div class="target closed">${head}</div>`;
    const left = shown.length - most;
    return html`<details class="target"><summary>${head}</summary>
<ul>${shown.slice(0, most).map((c) => this.#class(c))}</ul>
${left > 0 ? html`<p class="meta">${this.#say(text("changes.more-plain", { count: left }))}</p>` : null}</details>`;
  }

  #class({ from, example, verdict, clientSees, causes, facts, flows }: SweptClass): Html {
    const { paths } = this.#options;
    const [cause] = causes;
    const sees =
      clientSees === null
        ? ""
        : `${MARKS[this.#options.lang].comma}${this.#say({ id: `sees.${clientSees}` as MessageId, params: {} })}`;
    const [fact] = facts;
    return html`<li><b>${this.#say(sourceText(from.kind))}</b> ${example.from}${example.node === undefined ? null : ` (${example.node})`} → ${example.to}/${example.proto}${MARKS[this.#options.lang].comma}${this.#flows(flows)}${MARKS[this.#options.lang].colon}<strong>${this.#say(text(`verdict.${verdict}`))}</strong>${sees}${cause === undefined ? null : html`<br>${cause.code}: ${sayAny(cause.summary, this.#options.lang)}`}${cause !== undefined || fact === undefined ? null : html`<br>${fact.fact}${fact.command === null ? null : html` <code class="command">${fact.command}</code>`}`}<br>${paths === undefined ? this.#ask(example) : html`<code class="command">${diagnoseLine(paths, example)}</code>`}</li>`;
  }

  #cell(kind: string, tally: Tally): Html {
    const [bad, unknown] = [failing(tally), open(tally)];
    const all = bad + unknown + tally.reachable;
    const [state, word] =
      bad > 0
        ? (["bad", text("matrix.failing", { count: bad, all })] as const)
        : unknown > 0
          ? (["open", text("matrix.open", { count: unknown, all })] as const)
          : (["good", text("matrix.fine", { all })] as const);
    return html`<span class="cell ${state}"><b>${this.#say(sourceText(kind))}</b> ${this.#say(word)}</span> `;
  }

  #flows(count: number): string {
    return this.#say(count === 1 ? text("sweep.flow") : text("sweep.flows", { count }));
  }

  #say(what: Text): string {
    return say(what, this.#options.lang);
  }
}

const failing = ({ unreachable, intermittent }: Tally): number => unreachable + intermittent;
const open = ({ undetermined, leaning }: Tally): number => undetermined + leaning;
const sourceText = (kind: string): Text => ({ id: `sweep.source.${kind}` as MessageId, params: {} });
