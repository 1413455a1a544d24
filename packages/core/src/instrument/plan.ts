import { append } from "../net/append.ts";
import type { Exploration } from "../trace/index.ts";
import { decisiveLeg } from "../trace/index.ts";
import { type Candidates, candidatesOf } from "./candidates.ts";
import { fatesOf, type Hypothesis } from "./hypotheses.ts";
import type { Probe } from "./probe.ts";

/** What the probes will show if a hypothesis holds. `sometimes`: chance decides. */
export interface Prediction {
  readonly hypothesis: Hypothesis;
  readonly seen: readonly { readonly probe: Probe; readonly when: "always" | "never" | "sometimes" }[];
}

export interface Plan {
  /** The fewest that tell apart what can be told apart; the first is passed whatever holds, so that silence means something. */
  readonly probes: readonly Probe[];
  readonly predictions: readonly Prediction[];
  /** Fates that no place which can be watched tells apart. */
  readonly alike: readonly (readonly [Hypothesis, Hypothesis])[];
  /** Nothing is open: the probes confirm the answer instead of choosing one. */
  readonly confirms: boolean;
}

/** A capture needs a process that runs meanwhile; a rule does not. */
const COST: Readonly<Record<Probe["kind"], number>> = { log: 1, capture: 1.25 };

/** The fewest probes that settle which of the open hypotheses holds. */
export function planOf(exploration: Exploration): Plan | undefined {
  const hypotheses = fatesOf(exploration);
  if (hypotheses === undefined) return undefined;
  const candidates = candidatesOf(exploration);
  const sees = seesOf(candidates);
  const groups = [...new Map(hypotheses.map((h) => [h.fate, h])).values()];
  const chosen: Probe[] = [];
  const whatever = candidates.probes.filter((p) => hypotheses.every((h) => sees(h, p) === "always"));
  const anchor = whatever.find((p) => p.kind === "log") ?? whatever[0];
  if (anchor !== undefined) chosen.push(anchor);
  let open = pairs(groups);
  while (open.length > 0) {
    const best = bestOf(candidates.probes, open, sees);
    if (best === undefined) break;
    chosen.push(best);
    open = open.filter(([a, b]) => !tells(sees, a, b, best));
  }
  const confirms = groups.length < 2;
  if (confirms)
    append(
      chosen,
      aroundTheEnd(exploration, candidates).filter((p) => !chosen.includes(p)),
    );
  return { probes: chosen, predictions: groups.map((h) => predict(h, chosen, sees)), alike: open, confirms };
}

type Sees = (hypothesis: Hypothesis, probe: Probe) => "always" | "never" | "sometimes";

const seesOf =
  ({ observed: seen }: Candidates): Sees =>
  ({ branches }, probe) => {
    const count = branches.filter((b) => seen.get(b)?.has(probe.id)).length;
    return count === 0 ? "never" : count === branches.length ? "always" : "sometimes";
  };

export const predict = (hypothesis: Hypothesis, probes: readonly Probe[], sees: Sees): Prediction => ({
  hypothesis,
  seen: probes.map((probe) => ({ probe, when: sees(hypothesis, probe) })),
});

/** A probe tells two hypotheses apart if one always passes it and the other never does. */
const tells = (sees: Sees, a: Hypothesis, b: Hypothesis, probe: Probe): boolean => {
  const ways = new Set([sees(a, probe), sees(b, probe)]);
  return ways.has("always") && ways.has("never");
};

const pairs = (groups: readonly Hypothesis[]): readonly (readonly [Hypothesis, Hypothesis])[] =>
  groups.flatMap((a, i) => groups.slice(i + 1).map((b) => [a, b] as const));

function bestOf(
  probes: readonly Probe[],
  open: readonly (readonly [Hypothesis, Hypothesis])[],
  sees: Sees,
): Probe | undefined {
  let best: Probe | undefined;
  let most = 0;
  for (const probe of probes) {
    const gain = open.filter(([a, b]) => tells(sees, a, b, probe)).length / COST[probe.kind];
    if (gain > most) {
      best = probe;
      most = gain;
    }
  }
  return best;
}

/** With one answer left: the last place before the end, so that seeing it there, and nothing after, is the proof. */
function aroundTheEnd(exploration: Exploration, { probes, observed: seen }: Candidates): readonly Probe[] {
  const lost = exploration.branches.find((b) => b.clientSees !== "connected") ?? exploration.branches[0];
  if (lost === undefined) return [];
  const direction = decisiveLeg(lost) === lost.request ? "request" : "reply";
  const passed = probes.filter((p) => p.direction === direction && seen.get(lost)?.has(p.id));
  return passed.slice(-1);
}

/** What the probes of a plan show under every hypothesis, not only under one of each fate. */
export function predictAll(exploration: Exploration, probes: readonly Probe[]): readonly Prediction[] {
  const sees = seesOf(candidatesOf(exploration));
  return (fatesOf(exploration) ?? []).map((h) => predict(h, probes, sees));
}
