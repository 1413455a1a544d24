import { groundId } from "../../model/index.ts";
import type { Branch, ConsultedFact } from "./branch.ts";
import { fateKey } from "./fate.ts";
import { allOf, anyOf } from "./source-ports.ts";

/**
 * Branches of equal fate become one: those that differ in one fact's value only (the fact did not matter, or several
 * values lead to the same), and those that differ in chance only (their shares add up).
 */
export function mergeBranches(
  branches: readonly Branch[],
  facts: ReadonlyMap<string, ConsultedFact>,
): readonly Branch[] {
  const numbers = new Numbers();
  const fates = new Map(branches.map((b) => [b, numbers.of(fateKey(b))]));
  const byPath = mergeFacts(
    branches.map((b) =>
      entryOf(b, fates.get(b)!, `${b.chances.map((c) => `${c.what}=${c.label}`).join("\n")}`, numbers),
    ),
    facts,
    numbers,
  );
  const groups = new Map<string, Entry[]>();
  for (const entry of byPath) {
    const key = `${entry.fate} ${hypothesisKey(entry.branch)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  const merged = [...groups.values()].map((group) => {
    const branches = group.map((e) => e.branch);
    const share = branches.reduce((sum, b) => sum + b.share, 0);
    return {
      fate: group[0]!.fate,
      branch: {
        ...branches[0]!,
        share,
        ...restingOn(branches),
        sourcePorts: anyOf(branches.map((b) => b.sourcePorts)),
      },
    };
  });
  const byShare = merged.map((e) => entryOf(e.branch, e.fate, e.branch.share.toFixed(9), numbers));
  return mergeFacts(byShare, facts, numbers).map((e) => e.branch);
}

/** Branches that are shown where there were too many to walk them all. */
const SHOWN = 16;

/** Where not all could be walked, nothing follows from those that were: some, of different fate, for people to look at. */
export function someOf(branches: readonly Branch[]): readonly Branch[] {
  const some = new Map<string, Branch>();
  for (const branch of branches) {
    const fate = fateKey(branch);
    if (!some.has(fate)) some.set(fate, branch);
    if (some.size >= SHOWN) break;
  }
  return [...some.values()];
}

/** Whatever any of them took for granted. */
const restingOn = (branches: readonly Branch[]): Pick<Branch, "assumptions" | "grounds"> => ({
  assumptions: onceEach(
    branches.map((b) => b.assumptions),
    (a) => a.id,
  ),
  grounds: onceEach(
    branches.map((b) => b.grounds),
    groundId,
  ),
});

/** By what each is called; the last of a name in the place of the first. */
function onceEach<T>(lists: readonly (readonly T[])[], nameOf: (one: T) => string): readonly T[] {
  const named = new Map<string, T>();
  let count = 0;
  for (const list of lists)
    for (const one of list) {
      named.set(nameOf(one), one);
      count++;
    }
  return lists.length === 1 && named.size === count ? lists[0]! : [...named.values()];
}

const valuesKey = (values: readonly string[]): string => [...values].sort().join("|");

const hypothesisKey = (b: Branch): string =>
  [...b.hypothesis]
    .map(([id, values]) => `${id}=${valuesKey(values)}`)
    .sort()
    .join("\n");

/** One number for each text. */
class Numbers {
  readonly #known = new Map<string, number>();
  of(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.#known.set(text, this.#known.size);
    return this.#known.size - 1;
  }
}

/** A branch, and in numbers what it is compared by: strings of hundreds of facts cost more than the walks did. */
interface Entry {
  branch: Branch;
  readonly fate: number;
  /** Fate, and what else has to be equal. */
  readonly same: number;
  /** What stands for each fact's values, and a sum over them that does not depend on their order. */
  readonly values: ReadonlyMap<string, number>;
  readonly sum: number;
}

/** Spread over 32 bits, so that sums of different sets are seldom equal; those that are, are compared. */
const spread = (n: number): number => Math.imul(n + 1, 0x9e3779b1) ^ ((n + 1) << 13);

function entryOf(branch: Branch, fate: number, same: string, numbers: Numbers): Entry {
  const values = new Map<string, number>();
  let sum = 0;
  for (const [id, given] of branch.hypothesis) {
    const n = numbers.of(`${id}=${valuesKey(given)}`);
    values.set(id, n);
    sum = (sum + spread(n)) | 0;
  }
  return { branch, fate, same: numbers.of(`${fate} ${same}`), values, sum };
}

/** Whether two agree in all facts but one. */
function alikeBut(a: Entry, b: Entry, fact: string): boolean {
  if (a.values.size !== b.values.size) return false;
  for (const [id, n] of a.values) if (id !== fact && b.values.get(id) !== n) return false;
  return true;
}

/** Joins branches that agree in `same` and in all facts but one; a fact of which every value is covered falls away. */
function mergeFacts(
  entries: readonly Entry[],
  facts: ReadonlyMap<string, ConsultedFact>,
  numbers: Numbers,
): readonly Entry[] {
  let current = entries;
  for (const fact of facts.values()) {
    const groups = new Map<string, Entry[][]>();
    const all: Entry[][] = [];
    const untouched: Entry[] = [];
    for (const entry of current) {
      const own = entry.values.get(fact.id);
      if (own === undefined) {
        untouched.push(entry);
        continue;
      }
      const key = `${entry.same} ${entry.values.size} ${(entry.sum - spread(own)) | 0}`;
      const near = groups.get(key) ?? [];
      const group = near.find((g) => alikeBut(g[0]!, entry, fact.id));
      if (group !== undefined) group.push(entry);
      else {
        const fresh = [entry];
        near.push(fresh);
        all.push(fresh);
        groups.set(key, near);
      }
    }
    current = [...all.map((group) => joined(group, fact, numbers)), ...untouched];
  }
  return current;
}

function joined(group: readonly Entry[], fact: ConsultedFact, numbers: Numbers): Entry {
  const first = group[0]!;
  if (group.length === 1 && fact.values.length > 1) return first;
  const covered = [...new Set(group.flatMap((e) => e.branch.hypothesis.get(fact.id) ?? []))];
  const hypothesis = new Map(first.branch.hypothesis);
  const values = new Map(first.values);
  let sum = (first.sum - spread(first.values.get(fact.id)!)) | 0;
  if (covered.length === fact.values.length) {
    hypothesis.delete(fact.id);
    values.delete(fact.id);
  } else {
    hypothesis.set(fact.id, covered);
    const n = numbers.of(`${fact.id}=${valuesKey(covered)}`);
    values.set(fact.id, n);
    sum = (sum + spread(n)) | 0;
  }
  const rests = restingOn(group.map((e) => e.branch));
  const sourcePorts = allOf(group.map((e) => e.branch.sourcePorts));
  return { ...first, branch: { ...first.branch, hypothesis, ...rests, sourcePorts }, values, sum };
}
