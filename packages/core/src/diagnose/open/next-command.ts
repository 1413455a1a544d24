import type { ClaimedCause } from "../../explain/index.ts";
import { type Text, text } from "../../messages/index.ts";
import { parseFactId, type World } from "../../model/index.ts";
import { shell } from "../../model/shell.ts";
import type { JudgementText, OpenQuestion } from "../checks.ts";
import type { Explanations } from "./explanations.ts";
import type { RestsOn } from "./rests-on.ts";

/** The one thing to run first where the answer is open. */
export interface NextCommand {
  readonly command: string;
  /** On which machine; absent: anywhere, or there is only one. */
  readonly node?: string;
  /** What it settles. */
  readonly settles: Text;
}

export interface OpenAnswer {
  readonly judgement: JudgementText;
  readonly causes: readonly ClaimedCause[];
  readonly restsOn: readonly RestsOn[];
  readonly explanations: Explanations | null;
  readonly world: World;
}

/**
 * What confirms the likeliest cause; else what tells apart the things that would explain what the client sees; else what an open fact hangs on; else what
 * the walk most doubtfully rests on. An answer that is open is never a dead end: with nothing of these, a whole dump of what is on the way.
 */
export function nextCommand(answer: OpenAnswer): NextCommand | null {
  const { judgement, causes, restsOn, explanations, world } = answer;
  if (judgement.verdict !== "undetermined") return null;
  const [cause] = causes;
  if (cause?.check !== undefined)
    return at(world, cause.stack, { command: cause.check.command, settles: cause.check.text });
  const splits = explanations === null ? undefined : restsOn.find((r) => isSame(r, explanations));
  const fact = judgement.decisiveFacts.find((f) => f.command !== null);
  if (splits === undefined && fact !== undefined) return ofFact(world, fact);
  const rests = splits ?? restsOn[0];
  if (rests !== undefined) return at(world, rests.node, { command: rests.command, settles: rests.fact });
  const [node] = shownNodes(world);
  return {
    command: node === undefined ? "hairpin collect" : shell`hairpin collect --ssh ${node}`,
    settles: text("next.collect"),
  };
}

const isSame = (r: RestsOn, { command, node }: Explanations): boolean => r.command === command && r.node === node;

const ofFact = (world: World, { fact, command, text: settles }: OpenQuestion): NextCommand => {
  const parsed = parseFactId(fact);
  const stack = "stack" in parsed && typeof parsed.stack === "string" ? parsed.stack : undefined;
  return at(world, stack, { command: command ?? "", settles });
};

const shownNodes = ({ stacks }: World): readonly string[] =>
  stacks.filter((s) => s.assumed === undefined).map((s) => s.name);

/** A machine is named where there are several, and kubectl runs on any. */
function at(world: World, stack: string | undefined, step: NextCommand): NextCommand {
  const shown = shownNodes(world);
  const needless =
    stack === undefined || shown.length < 2 || !shown.includes(stack) || step.command.startsWith("kubectl ");
  return needless ? step : { ...step, node: stack };
}

/** As a line for people. */
export const nextText = ({ command, node }: NextCommand): Text =>
  node === undefined ? text("next.run", { command }) : text("next.run-on", { command, node });
