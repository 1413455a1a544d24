import type { ObservedLogLine, ReadOrigin } from "../model/index.ts";
import type { Exploration } from "../trace/index.ts";
import { candidatesOf } from "./candidates.ts";
import { MARK } from "./commands.ts";
import type { Hypothesis } from "./hypotheses.ts";
import { planOf, predictAll } from "./plan.ts";

/** What the output of probes, pasted back, leaves of the hypotheses. */
export interface Settled {
  readonly exploration: Exploration;
  /** Facts that have fewer values left than before, and which are left. */
  readonly narrowed: ReadonlyMap<string, readonly string[]>;
  readonly by: readonly ReadOrigin[];
}

const NAMED = new RegExp(`${MARK}([0-9a-f]{6})\\b`);

/**
 * Lines that our own LOG rules wrote name their probe. A hypothesis is out if it never passes a place where the packet was
 * seen, or if it always passes one where it was not. Silence counts only for a probe of the plan on a machine where another one
 * spoke: elsewhere nobody may have looked. Where no hypothesis is left the walk itself is contradicted, and nothing is taken away.
 */
export function settle(exploration: Exploration, log: readonly ObservedLogLine[]): Settled | undefined {
  const spoke = new Map<string, ReadOrigin>();
  for (const line of log) {
    const id = NAMED.exec(line.prefix)?.[1];
    if (id !== undefined && !spoke.has(id)) spoke.set(id, line.origin);
  }
  if (spoke.size === 0 || exploration.facts.length === 0) return undefined;
  const heard = candidatesOf(exploration).probes.filter((p) => spoke.has(p.id));
  const machines = new Set(heard.map((p) => p.stack));
  const silent = (planOf(exploration)?.probes ?? []).filter(
    (p) => p.kind === "log" && machines.has(p.stack) && !spoke.has(p.id),
  );
  const left = predictAll(exploration, [...heard, ...silent])
    .filter(({ seen }) => seen.every(({ probe, when }) => (spoke.has(probe.id) ? when !== "never" : when !== "always")))
    .map((p) => p.hypothesis);
  if (left.length === 0) return undefined;
  const narrowed = narrowedFacts(exploration, left);
  if (narrowed.size === 0) return undefined;
  return {
    exploration: {
      ...exploration,
      facts: exploration.facts.map((f) => ({ ...f, values: narrowed.get(f.id) ?? f.values })),
      branches: exploration.branches.filter((b) => left.some((h) => h.branches.includes(b))),
    },
    narrowed,
    by: heard.map((p) => spoke.get(p.id)!),
  };
}

function narrowedFacts(exploration: Exploration, left: readonly Hypothesis[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    exploration.facts.flatMap((f) => {
      const values = f.values.filter((v) => left.some((h) => h.values.get(f.id) === v));
      return values.length < f.values.length ? [[f.id, values] as const] : [];
    }),
  );
}
