import { sayDecision } from "../messages/index.ts";
import { linesOf, type Origin, type Stack, type Step, type World } from "../model/index.ts";
import type { Address } from "../net/index.ts";
import { type Exploration, legsOf, resolveQuestion, trace, Work } from "../trace/index.ts";
import type { Comparison, Difference, Example, Meaningless, NodePair, Undecided } from "./comparison.ts";
import { differingElements } from "./differences/index.ts";
import type { Element, NotShown } from "./element.ts";
import { type End, endsOf } from "./ends.ts";
import { type Fate, fateOf, likeness, type Yardstick } from "./fate.ts";
import { destinationsOf, podsOf } from "./flows/catalogue.ts";
import { closerFlows, flowsFor, type Sides } from "./flows/expand.ts";
import { burden, type Flow, flowKey, specOf, who } from "./flows/flow.ts";
import { originsOfStep, type Parting, part, partingKey } from "./parting.ts";
import { podAddresses, type Side } from "./side.ts";

/** Packets walked at most for one pair of nodes; what is left over is said to be undecided, not left out. */
const MAX_PACKETS = 1000;
/** A packet to a Service is asked about by every rule of a long chain: fewer are walked there. */
const MAX_RULES_ASKED = 4_000_000;

/** All walks of one pair of nodes together: of each little is kept, so steps are cheaper than in an answer. */
const MAX_RULES_WALKED = 40_000_000;
const MAX_STEPS_WALKED = 1_000_000;

function packetsFor({ node: a }: Side, { node: b }: Side): number {
  const chains = [...a.netfilter.tables, ...b.netfilter.tables].flatMap((t) => t.chains);
  const longest = chains.reduce((n, c) => Math.max(n, c.rules.length), 1);
  return Math.min(MAX_PACKETS, Math.ceil(MAX_RULES_ASKED / longest));
}

export interface ComparedWorld {
  readonly world: World;
  readonly settled?: ReadonlyMap<string, string>;
}

/** What differs in meaning between nodes of two Worlds (or two nodes of one). */
export function compare(
  a: ComparedWorld,
  b: ComparedWorld,
  nodes: readonly NodePair[],
  yardstick: Yardstick,
): Comparison {
  const named = (w: World) => w.stacks.filter((s) => s.kind === "node" && s.assumed === undefined).map((s) => s.name);
  const parts = nodes.map((pair) => comparePair(side(a, pair.a), side(b, pair.b), pair, yardstick));
  const whole = yardstick.sameNode;
  return {
    nodes,
    onlyA: whole ? named(a.world).filter((n) => !nodes.some((p) => p.a === n)) : [],
    onlyB: whole ? named(b.world).filter((n) => !nodes.some((p) => p.b === n)) : [],
    differences: parts.flatMap((p) => p.differences),
    undecided: parts.flatMap((p) => p.undecided),
    meaningless: parts.flatMap((p) => p.meaningless),
    notShown: parts.flatMap((p) => p.notShown),
    packetsTried: parts.reduce((n, p) => n + p.packetsTried, 0),
  };
}

const side = ({ world, settled }: ComparedWorld, name: string): Side => ({
  world,
  node: world.stacks.find((s) => s.name === name)!,
  settled: settled ?? new Map(),
});

/** One packet on both sides. */
interface Trial {
  readonly flow: Flow;
  readonly like: ReturnType<typeof likeness> | "unasked";
  readonly parting?: Parting;
  readonly specs?: Pick<Example, "a" | "b">;
  readonly ends?: Example["ends"];
  readonly facts: readonly string[];
  /** Lines of the dumps that the walks came by. */
  readonly met: ReadonlySet<string>;
}

/** An element, and packets that meet it and fare otherwise. */
interface Shown {
  readonly element: Element;
  readonly different: readonly Trial[];
}

interface Group {
  readonly trials: Set<Trial>;
  readonly elements: Element[];
  readonly alsoMet: Element[];
}

/**
 * One difference for all elements that make walks part at the same place. An element that is met by packets which part elsewhere
 * goes with what parts them: whether it would do something by itself is hidden by that.
 */
function grouped(shown: readonly Shown[]): readonly Group[] {
  const groups = new Map<string, Group>();
  const groupOf = (trial: Trial): Group => {
    const key = partingKey(trial.parting!);
    const group = groups.get(key) ?? { trials: new Set(), elements: [], alsoMet: [] };
    groups.set(key, group);
    return group;
  };
  const rest: Shown[] = [];
  for (const one of shown) {
    const parting = one.different.filter((t) => one.element.alone !== undefined || partsBy(t, one.element));
    const [easiest] = [...parting].sort(byBurden);
    if (easiest === undefined) {
      rest.push(one);
      continue;
    }
    const group = groupOf(easiest);
    for (const trial of parting) group.trials.add(trial);
    group.elements.push(one.element);
  }
  const known = new Map<string, Group>();
  for (const group of groups.values()) for (const t of group.trials) known.set(flowKey(t.flow), group);
  for (const { element, different } of rest) {
    const found = different.map((t) => known.get(flowKey(t.flow))).find((g) => g !== undefined);
    const group = found ?? groupOf([...different].sort(byBurden)[0]!);
    if (found === undefined) for (const trial of different) group.trials.add(trial);
    group.alsoMet.push(element);
  }
  return [...groups.values()];
}

