import {
  assumptionLines,
  assumptionsOf,
  type Diagnosis,
  packetText,
  type Quote,
  quotes,
} from "@hairpin/core/diagnose/index.ts";
import { say } from "@hairpin/core/messages/index.ts";
import { type Branch, decisiveLeg, type Judgement } from "@hairpin/core/trace/index.ts";
import { fixesText, typedText } from "./fixes-text.ts";
import { printable, type Style } from "./style.ts";

const SEES: Readonly<Record<string, string>> = {
  connected: "the client connects",
  refused: "the client sees: connection refused",
  timeout: "the client sees: timed out",
  unreachable: "the client sees: no route to host, or network unreachable",
  reset: "the client sees: connection reset",
  stalled: "the client connects and then hears nothing",
};

const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`;

function headline(j: Judgement): string {
  const share =
    j.verdict === "intermittent" && j.reachableShare !== null ? `, works for ${percent(j.reachableShare)}` : "";
  return `${j.verdict.toUpperCase()}${share}${j.clientSees === null ? "" : `: ${SEES[j.clientSees]}`}`;
}

/** The answer for people, one screen: the verdict, where it dies and by which line, what decides, what was tried. */
export function diagnosisText(
  { asked, judgement, causes, contradictions, fixes, tried }: Diagnosis,
  quote: Quote,
  style: Style,
): string {
  const { spec, exploration } = asked;
  const colour =
    judgement.verdict === "reachable" ? style.green : judgement.verdict === "undetermined" ? style.yellow : style.red;
  const lines = [
    `${printable(spec.from ?? "")} to ${printable(spec.to ?? "")}, ${spec.proto ?? "tcp"}`,
    colour(style.bold(headline(judgement))),
  ];
  for (const branch of exploration.branches)
    lines.push(...deathText(branch, exploration.branches.length, quote, style));
  if (causes.length > 0) {
    lines.push("", style.bold("Why"));
    for (const c of causes) {
      lines.push(`  ${c.code} (${c.certainty}): ${printable(say(c.summary))}`);
      lines.push(
        ...quotes(c.evidence, quote)
          .slice(0, 4)
          .map((q) => style.dim(`    ${printable(q)}`)),
      );
    }
  }
  if (judgement.decisiveFacts.length > 0) {
    lines.push("", style.bold("What decides it"));
    for (const f of judgement.decisiveFacts) {
      lines.push(`  ${printable(say(f.text))} (${printable(f.fact)})`);
      for (const o of f.outcomes) lines.push(`    ${printable(o.value)}: ${o.verdict}`);
      if (f.command !== null) lines.push(`    read it with: ${printable(f.command)}`);
    }
  }
  if (contradictions.length > 0) {
    lines.push("", style.bold("The walk delivers, but"), ...contradictions.map((c) => `  ${printable(say(c))}`));
  }
  for (const t of tried) {
    lines.push("", style.bold(`With ${printable(t.patch)}`), `  ${headline(t.judgement)}`);
    if (t.fix !== undefined) lines.push(...typedText(t.fix, style));
  }
  if (fixes.length > 0) lines.push("", ...fixesText(fixes, style));
  const assumptions = assumptionLines(assumptionsOf(exploration.branches));
  if (assumptions.length > 0) {
    lines.push("", style.bold("Assumed"));
    for (const a of assumptions) lines.push(`  - ${printable(a)}`);
  }
  return `${lines.join("\n")}\n`;
}

function deathText(branch: Branch, count: number, quote: Quote, style: Style): readonly string[] {
  const leg = decisiveLeg(branch);
  const fine = leg.disposition === "delivered" || leg.disposition === "forwarded";
  const facts = [...branch.hypothesis].map(([id, values]) => `if ${id} = ${values.join(" or ")}`);
  const head = [...(count > 1 ? [percent(branch.share)] : []), ...facts].join(", ");
  const lines = ["", ...(head === "" ? [] : [style.bold(printable(head))])];
  if (fine) return [...lines, `  ${branch.clientSees === "connected" ? "works" : (branch.clientSees ?? "")}`];
  lines.push(
    `  ${printable(leg.what)} ${leg.disposition}${leg.stack === "" ? "" : ` on ${printable(leg.stack)}`} at ${printable(leg.step)}: ${printable(leg.decision)}`,
  );
  if (leg.final.protocol !== 0) lines.push(style.dim(`  ${packetText(leg.final)}`));
  const check = [...leg.steps].reverse().find((s) => s.kind === "source validation");
  if (check?.kind === "source validation" && check.result !== "ok") {
    lines.push(
      `  ${printable(check.decision)}`,
      ...quotes(check.origins, quote).map((q) => style.dim(`    ${printable(q)}`)),
    );
  }
  lines.push(...quotes(leg.origins, quote).map((q) => style.dim(`    ${printable(q)}`)));
  return lines;
}
