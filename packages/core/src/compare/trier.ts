import { sayDecision } from "../messages/index.ts";
import type { Stack } from "../model/index.ts";
import type { Family } from "../net/index.ts";
import { type Exploration, type QuestionSpec, type Recorded, resolveQuestion, trace, Work } from "../trace/index.ts";
import type { Example } from "./comparison.ts";
import type { Element } from "./element.ts";
import { endsOf } from "./ends.ts";
import { type Fate, fateOf, likeness, type Yardstick } from "./fate.ts";
import { destinationsOf, podsOf } from "./flows/catalogue.ts";
import { closerFlows, flowsFor, type Sides } from "./flows/expand.ts";
import { type Flow, probeKey, specOf, who } from "./flows/flow.ts";
import { Lines, linesFor, type OfBoth } from "./lines.ts";
import { type Parting, part } from "./parting.ts";
import { ownAddresses, podAddresses, type Side } from "./side.ts";

const FAMILIES: readonly Family[] = [4, 6];

/** Packets walked at most for one pair of nodes; what is left over is said to be undecided, not left out. */
const MAX_PACKETS = 1000;
/** A packet to a Service is asked about by every rule of a long chain: fewer are walked there. */
const MAX_RULES_ASKED = 4_000_000;

/** All walks of one pair of nodes together. Lines are noted, no steps made: they are cheaper than in an answer. */
const MAX_RULES_WALKED = 40_000_000;
const MAX_LINES_MET = 1_000_000;
/** Of a packet that is walked once more to be shown. */
const MAX_STEPS_SHOWN = 1_000_000;

function packetsFor({ node: a }: Side, { node: b }: Side): number {
  const chains = [...a.netfilter.tables, ...b.netfilter.tables].flatMap((t) => t.chains);
  const longest = chains.reduce((n, c) => Math.max(n, c.rules.length), 1);
  return Math.min(MAX_PACKETS, Math.ceil(MAX_RULES_ASKED / longest));
}

/** One packet on both sides. */
export interface Trial {
  readonly flow: Flow;
  readonly like: ReturnType<typeof likeness> | "unasked";
  /** Where they part. Walked once more for it, with steps: only packets that fare otherwise are worth that. */
  readonly parting: () => Parting;
  readonly specs?: Pick<Example, "a" | "b">;
  readonly ends?: Example["ends"];
  readonly facts: readonly string[];
  /** Lines of the dumps that the walks came by. */
  readonly met: OfBoth<ReadonlySet<number>>;
}

/** Walks packets on both sides, each once. */
export class Trier {
  readonly #a: Side;
  readonly #b: Side;
  readonly #yardstick: Yardstick;
  readonly #known = new Map<string, Trial>();
  readonly #sides: readonly Sides[];
  readonly #most: number;
  readonly #work = new Work(MAX_RULES_WALKED, MAX_LINES_MET);
  readonly lines: OfBoth<Lines> = { a: new Lines(), b: new Lines() };
  #tried = 0;
  readonly #pods: Readonly<Record<Family, ReturnType<typeof podsOf>>>;

  constructor(a: Side, b: Side, yardstick: Yardstick) {
    this.#a = a;
    this.#b = b;
    this.#yardstick = yardstick;
    this.#pods = { 4: podsOf(a, b, 4), 6: podsOf(a, b, 6) };
    this.#most = packetsFor(a, b);
    this.#sides = FAMILIES.map((family) => this.#cast(family));
  }

  #cast(family: Family): Sides {
    const [a, b] = [this.#a, this.#b];
    const chosen = [this.#pods[family].a, this.#pods[family].b].filter((p) => p !== undefined);
    const destinations = [...destinationsOf(a, family), ...destinationsOf(b, family)];
    return {
      family,
      a,
      b,
      sameNode: this.#yardstick.sameNode,
      pods: [...chosen, ...podAddresses(a, family), ...podAddresses(b, family)],
      destinations: [...new Map(destinations.map((d) => [`${who(d.to)} ${d.port} ${d.protocol}`, d])).values()],
    };
  }

  /** Whose packets try an element: those of its family; else of both, where both nodes have an address of it. */
  #families(element: Element): readonly Sides[] {
    const nodes = [this.#a.node, this.#b.node];
    return this.#sides.filter(({ family }) =>
      element.family === undefined
        ? family === 4 || nodes.every((n) => ownAddresses(n, family).length > 0)
        : element.family === family,
    );
  }

  get tried(): number {
    return this.#tried;
  }
  get exhausted(): boolean {
    return this.#tried >= this.#most || this.#work.spent;
  }

