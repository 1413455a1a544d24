import { say } from "@hairpin/core/messages/index.ts";
import type { Fix, TypedFix } from "@hairpin/core/remedy/index.ts";
import { printable, type Style } from "./style.ts";

/** Only the first is told in full: it has the smallest blast radius, and `--json` has the rest. */
export function fixesText(fixes: readonly Fix[], style: Style): readonly string[] {
  const [first, ...others] = fixes;
  if (first === undefined) return [];
  return [
    style.bold("What helps"),
    ...fixText(first, style),
    ...(others.length === 0 ? [] : ["", "  Or"]),
    ...others.flatMap((f) => [
      `  ${f.code}${f.proof.verdict === "reachable" ? "" : ` (then ${f.proof.verdict})`}: ${printable(say(f.summary))}`,
      ...f.commands.map((c) => style.dim(`    ${printable(c)}`)),
    ]),
  ];
}

/** A patch that was typed: what of it does nothing, what it costs, and the nearest rule that would match. */
export function typedText({ remarks, nearest, costs, proof }: TypedFix, style: Style): readonly string[] {
  return [
    ...remarks.map((r) => `  ${printable(say(r))}`),
    ...(proof.verdict === "reachable" ? costs.map((c) => `  - ${printable(say(c))}`) : []),
    ...changesText(proof),
    ...(nearest === undefined ? [] : fixText(nearest, style)),
  ];
}

function fixText(fix: Fix, style: Style): readonly string[] {
  return [
    `  ${fix.code}: ${printable(say(fix.summary))}`,
    ...fix.commands.map((c) => `    ${style.bold(printable(c))}`),
    `    walked again with it: ${fix.proof.verdict}; other flows checked: ${fix.proof.flowsChecked}`,
    ...changesText(fix.proof),
    ...fix.costs.map((c) => `    - ${printable(say(c))}`),
    ...fix.undo.map((c) => style.dim(`    to take it back: ${printable(c)}`)),
    ...fix.lasting.slice(0, 1).map(({ how, lines }) => {
      const inline = lines.length === 1 ? `: ${lines[0]}` : "";
      return style.dim(`    to make it last: ${printable(say(how))}${printable(inline)}`);
    }),
  ];
}

const MAX_CHANGES = 5;

const changesText = ({ flowsChanged }: Fix["proof"]): readonly string[] => [
  ...flowsChanged
    .slice(0, MAX_CHANGES)
    .map((f) => `    ${printable(f.from)} to ${printable(f.to)}, ${f.proto}: ${printable(say(f.detail))}`),
  ...(flowsChanged.length > MAX_CHANGES ? [`    and ${flowsChanged.length - MAX_CHANGES} more`] : []),
];
