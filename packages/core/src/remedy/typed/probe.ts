import {
  assumed,
  type Chain,
  type HookStep,
  type IptablesTable,
  type Rule,
  type Stack,
  type World,
} from "../../model/index.ts";
import { type Exploration, legsOf, type Question, trace } from "../../trace/index.ts";
import { type Condition, conditionsOf, type Visit } from "./conditions.ts";

/** A place in a chain of a stack. */
export interface ChainPosition {
  readonly stack: string;
  readonly table: IptablesTable["name"];
  readonly chain: string;
  /** Rules of the chain before it. */
  readonly at: number;
}

/** A packet of the flow that came by a place, and which conditions of the rule it did not meet there. */
export interface Meeting {
  readonly place: ChainPosition;
  readonly visit: Visit;
  readonly failed: readonly Condition[];
}

/**
 * Asks the walk itself which conditions a packet meets at a place: rules that decide nothing, one for each condition, stand
 * there while the flow is walked once.
 */
export function meetings(
  exploration: Exploration,
  world: World,
  question: Question,
  rule: Rule,
  place: ChainPosition,
): readonly Meeting[] {
  const conditions = conditionsOf(rule);
  const passing: Rule = { matches: [], target: { kind: "none" }, origin: assumed("probe") };
  const probes = [passing, ...conditions.map((c): Rule => ({ ...c.probe, origin: assumed("probe") }))];
  const probed = withRules(world, place, probes);
  if (probed === undefined) return [];
  const { branches } = trace(probed, question, { fixed: exploration.fixed, runs: 2_000, after: exploration });
  const found: Meeting[] = [];
  for (const leg of branches.flatMap(legsOf)) {
    let hook: HookStep | undefined;
    let met: Set<number> | undefined;
    let visit: Visit | undefined;
    const close = (): void => {
      if (visit === undefined || met === undefined) return;
      const observed = met;
      const failed = conditions.filter((_, i) => !observed.has(place.at + 2 + i));
      found.push({ place, visit, failed });
      visit = undefined;
    };
    for (const step of leg.steps) {
      if (step.kind === "hook") hook = step;
      const here = step.kind === "rule" && step.stack === place.stack && step.table === place.table;
      if (!here || step.chain !== place.chain) continue;
      if (step.number === place.at + 1 && hook !== undefined) {
        close();
        visit = { step, hook };
        met = new Set();
      } else met?.add(step.number);
    }
    close();
  }
  return found;
}

/** A World with rules put into a chain. */
function withRules(world: World, place: ChainPosition, rules: readonly Rule[]): World | undefined {
  const stack = world.stacks.find((s) => s.name === place.stack);
  const table = stack?.netfilter.tables.find((t) => t.name === place.table && t.family === 4);
  const chain = table?.chains.find((c) => c.name === place.chain);
  if (stack === undefined || table === undefined || chain === undefined) return undefined;
  const longer: Chain = {
    ...chain,
    rules: [...chain.rules.slice(0, place.at), ...rules, ...chain.rules.slice(place.at)],
  };
  const changed: IptablesTable = { ...table, chains: table.chains.map((c) => (c === chain ? longer : c)) };
  const tables = stack.netfilter.tables.map((t) => (t === table ? changed : t));
  const after: Stack = { ...stack, netfilter: { ...stack.netfilter, tables } };
  return { ...world, stacks: world.stacks.map((s) => (s === stack ? after : s)) };
}
