import { type ChanceOption, memo, type Oracle, Work } from "../../datapath/index.ts";
import {
  type Assumed,
  type Assumption,
  type Fact,
  factId,
  GROUND_VALUES,
  type Ground,
  groundId,
  type Stack,
  type StackProgramme,
  type Unknown,
  type World,
  withProgramme,
} from "../../model/index.ts";
import { extendWorld, NeedsHost } from "../hosts/synthesise.ts";
import type { Branch, ConsultedFact, Exploration } from "./branch.ts";
import { mergeBranches, someOf } from "./merge.ts";
import { unwalkedBranch } from "./unwalked.ts";

/** At most this many hypotheses are walked; chance branches are not limited by it. */
export const MAX_HYPOTHESES = 256;
/** A guard against worlds whose chances multiply without end. */
const MAX_RUNS = 50_000;

/** What a walk costs by itself, by each stack of its World, and by each way it could have taken, in rules. */
const RUN = 500;
const STACK = 8;
const OPTION = 20;

interface Decision {
  readonly kind: "chance" | "fact";
  readonly id: string;
  readonly labels: readonly string[];
  readonly shares?: readonly number[];
  taken: number;
}

/**
 * Answers a walk's questions from a script, and beyond its end with the first option, noting every fork. Running the
 * walk again with the next script visits the next branch.
 */
class ReplayOracle implements Oracle {
  readonly trail: Decision[] = [];
  readonly assumptions = new Map<string, Assumption>();
  readonly grounds = new Map<string, Ground>();
  readonly #script: readonly number[];
  readonly #fixed: ReadonlyMap<string, string>;
  readonly #answered = new Map<string, string>();
  readonly #noted = new Set<Assumed>();

  readonly #doubted: ReadonlySet<string>;

  constructor(script: readonly number[], fixed: ReadonlyMap<string, string>, doubted: ReadonlySet<string>) {
    this.#script = script;
    this.#fixed = fixed;
    this.#doubted = doubted;
  }

  chance(what: string, options: readonly ChanceOption[]): number {
    const taken = this.#next();
    this.trail.push({
      kind: "chance",
      id: what,
      labels: options.map((o) => o.label),
      shares: options.map((o) => o.share),
      taken,
    });
    return taken;
  }

  fact(fact: Fact, values: readonly string[]): string {
    return this.#open(factId(fact), values);
  }

  #open(id: string, values: readonly string[]): string {
    const known = this.#fixed.get(id) ?? this.#answered.get(id);
    if (known !== undefined) return known;
    const taken = this.#next();
    this.trail.push({ kind: "fact", id, labels: values, taken });
    const value = values[taken] ?? values[0]!;
    this.#answered.set(id, value);
    return value;
  }

  settled(fact: Fact): string | undefined {
    return this.#fixed.size === 0 ? undefined : this.#fixed.get(factId(fact));
  }

  assume(fact: Fact, value: string, why: Assumed): void {
    // What a stack's settings rest on is one object for all walks.
    if (this.#noted.has(why)) return;
    const id = factId(fact);
    if (this.assumptions.has(id)) return;
    this.#noted.add(why);
    this.assumptions.set(id, { id, value, why });
  }

  /** What the user settled is shown: nothing rests on it. */
  rests(ground: Ground): boolean {
    const id = groundId(ground);
    const values = GROUND_VALUES[ground.kind];
    if (this.#doubted.has(id)) return this.#open(id, values) !== values[1];
    const value = this.#fixed.get(id);
    if (value === undefined && !this.grounds.has(id)) this.grounds.set(id, ground);
    return value !== values[1];
  }

  #next(): number {
    return this.#script[this.trail.length] ?? 0;
  }
}

export type WalkedBranch = Omit<Branch, "share" | "hypothesis" | "assumptions" | "grounds" | "chances">;

/**
 * Walks every branch of every hypothesis. `run` is one deterministic walk; it is called again for each sequence of
 * answers. `fixed` are facts the user settled (`--assume`, case.yaml).
 */
