import type { Device, LinkEnd } from "@hairpin/core/model/index.ts";
import {
  descriptorWord,
  deviceWord,
  type Line,
  lineOf,
  numberWord,
  type Word,
  words,
} from "@hairpin/core/model/word.ts";
import type { LabPlan } from "../plan.ts";
import { localLink, needsOwnNamespace, plainLink } from "./link.ts";
import { attempt, type Refusal } from "./refusal.ts";

/** The namespace that holds the far ends of cards that lead nowhere. No stack can have this name. */
export const YARD = "\0yard";

/** One `ip -batch`, run in one namespace. */
export interface Batch {
  readonly stack: string;
  readonly lines: readonly Line[];
}

export interface LinkProgram {
  /** Batches of one phase may run at once; a phase begins when the one before has ended. */
  readonly phases: readonly (readonly Batch[])[];
  readonly problems: readonly Refusal[];
}

interface Cable {
  readonly ends: readonly [LinkEnd, LinkEnd];
  /** Name in the yard of the end that waits to be moved into place, and the phase it is there from. */
  parked?: Word;
  since?: number;
}

/**
 * Creates every device so that each stack's come in the order of the plan, because that order decides source selection
 * (inet_select_addr walks for_each_netdev). A cable makes two devices at once: it is created when both are next in
 * their stacks. If no such cable is left, one end is parked in the yard and moved later; a move costs some 15 ms.
 * Indexes are unique in the world: the kernel delays a veth's carrier by a second when both ends have the same one
 * (linkwatch_urgent_event).
 */
export function linkProgram(plan: LabPlan, heldAt: (stack: string) => string, kinds: KindSupport): LinkProgram {
  const phases: Map<string, Line[]>[] = [];
  const last = new Map<string, number>();
  const problems: Refusal[] = [];
  let index = 100;
  const pathOf = (stack: string): Word => descriptorWord(heldAt(stack));
  const yardName = (number: number): Word => deviceWord(`hp${number}`);
  const numbered = (name: Word): readonly Word[] => words`name ${name} index ${numberWord(index++)}`;
  const emit = (runIn: string, touched: readonly string[], text: Line, since = 0): number => {
    const inYard = runIn === YARD;
    let phase = Math.max(since, ...touched.map((stack) => last.get(stack) ?? 0));
    // Yard batches stand in even phases, those of the stacks in odd ones.
    if ((phase % 2 === 0) !== inYard) phase++;
    for (const stack of touched) last.set(stack, phase);
    while (phases.length <= phase) phases.push(new Map());
    const batch = phases[phase]!;
    batch.set(runIn, [...(batch.get(runIn) ?? []), text]);
    return phase;
  };

  const queues = new Map(plan.stacks.map((s) => [s.name, s.devices.filter((d) => d.kind !== "loopback")]));
  const cables: Cable[] = plan.cables.map((ends) => ({ ends }));
  const cableOf = (end: LinkEnd): Cable | undefined =>
    cables.find((c) => c.ends.some((e) => e.stack === end.stack && e.device === end.device));
  const head = (stack: string): Device | undefined => queues.get(stack)?.[0];

  const place = (stack: string, device: Device): boolean => {
    const cable = isCard(device, kinds) ? cableOf({ stack, device: device.name }) : undefined;
    if (cable !== undefined) return placeCable(cable, stack, device);
    const name = deviceWord(device.name);
    if (isCard(device, kinds)) {
      const far = yardName(index + 1);
      const here = words`${numbered(name)} netns ${pathOf(stack)}`;
      emit(YARD, [stack], lineOf(words`link add ${here} type veth peer ${numbered(far)}`));
      if (device.carrier !== false) emit(YARD, [stack], lineOf(words`link set dev ${far} up`));
    } else if (needsOwnNamespace(device)) emit(stack, [stack], localLink(device, index++));
    else emit(YARD, [stack], plainLink(device, index++, pathOf(stack)));
    queues.get(stack)!.shift();
    return true;
  };

  const placeCable = (cable: Cable, stack: string, device: Device): boolean => {
    const name = deviceWord(device.name);
    if (cable.parked !== undefined) {
      const move = words`link set dev ${cable.parked} netns ${pathOf(stack)} name ${name}`;
      emit(YARD, [stack], lineOf(move), cable.since);
      queues.get(stack)!.shift();
      return true;
    }
    const [a, b] = cable.ends;
    const far = a.stack === stack && a.device === device.name ? b : a;
    const same = far.stack === stack;
    const next = same ? queues.get(stack)![1] : head(far.stack);
    if (next?.name !== far.device) return false;
    // veth_newlink registers the peer before the device itself.
    const second = words`${numbered(deviceWord(far.device))} netns ${pathOf(far.stack)}`;
    const first = words`${numbered(name)} netns ${pathOf(stack)}`;
    emit(YARD, same ? [stack] : [stack, far.stack], lineOf(words`link add ${second} type veth peer ${first}`));
    queues.get(stack)!.shift();
    queues.get(far.stack)!.shift();
    return true;
  };

  const park = (stack: string, device: Device): void => {
    const cable = cableOf({ stack, device: device.name })!;
    const parked = yardName(index);
    const here = words`${numbered(deviceWord(device.name))} netns ${pathOf(stack)}`;
    cable.since = emit(YARD, [stack], lineOf(words`link add ${here} type veth peer ${numbered(parked)}`));
    cable.parked = parked;
    queues.get(stack)!.shift();
  };

  for (let stuck = false; [...queues.values()].some((q) => q.length > 0); ) {
    let moved = false;
    for (const [stack, queue] of queues) {
      while (queue.length > 0) {
        const device = queue[0]!;
        const left = queue.length;
        let waits = false;
        attempt(problems, { stack, what: `device ${device.name}`, origin: device.origin }, () => {
          if (stuck) {
            stuck = false;
            park(stack, device);
          } else waits = !place(stack, device);
        });
        if (waits) break;
        // It may not be made: those after it are.
        if (queue.length === left) queue.shift();
        moved = true;
      }
    }
    stuck = !moved;
  }
  return { phases: phases.map((p) => [...p].map(([stack, lines]) => ({ stack, lines }))), problems };
}

/** Kinds this kernel can make; a dummy it cannot make is a card that leads nowhere. */
export interface KindSupport {
  readonly dummy: boolean;
}

/** Whether a device is one end of a veth pair here. Bonds and the like stand as a single card. */
export function isCard(device: Device, kinds: KindSupport): boolean {
  switch (device.kind) {
    case "ethernet":
    case "veth":
    case "bond":
    case "team":
    case "unknown":
    case "openvswitch":
      return true;
    case "dummy":
      return !kinds.dummy;
    default:
      return false;
  }
}
