import { innermost, type Packet, type Stack, type World } from "../model/index.ts";
import type { Branch, Exploration, Leg } from "../trace/index.ts";
import { common, type Direction, filterOf, nameOf, type PacketFilter, type Probe } from "./probe.ts";

/** A place a branch's packet passed where something could be laid, in order. */
interface Passage {
  readonly key: string;
  readonly packet: Packet;
  readonly make: (filter: PacketFilter) => Probe;
}

/** Only where somebody can log in: a machine that was dumped, not one the walk made up. */
const canBeReached = (stack: Stack | undefined): boolean =>
  stack !== undefined &&
  stack.assumed === undefined &&
  (stack.kind === "node" || stack.kind === "router" || stack.kind === "vm");

const legsOf = (branch: Branch): readonly (readonly [Direction, Leg])[] => [
  ["request", branch.request],
  ...(branch.reply === null ? [] : ([["reply", branch.reply]] as const)),
];

function passagesOf(branch: Branch, world: World): readonly Passage[] {
  const reached = new Set(world.stacks.filter(canBeReached).map((s) => s.name));
  const passages: Passage[] = [];
  for (const [direction, leg] of legsOf(branch)) {
    let hookBefore = "";
    for (const step of leg.steps) {
      if (!reached.has(step.stack)) continue;
      const { stack } = step;
      if (step.kind === "hook") {
        // Tables of one hook follow each other; the packet as the first of them sees it is what mangle sees.
        const here = `${stack} ${step.hook} ${step.in} ${step.out}`;
        if (here === hookBefore) continue;
        hookBefore = here;
        const { hook } = step;
        passages.push({
          key: `log|${stack}|${hook}|${direction}`,
          packet: step.packet,
          make: (filter) => ({
            kind: "log",
            id: nameOf(["log", stack, hook, direction]),
            stack,
            hook,
            direction,
            filter,
          }),
        });
        continue;
      }
      if (step.kind !== "conntrack" && step.kind !== "rule" && step.kind !== "nat") hookBefore = "";
      if (step.kind === "receive" || step.kind === "transmit") {
        const { device } = step;
        const way = step.kind === "receive" ? "in" : "out";
        passages.push({
          key: `capture|${stack}|${device}|${way}|${direction}`,
          packet: innermost(step.packet),
          make: (filter) => ({
            kind: "capture",
            id: nameOf(["capture", stack, device, way, direction]),
            stack,
            device,
            way,
            direction,
            filter,
          }),
        });
      }
    }
  }
  return passages;
}

export interface Candidates {
  /** In the order the packet meets them. */
  readonly probes: readonly Probe[];
  /** Which of them each branch passes. */
  readonly observed: ReadonlyMap<Branch, ReadonlySet<string>>;
}

/** Every place that could be watched, and which branch passes which. A place whose packets have nothing in common is left out. */
export function candidatesOf(exploration: Exploration): Candidates {
  const filters = new Map<string, { filter: PacketFilter | undefined; readonly make: Passage["make"] }>();
  const keys = new Map<Branch, readonly string[]>();
  for (const branch of exploration.branches) {
    const passages = passagesOf(branch, exploration.world);
    keys.set(
      branch,
      passages.map((p) => p.key),
    );
    for (const { key, packet, make } of passages) {
      const known = filters.get(key);
      if (known === undefined) filters.set(key, { filter: filterOf(packet), make });
      else if (known.filter !== undefined) known.filter = common(known.filter, filterOf(packet));
    }
  }
  const probes = new Map(
    [...filters].flatMap(([key, { filter, make }]) => (filter === undefined ? [] : [[key, make(filter)]])),
  );
  const seen = new Map(
    [...keys].map(([branch, passed]) => [
      branch,
      new Set(passed.flatMap((key) => (probes.has(key) ? [probes.get(key)!.id] : []))),
    ]),
  );
  return { probes: [...probes.values()], observed: seen };
}
