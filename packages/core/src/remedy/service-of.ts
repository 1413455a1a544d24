import type { KubernetesService, World } from "../model/index.ts";
import type { Address } from "../net/index.ts";
import type { Question } from "../trace/index.ts";

/** The Service that has an address of its own. */
export const serviceAt = (world: World, address: Address): KubernetesService | undefined =>
  world.kubernetes.services.find((s) =>
    [...s.loadBalancerIps, ...s.externalIps, ...s.clusterIps].some((a) => a === address),
  );

/** The Service that was called: by its address, or by a node port of it. */
export const serviceCalled = (world: World, { to, port, protocol }: Question): KubernetesService | undefined =>
  serviceAt(world, to) ??
  world.kubernetes.services.find((s) => s.ports.some((p) => p.nodePort === port && p.protocol === protocol));
