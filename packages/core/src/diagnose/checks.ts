import type { ClaimedCause } from "../explain/index.ts";
import { factCommand, factText, type Text } from "../messages/index.ts";
import type { DecisiveFact, Judgement } from "../trace/index.ts";

/** What would decide it, said, and the command that reads it. */
export interface OpenQuestion extends DecisiveFact {
  readonly text: Text;
  readonly command: string | null;
}

export interface JudgementText extends Judgement {
  readonly decisiveFacts: readonly OpenQuestion[];
}

/** Where the walk leaves it open and no open fact decides, what would settle the suspected causes does. */
export function withChecks(judgement: Judgement, causes: readonly ClaimedCause[]): JudgementText {
  if (judgement.verdict !== "undetermined" || judgement.decisiveFacts.length > 0) return judgementText(judgement);
  const facts = causes.flatMap(({ code, stack, check }): OpenQuestion[] =>
    check === undefined
      ? []
      : [{ fact: `${stack}/check/${code}`, text: check.text, command: check.command, outcomes: [] }],
  );
  const once = facts.filter((f, i) => facts.findIndex((o) => o.command === f.command) === i);
  return { ...judgement, decisiveFacts: once };
}

/** What the walk leaves open, said. */
export const judgementText = (judgement: Judgement): JudgementText => ({
  ...judgement,
  decisiveFacts: judgement.decisiveFacts.map(openQuestion),
});

const openQuestion = ({ fact, outcomes }: DecisiveFact): OpenQuestion => ({
  fact,
  text: factText(fact),
  command: factCommand(fact),
  outcomes,
});
