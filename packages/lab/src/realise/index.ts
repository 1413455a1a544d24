import { type Device, factId, type Listener, type World } from "@hairpin/core/model/index.ts";
import { type Family, familyOf, isUnspecified, PROTO } from "@hairpin/core/net/index.ts";
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
    world.stacks.map((stack, i) => {
      const made = devicesOf(stack, i + 1, remarks, linkedOf(world, stack.name));
      return [stack.name, made.map((d) => withChosenHairpin(stack.name, d, facts))];
    }),
  );
  const wiring = wiringOf(world, devices, remarks);
  const fabric = fabricOf(world, devices, wiring.fabric, facts, remarks);
  const stacks = world.stacks.map((stack) => labStackOf(world, stack, devices, facts, remarks));
  const six = new Set(stacks.filter((s) => s.ipv6).map((s) => s.name));
  const listeners = [
    ...world.stacks.flatMap((s) => s.listeners.items.flatMap((l) => labListener(s.name, l, six.has(s.name)))),
    ...(options.listeners ?? []),
  ];
  const plan: LabPlan = {
    stacks: [...stacks, ...wiring.switches, ...fabric.stacks],
    cables: [...wiring.cables, ...fabric.cables],
    relays: relaysOf(world, remarks),
    listeners: distinct(listeners),
    stimuli: options.stimuli,
    observe: options.observe ?? OBSERVE_ALL,
  };
  return { plan, remarks: remarks.all, needs: needsOf(plan) };
}

/** Of a port that a dump shows it is no open fact. */
function withChosenHairpin(stack: string, device: Device, facts: ChosenFacts): Device {
  const chosen = facts.get(factId({ kind: "hairpin", stack, port: device.name }));
  return chosen === undefined ? device : { ...device, port: { ...device.port, hairpin: chosen === "on" } };
}

const linkedOf = (world: World, stack: string): ReadonlySet<string> =>
  new Set(world.links.flatMap((l) => l.ends.filter((e) => e.stack === stack).map((e) => e.device)));

/** A socket of the wildcard that is not of one family only takes both: two of the lab's, one a family. */
function labListener(stack: string, listener: Listener, ipv6: boolean): readonly LabListener[] {
  const protocol = listener.protocol === PROTO.tcp ? "tcp" : listener.protocol === PROTO.udp ? "udp" : undefined;
  if (protocol === undefined) return [];
  const { address, port, device } = listener;
  const families: readonly Family[] =
    address !== undefined && !isUnspecified(address)
      ? [familyOf(address)]
      : ([4, 6] as const).filter(
          (f) => (f === 4 ? listener.v6only : listener.v4only) === undefined && (f === 4 || ipv6),
        );
  return families.map((family) => ({
    stack,
    protocol,
    port,
    family,
    ...(address === undefined || isUnspecified(address) ? {} : { address }),
    ...(device === undefined ? {} : { device }),
  }));
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
