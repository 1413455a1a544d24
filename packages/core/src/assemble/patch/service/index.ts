import { type Programmed, type ProxyMode, programme } from "../../../kubernetes/index.ts";
import type { PatchRefusal } from "../../../model/faults/patch-refusal.ts";
import {
  type IpSet,
  type IptablesTable,
  KUBE_IPVS0,
  type KubernetesObjects,
  type KubernetesService,
  type Stack,
  type StackProgramme,
  type World,
} from "../../../model/index.ts";
import { type Address, formatAddress, isIpv4 } from "../../../net/index.ts";
import { programmedAgain, reprogrammed } from "../../kube-proxy/programmed-stack.ts";
import { applyChange } from "../apply.ts";
import type { Change } from "../change.ts";
import { parseChange } from "../parse.ts";
import { type ServiceField, withField } from "./field.ts";
import { swapSetRules } from "./set-rules.ts";
import { inputFor, modeOf } from "./settings.ts";
import { type Swap, swapServices, swapSets, swapTable } from "./swap.ts";

export { parseServiceFields } from "./command.ts";
export { fieldOf, type ServiceField } from "./field.ts";

/** A World after a field of a Service changed: on every node, what kube-proxy wrote of it gives way to what it writes now. */
export function applyServiceField(
  world: World,
  change: ServiceField,
):
  | { readonly world: World; readonly changed: readonly { readonly before: Stack; readonly after: Stack }[] }
  | PatchRefusal {
  const { services, endpoints } = world.kubernetes;
  const name = `${change.namespace}/${change.name}`;
  const service = services.find((s) => s.namespace === change.namespace && s.name === change.name);
  if (service === undefined) return { kind: "no-service", name };
  const now = withField(service, change);
  if ("kind" in now) return now;
  if (!endpoints.some((e) => e.namespace === change.namespace && e.service === change.name))
    return { kind: "no-endpoints-shown", name, namespace: change.namespace };
  const objects = { ...world.kubernetes, services: services.map((s) => (s === service ? now : s)) };
  const changed: { before: Stack; after: Stack }[] = [];
  const stacks: Stack[] = [];
  const known = knownFor(world.kubernetes, JSON.stringify(change));
  for (const stack of world.stacks) {
    let after = known.get(stack);
    if (after === undefined) {
      after = stackAfter(stack, world, objects, service, now);
      known.set(stack, after);
    }
    if (!("devices" in after)) return after;
    if (after !== stack) changed.push({ before: stack, after });
    stacks.push(after);
  }
  if (changed.length === 0) return { kind: "no-node-programmed", name };
  const { undecidedMode } = world;
  const next: World = { ...world, stacks, kubernetes: objects };
  if (undecidedMode === undefined) return { world: next, changed };
  const programmes = new Map(
    [...undecidedMode.programmes].map(([mode, nodes]) => [
      mode,
      new Map(
        [...nodes].map(([node, part]) => {
          const stack = world.stacks.find((s) => s.name === node);
          const again = programmedAgain(part, objects);
          if (again !== undefined || stack === undefined) return [node, again ?? part];
          return [node, swappedPart(part, stack, world, mode as ProxyMode, service, now)];
        }),
      ),
    ]),
  );
  return { world: { ...next, undecidedMode: { ...undecidedMode, programmes } }, changed };
}

/** Of a node that only objects tell of, nothing is made before somebody looks at it. */
function stackAfter(
  stack: Stack,
  world: World,
  objects: KubernetesObjects,
  before: KubernetesService,
  now: KubernetesService,
): Stack | PatchRefusal {
  if (stack.kind !== "node" || stack.assumed !== undefined) return stack;
  const again = reprogrammed(stack, objects);
  if (again !== undefined) return again;
  const mode = modeOf(stack);
  return mode === undefined ? stack : swapped(stack, world, mode, before, now);
}

type Swapped = WeakMap<Stack, Stack | PatchRefusal>;
const swaps = new WeakMap<KubernetesObjects, Map<string, Swapped>>();

