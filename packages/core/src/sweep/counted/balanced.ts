import type { LoadBalancer } from "../../model/index.ts";
import type { Flow } from "../plan.ts";
import type { Census, Host } from "./census.ts";
import type { Place } from "./places.ts";
import type { Offer } from "./service.ts";

/** A load balancer that a flow goes by, with few targets that stand for all. */
export interface Balanced {
  readonly balancer: LoadBalancer;
  readonly hosts: readonly Host[];
}

/**
 * One node of each kind for all that the load balancer sends to, and the client's own node, which it may send back to. Two, where it is one of
 * them that has the address: what is so on whichever of them is not known of any.
 */
export function balancedOf(
  census: Census,
  { source, target }: Flow,
  offer: Offer | undefined,
  placesOf: () => readonly Place[],
): Balanced | undefined {
  const balancer = offer?.balancers.find((b) => b.address === target.address);
  if (balancer === undefined) return undefined;
  const wanted = census.targetsOf(balancer);
  const client = source.node === null || !wanted.has(source.node) ? undefined : census.host(source.node);
  const many = balancer.oneAtATime === undefined ? 1 : 2;
  const alike = new Map<string, { readonly hosts: Host[]; count: number }>();
  for (const { token, size, has, hosts } of placesOf()) {
    const [first] = hosts();
    // Of one place all are targets or none is.
    if (first === undefined || !wanted.has(first.object.name)) continue;
    const known = alike.get(token) ?? { hosts: [], count: 0 };
    alike.set(token, known);
    known.count += client !== undefined && has(client) ? size - 1 : size;
    for (const host of hosts()) {
      if (known.hosts.length === many) break;
      if (host !== client) known.hosts.push(host);
    }
  }
  const standing = [...alike.values()].flatMap(({ hosts, count }) =>
    hosts.map((host, i) => ({ host, weight: i === 0 ? count - hosts.length + 1 : 1 })),
  );
  if (client !== undefined) standing.unshift({ host: client, weight: 1 });
  const hosts = standing.map((s) => s.host);
  const weights = standing.map((s) => s.weight);
  return { balancer: { ...balancer, targets: hosts.map((h) => h.object.name), weights }, hosts };
}
