import {
  assumptionLines,
  assumptionsOf,
  originsOf,
  packetText,
  type Quote,
  quotes,
  stepText,
} from "@hairpin/core/diagnose/index.ts";
import {
  type Branch,
  decisiveLeg,
  type Exploration,
  type Leg,
  Namer,
  type Names,
  namesOf,
} from "@hairpin/core/trace/index.ts";

export interface TraceTextOptions {
  readonly quote: Quote;
  /** Makes text safe for a terminal: dumps are hostile. */
  readonly clean: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly good: (text: string) => string;
}

const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`;

/** The whole walk for people: one line a step, the rule it came from below it. */
export function traceText(exploration: Exploration, options: TraceTextOptions): string {
  const { branches } = exploration;
  const names = namesOf(exploration.world);
  const parts = branches.map((branch, i) => branchText(branch, i, branches.length, names, options));
  const assumptions = assumptionLines(assumptionsOf(branches));
  if (assumptions.length > 0) {
    parts.push([options.bold("Assumed"), ...assumptions.map((a) => `  - ${options.clean(a)}`)].join("\n"));
  }
  if (exploration.overflow) parts.push("More open facts than are walked: the answer is undetermined.");
  return `${parts.join("\n\n")}\n`;
}

function branchText(branch: Branch, index: number, count: number, names: Names, o: TraceTextOptions): string {
  const facts = [...branch.hypothesis].map(([id, values]) => `${id} = ${values.join(" or ")}`);
  const head = count === 1 ? "The walk" : `Branch ${index + 1} of ${count}, share ${percent(branch.share)}`;
  const lines = [o.bold(head)];
  for (const fact of facts) lines.push(`  if ${o.clean(fact)}`);
  const legs = [branch.request, ...(branch.reply === null ? [] : [branch.reply]), ...branch.data];
  for (const leg of legs) lines.push("", ...legText(leg, names, o));
  const decisive = decisiveLeg(branch);
  const fine = decisive.disposition === "delivered" || decisive.disposition === "forwarded";
  const end = `${decisive.what}: ${decisive.disposition} at ${decisive.stack}, ${decisive.step}${decisive.drop === null ? "" : ` (${decisive.drop})`}`;
  lines.push("", (fine ? o.good : o.bad)(o.clean(end)));
  if (branch.clientSees !== null) lines.push(`The client sees: ${branch.clientSees}`);
  return lines.join("\n");
}

/** Names stand beside the addresses where they first come up in a leg. */
function legText(leg: Leg, names: Names, o: TraceTextOptions): readonly string[] {
  const namer = new Namer(names);
  const width = Math.min(24, Math.max(4, ...leg.steps.map((s) => s.stack.length)));
  const first = leg.steps[0]?.packet ?? leg.final;
  const lines = [o.bold(o.clean(namer.line(`${leg.what}  ${packetText(first)}`, first.protocol)))];
  for (const step of leg.steps) {
    const { kind, text } = stepText(step);
    const line = `  ${step.stack.padEnd(width)}  ${kind.padEnd(16)} ${namer.line(text, step.packet.protocol)}`;
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
  if (leg.disposition === "undetermined") {
    lines.push(o.bad(o.clean(`  undetermined: ${leg.decision}`)));
    for (const q of quotes(leg.origins, o.quote)) lines.push(o.dim(o.clean(`    ${q}`)));
  }
  return lines;
}