export function explore(
  world: World,
  fixed: ReadonlyMap<string, string>,
  run: (world: World, oracle: Oracle) => WalkedBranch,
  options: {
    /** Branches of equal fate are not merged. */
    readonly every?: boolean;
    readonly runs?: number;
    /** Grounds of which the other value is walked, too, as of any open fact. */
    readonly doubted?: ReadonlySet<string>;
    readonly work?: Work;
    readonly afterwards?: Work;
  } = {},
): Exploration {
  const { every = false, runs: limit = MAX_RUNS, work = new Work(), doubted = new Set() } = options;
  const branches: Branch[] = [];
  const facts = new Map<string, ConsultedFact>();
  const hypotheses = new Set<string>();
  let current = world;
  let script: number[] | undefined = [];
  let overflow = false;
  let runs = 0;
  const needed = new Set<string>();
  for (; script !== undefined; runs++) {
    if (runs >= limit || hypotheses.size > MAX_HYPOTHESES || work.spent) {
      overflow = true;
      break;
    }
    const oracle = new ReplayOracle(script, fixed, doubted);
    const { room } = work;
    let outcome: WalkedBranch;
    try {
      outcome = run(inMode(current, oracle), oracle);
    } catch (need) {
      if (!(need instanceof NeedsHost)) throw need;
      // Nothing of that walk is kept.
      work.keep(work.room - room);
      work.look(STACK * current.stacks.length);
      const key = JSON.stringify(need.need);
      if (!needed.has(key)) {
        needed.add(key);
        current = extendWorld(current, need);
        continue;
      }
      // Made up before and not found all the same: dumps that contradict each other would have it made up for ever.
      outcome = unwalkedBranch({ kind: "unknown-host-not-found", address: need.need.address }, "neighbour", 1);
    }
    const taken = oracle.trail;
    work.look(RUN + STACK * current.stacks.length + OPTION * taken.reduce((n, d) => n + d.labels.length, 0));
    work.keep(Math.ceil(taken.length / 4));
    for (const d of taken) {
      if (d.kind !== "fact" || facts.has(d.id)) continue;
      facts.set(d.id, { id: d.id, values: d.labels });
    }
    const hypothesis = new Map(
      taken.filter((d) => d.kind === "fact").map((d) => [d.id, [d.labels[d.taken]!]] as const),
    );
    hypotheses.add(JSON.stringify([...hypothesis]));
    branches.push({
      request: outcome.request,
      reply: outcome.reply,
      data: outcome.data,
      clientSees: outcome.clientSees,
      errno: outcome.errno,
      aftermath: outcome.aftermath,
      connections: outcome.connections,
      sourcePorts: outcome.sourcePorts,
      share: taken.reduce((share, d) => share * (d.shares?.[d.taken] ?? 1), 1),
      hypothesis,
      assumptions: [...current.assumptions, ...oracle.assumptions.values()],
      grounds: [...oracle.grounds.values()],
      chances: taken.filter((d) => d.kind === "chance").map((d) => ({ what: d.id, label: d.labels[d.taken]! })),
    });
    script = nextScript(taken);
  }
  const merged = every
    ? branches
    : overflow
      ? [...someOf(branches), rest(branches, hypotheses.size)]
      : mergeBranches(branches, facts);
  const left = new Set(merged.flatMap((b) => [...b.hypothesis.keys()]));
  return {
    branches: merged,
    facts: [...facts.values()].filter((f) => left.has(f.id)),
    overflow,
    world: current,
    fixed,
    runs,
    afterwards: options.afterwards ?? new Work(),
  };
}

/** The ways that were not walked. */
function rest(walked: readonly Branch[], hypotheses: number): Branch {
  const reason: Unknown = {
    kind: hypotheses > MAX_HYPOTHESES ? "unknown-too-many-hypotheses" : "unknown-too-much-work",
  };
  const share = walked.reduce((left, b) => left - b.share, 1);
  return unwalkedBranch(reason, "walk", Math.max(0, Math.min(1, share)));
}

/** Where nobody said in which mode kube-proxy runs, the walk goes through the nodes as each mode would have them. */
function inMode(world: World, oracle: Oracle): World {
  const { undecidedMode } = world;
  if (undecidedMode === undefined) return world;
  const { values, programmes } = undecidedMode;
  const chosen = oracle.fact({ kind: "kube-proxy-mode" }, values);
  const first = programmes.get(values[0]!);
  const there = programmes.get(chosen);
  if (there === undefined || there === first) return world;
  const stacks = world.stacks.map((s) => {
    const programme = there.get(s.name);
    return programme === undefined ? s : otherwise(s, programme, first?.get(s.name));
  });
  return { ...world, stacks };
}

const programmed = new WeakMap<Stack, Map<StackProgramme, Stack>>();
/** The same stack each time: what the walk makes ready of it is kept by it. */
function otherwise(stack: Stack, programme: StackProgramme, first: StackProgramme | undefined): Stack {
  const known = memo(programmed, stack, () => new Map<StackProgramme, Stack>());
  return memo(known, programme, () => withProgramme(stack, programme, first));
}

/** Depth first: the last fork that has an option left takes it; everything behind it starts over. */
function nextScript(trail: readonly Decision[]): number[] | undefined {
  for (let i = trail.length - 1; i >= 0; i--) {
    const d = trail[i]!;
    if (d.taken + 1 < d.labels.length) return [...trail.slice(0, i).map((t) => t.taken), d.taken + 1];
  }
  return undefined;
}