/** What became of stacks by the same change: whoever tries a fix for one flow after the other meets the same nodes again. */
function knownFor(objects: KubernetesObjects, change: string): Swapped {
  let known = swaps.get(objects);
  if (known === undefined) {
    known = new Map();
    swaps.set(objects, known);
  }
  let own = known.get(change);
  if (own === undefined) {
    own = new WeakMap();
    known.set(change, own);
  }
  return own;
}

function swapFor(
  stack: Stack,
  world: World,
  mode: ProxyMode,
  before: KubernetesService,
  after: KubernetesService,
): Swap | undefined {
  const input = inputFor(stack, world.kubernetes, mode);
  if (input === undefined) return undefined;
  const made = (services: readonly KubernetesService[]): Programmed | undefined => {
    const result = programme({ ...input, services });
    return result.kind === "programmed" ? result.families.find((f) => f.family === 4) : undefined;
  };
  const [old, now, without] = [made([before]), made([after]), made([])];
  if (old === undefined || now === undefined || without === undefined) return undefined;
  return { service: `${before.namespace}/${before.name}`, before: old, after: now, without };
}

function swapped(
  stack: Stack,
  world: World,
  mode: ProxyMode,
  before: KubernetesService,
  after: KubernetesService,
): Stack | PatchRefusal {
  const swap = swapFor(stack, world, mode, before, after);
  if (swap === undefined) return stack;
  const sets = swapSets(stack.ipsets.items, swap);
  const tables = stack.netfilter.tables.map((t) => tableAfter(t, swap, stack.ipsets.items, sets));
  const missing = tables.find((t) => typeof t === "string");
  if (typeof missing === "string") return { kind: "no-chain", stack: stack.name, chain: missing };
  const next: Stack = {
    ...stack,
    netfilter: { ...stack.netfilter, tables: tables.filter((t) => typeof t !== "string") },
    ipsets: { ...stack.ipsets, items: sets },
    ipvs: { ...stack.ipvs, services: swapServices(stack.ipvs.services, swap) },
  };
  return withAddresses(next, swap);
}

const tableAfter = (
  table: IptablesTable,
  swap: Swap,
  was: readonly IpSet[],
  is: readonly IpSet[],
): IptablesTable | string => {
  if (table.family !== 4) return table;
  return swap.after.mode === "ipvs" ? swapSetRules(table, swap, was, is) : swapTable(table, swap);
};

/** kube-ipvs0 gains and loses what the Service does. */
function withAddresses(stack: Stack, { before, after }: Swap): Stack {
  const missing = (of: readonly Address[], among: readonly Address[]) =>
    of.filter((a) => isIpv4(a) && !among.some((b) => a === b));
  const commands = [
    ...missing(before.addresses, after.addresses).map((a) => `ip addr del ${formatAddress(a)}/32 dev ${KUBE_IPVS0}`),
    ...missing(after.addresses, before.addresses).map((a) => `ip addr add ${formatAddress(a)}/32 dev ${KUBE_IPVS0}`),
  ];
  let now = stack;
  for (const command of commands) {
    const parsed = parseChange(command, stack.origin);
    const changes: readonly Change[] = parsed.ok ? parsed.changes : [];
    for (const change of changes) {
      const result = applyChange(now, change);
      if (result.ok) now = result.stack;
    }
  }
  return now;
}

/** The same for a node of which only objects tell, in a mode that is a hypothesis. */
function swappedPart(
  part: StackProgramme,
  stack: Stack,
  world: World,
  mode: ProxyMode,
  before: KubernetesService,
  after: KubernetesService,
): StackProgramme {
  const swap = swapFor({ ...stack, ...part, devices: stack.devices }, world, mode, before, after);
  if (swap === undefined) return part;
  const sets = swapSets(part.ipsets.items, swap);
  const tables = part.netfilter.tables.map((t) => {
    const now = tableAfter(t, swap, part.ipsets.items, sets);
    return typeof now === "string" ? t : now;
  });
  return {
    ...part,
    netfilter: { ...part.netfilter, tables },
    ipsets: { ...part.ipsets, items: sets },
    ipvs: { ...part.ipvs, services: swapServices(part.ipvs.services, swap) },
  };
}
