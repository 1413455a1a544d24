import type { Address } from "@hairpin/core/net/index.ts";
import type { Random } from "../random.ts";
import { ip } from "../records.ts";
import type { Site } from "./site.ts";

export interface Endpoint {
  readonly address: Address;
  readonly port: number;
  readonly node: string;
}

export interface Service {
  readonly name: string;
  readonly protocol: "tcp" | "udp";
  readonly clusterIp: Address;
  readonly port: number;
  readonly nodePort?: number;
  readonly loadBalancerIp?: Address;
  /** externalTrafficPolicy: Local */
  readonly local: boolean;
  readonly endpoints: readonly Endpoint[];
}

/** Services over the site's pods and, now and then, the nodes themselves. */
export function drawServices(random: Random, site: Site): readonly Service[] {
  const count = random.between(1, 2);
  return Array.from({ length: count }, (_, i): Service => {
    const protocol = i === 0 ? "tcp" : random.pick(["tcp", "udp"] as const);
    const pods = random.shuffled(site.pods).slice(0, random.weighted([1, 0], [5, 1], [3, 2], [1, 3]));
    const endpoints: Endpoint[] = pods.map((p) => ({ address: p.address, port: 8080, node: p.node.name }));
    if (random.chance(0.15)) {
      const node = random.pick(site.nodes);
      endpoints.push({
        address: node.devices.find((d) => d.name === "eth0")!.addresses[0]!.prefix.address,
        port: 8080,
        node: node.name,
      });
    }
    return {
      name: `S${i}`,
      protocol,
      clusterIp: ip(`10.96.0.${i + 1}`),
      port: 80,
      ...(random.chance(0.6) ? { nodePort: 30080 + i } : {}),
      ...(random.chance(0.5) ? { loadBalancerIp: ip(`198.51.100.${i + 1}`) } : {}),
      local: random.chance(0.25),
      endpoints,
    };
  });
}
