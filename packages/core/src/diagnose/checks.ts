import type { ClaimedCause } from "../explain/index.ts";
import type { DecisiveFact, Judgement } from "../trace/index.ts";

/** Where the walk leaves it open and no open fact decides, what would settle the suspected causes does. */
export function withChecks(judgement: Judgement, causes: readonly ClaimedCause[]): Judgement {
  if (judgement.verdict !== "undetermined" || judgement.decisiveFacts.length > 0) return judgement;
  const facts = causes.flatMap(({ code, stack, check }): DecisiveFact[] =>
    check === undefined
      ? []
      : [{ fact: `${stack}/check/${code}`, text: check.text, command: check.command, outcomes: [] }],
  );
  const once = facts.filter((f, i) => facts.findIndex((o) => o.command === f.command) === i);
  return { ...judgement, decisiveFacts: once };
}
