import * as z from "zod";
import { cut, LeftOut, MOST } from "../bounded.ts";
import type { Diff } from "../engine.ts";
import { assumeShape } from "../inputs.ts";
import { leftOut, line, next } from "../outputs.ts";
import { linesTold } from "../told.ts";
import { answered, READ_ONLY, type Register, withAnswer } from "../tool.ts";

const path = z.string().min(1).max(1_000);
const name = z.string().min(1).max(300);
const input = z.strictObject({
  a: path.describe("A case, under one of the server's roots."),
  b: path
    .optional()
    .describe("The case to compare with. Without it: two nodes of `a`, its two moments, or `expected`."),
  nodeA: name.optional().describe("The node of A."),
  nodeB: name.optional().describe("The node of B."),
  expected: z.boolean().optional().describe("One case with objects: as kube-proxy should have it, against as it is."),
  mode: z
    .enum(["iptables", "ipvs", "nftables"])
    .optional()
    .describe("One case with objects: as it is, against kube-proxy in that mode."),
  ...assumeShape,
});

const end = z.object({
  disposition: z.string(),
  stack: z.string(),
  step: z.string(),
  drop: z.string().nullable(),
  to: z.string(),
});
const element = z.object({
  kind: z.string(),
  where: z.string(),
  change: z.string(),
  a: z.array(line),
  b: z.array(line),
});

const output = z.object({
  a: z.string(),
  b: z.string(),
  same: z.boolean().describe("No packet fares otherwise in B than in A."),
  differences: z.array(
    z.object({
      flow: z.unknown().describe("An example of a packet that fares otherwise."),
      inA: z.array(end),
      inB: z.array(end),
      by: z.array(element).describe("The rule, route, set entry or setting that makes the difference."),
    }),
  ),
  undecided: z.array(z.object({ why: z.string(), element })),
  leftOut,
  next,
});

export const diff: Register = (server, engine) => {
  server.registerTool(
    "diff",
    {
      title: "What differs between two nodes or two moments, in meaning",
      description:
        "Which packets fare otherwise in B than in A, and by which rule, set entry, route or setting. Order, names of chains and counters are no difference. Works on two cases, two nodes of a case, before and after, or what kube-proxy should have programmed against what is there.",
      inputSchema: input,
      outputSchema: output,
      annotations: READ_ONLY,
    },
    ({ assume = [], ...args }) =>
      withAnswer(
        engine,
        engine.diff({ ...args, assume }),
        (found) => told(found, args.a, args.b ?? args.a),
        "name the nodes with nodeA and nodeB, or a second case with b",
      ),
  );
};

type ElementOf = Diff["undecided"][number]["element"];

function told(found: Diff, a: string, b: string) {
  const left = new LeftOut();
  const elementTold = (e: ElementOf) => ({
    kind: e.kind,
    where: cut(e.where),
    change: e.change,
    a: linesTold([a], e.a, left),
    b: linesTold([b], e.b, left),
  });
  const ends = (list: Diff["differences"][number]["a"]["ends"]) =>
    left
      .take("ends", list, 4)
      .map(({ disposition, stack, step, drop, to }) => ({ disposition, stack, step, drop, to }));
  const differences = left.take("differences", found.differences, 10).map((d) => ({
    flow: d.flow,
    inA: ends(d.a.ends),
    inB: ends(d.b.ends),
    by: left.take("elements", d.elements, 6).map(elementTold),
  }));
  const answer = {
    a: found.a,
    b: found.b,
    same: found.same,
    differences,
    undecided: left.take("undecided", found.undecided, 5).map((u) => ({ why: u.why, element: elementTold(u.element) })),
    leftOut: left.counts,
    next: found.same ? "nothing differs in meaning" : "diagnose the flow of a difference in A and in B",
  };
  const lines = differences
    .slice(0, 5)
    .map(
      (d) => `${d.inA[0]?.disposition ?? "?"} in A, ${d.inB[0]?.disposition ?? "?"} in B, by ${d.by[0]?.where ?? "?"}`,
    );
  return answered(
    [
      found.same ? "no difference in meaning" : `${found.differences.length} differences`,
      ...lines,
      `Next: ${answer.next}`,
    ]
      .map((l) => cut(l, MOST.text))
      .join("\n"),
    answer,
    differences.flatMap((d) => d.by.flatMap((e) => [...e.a, ...e.b])),
  );
}
