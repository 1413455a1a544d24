import { assembleObjects } from "../../assemble/index.ts";
import type { Askable, QuestionOptions } from "../../diagnose/index.ts";
import type { KubernetesService, World } from "../../model/index.ts";
import { familyOf } from "../../net/index.ts";
import { type Question, resolveQuestion } from "../../trace/index.ts";
import type { Source, Target } from "../flow.ts";
import { type Flow, THROUGH_BALANCER } from "../plan.ts";
import { balancedOf } from "./balanced.ts";
import { Census } from "./census.ts";
import { isCountable } from "./countable.ts";
import { type Part, partOf, Witnesses } from "./part.ts";
import { nodeSource, Places } from "./places.ts";
import { Offers } from "./service.ts";

/** With fewer nodes the whole cluster is asked: a load balancer's walks go through each of them. */
const MANY_NODES = 64;

/**
 * The same question of those objects alone that its packets can meet, where nobody showed anything else and the cluster is large: what a sweep
 * walks for it. Where that cannot be told, the case as it is.
 */
export function askedPart(askable: Askable, options: QuestionOptions): Askable {
  const objects = askable.objectsAlone();
  if (objects === undefined || objects.nodes.length < MANY_NODES || !isCountable(objects)) return askable;
  const census = new Census(objects);
  const world = frameOf(census);
  const spec = askable.spec(options);
  const parts: Part[] = [];
  for (const family of spec.family === undefined ? ([4, 6] as const) : [spec.family]) {
    const resolved = resolveQuestion(world, { ...spec, family });
    if (resolved.ok !== true) continue;
    const flow = flowOf(census, resolved.world, resolved.question);
    if (flow === undefined) return askable;
    parts.push(partFor(census, flow));
  }
  const [first, second] = parts;
  if (first === undefined) return askable;
  const { objects: own, balancers } = second === undefined ? first : together(first, second);
  return askable.part(own, balancers, objects);
}

/** Names and addresses do not depend on what kube-proxy writes; in iptables mode nothing of that is made before a packet comes by. */
function frameOf({ objects, balancers }: Census): World {
  const kubeProxyConfigs = objects.kubeProxyConfigs.map((c) => ({ ...c, mode: "iptables" }));
  return assembleObjects({ ...objects, kubeProxyConfigs }, [...balancers.values()].flat()).world;
}

/** Who asks whom, as a sweep has it; undefined: it has no such flow. */
function flowOf(census: Census, world: World, { client, to, port, protocol, arrival }: Question): Flow | undefined {
  const source = sourceOf(census, world, client, arrival?.stack);
  const home = census.hostAt(to) ?? census.tenantAt(to)?.host;
  const isBalanced = world.loadBalancers.some((b) => b.address === to);
  if (source === undefined || (home === undefined && !isBalanced && census.publishedAt(to).length === 0))
    return undefined;
  if (source === THROUGH_BALANCER && !isBalanced) return undefined;
  const target: Target = {
    kind: "service",
    name: null,
    namespace: null,
    via: null,
    address: to,
    port,
    servicePort: null,
    protocol,
    family: familyOf(to),
    node: home?.object.name ?? null,
    endpoints: new Set(),
  };
  return { source, target };
}

function sourceOf(census: Census, world: World, client: string, arrival: string | undefined): Source | undefined {
  const stack = world.stacks.find((s) => s.name === client);
  if (stack === undefined) return undefined;
  if (arrival !== undefined) {
    const host = census.host(arrival);
    return host && nodeSource(host, "external");
  }
  if (stack.kind === "node") {
    const host = census.host(stack.name);
    return host && nodeSource(host, "node");
  }
  const addresses = stack.devices.items.flatMap((d) => d.addresses.map((a) => a.prefix.address));
  if (stack.kind === "pod") return addresses.map((a) => census.tenantAt(a)?.source).find((s) => s !== undefined);
  return THROUGH_BALANCER;
}

function partFor(census: Census, flow: Flow): Part {
  const service = serviceAsked(census, flow.target);
  const offer = service && new Offers(census).of(service);
  const balanced = balancedOf(census, flow, offer, () => new Places(census, {}).of(offer));
  return partOf(census, new Witnesses(census.objects), flow, offer, balanced);
}

/** Which Service is asked by this address and port; a node's own address may be one's, while its port is another's node port. */
function serviceAsked(census: Census, { address, port, protocol, node }: Target): KubernetesService | undefined {
  const { services } = census.objects;
  const published = census.publishedAt(address);
  const isBalanced = ({ namespace, name }: KubernetesService): boolean =>
    (census.balancers.get(`${namespace}/${name}`) ?? []).some((b) => b.address === address);
  const by = (test: (p: KubernetesService["ports"][number]) => boolean) => (s: KubernetesService) =>
    s.ports.some((p) => p.protocol === protocol && test(p));
  return (
    published.find(by((p) => p.port === port)) ??
    (node === null ? undefined : services.find(by((p) => p.nodePort === port))) ??
    published[0] ??
    services.find(isBalanced)
  );
}

/** Of a name that has addresses of both families. */
function together(a: Part, b: Part): Part {
  const both = <T>(of: (part: Part) => readonly T[]): readonly T[] => [...new Set([...of(a), ...of(b)])];
  return {
    objects: {
      ...a.objects,
      nodes: both((p) => p.objects.nodes),
      pods: both((p) => p.objects.pods),
      services: both((p) => p.objects.services),
      endpoints: both((p) => p.objects.endpoints),
    },
    balancers: both((p) => p.balancers),
  };
}
