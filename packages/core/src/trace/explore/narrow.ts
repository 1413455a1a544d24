import type { Hypothesis } from "../judge/verdict.ts";
import type { Exploration } from "./branch.ts";

/** What is left of an exploration when only some hypotheses are, and the facts that have fewer values by it. */
export interface Narrowed {
  readonly exploration: Exploration;
  readonly facts: ReadonlyMap<string, readonly string[]>;
}

export function narrow(exploration: Exploration, left: readonly Hypothesis[]): Narrowed {
  const facts = exploration.facts.map((f) => ({
    ...f,
    values: f.values.filter((v) => left.some((h) => h.assignment.get(f.id) === v)),
  }));
  const fewer = exploration.facts.flatMap((f, i) => {
    const { values } = facts[i]!;
    return values.length < f.values.length ? [[f.id, values] as const] : [];
  });
  const branches = exploration.branches.filter((b) =>
    [...b.hypothesis].every(([id, values]) => facts.find((f) => f.id === id)?.values.some((v) => values.includes(v))),
  );
  return { exploration: { ...exploration, facts, branches }, facts: new Map(fewer) };
}
