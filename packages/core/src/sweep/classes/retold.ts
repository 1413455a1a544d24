import type { Answer } from "../answer.ts";
import type { Flow } from "../plan.ts";

/** By the names of those who take part in one flow, those who have their parts in another. */
export interface Others {
  /** `NAMESPACE/NAME`, of the one; of nobody that is called so anything can be told. */
  readonly services: readonly string[];
  readonly addresses: ReadonlyMap<string, string>;
  readonly stacks: ReadonlyMap<string, string>;
}

const ADDRESS = /\d{1,3}(?:\.\d{1,3}){3}/g;

/** An answer with the names of others; undefined: it says something of which that is not known. */
export function retold(
  answer: Answer,
  { services, addresses, stacks }: Others,
  { target }: Pick<Flow, "target">,
): Answer | undefined {
  if (answer.verdict === "reachable") return answer;
  if (target.family !== 4) return undefined;
  const renamed = (text: string): string | undefined => {
    if (services.some((name) => text.includes(name))) return undefined;
    const [first = "", ...rest] = text.split("/");
    const there = [stacks.get(first) ?? first, ...rest].join("/");
    // A name of one of them anywhere else would have to be told from a word.
    for (const [name, other] of stacks) if (name !== other && rest.join("/").includes(name)) return undefined;
    return there.replace(ADDRESS, (a) => addresses.get(a) ?? a);
  };
  const facts = answer.facts.map(({ fact, command }) => {
    const told = command === null ? null : renamed(command);
    const called = renamed(fact);
    return called === undefined || told === undefined ? undefined : { fact: called, command: told };
  });
  return facts.some((f) => f === undefined) ? undefined : { ...answer, facts: facts.map((f) => f!) };
}
