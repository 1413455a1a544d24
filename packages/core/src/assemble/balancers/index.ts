import type {
  CaseFile,
  KubernetesEndpoints,
  KubernetesObjects,
  KubernetesService,
  LoadBalancer,
  Stack,
} from "../../model/index.ts";
import { derived } from "../../model/index.ts";
import { type Address, familyOf, ipv4Of, offset } from "../../net/index.ts";
import { alibaba } from "./alibaba.ts";
import { cilium, kubeVip, metallb } from "./announced.ts";
import { aws } from "./aws.ts";
import { azure } from "./azure.ts";
import { google } from "./google.ts";
import { others } from "./others.ts";
import type { Habits, Provider } from "./provider.ts";
import { freeAddressBeside } from "./source.ts";
import { type Candidates, candidatesOf, healthyNodes, podTargets, slicesByService } from "./targets.ts";
import { tencent } from "./tencent.ts";

/** In this order: what a Service says of its balancer comes before the cloud its nodes run in, which each looks at last. */
const PROVIDERS: readonly Provider[] = [metallb, kubeVip, cilium, aws, google, azure, alibaba, tencent, ...others];

const byClue = (service: KubernetesService, objects: KubernetesObjects): Habits | undefined => {
  const bare = { ...objects, nodes: [] };
  const strong = PROVIDERS.map((p) => p(service, bare)).find((h) => h !== undefined);
  return strong ?? PROVIDERS.map((p) => p(service, objects)).find((h) => h !== undefined);
};

/** Load balancers as case.yaml states them, then those that are inferred. */
export function balancersOf(
  caseFile: CaseFile | undefined,
  objects: KubernetesObjects,
  stacks: readonly Stack[],
): readonly LoadBalancer[] {
  const stated: readonly LoadBalancer[] = caseFile?.loadBalancers ?? [];
  return [...stated, ...inferBalancers(objects, stacks, stated)];
}

/**
 * The load balancers that Services of that type have, by the habits of whoever makes them. What is stated in case.yaml
 * stands; a Service of which nothing tells the maker gets none.
 */
export function inferBalancers(
  objects: KubernetesObjects,
  stacks: readonly Stack[],
  stated: readonly LoadBalancer[],
): readonly LoadBalancer[] {
  const services = objects.services.filter((s) => s.type === "LoadBalancer");
  const nodes = candidatesOf(objects, stacks);
  const slices = slicesByService(objects);
  const known = new Set(stated.map((b) => b.address));
  return services.flatMap((service, ordinal) => {
    const habits = byClue(service, objects);
    if (habits === undefined) return [];
    const own = slices.get(`${service.namespace}/${service.name}`) ?? [];
    return addressesOf(service, habits, ordinal).flatMap(({ address, hostname, proxied }) => {
      if (known.has(address)) return [];
      const balancer = balancerOf(service, habits, address, own, nodes, objects, stacks);
      if (balancer === undefined) return [];
      return [
        {
          ...balancer,
          ...(hostname !== undefined && { hostname }),
          // ipMode Proxy, or no address at all: kube-proxy knows nothing of it.
          ...((proxied || hostname !== undefined) && { vipBoundOnNode: false }),
        },
      ];
    });
  });
}

interface Frontend {
  readonly address: Address;
  readonly hostname?: string;
  readonly proxied: boolean;
}

/** Addresses made up for balancers that have a name only: of the shared range inside, of the benchmarking range outside, from the last /24 on down. */
const MADE_UP = { inside: ipv4Of(0x647fff00), outside: ipv4Of(0xc613ff00) };
const IN_A_NETWORK = 254;

function addressesOf(service: KubernetesService, habits: Habits, ordinal: number): readonly Frontend[] {
  const input = [
    ...service.loadBalancerIps.map((address) => ({ address, proxied: false })),
    ...(service.proxyLoadBalancerIps ?? []).map((address) => ({ address, proxied: true })),
  ];
  const [hostname] = service.loadBalancerHostnames ?? [];
  if (input.length > 0 || hostname === undefined) return input;
  const base = habits.internal === true ? MADE_UP.inside : MADE_UP.outside;
  const network = Math.floor(ordinal / IN_A_NETWORK) % 256;
  return [{ address: offset(base, (ordinal % IN_A_NETWORK) + 1 - 256 * network), hostname, proxied: false }];
}

function balancerOf(
  service: KubernetesService,
  habits: Habits,
  address: Address,
  slices: readonly KubernetesEndpoints[],
  nodes: Candidates,
  objects: KubernetesObjects,
  stacks: readonly Stack[],
): LoadBalancer | undefined {
  const { provider, told, forwarding, preserveClient, oneAtATime, failsOpen = false } = habits;
  const ports = service.ports.flatMap(({ port, protocol, nodePort }) =>
    nodePort === undefined && forwarding === "nat" ? [] : [{ port, protocol, targetPort: nodePort ?? port }],
  );
  if (ports.length === 0) return undefined;
  // Front and targets are of one family: what a balancer that translates between them would do is for case.yaml to say.
  const family = familyOf(address);
  const targets = healthyNodes(service, family, slices, nodes, failsOpen);
  const source = preserveClient === true ? undefined : freeAddressBeside(targets, family, stacks, objects);
  return {
    address,
    ports,
    targets,
    preserveClient,
    vipBoundOnNode: "?",
    forwarding,
    ...(oneAtATime !== undefined && { oneAtATime }),
    ...(forwarding === "pods" && { pods: podTargets(service, family, slices) }),
    ...(source !== undefined && { source }),
    ...(service.loadBalancerSourceRanges !== undefined && { sourceRanges: service.loadBalancerSourceRanges }),
    service: `${service.namespace}/${service.name}`,
    inferred: { provider, ground: told },
    origin: derived("load balancer of a Service", service.origin),
  };
}
