import { type Askable, causesOf, cautious, groundCommand, verdictOf } from "../diagnose/index.ts";
import { type ClaimedCause, explain } from "../explain/index.ts";
import { factCommand, type Text } from "../messages/index.ts";
import { groundId, linesOf, type World } from "../model/index.ts";
import { Cures, cureOf, type Part } from "../remedy/index.ts";
import {
  type ClientSees,
  type Exploration,
  groundsOf,
  type Judgement,
  judge,
  type Question,
  type Verdict,
} from "../trace/index.ts";
import type { FlowQuestion } from "./flow.ts";

/** A cause as a class of flows names it. */
export interface CauseRef {
  readonly code: string;
  readonly certainty: string;
  readonly stack: string;
  /** In words: of a sweep that was read from what another printed, English. */
  readonly summary: Text | string;
  /** The lines it rests on, the first few. */
  readonly evidence: readonly { readonly file: string; readonly line: number }[];
}

/** A fact that would decide it, and the command that reads it. */
export interface OpenFact {
  readonly fact: string;
  readonly command: string | null;
}

export interface FixRef {
  readonly code: string;
  /** As a cause's. */
  readonly summary: Text | string;
  readonly commands: readonly string[];
  /** Whom of the example the commands speak of: others of its class, who differ in that, need them with other names. */
  readonly names: readonly Part[];
}

/** What `diagnose` says of a flow, in short. */
export interface Answer {
  readonly verdict: Verdict;
  readonly clientSees: ClientSees | null;
  readonly leaning: "reachable" | null;
  readonly causes: readonly CauseRef[];
  readonly facts: readonly OpenFact[];
  readonly fix: FixRef | null;
}

/** Facts named for one class: the first decide it. */
const MAX_FACTS = 8;

const MAX_LINES = 3;

const refOf = ({ code, certainty, stack, summary, evidence }: ClaimedCause): CauseRef => ({
  code,
  certainty,
  stack,
  summary,
  evidence: evidence
    .flatMap(linesOf)
    .slice(0, MAX_LINES)
    .map(({ file, line }) => ({ file, line })),
});

/** What it comes to, and all it was made of. */
export interface Inspected {
  readonly question: Question | undefined;
  readonly exploration: Exploration;
  readonly verdict: Judgement;
  readonly causes: () => readonly ClaimedCause[];
}

/**
 * As `diagnose` comes to it. In a World other than the one that was read, what was observed says nothing: the walk alone speaks there.
 */
export function inspect(askable: Askable, asked: FlowQuestion, world: World = askable.world): Inspected {
  if (world === askable.world) {
    const judged = verdictOf(askable, asked);
    const { inquiry, verdict, decisiveFacts } = judged;
    const open = { ...verdict, decisiveFacts: [...verdict.decisiveFacts, ...decisiveFacts] };
    return {
      question: inquiry.question,
      exploration: inquiry.exploration,
      verdict: open,
      causes: () => causesOf(judged),
    };
  }
  const { question, exploration } = askable.ask(asked, world);
  const walked = judge(exploration);
  const causes = () => (question === undefined ? [] : explain(question, exploration, walked));
  return { question, exploration, verdict: cautious(walked, exploration), causes };
}

/** The verdict and why. */
export function findingsOf(inspected: Inspected): Omit<Answer, "fix"> {
  const { verdict: word, clientSees, leaning = null } = inspected.verdict;
  return {
    verdict: word,
    clientSees,
    leaning,
    causes: word === "reachable" ? [] : inspected.causes().map(refOf),
    facts: word === "undetermined" ? openFacts(inspected) : [],
  };
}

/** The same, and what would cure it; what its fixes do to other flows is not walked. `cures`: of flows to the same. */
export function answerOf(inspected: Inspected, world: World, cures: Cures = new Cures()): Answer {
  const { question, exploration } = inspected;
  const found = findingsOf(inspected);
  const { verdict, causes } = found;
  const why = JSON.stringify([verdict, causes.map((c) => [c.code, c.certainty, c.stack])]);
  const isCurable = (verdict === "unreachable" || verdict === "intermittent") && question !== undefined;
  return { ...found, fix: isCurable ? cureOf(world, question, exploration, cures, why) : null };
}

function openFacts({ question, exploration, verdict }: Inspected): readonly OpenFact[] {
  const facts = new Map<string, OpenFact>();
  for (const { fact } of verdict.decisiveFacts) facts.set(fact, { fact, command: factCommand(fact) });
  if (question !== undefined)
    for (const ground of groundsOf(exploration)) {
      const fact = groundId(ground);
      facts.set(fact, { fact, command: groundCommand(ground, question, exploration.world) });
    }
  return [...facts.values()].slice(0, MAX_FACTS);
}
