import { append } from "@hairpin/core/net/append.ts";
import { fits } from "@hairpin/lab/compare/star.ts";
import type { Conformance } from "@hairpin/lab/conform.ts";
import { printable, type Style } from "./style.ts";

/** The kernel and the walk side by side: hook by hook, and what the client saw. */
export function labText(result: Conformance, style: Style): string {
  const { observations, realised } = result;
  const lines = [style.bold(`${observations.backend === "vm" ? "VM" : "Running kernel"} ${observations.kernel}`)];
  for (const [id, value] of result.hypothesis) lines.push(`  if ${printable(id)} = ${printable(value)}`);
  for (const r of realised.remarks.filter((r) => r.kind !== "assumed")) {
    lines.push(
      style.yellow(`  ${r.kind}: ${r.stack === undefined ? "" : `${printable(r.stack)}: `}${printable(r.text)}`),
    );
  }
  for (const p of observations.problems)
    lines.push(style.yellow(`  refused: ${printable(p.stack)}: ${printable(p.what)}: ${printable(p.answer)}`));
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
  lines.push(`  the client sees: kernel ${result.clientSees ?? "?"}, walk ${branch?.clientSees ?? "undetermined"}`);
  if (result.explained === undefined) {
    lines.push(style.red("  They differ:"));
    append(
      lines,
      result.differences.map((d) => `    ${printable(d)}`),
    );
  } else lines.push(style.green("  They agree."));
  return `${lines.join("\n")}\n`;
}
