import { text } from "../messages/index.ts";
import { chainAt, chainCount, ruleCount, type World } from "../model/index.ts";
import type { Exploration, Question } from "../trace/index.ts";
import type { Case } from "./case.ts";
import type { Candidate, FlowChange, Proof } from "./fix.ts";
import { type Flow, knownFlows } from "./flows.ts";
import { type FlowOutcome, outcomeOf } from "./outcome.ts";
import { applied } from "./proof.ts";
import { touches } from "./touch.ts";

/** Never more flows than this are walked for one answer. */
const MAX_FLOWS = 200;
/** Steps walked in all for one answer: an answer that takes long is no help in an outage. */
const MAX_WORK = 4_000;
/** Rules that cost a packet as much as all else on its way. */
const LONG_CHAIN = 500;

/** About: kube-proxy's iptables mode has one long chain, a rule a Service, and some four chains a Service. */
function longestChain({ stacks, kubernetes }: World): number {
  let longest = 0;
  for (const { netfilter, fromObjects } of stacks) {
    // What kube-proxy would have programmed is made where a packet goes, not to be measured.
    if (fromObjects === true) {
      longest = Math.max(longest, kubernetes.services.length);
      continue;
    }
    for (const table of netfilter.tables) {
      const count = chainCount(table);
      longest = Math.max(longest, count / 4);
      for (let i = 0; i < Math.min(64, count); i++) longest = Math.max(longest, ruleCount(chainAt(table, i)!));
    }
  }
  return longest;
}

/** The flows beside the asked one, each walked at most once as things are, and again under each fix that can touch it. */
export class FlowBook {
  readonly #world: World;
  readonly #fixed: ReadonlyMap<string, string>;
  readonly #asked: Question;
  readonly #exploration: Exploration;
  readonly #source: Iterator<Flow>;
  #flows: readonly Flow[] | undefined;
  readonly #before = new Map<Flow, FlowOutcome | null>();
  #left: number;
  /** There are more than are looked at. */
  #more: boolean;

  constructor({ world, exploration, question, query: requested, controls = [] }: Case) {
    this.#world = world;
    this.#more = world.partOf !== undefined;
    this.#exploration = exploration;
    this.#fixed = exploration.fixed;
    this.#asked = question;
    this.#source = knownFlows(world, question, requested === undefined ? controls : [requested, ...controls]);
    const hypotheses = exploration.facts.reduce((n, f) => n * f.values.length, 1);
    this.#left = MAX_WORK / (1 + longestChain(world) / LONG_CHAIN) / Math.max(1, Math.sqrt(hypotheses));
  }

  /** Those most likely to be touched first: what calls from a patched node, what goes to an address a command names. */
  #inOrder(candidate: Candidate): readonly Flow[] {
    if (this.#flows === undefined) {
      const flows: Flow[] = [];
      for (let next = this.#source.next(); next.done !== true; next = this.#source.next()) {
        if (flows.length >= MAX_FLOWS) {
          this.#more = true;
          break;
        }
        flows.push(next.value);
      }
      this.#flows = flows;
    }
    const stacks = new Set(candidate.commands.map((c) => c.stack));
    const words = new Set(candidate.commands.flatMap((c) => c.words.flatMap((w) => w.split(/[\s/:,]+/))));
    const home = new Map(this.#world.stacks.map((s) => [s.kind === "node" ? `node/${s.name}` : `stack/${s.name}`, s]));
    const likely = (flow: Flow): number => {
      const client = home.get(flow.from);
      const near = client !== undefined && (stacks.has(client.name) || stacks.has(client.node ?? ""));
      const named = words.has(flow.to.replace(/:.*$/, "")) || candidate.outside?.touches(flow) === true;
      return Number(near) * 2 + Number(named) * 3;
    };
    return this.#flows
      .map((flow) => ({ flow, likely: likely(flow) }))
      .sort((a, b) => b.likely - a.likely)
      .map(({ flow }) => flow);
  }

  #outcome(flow: Flow): FlowOutcome | null {
    const known = this.#before.get(flow);
    if (known !== undefined) return known;
    const walked = outcomeOf(this.#world, flow, this.#fixed, this.#exploration, { wanted: this.#asked }) ?? null;
    this.#left -= walked?.work ?? 0;
    this.#before.set(flow, walked);
    return walked;
  }

  /** What a candidate changes beside the asked flow; as many more are to come. */
  changes(candidate: Candidate, toCome: number): Pick<Proof, "flowsChecked" | "flowsBounded" | "flowsChanged"> {
    const patched = applied(this.#world, candidate);
    if (patched === undefined) return { flowsChecked: 0, flowsBounded: false, flowsChanged: [] };
    const flows = this.#inOrder(candidate);
    const stop = this.#left - this.#left / Math.max(1, toCome);
    const changed: FlowChange[] = [];
    let checked = 0;
    let looked = 0;
    for (const flow of flows) {
      if (this.#left <= stop) break;
      const before = this.#outcome(flow);
      if (this.#exploration.afterwards.spent) break;
      looked++;
      if (before === null || !(touches(patched.steps, before) || candidate.outside?.touches(flow) === true)) continue;
      const after = outcomeOf(patched.world, flow, this.#fixed, this.#exploration, { record: false });
      if (this.#exploration.afterwards.spent) {
        // A walk that was cut short tells nothing of the change.
        looked--;
        break;
      }
      if (after === undefined) continue;
      // About: the same flow goes about the same way, and a walk without steps does not count them.
      this.#left -= before.work;
      checked++;
      const change = compared(flow, before, after);
      if (change !== undefined) changed.push(change);
    }
    return { flowsChecked: checked, flowsBounded: this.#more || looked < flows.length, flowsChanged: changed };
  }
}

function compared(flow: Flow, before: FlowOutcome, after: FlowOutcome): FlowChange | undefined {
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
