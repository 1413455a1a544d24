import { compare, type NodePair } from "@hairpin/core/compare/index.ts";
import { endText, flowText } from "@hairpin/core/compare/texts.ts";
import { type Askable, BadRequest } from "@hairpin/core/diagnose/index.ts";
import { type Lang, type MessageId, say, type Text, text } from "@hairpin/core/messages/index.ts";
import type { Stack } from "@hairpin/core/model/index.ts";
import { type Html, html } from "../../html/html.ts";
import { linesPart } from "../../report/answer.ts";
import { quotedLines } from "../../view/leg.ts";

type Comparison = ReturnType<typeof compare>;
type Difference = Comparison["differences"][number];
type Element = Difference["elements"][number];

/** Lists are cut after this many; `hairpin diff` has them all. */
const MOST = 30;

/** Which packets fare otherwise in B than in A, as markup. */
export function comparePart(a: Askable, b: Askable, lang: Lang): Html {
  const nodes = pairs(a, b);
  const sameNode = nodes.every((pair) => isSame(a, b, pair));
  const found = compare({ world: a.world, settled: a.assumed }, { world: b.world, settled: b.assumed }, nodes, {
    sameNode,
  });
  return new Comparing(found, a, b, lang).part();
}

class Comparing {
  readonly #found: Comparison;
  readonly #a: Askable;
  readonly #b: Askable;
  readonly #lang: Lang;

  constructor(found: Comparison, a: Askable, b: Askable, lang: Lang) {
    this.#found = found;
    this.#a = a;
    this.#b = b;
    this.#lang = lang;
  }

  part(): Html {
    const { differences, undecided, meaningless, onlyA, onlyB, packetsTried } = this.#found;
    const count = differences.length + undecided.length + onlyA.length + onlyB.length;
    const many = count === 1 ? text("diff.difference") : text("diff.differences", { count });
    const head = count === 0 ? text("diff.same") : text("diff.count", { count: many, packets: packetsTried });
    return html`<p class="compare-head"><strong>${this.#say(head)}</strong></p>
${onlyA.map((node) => html`<p>${this.#say(text("diff.only-node", { node, side: "A" }))}</p>`)}
${onlyB.map((node) => html`<p>${this.#say(text("diff.only-node", { node, side: "B" }))}</p>`)}
${differences.length === 0 ? null : html`<ol class="differences">${differences.slice(0, MOST).map((d) => this.#difference(d))}</ol>`}
${this.#elements(
  "diff.undecided-heading",
  undecided.map((u) => u.element),
)}
${this.#elements(
  "diff.meaningless",
  meaningless.map((m) => m.element),
)}`;
  }

  #difference({ example, flows, elements }: Difference): Html {
    const ends = (side: "A" | "B", askable: Askable): Html =>
      html`${example.ends[side === "A" ? "a" : "b"].map(
        (end) =>
          html`<li><b>${side}</b> ${this.#say(endText(end))}${linesPart(quotedLines(end.origins, (f, l) => askable.quote(f, l)))}</li>`,
      )}`;
    return html`<li><h3>${this.#say(flowText(example.flow, example.a))}</h3>
${flows.length > 1 ? html`<p class="meta">${this.#say(text("diff.more-flows", { count: flows.length - 1 }))}</p>` : null}
<ul>${ends("A", this.#a)}${ends("B", this.#b)}</ul>
<p>${this.#say(text("diff.because"))}</p>
${this.#list(elements)}</li>`;
  }

  #elements(title: MessageId, elements: readonly Element[]): Html | null {
    if (elements.length === 0) return null;
    return html`<details><summary>${this.#say({ id: title, params: {} })} (${elements.length})</summary>${this.#list(elements)}</details>`;
  }

  #list(elements: readonly Element[]): Html {
    const change: Record<Element["change"], Text> = {
      "only in A": text("diff.only-a"),
      "only in B": text("diff.only-b"),
      changed: text("diff.changed"),
      moved: text("diff.moved"),
    };
    return html`<ul>${elements
      .slice(0, MOST)
      .map(
        (e) =>
          html`<li>${e.where}, ${this.#say(change[e.change])}${linesPart(quotedLines(e.a, (f, l) => this.#a.quote(f, l)).slice(0, 8))}${linesPart(quotedLines(e.b, (f, l) => this.#b.quote(f, l)).slice(0, 8))}</li>`,
      )}</ul>`;
  }

  #say(what: Text): string {
    return say(what, this.#lang);
  }
}

const nodesOf = (askable: Askable): readonly Stack[] =>
  askable.world.stacks.filter((s) => s.kind === "node" && s.assumed === undefined);

/** Nodes that stand for each other: by name, or the only one of each side. */
function pairs(a: Askable, b: Askable): readonly NodePair[] {
  const [inA, inB] = [nodesOf(a).map((n) => n.name), nodesOf(b).map((n) => n.name)];
  if (inA.length === 1 && inB.length === 1) return [{ a: inA[0]!, b: inB[0]! }];
  const both = inA.filter((n) => inB.includes(n));
  if (both.length === 0)
    throw new BadRequest(
      text("error.compare-no-common", {
        a: inA.length === 0 ? text("error.none") : inA.join(", "),
        b: inB.length === 0 ? text("error.none") : inB.join(", "),
      }),
    );
  return both.map((name) => ({ a: name, b: name }));
}

/** One node at two moments: it has an address in common, or nobody shows its addresses. */
function isSame(a: Askable, b: Askable, pair: NodePair): boolean {
  const own = (askable: Askable, name: string) =>
    (askable.world.stacks.find((s) => s.name === name)?.devices.items ?? [])
      .filter((d) => d.kind !== "loopback" && d.kind !== "dummy" && d.kind !== "bridge")
      .flatMap((d) => d.addresses.map((i) => i.prefix.address));
  const [x, y] = [own(a, pair.a), own(b, pair.b)];
  return x.length === 0 || y.length === 0 || x.some((i) => y.some((j) => i === j));
}
