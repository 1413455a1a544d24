import type { Comparison, Element, End } from "@hairpin/core/compare/index.ts";
import { differs } from "@hairpin/core/compare/index.ts";
import { legJson } from "@hairpin/core/diagnose/index.ts";
import { linesOf, type Origin } from "@hairpin/core/model/index.ts";
import { formatAddress } from "@hairpin/core/net/index.ts";
import { legsOf, shorten } from "@hairpin/core/trace/index.ts";
import type { Compared } from "../case/compared.ts";
import { flowJson } from "./diff-flow.ts";

export const DIFF_SCHEMA = "hairpin/diff/1";

/** Steps of one walk that are printed: there may be one for every difference. */
const STEPS_SHOWN = 1_000;

/** `diff --json`. */
export function diffJson(c: Comparison, a: Compared, b: Compared): unknown {
  const lines = (side: Compared, origins: readonly Origin[]): unknown =>
    origins
      .flatMap(linesOf)
      .map(({ file, line }) => ({ file, line, text: side.askable.quote(file, line)?.trim() ?? "" }));
  const element = (e: Element): unknown => ({
    kind: e.kind,
    where: e.where,
    change: e.change,
    a: lines(a, e.a),
    b: lines(b, e.b),
  });
  const end = (side: Compared, { to, hypothesis, share, origins, ...rest }: End): unknown => ({
    share: Math.round(share * 1e6) / 1e6,
    ...rest,
    evidence: lines(side, origins),
    to: `${formatAddress(to.address)}${to.port === null ? "" : `:${to.port}`}`,
    hypothesis,
  });
  return {
    schema: DIFF_SCHEMA,
    a: a.title,
    b: b.title,
    same: !differs(c),
    nodes: c.nodes,
    onlyA: c.onlyA,
    onlyB: c.onlyB,
    differences: c.differences.map((d) => {
      const { parting, ends } = d.example;
      const walk = (side: "a" | "b") => {
        const branch = shorten([parting.branches[side]], STEPS_SHOWN).branches[0]!;
        const legs = legsOf(branch);
        return {
          question: d.example[side],
          ends: ends[side].map((e) => end(side === "a" ? a : b, e)),
          partsAt: { leg: parting.leg, step: parting.together.length, steps: parting[side].length },
          legs: legs.map(legJson),
        };
      };
      return {
        nodes: d.nodes,
        flow: flowJson(d.example.flow),
        a: walk("a"),
        b: walk("b"),
        elements: d.elements.map(element),
        alsoMet: d.alsoMet.map(element),
        flows: d.flows.map((f) => flowJson(f)),
      };
    }),
    undecided: c.undecided.map((u) => ({ nodes: u.nodes, why: u.why, facts: u.facts, element: element(u.element) })),
    textOnly: c.meaningless.map((m) => ({ nodes: m.nodes, element: element(m.element) })),
    notShown: c.notShown,
    packetsTried: c.packetsTried,
  };
}
