import type { CauseCode, ClaimedCause, Finding } from "../explain/index.ts";
import { text } from "../messages/index.ts";
import { groundId, type World } from "../model/index.ts";
import { Unspeakable } from "../model/shell.ts";
import { append } from "../net/append.ts";
import { type Exploration, endsKey, groundsOf, judge, type Question } from "../trace/index.ts";
import { REMEDIES } from "./catalogue.ts";
import { lineOf } from "./commands.ts";
import type { Candidate, RemedyScene } from "./fix.ts";
import type { Flow } from "./flows.ts";
import { applied, type Tried, walkWith } from "./proof.ts";
import { isOurs, scenesOf, scenesWith, stackOf } from "./scene.ts";

/** A candidate that was walked with. */
export interface Trial extends Tried {
  readonly candidate: Candidate;
  readonly cures: readonly CauseCode[];
  /** No walk shows the fault, so none can show the cure. */
  readonly unproved?: true;
}

/** Walks in all, and fixes in one set. */
const MAX_TRIALS = 48;
/** Walks of all their branches in all: chances multiply in some Worlds. */
const MAX_RUNS = 1_500;
const MAX_TOGETHER = 3;

/**
 * What makes the flow work: each candidate by itself, and where none does, together with what cures the fault behind the
 * first. Of sets that work the smallest; the rest, best first, where nothing works in every hypothesis.
 */
export function search(
  world: World,
  question: Question,
  exploration: Exploration,
): { readonly working: readonly Trial[]; readonly partly: readonly Trial[] } {
  let left = MAX_TRIALS;
  let runs = Math.max(MAX_RUNS, 4 * (exploration.runs ?? 0));
  const tried = new Set<string>();
  const failed: Trial[] = [];
  let level: readonly (Trial | undefined)[] = [undefined];
  for (let size = 1; size <= MAX_TOGETHER && level.length > 0; size++) {
    const working: Trial[] = [];
    const next: Trial[] = [];
    for (const base of level) {
      const from = base?.recorded() ?? exploration;
      const done = new Set<string>();
      for (const { candidate, cures } of candidatesFor(scenesOf(question, from))) {
        const code = base === undefined ? candidate.code : `${base.candidate.code}+${candidate.code}`;
        if (done.has(code) || left <= 0 || runs <= 0) continue;
        const together = base === undefined ? candidate : joined(base.candidate, candidate);
        const key = JSON.stringify([together.code.split("+").sort(), together.commands.map(lineOf).sort()]);
        if (tried.has(key)) continue;
        tried.add(key);
        left--;
        // A device that the walk made up is nobody's to set.
        const result =
          applied(world, together) === undefined ? undefined : walkWith(exploration, question, together, runs);
        if (result === undefined) continue;
        runs -= result.after.runs ?? 0;
        const trial: Trial = {
          candidate: together,
          cures: [...new Set([...(base?.cures ?? []), ...cures])],
          ...result,
        };
        if (judge(result.after).verdict === "reachable") {
          working.push(trial);
          done.add(code);
        } else {
          failed.push(trial);
          if (endsKey(result.after.branches) !== endsKey(from.branches)) next.push(trial);
        }
      }
    }
    if (working.length > 0) return { working, partly: [] };
    level = next;
  }
  const share = (e: Exploration): number =>
    e.branches.filter((b) => b.clientSees === "connected").reduce((n, b) => n + b.share, 0) /
    Math.max(
      1e-9,
      e.branches.reduce((n, b) => n + b.share, 0),
    );
  const partly = failed
    .filter((t) => share(t.after) > share(exploration) + 1e-6)
    .sort((a, b) => share(b.after) - share(a.after) || a.candidate.commands.length - b.candidate.commands.length);
  return { working: [], partly };
}

/** Never more than this many for causes that no walk shows. */
const MAX_SUSPECTED = 3;