/** Whether the walks part at a line of this element, or one of them ends there. */
function partsBy({ parting, ends }: Trial, element: Element): boolean {
  const at = (side: "A" | "B", steps: readonly Step[]) => steps.flatMap((s) => linesOn(side, originsOfStep(s)));
  const last = (side: "A" | "B", of: readonly End[]) => of.flatMap((e) => linesOn(side, e.origins));
  const lines = new Set([...at("A", parting!.a), ...at("B", parting!.b), ...last("A", ends!.a), ...last("B", ends!.b)]);
  return linesFor(element).some((l) => lines.has(l));
}

const byBurden = (x: Trial, y: Trial): number => burden(x.flow) - burden(y.flow);

type Part = Omit<Comparison, "nodes" | "onlyA" | "onlyB">;

function comparePair(a: Side, b: Side, nodes: NodePair, yardstick: Yardstick): Part {
  const { elements, notShown } = differingElements(a.node, b.node, yardstick.sameNode);
  const trier = new Trier(a, b, yardstick);
  const shown: Shown[] = [];
  const undecided: Undecided[] = [];
  const meaningless: Meaningless[] = [];
  for (const element of elements) {
    const walkable = element.unwalkable !== "ipv6" && element.unwalkable !== "native nft";
    const trials = walkable ? trier.tryOut(element) : [];
    // Another difference may be at work in a packet that never meets this one.
    let met = trials.filter((t) => meets(t, element));
    let left = false;
    if (walkable && !met.some((t) => t.like === "different")) {
      const closer = trier.tryCloser(element);
      met = [...met, ...closer.trials.filter((t) => meets(t, element))];
      left = !closer.all;
    }
    const different = met.filter((t) => t.like === "different");
    if (different.length > 0) {
      shown.push({ element, different });
      continue;
    }
    const open = met.filter((t) => t.like === "undecided");
    const why = element.unwalkable ?? (left || (trials.length === 0 && trier.exhausted) ? "too many" : undefined);
    if (why !== undefined) undecided.push({ nodes, element, why, facts: [] });
    else if (open.length > 0)
      undecided.push({ nodes, element, why: "open facts", facts: [...new Set(open.flatMap((t) => t.facts))] });
    else if (met.length === 0) undecided.push({ nodes, element, why: "no packet meets it", facts: [] });
    else meaningless.push({ nodes, element });
  }
  const differences = grouped(shown).map(({ trials, elements: about, alsoMet }): Difference => {
    const sorted = [...trials].sort(byBurden);
    const first = sorted[0]!;
    return {
      nodes,
      example: { flow: first.flow, ...first.specs!, parting: first.parting!, ends: first.ends! },
      flows: [...new Map(sorted.map((t) => [flowKey(t.flow), t.flow])).values()],
      elements: about.length > 0 ? about : alsoMet,
      alsoMet: about.length > 0 ? alsoMet : [],
    };
  });
  return {
    differences,
    undecided,
    meaningless,
    notShown: notShown.map((n: NotShown) => ({ ...n, nodes })),
    packetsTried: trier.tried,
  };
}

const lineOf = (o: Origin): readonly string[] => linesOf(o).map((l) => `${l.file}:${l.line}`);
/** Two cases may call their files alike: a line is told by its side too. */
const linesOn = (side: "A" | "B", origins: readonly Origin[]): readonly string[] =>
  origins.flatMap(lineOf).map((l) => `${side} ${l}`);
const linesOfElement = (e: Element): readonly string[] => [...linesOn("A", e.a), ...linesOn("B", e.b)];

/** Lines that a walk which comes by an element quotes: its own, or those of the rules that ask a set. */
function linesFor(element: Element): readonly string[] {
  const ofRules = element.rules.length === 0 && element.where.startsWith("nft ");
  if (ofRules || (element.kind !== "set" && element.kind !== "set entry")) return linesOfElement(element);
  const asking = element.rules.map((r) => r.origin);
  return [...linesOn("A", asking), ...linesOn("B", asking)];
}

/** Whether a walk came by what differs: the rule, the route, the server; or a rule that asks the set. */
function meets(trial: Trial, element: Element): boolean {
  if (trial.like === "unasked") return false;
  if (element.alone !== undefined) return true;
  const lines = linesFor(element);
  return lines.length === 0 || lines.some((l) => trial.met.has(l));
}

