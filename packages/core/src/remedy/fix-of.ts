import { text } from "../messages/index.ts";
import { breadthOf } from "./breadth.ts";
import type { Case } from "./case.ts";
import { lineOf } from "./commands.ts";
import { costsOf, takenBackBy } from "./costs.ts";
import type { Fix, PlacedLine, Proof } from "./fix.ts";
import type { FlowBook } from "./flow-book.ts";
import { lastingOf } from "./lasting.ts";
import { applied, provenBy } from "./proof.ts";
import type { Trial } from "./search.ts";
import { undoAll } from "./undo/index.ts";

/** One that can be typed as it stands. */
const isKubectl = (line: string): boolean =>
  line.startsWith("kubectl ") && !/ (?:NAMESPACE|NAME|NODE)(?: |$)/.test(line);

/** A trial as it is told: proof, way back, lasting form and costs. */
export function fixOf(
  { world, exploration }: Case,
  book: FlowBook,
  trial: Trial,
  toCome: number,
): Fix & { readonly rank: readonly number[] } {
  const { candidate, cures, patched } = trial;
  const walked = provenBy(trial.recorded(), book.changes(candidate, toCome));
  const proof: Proof = trial.unproved ? { ...walked, verdict: "undetermined" } : walked;
  const steps = (applied(world, candidate) ?? patched).steps;
  const nodes = world.stacks.filter((s) => s.kind === "node");
  const show = ({ stack, line }: PlacedLine): string =>
    stack === "" || (nodes.length === 1 && nodes[0]!.name === stack) ? line : `${stack}: ${line}`;
  const { lines: undo, unknown } = undoAll(steps);
  const commands = candidate.commands.map((c) => ({ stack: c.stack, line: lineOf(c) }));
  const { outside } = candidate;
  const fields = steps.flatMap((s) => s.changes).flatMap((c) => (c.kind === "service" ? [c.field] : []));
  const where = [
    ...new Set([
      ...candidate.commands.flatMap((c) => (c.stack === "" ? [] : [c.stack])),
      ...fields.map((f) => `svc/${f.namespace}/${f.name}`),
    ]),
  ];
  const changes = steps.flatMap((s) => s.changes);
  const reverted = changes.some((c) => takenBackBy(c) !== undefined);
  const atRoot = reverted ? candidate.lasting?.find((l) => l.lines.every(isKubectl) && l.lines.length > 0) : undefined;
  const inObjects = atRoot !== undefined || (changes.length > 0 && changes.every((c) => c.kind === "service"));
  const broken = proof.flowsChanged.filter((f) => f.before === "reachable" && f.after !== "reachable").length;
  return {
    code: candidate.code,
    summary: candidate.summary,
    cures,
    ...(atRoot !== undefined && { atRoot }),
    where: outside === undefined ? where : [...where, outside.where],
    commands: commands.map(show),
    undo: undo.map(show),
    placed: { commands, undo },
    lasting: [...(candidate.lasting ?? []).filter((l) => l !== atRoot), ...lastingOf(steps)],
    costs: [
      ...costsOf(exploration, proof, steps, unknown),
      ...(candidate.notes ?? []),
      ...(trial.unproved ? [text("cost.unproved")] : []),
    ],
    proof,
    applyTo: (to) => applied(to, candidate)?.world,
    rank: [
      Number(proof.verdict !== "reachable"),
      broken,
      Number(outside !== undefined),
      // The lasting cure first: in the object that is wrong, then what nobody takes back.
      Number(!inObjects),
      Number(reverted && !inObjects),
      breadthOf(steps),
      where.length,
      proof.flowsChanged.length,
      candidate.commands.length,
    ],
  };
}
