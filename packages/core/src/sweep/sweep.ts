import type { Askable } from "../diagnose/index.ts";
import type { World } from "../model/index.ts";
import { formatAddress, protocolName } from "../net/index.ts";
import { Cures } from "../remedy/index.ts";
import { type Answer, answerOf, inspect } from "./answer.ts";
import { Sharing, viewsOf } from "./classes/sharing.ts";
import { censusOf } from "./counted/census.ts";
import { sweepCounted } from "./counted/sweep-counted.ts";
import type { Group } from "./flow.ts";
import { askedOf, type Flow, type Plan, planOf, type Wanted } from "./plan.ts";
import type { Sweep, SweptClass } from "./swept.ts";

export interface SweepOptions extends Wanted {
  /** Another World than the one that was read: a change tried. */
  readonly world?: World;
  /** Every flow is walked for itself: what sharing is held against. */
  readonly every?: boolean;
  /** Told of every flow, and of the class that answers for it. */
  readonly member?: (flow: Flow, id: string) => void;
  /** Told of every class that was walked: the stacks that its packets came through, by role or name. */
  readonly looked?: (id: string, stacks: readonly string[]) => void;
  /** What is known of a flow from elsewhere, so that it is not walked; `later`: whoever knows is not as far yet. */
  readonly kept?: (flow: Flow) => KeptAnswer | "later" | undefined;
}

/** An answer that was given before, and by which class. */
export interface KeptAnswer {
  readonly id: string;
  readonly answer: Answer;
}

/** How far it is. */
export interface SweepProgress {
  readonly answered: number;
  readonly flows: number;
  /** What is known so far. */
  readonly known: () => Sweep;
  /** It goes no further before somebody else does. */
  readonly waits?: true;
}

/** Flows that join their class between two looks of whoever waits. */
const TURN = 4096;

/** A class while members come in. */
interface Open {
  readonly id: string;
  readonly first: Flow;
  readonly answer: Answer;
  readonly nodes: Set<string | null>;
  readonly addresses: Set<string>;
  flows: number;
}

/** Asks every flow, a walk for each class of them; yields after each walk, so that whoever waits can stop it. */
export function* sweep(askable: Askable, options: SweepOptions = {}): Generator<SweepProgress, Sweep> {
  const objects = options.world === undefined && options.every !== true ? askable.objectsAlone() : undefined;
  const census = objects === undefined ? undefined : censusOf(objects);
  if (census !== undefined) return yield* sweepCounted(askable, census, options);
  const world = options.world ?? askable.world;
  const plan: Plan = planOf(world, options);
  const classes: Open[] = [];
  let answered = 0;
  let walks = 0;
  const { shard } = options;
  const known = (): Sweep => ({
    classes: classes.map(closed),
    flows: plan.flows,
    answered,
    walks,
    ...(shard !== undefined && { shard }),
  });
  const views = options.every === true ? undefined : viewsOf(askable, world);
  for (const group of plan.groups) {
    const sharing = views === undefined ? undefined : new Sharing<Open>(views);
    const cures = new Cures();
    const kept = new Map<string, Open>();
    let number = 0;
    for (const flow of plan.flowsOf(group)) {
      let before = options.kept?.(flow);
      while (before === "later") {
        yield { answered, flows: plan.flows, known, waits: true };
        before = options.kept?.(flow);
      }
      let shared = before === undefined ? sharing?.find(flow) : kept.get(before.id);
      if (before !== undefined && shared === undefined) {
        shared = { ...opened(group, number++, flow, before.answer), flows: 0 };
        classes.push(shared);
        kept.set(before.id, shared);
      }
      if (shared !== undefined) join(shared, flow);
      else {
        const asked = askedOf(flow);
        const inspected = inspect(askable, asked, world);
        const answer = answerOf(inspected, world, cures);
        const fresh = opened(group, number++, flow, answer);
        classes.push(fresh);
        const { question, exploration } = inspected;
        const looked = question === undefined ? undefined : sharing?.learn(flow, question, exploration, fresh);
        if (looked !== undefined) options.looked?.(fresh.id, looked);
        walks++;
      }
      options.member?.(flow, (shared ?? classes[classes.length - 1]!).id);
      answered++;
      if (shared === undefined || answered % TURN === 0) yield { answered, flows: plan.flows, known };
    }
  }
  return known();
}

const opened = (group: Group, number: number, flow: Flow, answer: Answer): Open => ({
  id: `${group.number}.${number}`,
  first: flow,
  answer,
  nodes: new Set([flow.source.node]),
  addresses: new Set([formatAddress(flow.target.address)]),
  flows: 1,
});

function join(known: Open, { source, target }: Flow): void {
  known.flows++;
  known.nodes.add(source.node);
  known.addresses.add(formatAddress(target.address));
}

function closed({ id, first, answer, nodes, addresses, flows }: Open): SweptClass {
  const { source, target } = first;
  const several = addresses.size > 1 && (target.kind === "pod" || target.kind === "kubelet");
  return {
    id,
    from: { kind: source.kind, node: source.node, nodes: nodes.size, example: source.from },
    to: {
      kind: target.kind,
      service: several ? null : target.name,
      address: formatAddress(target.address),
      addresses: addresses.size,
      port: target.port,
      via: target.via,
    },
    proto: protocolName(target.protocol),
    family: target.family,
    flows,
    ...answer,
    example: askedOf(first),
  };
}