class Trier {
  readonly #a: Side;
  readonly #b: Side;
  readonly #yardstick: Yardstick;
  readonly #known = new Map<string, Trial>();
  readonly #sides: Sides;
  readonly #most: number;
  readonly #work = new Work(MAX_RULES_WALKED, MAX_STEPS_WALKED);
  #tried = 0;
  readonly #pods: ReturnType<typeof podsOf>;

  constructor(a: Side, b: Side, yardstick: Yardstick) {
    this.#a = a;
    this.#b = b;
    this.#yardstick = yardstick;
    this.#pods = podsOf(a, b);
    this.#most = packetsFor(a, b);
    const chosen = [this.#pods.a, this.#pods.b].filter((p) => p !== undefined);
    const destinations = [...destinationsOf(a), ...destinationsOf(b)];
    this.#sides = {
      a,
      b,
      sameNode: yardstick.sameNode,
      pods: [...chosen, ...podAddresses(a), ...podAddresses(b)],
      destinations: [...new Map(destinations.map((d) => [`${who(d.to)} ${d.port} ${d.protocol}`, d])).values()],
    };
  }

  get tried(): number {
    return this.#tried;
  }
  get exhausted(): boolean {
    return this.#tried >= this.#most || this.#work.spent;
  }

  tryOut(element: Element): readonly Trial[] {
    return this.exhausted ? [] : this.#walk(element, flowsFor(element, this.#sides));
  }

  /** Until one fares otherwise. */
  tryCloser(element: Element): { readonly trials: readonly Trial[]; readonly all: boolean } {
    if (this.exhausted) return { trials: [], all: false };
    const { flows, all } = closerFlows(element, this.#sides);
    const trials: Trial[] = [];
    for (const flow of flows) {
      const [trial] = this.#walk(element, [flow]);
      if (trial === undefined) return { trials, all: false };
      trials.push(trial);
      if (trial.like === "different" && meets(trial, element)) return { trials, all: true };
    }
    return { trials, all };
  }

  #walk(element: Element, flows: readonly Flow[]): readonly Trial[] {
    const { alone } = element;
    const b = alone === undefined ? this.#b : withNode(this.#a, alone(this.#a.node));
    const pod = alone === undefined ? this.#pods.b : this.#pods.a;
    const known = alone === undefined ? this.#known : new Map<string, Trial>();
    const out: Trial[] = [];
    for (const flow of flows) {
      const key = flowKey(flow);
      let trial = known.get(key);
      if (trial === undefined) {
        if (this.exhausted) break;
        trial = this.#try(flow, b, pod);
        this.#tried++;
        known.set(key, trial);
      }
      out.push(trial);
    }
    return out;
  }

  #try(flow: Flow, b: Side, pod: Address | undefined): Trial {
    const [specA, specB] = [specOf(flow, this.#a, this.#pods.a), specOf(flow, b, pod)];
    const control: Trial = { flow, like: "unasked", facts: [], met: new Set() };
    if (specA === undefined || specB === undefined) return control;
    const [x, y] = [walk(this.#a, specA, this.#work), walk(b, specB, this.#work)];
    if (x === undefined || y === undefined) return control;
    const roles = flow.to === "pod" || flow.from === "pod";
    const [fateA, fateB]: readonly [Fate, Fate] = [
      fateOf(x, this.#a, roles ? this.#pods.a : undefined, this.#yardstick),
      fateOf(y, b, roles ? pod : undefined, this.#yardstick),
    ];
    const like = likeness(fateA, fateB);
    const met = new Set([...linesMet("A", x), ...linesMet("B", y)]);
    const unknown = [...x.branches, ...y.branches].flatMap((b) => {
      const leg = b.reply ?? b.request;
      return leg.disposition === "undetermined" ? [sayDecision(leg.decision)] : [];
    });
    const facts = [...[...x.facts, ...y.facts].map((f) => f.id), ...unknown];
    return {
      flow,
      like,
      facts,
      met,
      ...(like !== "same" && { parting: part(x, fateA, this.#a, y, fateB, b) }),
      ...(like !== "same" && { ends: { a: endsOf(x), b: endsOf(y) } }),
      specs: { a: specA, b: specB },
    };
  }
}

const withNode = (side: Side, node: Stack): Side => ({
  ...side,
  node,
  world: { ...side.world, stacks: side.world.stacks.map((s) => (s.name === node.name ? node : s)) },
});

function walk(side: Side, spec: Example["a"], work: Work): Exploration | undefined {
  const resolved = resolveQuestion(side.world, spec);
  if (resolved.ok !== true) return undefined;
  return trace(resolved.world, resolved.question, { fixed: side.settled, work });
}

function* linesMet(side: "A" | "B", exploration: Exploration): Generator<string> {
  for (const b of exploration.branches) {
    for (const leg of legsOf(b)) {
      for (const step of leg.steps) yield* linesOn(side, originsOfStep(step));
      yield* linesOn(side, leg.origins);
    }
  }
}
