import { cut, type LeftOut, MOST } from "./bounded.ts";
import type { Diagnosis, Engine, FixAnswer, Line } from "./engine.ts";
import { evidenceUri } from "./evidence-uri.ts";

/** A quoted line with the address by which it can be read. Pasted output lies nowhere. */
export const lineTold = (paths: readonly string[], { file, line, text }: Line) => ({
  file,
  line,
  text: text === null ? null : cut(text.trim(), MOST.quote),
  ...(PASTED.test(file) ? {} : { uri: evidenceUri(paths, file, line) }),
});

/** As the engine names what was pasted. */
const PASTED = /(?:^|\/)pasted-\d+\.txt$/;

export const linesTold = (paths: readonly string[], lines: readonly Line[], left: LeftOut) =>
  left.take("evidence", lines, MOST.evidence).map((l) => lineTold(paths, l));

export const fixTold = (fix: FixAnswer, left: LeftOut) => ({
  code: fix.code,
  summary: cut(fix.summary),
  where: [...left.take("where", fix.where, MOST.items)],
  commands: left.take("commands", fix.commands, MOST.items).map((c) => cut(c, 1_000)),
  undo: left.take("undo", fix.undo, MOST.items).map((c) => cut(c, 1_000)),
  costs: left.take("costs", fix.costs, 8).map((c) => cut(c)),
  remarks: left.take("remarks", fix.remarks ?? [], 4).map((c) => cut(c)),
  verdictWithIt: fix.proof.verdict,
  flowsChecked: fix.proof.flowsChecked,
  flowsChanged: fix.proof.flowsChanged.length,
});

export interface Need {
  readonly id: string;
  readonly what: string;
  readonly node: string | null;
  readonly command: string;
  readonly outcomes: readonly { readonly value: string; readonly verdict: string }[];
}

/** What would settle an open answer, most decisive first: each the output of one command. */
export function needsOf(diagnosis: Diagnosis, { stackOf }: Engine): readonly Need[] {
  if (diagnosis.verdict !== "undetermined") return [];
  const needs = [
    ...diagnosis.decisiveFacts.flatMap((f) =>
      f.command === null || f.command === ""
        ? []
        : [{ id: f.fact, what: f.text, node: stackOf(f.fact), command: f.command, outcomes: f.outcomes }],
    ),
    ...diagnosis.restsOn.flatMap((r) =>
      r.command === null || r.command === ""
        ? []
        : [
            {
              id: r.id,
              what: `${r.fact}: ${r.why}`,
              node: stackOf(r.id),
              command: r.command,
              outcomes: r.otherwise === null ? [] : [{ value: "otherwise", verdict: r.otherwise.verdict }],
            },
          ],
    ),
  ];
  // What the diagnosis itself would run next comes first.
  const first = needs.filter((n) => n.command === diagnosis.next?.command);
  return [...first, ...needs.filter((n) => !first.includes(n))];
}

export const needTold = (need: Need, left: LeftOut) => ({
  ...need,
  id: cut(need.id),
  what: cut(need.what),
  command: cut(need.command, 1_000),
  outcomes: left.take("outcomes", need.outcomes, 8).map(({ value, verdict }) => ({ value: cut(value, 80), verdict })),
});
