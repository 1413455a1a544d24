import type { Hypothesis, NodeCommands, Plan, Probe } from "@hairpin/core/instrument/index.ts";
import { append } from "@hairpin/core/net/append.ts";
import { printable, type Style } from "./style.ts";

export const INSTRUMENT_SCHEMA = "hairpin/instrument/1";

const place = (p: Probe): string =>
  p.kind === "log" ? `${p.stack} ${p.hook}, ${p.direction}` : `${p.stack} ${p.device} ${p.way}, ${p.direction}`;

const holds = (h: Hypothesis): string =>
  h.assignment.size === 0 ? "as the walk says" : [...h.assignment].map(([id, value]) => `${id} = ${value}`).join(", ");

const WHEN = { always: "seen", never: "not seen", sometimes: "seen by chance" } as const;

export function instrumentJson(plan: Plan, nodes: readonly NodeCommands[]): unknown {
  return {
    schema: INSTRUMENT_SCHEMA,
    confirms: plan.confirms,
    nodes: nodes.map(({ stack, add, remove, show, script }) => ({ node: stack, add, remove, show, script })),
    probes: plan.probes.map((p) => ({ id: p.id, kind: p.kind, place: place(p) })),
    predictions: plan.predictions.map(({ hypothesis, seen }) => ({
      hypothesis: Object.fromEntries(hypothesis.assignment),
      verdict: hypothesis.verdict,
      seen: Object.fromEntries(seen.map(({ probe, when }) => [probe.id, when])),
    })),
    alike: plan.alike.map(([a, b]) => [Object.fromEntries(a.assignment), Object.fromEntries(b.assignment)]),
  };
}

/** What to type where, how to undo it, and what it will show. */
export function instrumentText(plan: Plan, nodes: readonly NodeCommands[], style: Style): string {
  if (plan.probes.length === 0) return "There is no machine on the way on which something could be watched.\n";
  const lines: string[] = [
    plan.confirms
      ? "Nothing is open. These places confirm the answer:"
      : `${plan.probes.length} places tell the open hypotheses apart:`,
  ];
  for (const node of nodes) {
    lines.push("", style.bold(`On ${printable(node.stack)}`));
    for (const p of node.probes) lines.push(`  # ${p.id}: ${printable(place(p))}`);
    append(
      lines,
      [...node.add, ...node.show].map((c) => `  ${printable(c)}`),
    );
    if (node.remove.length > 0)
      append(lines, [style.dim("  # afterwards:"), ...node.remove.map((c) => `  ${printable(c)}`)]);
    lines.push(
      style.dim(`  # or all of it, with a time limit: hairpin instrument … --script ${printable(node.stack)}`),
    );
  }
  lines.push("", style.bold("What they will show"));
  for (const { hypothesis, seen } of plan.predictions) {
    lines.push(`  if ${printable(holds(hypothesis))}: ${hypothesis.verdict}`);
    for (const { probe, when } of seen) lines.push(`    ${probe.id} ${WHEN[when]}  (${printable(place(probe))})`);
  }
  for (const [a, b] of plan.alike)
    lines.push("", `Nothing that can be watched tells apart: ${printable(holds(a))}; and ${printable(holds(b))}.`);
  lines.push("", "Put what they print into a file beside the dumps and ask again: it rules hypotheses out.");
  return `${lines.join("\n")}\n`;
}
