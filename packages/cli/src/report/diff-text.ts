import type { Comparison, Difference, Element, End, Undecided } from "@hairpin/core/compare/index.ts";
import { originsOf, quotes, stepText } from "@hairpin/core/diagnose/index.ts";
import { type Lang, say, type Text, text } from "@hairpin/core/messages/index.ts";
import type { Step } from "@hairpin/core/model/index.ts";
import { append } from "@hairpin/core/net/append.ts";
import type { Compared } from "../case/compared.ts";
import { endText, flowText, traceCommand } from "./diff-flow.ts";
import { printable, type Style } from "./style.ts";

export interface DiffTextOptions {
  readonly style: Style;
  readonly lang: Lang;
  readonly verbose: boolean;
  /** All rules are others: only what becomes of packets is told. */
  readonly byFlow?: boolean;
}

/** Steps shown of the common part: where the packet is when the walks part. */
const TOGETHER = 4;
/** Lists are cut after this many; --json has them all. */
const MAX_LISTED = 12;

/** A comparison for people: each difference by its smallest packet, what is written otherwise, and both walks. */
export function diffText(c: Comparison, a: Compared, b: Compared, o: DiffTextOptions): string {
  return new DiffText(c, a, b, o).toString();
}

class DiffText {
  readonly #c: Comparison;
  readonly #a: Compared;
  readonly #b: Compared;
  readonly #o: DiffTextOptions;
  readonly #out: string[] = [];

  constructor(c: Comparison, a: Compared, b: Compared, o: DiffTextOptions) {
    this.#c = c;
    this.#a = a;
    this.#b = b;
    this.#o = o;
  }