/** What would help if a cause is at work that was seen, or is possible, and that the walk does not show. */
export function searchSuspected(
  question: Question,
  exploration: Exploration,
  causes: readonly ClaimedCause[],
): readonly Trial[] {
  const findings: readonly Finding[] = causes.map((c) => ({ ...c, root: true }));
  const before = judge(exploration).verdict;
  const found = new Map<string, Trial>();
  for (const { candidate, cures } of candidatesFor(scenesWith(question, exploration, findings))) {
    if (found.size >= MAX_SUSPECTED || found.has(candidate.code)) continue;
    const result = walkWith(exploration, question, candidate);
    if (result === undefined) continue;
    const { verdict } = judge(result.after);
    if (before === "reachable" && verdict !== "reachable") continue;
    const proved = verdict === "reachable" && restsOnLess(result.after, exploration);
    found.set(candidate.code, { candidate, cures, ...result, ...(!proved && { unproved: true }) });
  }
  return [...found.values()];
}

/** What the way rested on before, and nobody showed, is no part of it any more; nothing else came in its place. */
function restsOnLess(after: Exploration, before: Exploration): boolean {
  const ids = (e: Exploration) => new Set(groundsOf(e).map(groundId));
  const [now, then] = [ids(after), ids(before)];
  return now.size < then.size && [...now].every((id) => then.has(id));
}

interface Proposal {
  readonly candidate: Candidate;
  readonly cures: readonly CauseCode[];
}

/** Fix by fix: each variant for one branch, then the same variant for all branches at once. */
function candidatesFor(scenes: readonly RemedyScene[]): readonly Proposal[] {
  const proposals: Proposal[] = [];
  for (const remedy of REMEDIES) {
    const variants: Proposal[][] = [];
    for (const scene of scenes) {
      const cures = scene.findings.map((f) => f.code).filter((code) => remedy.cures.includes(code));
      if (cures.length === 0) continue;
      for (const [i, candidate] of proposed(remedy.propose, scene).entries()) {
        variants[i] ??= [];
        variants[i].push({ candidate, cures });
      }
    }
    for (const variant of variants) {
      const distinct = [...new Map(variant.map((p) => [JSON.stringify(p.candidate.commands), p])).values()];
      append(proposals, distinct.slice(0, 4));
      if (distinct.length > 1) {
        const all = distinct.slice(1).reduce((sum, p) => merged(sum, p.candidate), distinct[0]!.candidate);
        proposals.push({ candidate: all, cures: [...new Set(distinct.flatMap((p) => p.cures))] });
      }
    }
  }
  return proposals;
}

function proposed(propose: (scene: RemedyScene) => readonly Candidate[], scene: RemedyScene): readonly Candidate[] {
  try {
    return propose(scene).filter((c) =>
      c.commands.every(({ stack }) => stack === "" || isOurs(stackOf(scene.world, stack))),
    );
  } catch (problem) {
    // A name that cannot be put on a command line: no fix is better than one that runs something else.
    if (problem instanceof Unspeakable) return [];
    throw problem;
  }
}

const commandsOf = (a: Candidate, b: Candidate) => [
  ...new Map([...a.commands, ...b.commands].map((c) => [`${c.stack}\n${lineOf(c)}`, c])).values(),
];

/** The same fix for several branches. */
const merged = (a: Candidate, b: Candidate): Candidate => ({ ...a, commands: commandsOf(a, b) });

/** Two fixes, for two faults in a row. */
function joined(a: Candidate, b: Candidate): Candidate {
  const outside =
    a.outside === undefined || b.outside === undefined
      ? (a.outside ?? b.outside)
      : {
          where: text("where.both", { first: a.outside.where, second: b.outside.where }),
          change: (w: World) => b.outside!.change(a.outside!.change(w)),
          touches: (flow: Flow) => a.outside!.touches(flow) || b.outside!.touches(flow),
        };
  return {
    code: a.code === b.code ? a.code : `${a.code}+${b.code}`,
    summary: text("fix.together", { first: a.summary, second: b.summary }),
    commands: commandsOf(a, b),
    of: [...(a.of ?? [a]), ...(b.of ?? [b])],
    ...(outside !== undefined && { outside }),
    lasting: [...(a.lasting ?? []), ...(b.lasting ?? [])],
    notes: [...(a.notes ?? []), ...(b.notes ?? [])],
  };
}
