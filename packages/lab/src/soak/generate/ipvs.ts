import type { VirtualService, VirtualServiceKey } from "@hairpin/core/model/index.ts";
import { type Address, PROTO } from "@hairpin/core/net/index.ts";
import type { Random } from "../random.ts";
import { origin } from "../records.ts";
import type { Service } from "./services.ts";
import { type Host, isCard } from "./site.ts";

/** kube-proxy's IPVS services on a node: one for each address and port a Service has there. */
export function drawIpvs(random: Random, node: Host, services: readonly Service[]): readonly VirtualService[] {
  const addresses = node.devices.filter(isCard).flatMap((d) => d.addresses.map((a) => a.prefix.address));
  return services.flatMap((s) => {
    const keys: VirtualServiceKey[] = [];
    const key = (address: Address, port: number) =>
      keys.push({ kind: "address", protocol: PROTO[s.protocol], address, port });
    key(s.clusterIp, s.port);
    if (s.loadBalancerIp !== undefined) key(s.loadBalancerIp, s.port);
    if (s.nodePort !== undefined) for (const a of addresses) key(a, s.nodePort);
    const scheduler = random.weighted([4, "rr"], [1, "wrr"], [1, "lc"]);
    return keys.map(
      (k): VirtualService => ({
        key: k,
        scheduler,
        onePacket: false,
        realServers: s.endpoints.map((e) => ({
          address: e.address,
          port: e.port,
          method: "masq",
          weight: random.chance(0.9) ? 1 : 0,
          origin,
        })),
        extent: "whole",
        origin,
      }),
    );
  });
}

export function drawIpvsSysctls(random: Random, sysctls: Record<string, string>): void {
  sysctls["net.ipv4.vs.conntrack"] = random.chance(0.85) ? "1" : "0";
  sysctls["net.ipv4.vs.expire_nodest_conn"] = random.pick(["0", "1"]);
  sysctls["net.ipv4.vs.conn_reuse_mode"] = random.pick(["0", "1"]);
  if (random.chance(0.1)) sysctls["net.ipv4.vs.snat_reroute"] = "0";
}
