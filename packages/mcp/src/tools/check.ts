import * as z from "zod";
import { cut, LeftOut, MOST } from "../bounded.ts";
import { caseOf, caseShape } from "../inputs.ts";
import { leftOut, line, next } from "../outputs.ts";
import { linesTold, lineTold } from "../told.ts";
import { answered, READ_ONLY, type Register, withAnswer } from "../tool.ts";

const input = z.strictObject({
  ...caseShape,
  node: z.string().min(1).max(300).optional().describe("Only what concerns this node."),
  offset: z.int().min(0).max(1_000_000).optional().describe("Where each list begins: for the pages after the first."),
});

const remark = z.object({ code: z.string(), text: z.string(), evidence: z.array(line) });

const output = z.object({
  clean: z
    .boolean()
    .describe("All was understood, nothing contradicts itself, every node is as kube-proxy should have it."),
  nodes: z.array(z.string()),
  dumps: z.array(
    z.object({
      node: z.string().nullable(),
      stack: z.string().nullable(),
      dialect: z.string(),
      file: z.string(),
      partial: z.boolean(),
    }),
  ),
  notUnderstood: z.array(line.extend({ reason: z.string() })),
  contradictions: z.array(remark),
  differences: z.array(remark).describe("Where a node is not as kube-proxy should have programmed it."),
  missing: z.array(z.object({ node: z.string().nullable(), what: z.string(), why: z.string(), command: z.string() })),
  leftOut,
  next,
});

export const check: Register = (server, engine) => {
  server.registerTool(
    "check",
    {
      title: "What was read, what was not, what contradicts itself",
      description:
        "Says what was recognised in the files of a case, every line that was not understood, where dumps contradict each other, where a node is not as kube-proxy should have programmed it, and what is missing. Call it first on a case you do not know, for the names of its nodes.",
      inputSchema: input,
      outputSchema: output,
      annotations: READ_ONLY,
    },
    (args) =>
      withAnswer(engine, engine.check({ ...caseOf(args), node: args.node }), (found) => {
        const left = new LeftOut();
        const { paths } = caseOf(args);
        const page = <T>(name: string, list: readonly T[]): readonly T[] =>
          left.take(name, list, MOST.items, args.offset ?? 0);
        const remarks = (name: string, list: typeof found.contradictions) =>
          page(name, list).map(({ code, text, evidence = [] }) => ({
            code,
            text: cut(text),
            evidence: linesTold(
              paths,
              evidence.map((e) => ({ file: e.file, line: e.line, text: e.text ?? null })),
              left,
            ),
          }));
        const answer = {
          clean: found.clean,
          nodes: [...left.take("nodes", found.nodes, 100)],
          dumps: page("dumps", found.dumps).map(({ node, stack, dialect, file, partial }) => ({
            node,
            stack,
            dialect,
            file: cut(file, MOST.quote),
            partial,
          })),
          notUnderstood: page("notUnderstood", found.notUnderstood).map((l) => ({
            ...lineTold(paths, l),
            reason: cut(l.reason),
          })),
          contradictions: remarks("contradictions", found.contradictions),
          differences: remarks("differences", found.differences),
          missing: page("missing", found.missing).map((m) => ({
            node: m.node ?? null,
            what: cut(m.what),
            why: cut(m.why),
            command: cut(m.command, 1_000),
          })),
          leftOut: left.counts,
          next: "ask diagnose with from and to; what_to_collect orders what is missing",
        };
        const counts = [
          `${found.dumps.length} dumps of ${found.nodes.join(", ") || "no node"}`,
          `${found.notUnderstood.length} lines not understood`,
          `${found.contradictions.length} contradictions`,
          `${found.differences.length} differences from what kube-proxy should have programmed`,
          `${found.missing.length} things missing`,
        ];
        return answered(`${cut(counts.join("; "))}\nNext: ${answer.next}`, answer, [
          ...answer.notUnderstood,
          ...[...answer.contradictions, ...answer.differences].flatMap((r) => r.evidence),
        ]);
      }),
  );
};
