import {
  assumptionLines,
  assumptionsOf,
  Namer,
  type Names,
  namesOf,
  originsOf,
  packetName,
  packetText,
  placeText,
  type Quote,
  quotes,
  seesText,
  stepText,
} from "@hairpin/core/diagnose/index.ts";
import { decisionText, dropName, type Lang, percent, say, type Text, text } from "@hairpin/core/messages/index.ts";
import { append, largest } from "@hairpin/core/net/append.ts";
import { type Branch, decisiveLeg, type Exploration, type Leg, legsOf, shorten } from "@hairpin/core/trace/index.ts";
import { columns } from "./layout.ts";

export interface TraceTextOptions {
  readonly quote: Quote;
  readonly lang: Lang;
  /** Makes text safe for a terminal: dumps are hostile. */
  readonly clean: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly good: (text: string) => string;
}

const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - columns(text)));
/** The whole walk for people: one line a step, the rule it came from below it. */
export function traceText(exploration: Exploration, options: TraceTextOptions): string {
  const { branches, leftOut } = shorten(exploration.branches);
  const count = branches.length + leftOut;
  const names = namesOf(exploration.world);
  const parts = branches.map((branch, i) => branchText(branch, i, count, names, options));
  if (leftOut > 0) parts.push(say(text("walk.branches-left-out", { count: leftOut }), options.lang));
  const assumptions = assumptionLines(assumptionsOf(branches), options.lang);
  if (assumptions.length > 0) {
    parts.push(
      [
        options.bold(say(text("terminal.assumed"), options.lang)),
        ...assumptions.map((a) => `  - ${options.clean(a)}`),
      ].join("\n"),
    );
  }
  return `${parts.join("\n\n")}\n`;
}

function branchText(branch: Branch, index: number, count: number, names: Names, o: TraceTextOptions): string {
  const t = (of: Text): string => say(of, o.lang);
  const head =
    count === 1 ? text("walk.head") : text("walk.branch", { number: index + 1, count, share: percent(branch.share) });
  const lines = [o.bold(t(head))];
  for (const [fact, values] of branch.hypothesis)
    lines.push(`  ${o.clean(t(text("walk.if", { fact, values: values.join(t(text("walk.or"))) })))}`);
  const legs = legsOf(branch);
  for (const leg of legs) append(lines, ["", ...legText(leg, names, o)]);
  const decisive = decisiveLeg(branch);
  const fine = decisive.disposition === "delivered" || decisive.disposition === "forwarded";
  const why = dropName(decisive);
  const place = {
    what: packetName(decisive.what),
    disposition: text(`report.${decisive.disposition}`),
    stack: decisive.stack,
    step: placeText(decisive.step),
  };
  const end = why === null ? text("walk.end", place) : text("walk.end-why", { ...place, why });
  lines.push("", (fine ? o.good : o.bad)(o.clean(t(end))));
  if (branch.clientSees !== null) lines.push(t(text("walk.client-sees", { what: seesText(branch.clientSees) })));
  return lines.join("\n");
}

/** Names stand beside the addresses where they first come up in a leg. */
function legText(leg: Leg, names: Names, o: TraceTextOptions): readonly string[] {
  const namer = new Namer(names, o.lang);
  const width = Math.min(
    24,
    largest(
      4,
      leg.steps.map((s) => s.stack.length),
    ),
  );
  const first = leg.steps[0]?.packet ?? leg.final;
  const lines = [
    o.bold(o.clean(namer.line(`${say(packetName(leg.what), o.lang)}  ${packetText(first)}`, first.protocol))),
  ];
  for (const step of leg.steps) {
    const { kind, text: what } = stepText(step, o.lang);
    const line = `  ${step.stack.padEnd(width)}  ${padded(kind, 16)} ${namer.line(what, step.packet.protocol)}`;
    lines.push(step.kind === "drop" ? o.bad(o.clean(line)) : o.clean(line));
    if (
      step.kind === "drop" ||
      step.kind === "rule" ||
      step.kind === "source validation" ||
      step.kind === "ipvs" ||
      step.kind === "route"
    ) {
      for (const q of quotes(originsOf(step), o.quote))
        lines.push(o.dim(o.clean(`  ${" ".repeat(width)}  ${" ".repeat(16)}   ${q}`)));
    }
  }
  if (leg.leftOut !== undefined)
    lines.push(o.dim(`  ${say(text("walk.steps-left-out", { count: leg.leftOut }), o.lang)}`));
  if (leg.disposition === "undetermined") {
    lines.push(o.bad(o.clean(`  ${say(text("walk.undetermined", { why: decisionText(leg.decision) }), o.lang)}`)));
    for (const q of quotes(leg.origins, o.quote)) lines.push(o.dim(o.clean(`    ${q}`)));
  }
  return lines;
}
