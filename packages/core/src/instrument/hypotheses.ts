import { type Branch, decisiveLeg, type Exploration, type Verdict } from "../trace/index.ts";

/** More combinations of open facts than this are not told apart. */
const MAX = 256;

/** One way the open facts may be, and the branches chance makes of it. */
export interface Hypothesis {
  readonly values: ReadonlyMap<string, string>;
  readonly branches: readonly Branch[];
  readonly verdict: Verdict;
  /** What becomes of the packet in short: equal texts need not be told apart. */
  readonly fate: string;
}

/** Every combination of the open facts that some branch lives under. Undefined where there are too many. */
export function hypothesesOf(exploration: Exploration): readonly Hypothesis[] | undefined {
  let combinations: ReadonlyMap<string, string>[] = [new Map()];
  for (const fact of exploration.facts) {
    combinations = combinations.flatMap((c) => fact.values.map((v) => new Map(c).set(fact.id, v)));
    if (combinations.length > MAX) return undefined;
  }
  return combinations.flatMap((values) => {
    const branches = exploration.branches.filter((b) =>
      [...b.hypothesis].every(([id, allowed]) => allowed.includes(values.get(id) ?? "")),
    );
    return branches.length === 0 ? [] : [{ values, branches, verdict: verdictOf(branches), fate: fateOf(branches) }];
  });
}

function verdictOf(branches: readonly Branch[]): Verdict {
  if (branches.some((b) => decisiveLeg(b).disposition === "undetermined")) return "undetermined";
  const works = branches.filter((b) => b.clientSees === "connected").length;
  return works === branches.length ? "reachable" : works === 0 ? "unreachable" : "intermittent";
}

const fateOf = (branches: readonly Branch[]): string =>
  branches
    .map((b) => {
      const leg = decisiveLeg(b);
      return `${b.clientSees} ${leg.what} ${leg.disposition} ${leg.stack} ${leg.step} ${leg.drop}`;
    })
    .sort()
    .join("; ");
