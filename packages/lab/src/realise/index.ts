import type { Device, Listener, World } from "@hairpin/core/model/index.ts";
import { familyOf, PROTO } from "@hairpin/core/net/index.ts";
import { type LabListener, type LabPlan, OBSERVE_ALL, type ObserveOptions, type Stimulus } from "../plan.ts";
import { devicesOf } from "./devices.ts";
import { fabricOf } from "./fabric.ts";
import { wiringOf } from "./links.ts";
import { type KernelFeature, needsOf } from "./needs.ts";
import { type Remark, Remarks } from "./report.ts";
import { labStackOf } from "./stack.ts";
import type { ChosenFacts } from "./sysctls.ts";
import { relaysOf } from "./tunnels.ts";

export interface RealiseOptions {
  readonly stimuli: readonly Stimulus[];
  /** Beside those of the World: what a made-up endpoint listens on. */
  readonly listeners?: readonly LabListener[];
  /** Values for facts that the World leaves open, by the ids of `hypothesis`. */
  readonly facts?: ChosenFacts;
  readonly observe?: ObserveOptions;
}

export interface Realised {
  readonly plan: LabPlan;
  readonly remarks: readonly Remark[];
  readonly needs: readonly KernelFeature[];
}

/** A World as a plan for a kernel, with all that is made differently or not at all. */
export function realise(world: World, options: RealiseOptions): Realised {
  const remarks = new Remarks();
  const facts = options.facts ?? new Map();
  const devices = new Map<string, readonly Device[]>(
    world.stacks.map((stack, i) => [stack.name, devicesOf(stack, i + 1, remarks, linkedOf(world, stack.name))]),
  );
  const wiring = wiringOf(world, devices, remarks);
  const fabric = fabricOf(world, devices, wiring.fabric, facts, remarks);
  const listeners = [
    ...world.stacks.flatMap((s) => s.listeners.items.flatMap((l) => labListener(s.name, l))),
    ...(options.listeners ?? []),
  ];
  const plan: LabPlan = {
    stacks: [
      ...world.stacks.map((stack) => labStackOf(world, stack, devices, facts, remarks)),
      ...wiring.switches,
      ...fabric.stacks,
    ],
    cables: [...wiring.cables, ...fabric.cables],
    relays: relaysOf(world, remarks),
    listeners: distinct(listeners),
    stimuli: options.stimuli,
    observe: options.observe ?? OBSERVE_ALL,
  };
  return { plan, remarks: remarks.all, needs: needsOf(plan) };
}

const linkedOf = (world: World, stack: string): ReadonlySet<string> =>
  new Set(world.links.flatMap((l) => l.ends.filter((e) => e.stack === stack).map((e) => e.device)));

function labListener(stack: string, listener: Listener): readonly LabListener[] {
  const protocol = listener.protocol === PROTO.tcp ? "tcp" : listener.protocol === PROTO.udp ? "udp" : undefined;
  if (protocol === undefined) return [];
  const { address, port, device } = listener;
  return [
    {
      stack,
      protocol,
      port,
      family: address === undefined ? 4 : familyOf(address),
      ...(address === undefined ? {} : { address }),
      ...(device === undefined ? {} : { device }),
    },
  ];
}

/** A port can be bound once; the wildcard takes it for every address. */
const distinct = (listeners: readonly LabListener[]): readonly LabListener[] =>
  listeners.filter(
    (l, i) =>
      !listeners
        .slice(0, i)
        .some(
          (k) =>
            k.stack === l.stack &&
            k.protocol === l.protocol &&
            k.port === l.port &&
            k.family === l.family &&
            (k.address === undefined || k.address === l.address),
        ),
  );
