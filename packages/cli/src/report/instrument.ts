import type { Hypothesis, NodeCommands, Plan, Probe } from "@hairpin/core/instrument/index.ts";
import { type Lang, say, type Text, text } from "@hairpin/core/messages/index.ts";
import { append } from "@hairpin/core/net/append.ts";
import { printable, type Style } from "./style.ts";

export const INSTRUMENT_SCHEMA = "hairpin/instrument/1";

const place = (p: Probe): string =>
  p.kind === "log" ? `${p.stack} ${p.hook}, ${p.direction}` : `${p.stack} ${p.device} ${p.way}, ${p.direction}`;

const holdsText = (h: Hypothesis): Text | string =>
  h.assignment.size === 0
    ? text("instrument.as-walked")
    : [...h.assignment].map(([id, value]) => `${id} = ${value}`).join(", ");

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
export function instrumentText(plan: Plan, nodes: readonly NodeCommands[], style: Style, lang: Lang): string {
  const t = (of: Text): string => printable(say(of, lang));
  if (plan.probes.length === 0) return `${t(text("instrument.nowhere"))}\n`;
  const lines: string[] = [
    t(plan.confirms ? text("instrument.confirms") : text("instrument.places", { count: plan.probes.length })),
  ];
  for (const node of nodes) {
    lines.push("", style.bold(t(text("instrument.on", { node: node.stack }))));
    for (const p of node.probes) lines.push(`  # ${p.id}: ${printable(place(p))}`);
    append(
      lines,
      [...node.add, ...node.show].map((c) => `  ${printable(c)}`),
    );
    if (node.remove.length > 0)
      append(lines, [
        style.dim(`  # ${t(text("instrument.afterwards"))}`),
        ...node.remove.map((c) => `  ${printable(c)}`),
      ]);
    lines.push(style.dim(`  # ${t(text("instrument.script", { node: node.stack }))}`));
  }
  lines.push("", style.bold(t(text("instrument.will-show"))));
  for (const { hypothesis, seen } of plan.predictions) {
    const verdict = lang === "en" ? hypothesis.verdict : text(`verdict.${hypothesis.verdict}`);
    lines.push(`  ${t(text("instrument.if", { holds: holdsText(hypothesis), verdict }))}`);
    for (const { probe, when } of seen)
      lines.push(`    ${probe.id} ${t(text(`instrument.${when}`))}  (${printable(place(probe))})`);
  }
  for (const [a, b] of plan.alike) lines.push("", t(text("instrument.alike", { a: holdsText(a), b: holdsText(b) })));
  lines.push("", t(text("instrument.again")));
  return `${lines.join("\n")}\n`;
}
