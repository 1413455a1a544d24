import { isOver, type ObjectName, type Stack, type World } from "../model/index.ts";
import { type Exploration, type Leg, legsOf } from "../trace/index.ts";

/** Whom a round trip meets although nobody showed them: nodes of which there are objects alone, pods without a dump of their own. */
export interface Unshown {
  readonly nodes: readonly string[];
  readonly pods: readonly (ObjectName & { readonly node: string })[];
}

/** Of every way that was walked, in the order in which they are met. */
export function unshownOn({ branches, world }: Exploration): Unshown {
  const met = new Set(branches.flatMap((b) => [...legsOf(b), ...b.aftermath].flatMap(stacksOf)));
  const stacks = new Map(world.stacks.map((s) => [s.name, s] as const));
  const nodes = new Set<string>();
  const pods = new Map<string, ObjectName & { readonly node: string }>();
  for (const name of met) {
    const stack = stacks.get(name);
    if (stack === undefined) continue;
    if (stack.kind === "node" && stack.fromObjects === true) nodes.add(stack.name);
    const pod = stack.assumed === undefined ? undefined : podOf(world, stack);
    if (pod === undefined) continue;
    pods.set(`${pod.namespace}/${pod.name}`, pod);
    if (stacks.get(pod.node)?.fromObjects === true) nodes.add(pod.node);
  }
  return { nodes: [...nodes], pods: [...pods.values()] };
}

const stacksOf = ({ steps, stack }: Leg): readonly string[] => [...steps.map((s) => s.stack), stack];

/** Whose object has the address of a host that the walk made up. */
function podOf(world: World, stack: Stack): Unshown["pods"][number] | undefined {
  const addresses = new Set(stack.devices.items.flatMap((d) => d.addresses.map((a) => a.prefix.address)));
  const pod = world.kubernetes.pods.find(
    (p) => !p.hostNetwork && !isOver(p) && p.addresses.some((a) => addresses.has(a)),
  );
  if (pod?.nodeName === undefined) return undefined;
  return { namespace: pod.namespace, name: pod.name, node: pod.nodeName };
}