  tryOut(element: Element): readonly Trial[] {
    if (this.exhausted) return [];
    return this.#walk(
      element,
      this.#families(element).flatMap((sides) => flowsFor(element, sides)),
    );
  }

  /** Whether a walk came by what differs: the rule, the route, the server; or a rule that asks the set. */
  meets({ like, met }: Trial, element: Element): boolean {
    if (like === "unasked") return false;
    if (element.alone !== undefined) return true;
    const { a, b } = linesFor(element, this.lines);
    return a.length + b.length === 0 || a.some((l) => met.a.has(l)) || b.some((l) => met.b.has(l));
  }

  /** Until one fares otherwise. */
  tryCloser(element: Element): { readonly trials: readonly Trial[]; readonly all: boolean } {
    if (this.exhausted) return { trials: [], all: false };
    const tries = this.#families(element).map((sides) => closerFlows(element, sides));
    const [flows, all] = [tries.flatMap((t) => t.flows), tries.every((t) => t.all)];
    const trials: Trial[] = [];
    for (const flow of flows) {
      const [trial] = this.#walk(element, [flow]);
      if (trial === undefined) return { trials, all: false };
      trials.push(trial);
      if (trial.like === "different" && this.meets(trial, element)) return { trials, all: true };
    }
    return { trials, all };
  }

  #walk(element: Element, flows: readonly Flow[]): readonly Trial[] {
    const { alone } = element;
    const b = alone === undefined ? this.#b : withNode(this.#a, alone(this.#a.node));
    const known = alone === undefined ? this.#known : new Map<string, Trial>();
    const out: Trial[] = [];
    for (const flow of flows) {
      const key = probeKey(flow);
      let trial = known.get(key);
      if (trial === undefined) {
        if (this.exhausted) break;
        trial = this.#try(flow, b, alone === undefined ? "b" : "a");
        this.#tried++;
        known.set(key, trial);
      }
      out.push(trial);
    }
    return out;
  }

  #try(flow: Flow, b: Side, podOf: "a" | "b"): Trial {
    const pods = this.#pods[flow.family ?? 4];
    const pod = pods[podOf];
    const [specA, specB] = [specOf(flow, this.#a, pods.a), specOf(flow, b, pod)];
    const [x, y] = [walkOf(this.#a, specA), walkOf(b, specB)];
    if (specA === undefined || specB === undefined || x === undefined || y === undefined) return unasked(flow);
    const [walkA, walkB] = [x("lines", this.#work), y("lines", this.#work)];
    const roles = flow.to === "pod" || flow.from === "pod";
    const [fateA, fateB]: readonly [Fate, Fate] = [
      fateOf(walkA, this.#a, roles ? pods.a : undefined, this.#yardstick),
      fateOf(walkB, b, roles ? pod : undefined, this.#yardstick),
    ];
    const like = likeness(fateA, fateB);
    const unknown = [...walkA.branches, ...walkB.branches].flatMap((branch) => {
      const leg = branch.reply ?? branch.request;
      return leg.disposition === "undetermined" ? [sayDecision(leg.decision)] : [];
    });
    let parting: Parting | undefined;
    return {
      flow,
      like,
      facts: [...[...walkA.facts, ...walkB.facts].map((f) => f.id), ...unknown],
      met: { a: this.lines.a.metIn(walkA), b: this.lines.b.metIn(walkB) },
      parting: () => {
        parting ??= part(x(true, forShowing()), fateA, this.#a, y(true, forShowing()), fateB, b);
        return parting;
      },
      ...(like !== "same" && { ends: { a: endsOf(walkA), b: endsOf(walkB) } }),
      specs: { a: specA, b: specB },
    };
  }
}

const forShowing = (): Work => new Work(MAX_RULES_WALKED, MAX_STEPS_SHOWN);

const NOTHING: ReadonlySet<number> = new Set();

const unasked = (flow: Flow): Trial => ({
  flow,
  like: "unasked",
  facts: [],
  met: { a: NOTHING, b: NOTHING },
  parting: () => {
    throw new Error("a packet that was not sent parts nowhere");
  },
});

const withNode = (side: Side, node: Stack): Side => ({
  ...side,
  node,
  world: { ...side.world, stacks: side.world.stacks.map((s) => (s.name === node.name ? node : s)) },
});

/** A question of one side that can be walked; undefined where it cannot be asked there. */
function walkOf(
  side: Side,
  spec: QuestionSpec | undefined,
): ((record: Recorded, work: Work) => Exploration) | undefined {
  const resolved = spec === undefined ? undefined : resolveQuestion(side.world, spec);
  if (resolved?.ok !== true) return undefined;
  const { world, question } = resolved;
  return (record, work) => trace(world, question, { fixed: side.settled, record, work });
}
