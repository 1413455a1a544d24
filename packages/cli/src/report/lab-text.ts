import { type Lang, say, type Text, text } from "@hairpin/core/messages/index.ts";
import { append } from "@hairpin/core/net/append.ts";
import { fits } from "@hairpin/lab/compare/star.ts";
import type { Conformance } from "@hairpin/lab/conform.ts";
import { printable, type Style } from "./style.ts";

/** The kernel and the walk side by side: hook by hook, and what the client saw. */
export function labText(result: Conformance, style: Style, lang: Lang): string {
  const { observations, realised } = result;
  const told = (of: Text): string => printable(say(of, lang));
  const { backend, kernel: release } = observations;
  const lines = [style.bold(told(text(backend === "vm" ? "lab.kernel-vm" : "lab.kernel-running", { release })))];
  for (const [fact, value] of result.hypothesis) lines.push(`  ${told(text("lab.if", { fact, value }))}`);
  for (const { kind, stack, text: remark } of realised.remarks) {
    if (kind === "assumed") continue;
    const what = stack === undefined ? remark : `${stack}: ${remark}`;
    lines.push(style.yellow(`  ${told(text(`lab.remark.${kind}`, { what }))}`));
  }
  for (const { stack, what, answer } of observations.problems)
    lines.push(style.yellow(`  ${told(text("lab.refused", { what: `${stack}: ${what}: ${answer}` }))}`));
  const branch = result.explained ?? result.branches[0];
  const { predicted } = result;
  const stacks = [...new Set([...predicted, ...result.observed].map((l) => l.stack))];
  for (const stack of stacks) {
    const ours = predicted.filter((l) => l.stack === stack);
    const theirs = result.observed.filter((l) => l.stack === stack);
    lines.push(`  ${printable(stack)}`);
    for (let i = 0; i < Math.max(ours.length, theirs.length); i++) {
      const a = theirs[i]?.text;
      const b = ours[i]?.text;
      if (fits(b, a)) lines.push(`    = ${a}`);
      else {
        if (a !== undefined) lines.push(style.red(`    kernel ${a}`));
        if (b !== undefined) lines.push(style.green(`    walk   ${b}`));
      }
    }
  }
  const sees = { kernel: result.clientSees ?? "?", walk: branch?.clientSees ?? "undetermined" };
  lines.push(`  ${told(text("lab.sees", sees))}`);
  if (result.explained === undefined) {
    lines.push(style.red(`  ${told(text("lab.differ"))}`));
    append(
      lines,
      result.differences.map((d) => `    ${printable(d)}`),
    );
  } else lines.push(style.green(`  ${told(text("lab.agree"))}`));
  return `${lines.join("\n")}\n`;
}
