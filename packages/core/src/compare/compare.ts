import { linesOf, type Origin, type Stack, type World } from "../model/index.ts";
import type { Address } from "../net/index.ts";
import { type Exploration, resolveQuestion, trace } from "../trace/index.ts";
import type { Comparison, Difference, Example, Meaningless, NodePair, Undecided } from "./comparison.ts";
import { differingElements } from "./differences/index.ts";
import type { Element, NotShown } from "./element.ts";
import { endsOf } from "./ends.ts";
import { type Fate, fateOf, likeness, type Yardstick } from "./fate.ts";
import { destinationsOf, podsOf } from "./flows/catalogue.ts";
import { closerFlows, flowsFor, type Sides } from "./flows/expand.ts";
import { burden, type Flow, flowKey, specOf } from "./flows/flow.ts";
import { originsOfStep, type Parting, part, partingKey } from "./parting.ts";
import { podAddresses, type Side } from "./side.ts";

/** Packets walked at most for one pair of nodes; what is left over is said to be undecided, not left out. */
const MAX_PACKETS = 3000;

export interface Given {
  readonly world: World;
  readonly settled?: ReadonlyMap<string, string>;
}

/** What differs in meaning between nodes of two Worlds (or two nodes of one). */
export function compare(a: Given, b: Given, nodes: readonly NodePair[], yardstick: Yardstick): Comparison {
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

const side = ({ world, settled }: Given, name: string): Side => ({
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

interface Group {
  readonly trials: Set<Trial>;
  readonly elements: Element[];
}

const byBurden = (x: Trial, y: Trial): number => burden(x.flow) - burden(y.flow);

type Part = Omit<Comparison, "nodes" | "onlyA" | "onlyB">;

function comparePair(a: Side, b: Side, nodes: NodePair, yardstick: Yardstick): Part {
  const { elements, notShown } = differingElements(a.node, b.node, yardstick.sameNode);
  const trier = new Trier(a, b, yardstick);
  const groups = new Map<string, Group>();
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
      const [easiest] = [...different].sort(byBurden);
      const key = partingKey(easiest!.parting!);
      const group = groups.get(key) ?? { trials: new Set(), elements: [] };
      for (const trial of different) group.trials.add(trial);
      group.elements.push(element);
      groups.set(key, group);
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
  const differences = [...groups.values()].map(({ trials, elements: about }): Difference => {
    const sorted = [...trials].sort(byBurden);
    const first = sorted[0]!;
    return {
      nodes,
      example: { flow: first.flow, ...first.specs!, parting: first.parting!, ends: first.ends! },
      flows: [...new Map(sorted.map((t) => [flowKey(t.flow), t.flow])).values()],
      elements: about,
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

/** Whether a walk came by what differs: the rule, the route, the server; or a rule that asks the set. */
function meets(trial: Trial, element: Element): boolean {
  if (trial.like === "unasked") return false;
  if (element.alone !== undefined) return true;
  const isSet = element.kind === "set" || element.kind === "set entry";
  const asking = element.rules.map((r) => r.origin);
  const lines = isSet ? [...linesOn("A", asking), ...linesOn("B", asking)] : linesOfElement(element);
  return lines.length === 0 || lines.some((l) => trial.met.has(l));
}

class Trier {
  readonly #a: Side;
  readonly #b: Side;
  readonly #yardstick: Yardstick;
  readonly #known = new Map<string, Trial>();
  readonly #sides: Sides;
  #tried = 0;
  readonly #pods: ReturnType<typeof podsOf>;

  constructor(a: Side, b: Side, yardstick: Yardstick) {
    this.#a = a;
    this.#b = b;
    this.#yardstick = yardstick;
    this.#pods = podsOf(a, b);
    const chosen = [this.#pods.a, this.#pods.b].filter((p) => p !== undefined);
    const destinations = [...destinationsOf(a), ...destinationsOf(b)];
    this.#sides = {
      a,
      b,
      sameNode: yardstick.sameNode,
      pods: [...chosen, ...podAddresses(a), ...podAddresses(b)],
      destinations: [...new Map(destinations.map((d) => [`${d.to} ${d.port} ${d.protocol}`, d])).values()],
    };
  }

  get tried(): number {
    return this.#tried;
  }
  get exhausted(): boolean {
    return this.#tried >= MAX_PACKETS;
  }

  tryOut(element: Element): readonly Trial[] {
    return this.#walk(element, flowsFor(element, this.#sides));
  }

  /** Until one fares otherwise. */
  tryCloser(element: Element): { readonly trials: readonly Trial[]; readonly all: boolean } {
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
    const unasked: Trial = { flow, like: "unasked", facts: [], met: new Set() };
    if (specA === undefined || specB === undefined) return unasked;
    const [x, y] = [walk(this.#a, specA), walk(b, specB)];
    if (x === undefined || y === undefined) return unasked;
    const roles = flow.to === "pod" || flow.from === "pod";
    const [fateA, fateB]: readonly [Fate, Fate] = [
      fateOf(x, this.#a, roles ? this.#pods.a : undefined, this.#yardstick),
      fateOf(y, b, roles ? pod : undefined, this.#yardstick),
    ];
    const like = likeness(fateA, fateB);
    const met = new Set([...linesMet("A", x), ...linesMet("B", y)]);
    const unknown = [...x.branches, ...y.branches].map((b) =>
      (b.reply ?? b.request).disposition === "undetermined" ? (b.reply ?? b.request).drop : null,
    );
    const facts = [...[...x.facts, ...y.facts].map((f) => f.id), ...unknown.filter((r) => r !== null)];
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

function walk(side: Side, spec: Example["a"]): Exploration | undefined {
  const resolved = resolveQuestion(side.world, spec);
  if (resolved.ok !== true) return undefined;
  return trace(resolved.world, resolved.question, { fixed: side.settled });
}

function* linesMet(side: "A" | "B", exploration: Exploration): Generator<string> {
  for (const b of exploration.branches) {
    for (const leg of [b.request, ...(b.reply === null ? [] : [b.reply]), ...b.data]) {
      for (const step of leg.steps) yield* linesOn(side, originsOfStep(step));
      yield* linesOn(side, leg.origins);
    }
  }
}
