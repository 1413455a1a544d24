import { linesOf, type Origin, type Packet, type Step } from "../model/index.ts";
import { type Address, formatAddress } from "../net/index.ts";
import { type Branch, type Exploration, legsOf } from "../trace/index.ts";
import type { Fate } from "./fate.ts";
import { isOwn, type Side } from "./side.ts";

/** Two walks of one packet, up to where they part and the first thing each does then. */
export interface Parting {
  /** Which leg it is: 0 the request. */
  readonly leg: number;
  readonly together: readonly Step[];
  readonly a: readonly Step[];
  readonly b: readonly Step[];
  readonly branches: { readonly a: Branch; readonly b: Branch };
}

/**
 * The two branches that tell the difference best: one that only A has beside one that only B has, longest together. The walks are recorded
 * ones; the fates may be those of the same walks without steps.
 */
export function part(a: Exploration, fateA: Fate, sideA: Side, b: Exploration, fateB: Fate, sideB: Side): Parting {
  const lonely = (mine: Exploration, own: Fate, others: Fate): readonly Branch[] => {
    const theirs = new Set(others.byBranch);
    const alone = mine.branches.filter((_, i) => !theirs.has(own.byBranch[i]!));
    return alone.length > 0 ? alone : mine.branches;
  };
  let best: Parting | undefined;
  for (const x of lonely(a, fateA, fateB).slice(0, 6)) {
    for (const y of lonely(b, fateB, fateA).slice(0, 6)) {
      const parting = partBranches(x, sideA, y, sideB);
      if (best === undefined || length(parting) > length(best)) best = parting;
    }
  }
  return best!;
}

const length = (p: Parting): number => p.leg * 1000 + p.together.length;

function partBranches(a: Branch, sideA: Side, b: Branch, sideB: Side): Parting {
  const [legsA, legsB] = [legsOf(a), legsOf(b)];
  const branches = { a, b };
  for (let leg = 0; leg < Math.max(legsA.length, legsB.length); leg++) {
    const [x, y] = [legsA[leg]?.steps ?? [], legsB[leg]?.steps ?? []];
    const parted = partSteps(x, sideA, y, sideB);
    if (parted !== undefined) return { leg, ...parted, branches };
    if (x.length === 0 && y.length === 0) break;
  }
  return { leg: 0, together: [], a: legsA[0]!.steps, b: legsB[0]!.steps, branches };
}

/** Compared by what happens to the packet; which rules it asked on the way is told, not compared. */
function partSteps(
  a: readonly Step[],
  sideA: Side,
  b: readonly Step[],
  sideB: Side,
): Pick<Parting, "together" | "a" | "b"> | undefined {
  let [i, j] = [0, 0];
  let [lastA, lastB] = [0, 0];
  for (;;) {
    const [x, y] = [next(a, i), next(b, j)];
    if (x >= a.length && y >= b.length) return undefined;
    const same = x < a.length && y < b.length && meaning(a[x]!, sideA) === meaning(b[y]!, sideB);
    if (!same) {
      const [restA, restB] = [a.slice(lastA, until(a, x) + 1), b.slice(lastB, until(b, y) + 1)];
      const alike = sameRules(restA, restB);
      return { together: a.slice(0, lastA + alike), a: restA.slice(alike), b: restB.slice(alike) };
    }
    [i, j] = [x + 1, y + 1];
    [lastA, lastB] = [i, j];
  }
}

/** IPVS routes a packet before it changes it: which server was drawn is said by the step behind. */
function until(steps: readonly Step[], at: number): number {
  const step = steps[at];
  if (step?.kind !== "route" || step.lookup !== "ipvs") return at;
  return steps[at + 1]?.kind === "ipvs" ? at + 1 : at;
}

/** How many rules both asked first, at the same place of the same chain. */
function sameRules(a: readonly Step[], b: readonly Step[]): number {
  const most = Math.min(a.length, b.length) - 1;
  let n = 0;
  while (n < most) {
    const [x, y] = [a[n]!, b[n]!];
    if (x.kind !== "rule" || y.kind !== "rule") break;
    if (x.table !== y.table || x.chain !== y.chain || x.number !== y.number) break;
    if (JSON.stringify(x.decision) !== JSON.stringify(y.decision)) break;
    n++;
  }
  return n;
}

function next(steps: readonly Step[], from: number): number {
  let at = from;
  while (at < steps.length && !tells(steps, at)) at++;
  return at;
}

/** A jump or a return says where the rules stand, nothing about the packet; a mark does. */
function tells(steps: readonly Step[], at: number): boolean {
  const step = steps[at]!;
  if (step.kind !== "rule") return step.kind !== "log" && step.kind !== "conntrack" && step.kind !== "arp";
  const before = steps[at - 1];
  return (before?.kind === "rule" || before?.kind === "hook") && before.mark !== step.mark;
}

function meaning(step: Step, side: Side): string {
  const node = step.stack === side.node.name ? "@" : step.stack;
  const name = (a: Address): string => (isOwn(side.node, a) ? "node" : formatAddress(a));
  const ends = (p: Packet): string =>
    `${p.protocol} ${name(p.src)}:${typeof p.sport === "number" ? p.sport : "*"} ${name(p.dst)}:${typeof p.dport === "number" ? p.dport : "*"}`;
  const detail = (): string => {
    switch (step.kind) {
      case "rule":
        return `mark ${step.mark}`;
      case "hook":
        return `${step.hook} ${step.table} ${step.mark}`;
      case "route":
        return `${step.lookup} ${step.result} ${step.device ?? ""} ${step.gateway === undefined ? "" : name(step.gateway)}`;
      case "source validation":
        return step.result;
      case "nat":
        return step.manip;
      case "socket":
        return step.result;
      case "drop":
        return step.reason;
      case "error":
        return step.answer;
      case "transmit":
        return step.device;
      default:
        return "";
    }
  };
  return `${node} ${step.kind} ${ends(step.packet)} ${detail()}`;
}

/** One text for all flows that part in the same way: the lines at which they do. */
export function partingKey(p: Parting): string {
  const place = (steps: readonly Step[]): string => {
    const last = steps.at(-1);
    const rule = [...steps].reverse().find((s) => s.kind === "rule" && s.number > 0);
    return `${last?.kind ?? "end"} ${last?.kind === "drop" ? last.reason : ""} ${linesIn(rule === undefined ? last : rule).join(",")}`;
  };
  return `${p.leg > 0 ? "back" : "there"}\n${place(p.a)}\n${place(p.b)}`;
}

export function originsOfStep(step: Step): readonly Origin[] {
  if ("origin" in step && step.origin !== undefined) return [step.origin];
  return "origins" in step ? step.origins : [];
}

const linesIn = (step: Step | undefined): readonly string[] =>
  step === undefined
    ? []
    : originsOfStep(step)
        .flatMap(linesOf)
        .map((o) => `${o.file}:${o.line}`);
