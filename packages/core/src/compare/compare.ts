import type { World } from "../model/index.ts";
import type { Comparison, Difference, Meaningless, NodePair, Undecided } from "./comparison.ts";
import { differingElements } from "./differences/index.ts";
import type { NotShown } from "./element.ts";
import type { Yardstick } from "./fate.ts";
import { probeKey } from "./flows/flow.ts";
import { byBurden, grouped, type Shown } from "./grouping.ts";
import type { Side } from "./side.ts";
import { Trier } from "./trier.ts";

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

type Part = Omit<Comparison, "nodes" | "onlyA" | "onlyB">;

function comparePair(a: Side, b: Side, nodes: NodePair, yardstick: Yardstick): Part {
  const { elements, notShown } = differingElements(a.node, b.node, yardstick.sameNode);
  const trier = new Trier(a, b, yardstick);
  const shown: Shown[] = [];
  const undecided: Undecided[] = [];
  const meaningless: Meaningless[] = [];
  for (const element of elements) {
    const walkable = element.unwalkable !== "native nft";
    const trials = walkable ? trier.tryOut(element) : [];
    // Another difference may be at work in a packet that never meets this one.
    let met = trials.filter((t) => trier.meets(t, element));
    let left = false;
    if (walkable && !met.some((t) => t.like === "different")) {
      const closer = trier.tryCloser(element);
      met = [...met, ...closer.trials.filter((t) => trier.meets(t, element))];
      left = !closer.all;
    }
    const { together } = element;
    if (together !== undefined && !met.some((t) => t.like === "different"))
      met = [...met, ...trier.tryOut({ ...element, alone: together }).filter((t) => trier.meets(t, element))];
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
  const differences = grouped(shown, trier.lines, yardstick).map(({ trials, elements: about, alsoMet }): Difference => {
    const sorted = [...trials].sort(byBurden);
    const first = sorted[0]!;
    return {
      nodes,
      example: { flow: first.flow, ...first.specs!, parting: first.parting(), ends: first.ends! },
      flows: [...new Map(sorted.map((t) => [probeKey(t.flow), t.flow])).values()],
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
