import { applyPatch, type Patched } from "../assemble/index.ts";
import { text } from "../messages/index.ts";
import type { World } from "../model/index.ts";
import { type Exploration, judge, type Question, trace } from "../trace/index.ts";
import type { Candidate, Command, FlowChange, Proof } from "./fix.ts";
import { type Flow, knownFlows } from "./flows.ts";
import { type Outcome, outcome, outcomeOf } from "./outcome.ts";
import { touches } from "./touch.ts";

/** Never more flows than this are walked for one fix. */
const MAX_FLOWS = 200;
/** Flows walked in all for one answer: an answer that takes long is no help in an outage. */
const MAX_WALKS = 400;
/** Above this many rules a walk is no longer cheap. */
const MANY_RULES = 20_000;

export const typed = ({ stack, line }: Command): string => `${stack}: ${line}`;

/** A World with a candidate applied; undefined where a command of it is refused. */
export function applied(world: World, { commands, outside }: Candidate): Patched | undefined {
  const patched = applyPatch(world, commands.map(typed));
  if (patched.problems.length > 0) return undefined;
  return outside === undefined ? patched : { ...patched, world: outside.change(patched.world) };
}

/** The flows beside the asked one, each walked once as things are, and again under each fix that can touch it. */
export class FlowBook {
  readonly #world: World;
  readonly #fixed: ReadonlyMap<string, string>;
  readonly #asked: Flow | undefined;
  readonly #source: Iterator<Flow>;
  readonly #walked: { readonly flow: Flow; readonly before: Outcome }[] = [];
  #left: number;

  constructor(world: World, exploration: Exploration, asked: Flow | undefined, controls: readonly Flow[]) {
    this.#world = world;
    this.#fixed = exploration.fixed;
    this.#asked = asked;
    this.#source = knownFlows(world, asked === undefined ? controls : [asked, ...controls]);
    const rules = world.stacks.reduce((n, s) => n + s.netfilter.tables.reduce((m, t) => m + t.chains.length, 0), 0);
    const hypotheses = exploration.facts.reduce((n, f) => n * f.values.length, 1);
    this.#left = Math.ceil((rules > MANY_RULES ? 24 : MAX_WALKS) / Math.max(1, Math.sqrt(hypotheses)));
  }

  /** The flows as they are now, as many as are worth walking. */
  #flows(): readonly { readonly flow: Flow; readonly before: Outcome }[] {
    const wanted = Math.min(MAX_FLOWS, Math.ceil(this.#left / 3));
    while (this.#walked.length < wanted) {
      const next = this.#source.next();
      if (next.done === true) break;
      if (next.value === this.#asked) continue;
      this.#left--;
      const before = outcomeOf(this.#world, next.value, this.#fixed);
      if (before !== undefined) this.#walked.push({ flow: next.value, before });
    }
    return this.#walked;
  }

  /** What a candidate changes beside the asked flow. */
  changes(candidate: Candidate): Pick<Proof, "flowsChecked" | "flowsKnown" | "flowsChanged"> {
    const patched = applied(this.#world, candidate);
    if (patched === undefined) return { flowsChecked: 0, flowsKnown: 0, flowsChanged: [] };
    const touched = this.#flows().filter(
      ({ before }) => candidate.outside !== undefined || touches(patched.steps, before),
    );
    const changed: FlowChange[] = [];
    let checked = 0;
    for (const { flow, before } of touched) {
      if (this.#left <= 0) break;
      this.#left--;
      checked++;
      const after = outcomeOf(patched.world, flow, this.#fixed);
      if (after === undefined) continue;
      const change = compared(flow, before, after);
      if (change !== undefined) changed.push(change);
    }
    return { flowsChecked: checked, flowsKnown: touched.length, flowsChanged: changed };
  }
}

function compared(flow: Flow, before: Outcome, after: Outcome): FlowChange | undefined {
  const works = before.verdict === "reachable" || before.verdict === "intermittent";
  const what = [
    ...(before.verdict === after.verdict ? [] : (["verdict"] as const)),
    ...(works && before.endpoints !== after.endpoints ? (["endpoint"] as const) : []),
    ...(works && before.clients !== after.clients ? (["client address"] as const) : []),
  ];
  const [first] = what;
  if (first === undefined) return undefined;
  const detail =
    first === "verdict"
      ? text("flow.verdict", { before: text(`flow.${before.verdict}`), after: text(`flow.${after.verdict}`) })
      : first === "endpoint"
        ? text("flow.endpoint", { before: before.endpoints, after: after.endpoints })
        : text("flow.client", { before: before.clients, after: after.clients });
  return {
    from: flow.from,
    to: flow.to,
    proto: flow.proto,
    before: before.verdict,
    after: after.verdict,
    what,
    detail,
  };
}

/** The asked flow under a candidate. */
export function walkWith(
  exploration: Exploration,
  question: Question,
  candidate: Candidate,
): { readonly patched: Patched; readonly after: Exploration; readonly outcome: Outcome } | undefined {
  const patched = applied(exploration.world, candidate);
  if (patched === undefined) return undefined;
  const after = trace(patched.world, question, { fixed: exploration.fixed });
  return { patched, after, outcome: outcome(after) };
}

export const provenBy = (
  after: Exploration,
  flows: Pick<Proof, "flowsChecked" | "flowsKnown" | "flowsChanged">,
): Proof => {
  const judgement = judge(after);
  return { verdict: judgement.verdict, judgement, exploration: after, ...flows };
};