  toString(): string {
    const { differences, undecided, meaningless, onlyA, onlyB, notShown, nodes, packetsTried } = this.#c;
    const { bold, dim } = this.#o.style;
    const named = nodes.length <= 3 ? nodes : [];
    this.#line(`${bold("A")}  ${this.#title(this.#a)}${named.map((n) => `  ${n.a}`).join(",")}`);
    this.#line(`${bold("B")}  ${this.#title(this.#b)}${named.map((n) => `  ${n.b}`).join(",")}`);
    this.#line("");
    const rules = this.#o.byFlow === true && !this.#o.verbose ? [] : undecided;
    const count = differences.length + rules.length + onlyA.length + onlyB.length;
    if (count === 0) {
      this.#line(
        this.#say(
          meaningless.length === 0 ? text("diff.same") : text("diff.same-but-text", { count: meaningless.length }),
        ),
      );
    } else {
      const many = count === 1 ? text("diff.difference") : text("diff.differences", { count });
      this.#line(this.#say(text("diff.count", { count: many, packets: packetsTried })));
    }
    for (const node of onlyA) this.#line(this.#say(text("diff.only-node", { node, side: "A" })));
    for (const node of onlyB) this.#line(this.#say(text("diff.only-node", { node, side: "B" })));
    for (const [i, d] of differences.entries()) this.#difference(d, i + 1);
    this.#undecided(rules);
    if (this.#o.verbose && meaningless.length > 0) {
      this.#line("", bold(this.#say(text("diff.meaningless"))));
      for (const m of meaningless) this.#element(m.element);
    }
    if (this.#o.verbose && notShown.length > 0) {
      this.#line("", bold(this.#say(text("diff.not-shown"))));
      for (const n of notShown)
        this.#line(dim(`  ${this.#say(text("diff.not-shown-in", { where: n.where, side: n.side }))}`));
    }
    return `${this.#out.join("\n")}\n`;
  }

  #difference(d: Difference, number: number): void {
    const { example, flows, nodes } = d;
    const { bold, dim } = this.#o.style;
    const place = this.#c.nodes.length > 1 ? `${nodes.a}: ` : "";
    this.#line("", bold(printable(`${number}. ${place}${this.#say(flowText(example.flow, example.a))}`)));
    if (flows.length > 1) this.#line(dim(`   ${this.#say(text("diff.more-flows", { count: flows.length - 1 }))}`));
    this.#ends("A", example.ends.a, this.#a);
    this.#ends("B", example.ends.b, this.#b);
    if (this.#o.byFlow !== true || this.#o.verbose) this.#why(d);
    this.#line(
      "",
      // What is only expected lies in no case that could be asked.
      ...(this.#a.world === undefined ? [dim(`   ${traceCommand(caseOf(this.#a), example.a)}`)] : []),
      ...(this.#b.world === undefined ? [dim(`   ${traceCommand(caseOf(this.#b), example.b)}`)] : []),
    );
  }

  /** What is written otherwise, and both walks up to where they part. */
  #why(d: Difference): void {
    const { example, elements } = d;
    const { bold, dim, red } = this.#o.style;
    this.#line("", `   ${bold(this.#say(text("diff.because")))}`);
    for (const e of elements.slice(0, MAX_LISTED)) this.#element(e);
    if (elements.length > MAX_LISTED) this.#line(dim(`     … ${elements.length - MAX_LISTED}`));
    if (this.#o.verbose && d.alsoMet.length > 0) {
      this.#line("", `   ${bold(this.#say(text("diff.also-met")))}`);
      for (const e of d.alsoMet) this.#element(e);
    }
    this.#line("", `   ${bold(this.#say(text("diff.walks")))}`);
    const { together, a, b } = example.parting;
    if (together.length > TOGETHER)
      this.#line(dim(`     ${this.#say(text("diff.alike-before", { count: together.length - TOGETHER }))}`));
    for (const step of together.slice(-TOGETHER)) this.#step(" ", step, this.#a, (s) => s);
    for (const step of a) this.#step("A", step, this.#a, red);
    for (const step of b) this.#step("B", step, this.#b, this.#o.style.green);
  }

  #ends(mark: string, ends: readonly End[], side: Compared): void {
    for (const end of ends) {
      this.#line(`   ${mark}  ${printable(this.#end(end, ends.length))}`);
      for (const q of quotes(end.origins, (file, line) => side.askable.quote(file, line)))
        this.#line(this.#o.style.dim(printable(`      ${q}`)));
    }
  }

  #end(end: End, count: number): string {
    const facts = Object.entries(end.hypothesis).map(([id, values]) => `${id} = ${values.join(" or ")}`);
    return [
      ...(count > 1 && end.share < 0.9999 ? [`${Math.round(end.share * 1000) / 10}%`] : []),
      this.#say(endText(end)),
      ...(end.masqueraded ? [`(${this.#say(text("diff.end-masqueraded"))})`] : []),
      ...(facts.length > 0 ? [this.#say(text("diff.end-if", { facts }))] : []),
    ].join(" ");
  }

  #step(mark: string, step: Step, side: Compared, colour: (s: string) => string): void {
    const { kind, text: what } = stepText(step, this.#o.lang);
    this.#line(colour(printable(`   ${mark} ${step.stack}  ${kind.padEnd(15)} ${what}`)));
    if (mark === " " || (step.kind !== "rule" && step.kind !== "route" && step.kind !== "drop" && step.kind !== "ipvs"))
      return;
    for (const q of quotes(originsOf(step), (file, line) => side.askable.quote(file, line)))
      this.#line(this.#o.style.dim(printable(`   ${mark}     ${q}`)));
  }

  #element(e: Element): void {
    const change: Record<Element["change"], Text> = {
      "only in A": text("diff.only-a"),
      "only in B": text("diff.only-b"),
      changed: text("diff.changed"),
      moved: text("diff.moved"),
    };
    this.#line(printable(`     ${this.#say(text("diff.where", { where: e.where, change: change[e.change] }))}`));
    this.#lines("-", e.a, this.#a, this.#o.style.red);
    this.#lines("+", e.b, this.#b, this.#o.style.green);
  }

  #lines(mark: string, origins: Element["a"], side: Compared, colour: (s: string) => string): void {
    const all = quotes(origins, (file, line) => side.askable.quote(file, line));
    for (const q of all.slice(0, MAX_LISTED)) this.#line(colour(printable(`     ${mark} ${q}`)));
    if (all.length > MAX_LISTED) this.#line(colour(`     ${mark} … ${all.length - MAX_LISTED}`));
  }

  #undecided(undecided: readonly Undecided[]): void {
    if (undecided.length === 0) return;
    this.#line("", this.#o.style.bold(this.#say(text("diff.undecided-heading"))));
    const shown = this.#o.verbose ? undecided : undecided.slice(0, MAX_LISTED);
    for (const u of shown) {
      this.#element(u.element);
      this.#line(printable(`       ${this.#say(whyText(u))}`));
    }
    if (undecided.length > shown.length) this.#line(`     … ${undecided.length - shown.length}`);
  }

  #title({ path, state }: Compared): string {
    return state === undefined ? path : this.#say(text("diff.titled", { case: path, state }));
  }

  #say(what: Text): string {
    return say(what, this.#o.lang);
  }

  #line(...lines: readonly string[]): void {
    append(this.#out, lines);
  }
}

const caseOf = ({ path }: Compared): string => path;

function whyText({ why, facts }: Undecided): Text {
  switch (why) {
    case "not modelled":
      return text("diff.why-not-modelled");
    case "native nft":
      return text("diff.why-native-nft");
    case "no packet meets it":
      return text("diff.why-unmet");
    case "open facts":
      return text("diff.why-facts", { facts: facts.length > 0 ? facts : ["?"] });
    case "too many":
      return text("diff.why-too-many");
  }
}
