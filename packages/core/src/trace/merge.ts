import { type Ground, groundId, type Packet, portKey } from "../model/index.ts";
import { formatAddress } from "../net/index.ts";
import type { Branch, ConsultedFact, Leg } from "./branch.ts";

/**
 * Branches of equal fate become one: those that differ in one fact's value only (the fact did not matter, or several
 * values lead to the same), and those that differ in chance only (their shares add up).
 */
export function mergeBranches(
  branches: readonly Branch[],
  facts: ReadonlyMap<string, ConsultedFact>,
): readonly Branch[] {
  const byPath = mergeFacts(
    branches,
    facts,
    (b) => `${fateOf(b)}\n${b.chances.map((c) => `${c.what}=${c.label}`).join("\n")}`,
  );
  const merged = new Map<string, Branch>();
  for (const branch of byPath) {
    const key = `${fateOf(branch)}\n${hypothesisKey(branch)}`;
    const same = merged.get(key);
    merged.set(
      key,
      same === undefined ? branch : { ...same, share: same.share + branch.share, ...restingOn([same, branch]) },
    );
  }
  return mergeFacts([...merged.values()], facts, (b) => `${fateOf(b)}\n${b.share.toFixed(9)}`);
}

/** Branches that are shown where there were too many to walk them all. */
const SHOWN = 16;

/** Where not all could be walked, nothing follows from those that were: some, of different fate, for people to look at. */
export function someOf(branches: readonly Branch[]): readonly Branch[] {
  const some = new Map<string, Branch>();
  for (const branch of branches) {
    const fate = fateOf(branch);
    if (!some.has(fate)) some.set(fate, branch);
    if (some.size >= SHOWN) break;
  }
  return [...some.values()];
}

/** Whatever any of them took for granted. */
const restingOn = (branches: readonly Branch[]): Pick<Branch, "assumptions" | "grounds"> => ({
  assumptions: [...new Map(branches.flatMap((b) => b.assumptions.map((a) => [a.id, a] as const))).values()],
  grounds: [...new Map(branches.flatMap((b) => b.grounds.map((g): [string, Ground] => [groundId(g), g]))).values()],
});

const hypothesisKey = (b: Branch): string =>
  [...b.hypothesis]
    .map(([id, values]) => `${id}=${[...values].sort().join("|")}`)
    .sort()
    .join("\n");

/** Joins branches that agree in `same` and in all facts but one; a fact of which every value is covered falls away. */
function mergeFacts(
  branches: readonly Branch[],
  facts: ReadonlyMap<string, ConsultedFact>,
  same: (b: Branch) => string,
): readonly Branch[] {
  let current = [...branches];
  for (const fact of facts.values()) {
    const groups = new Map<string, Branch[]>();
    const untouched: Branch[] = [];
    for (const branch of current) {
      if (!branch.hypothesis.has(fact.id)) {
        untouched.push(branch);
        continue;
      }
      const rest = new Map(branch.hypothesis);
      rest.delete(fact.id);
      const key = `${same(branch)}\n${hypothesisKey({ ...branch, hypothesis: rest })}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [branch]);
      else group.push(branch);
    }
    const joined = [...groups.values()].map((group) => {
      const values = [...new Set(group.flatMap((b) => b.hypothesis.get(fact.id) ?? []))];
      const hypothesis = new Map(group[0]!.hypothesis);
      if (values.length === fact.values.length) hypothesis.delete(fact.id);
      else hypothesis.set(fact.id, values);
      return { ...group[0]!, hypothesis, ...restingOn(group) };
    });
    current = [...joined, ...untouched];
  }
  return current;
}

const packetKey = (p: Packet): string =>
  `${p.protocol} ${formatAddress(p.src)} ${typeof p.sport === "number" ? p.sport : "*"} ${formatAddress(p.dst)} ${portKey(p.dport)}`;

const legKey = (l: Leg | null): string =>
  l === null
    ? "-"
    : [
        l.what,
        l.disposition,
        l.stack,
        l.step,
        l.drop ?? "",
        JSON.stringify(l.decision),
        packetKey(l.final),
        l.masqueraded,
        l.origins.map((o) => (o.kind === "read" ? `${o.file}:${o.line}` : o.rule)).join(","),
      ].join(" ");

const fateOf = (b: Branch): string => [b.request, b.reply, ...b.data].map(legKey).join("\n") + String(b.clientSees);
