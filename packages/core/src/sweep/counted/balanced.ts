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

/** One node of each kind for all that the load balancer sends to, and the client's own node, which it may send back to. */
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
  const alike = new Map<string, { first: Host; count: number }>();
  for (const { token, size, has, hosts } of placesOf()) {
    const [first, second] = two(hosts());
    // Of one place all are targets or none is.
    if (first === undefined || !wanted.has(first.object.name)) continue;
    const isHome = client !== undefined && has(client);
    const other = first === client ? second : first;
    if (other === undefined) continue;
    const known = alike.get(token);
    const count = isHome ? size - 1 : size;
    if (known === undefined) alike.set(token, { first: other, count });
    else known.count += count;
  }
  const others = [...alike.values()];
  const hosts = [...(client === undefined ? [] : [client]), ...others.map((o) => o.first)];
  const weights = [...(client === undefined ? [] : [1]), ...others.map((o) => o.count)];
  return { balancer: { ...balancer, targets: hosts.map((h) => h.object.name), weights }, hosts };
}

function two(hosts: Iterable<Host>): readonly Host[] {
  const found: Host[] = [];
  for (const host of hosts) if (found.push(host) === 2) break;
  return found;
}
