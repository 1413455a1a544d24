import type { PatchStep } from "../../assemble/index.ts";
import { type Text, text } from "../../messages/index.ts";
import type { HookStep, IptablesTableName, Rule, Step, World } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { smallest } from "../../net/append.ts";
import { ruleArguments } from "../../parse/iptables/rule/print.ts";
import { decisiveLeg, type Exploration, legsOf, type Question } from "../../trace/index.ts";
import { command } from "../commands.ts";
import type { Candidate } from "../fix.ts";
import { iptablesTool } from "../undo/iptables.ts";
import { conditionsOf } from "./conditions.ts";
import { type ChainPosition, type Meeting, meetings } from "./probe.ts";

/** A typed rule that no packet of the flow matches: where they differ, and rules near it that do match. */
export interface Missed {
  readonly why: readonly Text[];
  /** Nearest first; none is known to help. */
  readonly nearest: readonly Candidate[];
}

const TRANSLATES: Readonly<Record<string, readonly string[]>> = lookup({
  masquerade: ["POSTROUTING"],
  snat: ["POSTROUTING", "INPUT"],
  dnat: ["PREROUTING", "OUTPUT"],
  redirect: ["PREROUTING", "OUTPUT"],
});

/** Why a rule that a step put in was met by no packet of the flow. Undefined where the step put in none, or it was met. */
export function missed(
  step: PatchStep,
  patched: World,
  before: Exploration,
  after: Exploration,
  question: Question,
): Missed | undefined {
  const [change] = step.changes;
  if (change?.kind !== "iptables") return undefined;
  const { operation: o, table, family } = change.command;
  if ((o.kind !== "append" && o.kind !== "insert") || family !== 4) return undefined;
  const { rule } = o;
  const steps = after.branches.flatMap((b) => legsOf(b)).flatMap((l) => l.steps);
  const stack = step.before.name;
  const typedAt = chainOf(patched, stack, table, o.chain).indexOf(rule);
  const typed: ChainPosition = { stack, table, chain: o.chain, at: Math.max(0, typedAt) };
  const isTyped = (s: Step): boolean =>
    s.kind === "rule" && s.stack === stack && s.table === table && s.chain === o.chain && s.number === typedAt + 1;
  if (steps.some((s) => isTyped(s) && s.kind === "rule" && s.effect !== "not matched")) return undefined;
  const open = [...before.branches, ...after.branches].some((b) => decisiveLeg(b).disposition === "undetermined");
  const notShown = open && !steps.some((s) => s.kind === "hook" && s.stack === stack);
  const met = notShown ? forQuestion(before, rule, typed) : meetings(before, patched, question, rule, typed);
  if (notShown && met.length === 0) return undefined;
  const hooks = steps.filter((s): s is HookStep => s.kind === "hook" && s.table === table);
  const elsewhere = met.length > 0 ? [] : placesNear(typed, hooks, rule);
  const near = elsewhere.flatMap((place) => meetings(before, patched, question, rule, place));
  const best = [...met, ...near].sort((a, b) => a.failed.length - b.failed.length);
  const known = met.length > 0 ? differences(met) : [unmet(typed, hooks)];
  const why = notShown ? [text("try.as_asked", { stack }), ...known] : known;
  const seen = new Set<string>();
  const nearest = best.flatMap((meeting): Candidate[] => {
    const candidate = replacing(change.command, rule, meeting);
    const key = JSON.stringify(candidate.commands);
    if (seen.has(key)) return [];
    seen.add(key);
    return [candidate];
  });
  return { why, nearest: nearest.slice(0, 6) };
}

/** Where the walk does not get to the rule: the request as it was asked, if its header alone says that it does not match. */
function forQuestion({ branches }: Exploration, rule: Rule, place: ChainPosition): readonly Meeting[] {
  const sent = branches[0]?.request.steps.find((s) => s.kind === "send")?.packet;
  if (sent === undefined) return [];
  const failed = conditionsOf(rule).filter((c) => c.holds?.(sent) === false);
  if (failed.length === 0) return [];
  return [{ place, visit: { step: { packet: sent, mark: 0 }, hook: { in: "", out: "" } }, failed }];
}

const chainOf = (world: World, stack: string, table: IptablesTableName, chain: string) =>
  world.stacks
    .find((s) => s.name === stack)
    ?.netfilter.tables.find((t) => t.name === table && t.family === 4)
    ?.chains.find((c) => c.name === chain)?.rules ?? [];

/** First in the same chain, then in chains of the same table that the flow does pass, here and on other stacks. */
function placesNear(typed: ChainPosition, hooks: readonly HookStep[], rule: Rule): readonly ChainPosition[] {
  const allowed = TRANSLATES[rule.target.kind];
  const places = new Map<string, ChainPosition>();
  const add = (stack: string, chain: string): void => {
    if (allowed !== undefined && !allowed.includes(chain)) return;
    places.set(`${stack} ${chain}`, { stack, table: typed.table, chain, at: 0 });
  };
  add(typed.stack, typed.chain);
  for (const h of hooks) if (h.stack === typed.stack) add(h.stack, h.hook);
  for (const h of hooks) if (h.hook === typed.chain) add(h.stack, h.hook);
  return [...places.values()].slice(0, 6);
}

/** In what each packet differs from the rule, once for each way of differing. */
function differences(met: readonly Meeting[]): readonly Text[] {
  const phrase = new Map<string, Text>();
  const fewest = smallest(
    Number.POSITIVE_INFINITY,
    met.map((m) => m.failed.length),
  );
  for (const { failed, visit } of met.filter((m) => m.failed.length === fewest)) {
    for (const condition of failed) {
      const params = { condition: condition.shown, actual: condition.actual(visit) };
      phrase.set(JSON.stringify(params), text("try.differs", params));
    }
  }
  return [...phrase.values()];
}

function unmet({ stack, table, chain }: ChainPosition, hooks: readonly HookStep[]): Text {
  const here = [...new Set(hooks.filter((h) => h.stack === stack).map((h) => h.hook))];
  if (here.includes(chain as HookStep["hook"])) return text("try.decided_before", { chain, table, stack });
  return here.length === 0
    ? text("try.not_here", { stack, table })
    : text("try.not_this_chain", { stack, table, chain, chains: here });
}

function replacing(
  typed: Parameters<typeof iptablesTool>[0] & {
    readonly table: IptablesTableName;
    readonly operation: { readonly kind: string };
  },
  rule: Rule,
  { place, failed, visit }: Meeting,
): Candidate {
  const now = failed.reduce((r, c) => c.replaced(r, visit), rule);
  const verb = typed.operation.kind === "append" && place.at > 0 ? "-A" : "-I";
  const tool = [iptablesTool(typed), ...(typed.table === "filter" ? [] : ["-t", typed.table])];
  return {
    code: "NEAREST_RULE",
    summary: text("fix.nearest_rule", { stack: place.stack }),
    commands: [command(place.stack, [...tool, verb, place.chain, ...ruleArguments(now, 4)])],
  };
}
