import { originsOf, packetName, packetText, type Quote, stepText } from "@hairpin/core/diagnose/index.ts";
import { type Lang, originText, say, sayDecision } from "@hairpin/core/messages/index.ts";
import { linesOf, type Origin, type Packet, type Step, type World } from "@hairpin/core/model/index.ts";
import { type Branch, type Disposition, decisiveLeg, type Leg, legsOf } from "@hairpin/core/trace/index.ts";
import { isChosen, type Row, rowsOf } from "./rows.ts";
import { lookedUp, type Meeting, type Reason, whyMatched } from "./why.ts";

export interface QuotedLine {
  readonly file: string;
  readonly line: number;
  readonly text: string | undefined;
}

/** A step of a walk as it is shown: what happened, to which packet, by which lines. */
export interface StepView {
  readonly id: string;
  readonly stack: string;
  readonly type: Step["kind"];
  /** What kind of step it is, in a word. */
  readonly kind: string;
  readonly text: string;
  /** How the packet looked before, where the step changed it. */
  readonly before: string | undefined;
  readonly packet: string;
  readonly mark: string | undefined;
  readonly lines: readonly QuotedLine[];
  /** By which rules the rest was derived or assumed. */
  readonly unread: readonly string[];
  /** For a rule that matched: what it asks for, and what the packet has. */
  readonly why: readonly Reason[];
  /** For a decision of the routing code: the key it was asked with. */
  readonly lookedUp: string | undefined;
  readonly death: boolean;
}

export interface LegView {
  readonly id: string;
  readonly what: string;
  readonly direction: "request" | "reply";
  readonly disposition: Disposition;
  readonly drop: string | null;
  readonly decision: string;
  readonly packet: string;
  readonly steps: readonly StepView[];
  readonly rows: readonly Row[];
  /** The leg that decides the fate of its branch. */
  readonly decisive: boolean;
}

export interface BranchView {
  readonly id: string;
  readonly share: number;
  readonly works: boolean;
  readonly clientSees: Branch["clientSees"];
  readonly hypothesis: readonly (readonly [string, readonly string[]])[];
  readonly chances: readonly { readonly what: string; readonly label: string }[];
  readonly legs: readonly LegView[];
}

export function branchView(branch: Branch, index: number, quote: Quote, world: World, lang: Lang): BranchView {
  const decisive = decisiveLeg(branch);
  const legs = legsOf(branch);
  return {
    id: `b${index}`,
    share: branch.share,
    works: branch.clientSees === "connected",
    clientSees: branch.clientSees,
    hypothesis: [...branch.hypothesis],
    chances: branch.chances,
    legs: legs.map((leg, i) =>
      legView(leg, `b${index}-l${i}`, sameWay(leg, branch.request), leg === decisive, { quote, world, lang }),
    ),
  };
}

/** Data goes both ways: with the request's addresses it goes the request's way. */
function sameWay(leg: Leg, request: Leg): boolean {
  const [a, b] = [sent(leg), sent(request)];
  return leg === request || (a.src === b.src && a.dst === b.dst);
}

const sent = (leg: Leg): Packet => (leg.steps.find((s) => s.kind === "send") ?? leg.steps[0])?.packet ?? leg.final;

/** What a view is made with. */
interface Telling {
  readonly quote: Quote;
  readonly world: World;
  readonly lang: Lang;
}

function legView(leg: Leg, id: string, request: boolean, decisive: boolean, telling: Telling): LegView {
  const steps = leg.steps.map((_, i) => stepView(leg.steps, i, `${id}-s${i}`, telling));
  return {
    id,
    what: say(packetName(leg.what), telling.lang),
    direction: request ? "request" : "reply",
    disposition: leg.disposition,
    drop: leg.disposition === "undetermined" ? sayDecision(leg.decision, telling.lang) : leg.drop,
    decision: sayDecision(leg.decision, telling.lang),
    packet: packetText(sent(leg)),
    steps,
    rows: rowsOf(leg, id, telling.lang),
    decisive,
  };
}

const markOf = (step: Step): number | undefined => ("mark" in step ? step.mark : undefined);

function stepView(steps: readonly Step[], index: number, id: string, { quote, world, lang }: Telling): StepView {
  const step = steps[index]!;
  const previous = steps[index - 1];
  const before = "before" in step ? step.before : previous?.packet;
  const packet = packetText(step.packet);
  const was = before === undefined || !isChosen(before) ? packet : packetText(before);
  const mark = markOf(step);
  const origins = originsOf(step);
  return {
    id,
    stack: step.stack,
    type: step.kind,
    ...stepText(step, lang),
    before: was === packet ? undefined : was,
    packet,
    mark: mark === undefined || mark === 0 ? undefined : `0x${mark.toString(16)}`,
    lines: quotedLines(origins, quote),
    unread: [...new Set(origins.flatMap((o) => unreadOf(o, lang)))],
    why: step.kind === "rule" ? whyMatched(step, meetingOf(steps, index), world) : [],
    lookedUp: lookedUp(step, before),
    death: step.kind === "drop",
  };
}

/** How the packet came to a rule: as the step before left it, in the hook that was entered last. */
function meetingOf(steps: readonly Step[], index: number): Meeting {
  // Not a copy of what was before: a leg may have a hundred thousand steps.
  let at = index - 1;
  while (at >= 0 && steps[at]!.kind !== "hook") at--;
  const hook = steps[at];
  let marked = index - 1;
  while (marked >= 0 && !("mark" in steps[marked]!)) marked--;
  return {
    packet: (steps[index - 1] ?? steps[index]!).packet,
    hook: hook?.kind === "hook" ? hook : undefined,
    mark: marked < 0 ? 0 : (markOf(steps[marked]!) ?? 0),
  };
}

export function quotedLines(origins: readonly Origin[], quote: Quote): readonly QuotedLine[] {
  const lines = new Map(origins.flatMap(linesOf).map((o) => [`${o.file}:${o.line}`, o]));
  return [...lines.values()].map(({ file, line }) => ({ file, line, text: quote(file, line)?.trim() }));
}

function unreadOf(origin: Origin, lang: Lang): readonly string[] {
  if (origin.kind === "read") return [];
  const from = origin.kind === "derived" ? origin.from : [];
  return [originText(origin, lang), ...from.flatMap((o) => unreadOf(o, lang))];
}
