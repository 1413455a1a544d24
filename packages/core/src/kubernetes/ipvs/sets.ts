import {
  derived,
  type IpSet,
  type Origin,
  proxySetName,
  type SetDimension,
  type SetEntry,
  type SetPart,
} from "../../model/index.ts";
import { type Address, type Family, formatAddress, maxLength, type Prefix } from "../../net/index.ts";
import { isSince, type KubernetesVersion } from "../version.ts";

/** Follows ipsetInfo (pkg/proxy/ipvs/proxier.go): name after `KUBE-`, type, the comment its rules carry. */
const SETS = {
  "LOOP-BACK": ["hash:ip,port,ip", "Kubernetes endpoints dst ip:port, source ip for solving hairpin purpose"],
  "CLUSTER-IP": ["hash:ip,port", "Kubernetes service cluster ip + port for masquerade purpose"],
  "EXTERNAL-IP": ["hash:ip,port", "Kubernetes service external ip + port for masquerade and filter purpose"],
  "EXTERNAL-IP-LOCAL": ["hash:ip,port", "Kubernetes service external ip + port with externalTrafficPolicy=local"],
  "LOAD-BALANCER": ["hash:ip,port", "Kubernetes service lb portal"],
  "LOAD-BALANCER-FW": ["hash:ip,port", "Kubernetes service load balancer ip + port for load balancer with sourceRange"],
  "LOAD-BALANCER-LOCAL": [
    "hash:ip,port",
    "Kubernetes service load balancer ip + port with externalTrafficPolicy=local",
  ],
  "LOAD-BALANCER-SOURCE-IP": [
    "hash:ip,port,ip",
    "Kubernetes service load balancer ip + port + source IP for packet filter purpose",
  ],
  "LOAD-BALANCER-SOURCE-CIDR": [
    "hash:ip,port,net",
    "Kubernetes service load balancer ip + port + source cidr for packet filter purpose",
  ],
  "NODE-PORT-TCP": ["bitmap:port", "Kubernetes nodeport TCP port for masquerade purpose"],
  "NODE-PORT-LOCAL-TCP": ["bitmap:port", "Kubernetes nodeport TCP port with externalTrafficPolicy=local"],
  "NODE-PORT-UDP": ["bitmap:port", "Kubernetes nodeport UDP port for masquerade purpose"],
  "NODE-PORT-LOCAL-UDP": ["bitmap:port", "Kubernetes nodeport UDP port with externalTrafficPolicy=local"],
  "NODE-PORT-SCTP-HASH": [
    "hash:ip,port",
    "Kubernetes nodeport SCTP port for masquerade purpose with type 'hash ip:port'",
  ],
  "NODE-PORT-LOCAL-SCTP-HASH": [
    "hash:ip,port",
    "Kubernetes nodeport SCTP port with externalTrafficPolicy=local with type 'hash ip:port'",
  ],
  "HEALTH-CHECK-NODE-PORT": ["bitmap:port", "Kubernetes health check node port"],
  "IPVS-IPS": ["hash:ip", "Services IPs"],
} as const satisfies Readonly<Record<string, readonly [type: string, comment: string]>>;

export type KubeSet = keyof typeof SETS;

/** First release that makes the set. */
const SINCE: Partial<Readonly<Record<KubeSet, number>>> = { "HEALTH-CHECK-NODE-PORT": 21, "IPVS-IPS": 26 };

export const commentOf = (set: KubeSet): string => SETS[set][1];

export const setName: (set: KubeSet, family: Family) => string = proxySetName;

export const addressPart = (address: Address): SetPart => ({
  kind: "address",
  from: address,
  length: maxLength(address),
});
export const netPart = ({ address, length }: Prefix): SetPart => ({ kind: "address", from: address, length });
export const portPart = (protocol: number | undefined, port: number): SetPart =>
  protocol === undefined ? { kind: "port", from: port, to: port } : { kind: "port", protocol, from: port, to: port };

const partKey = (p: SetPart): string =>
  p.kind === "address"
    ? `${formatAddress(p.from)}/${p.length}`
    : p.kind === "port"
      ? `${p.protocol ?? ""}:${p.from}`
      : p.kind;

/** The entries of all sets, collected Service by Service. */
export class SetBuilder {
  readonly #entries = new Map<KubeSet, Map<string, SetEntry>>();

  add(set: KubeSet, origin: Origin, ...parts: readonly SetPart[]): void {
    let entries = this.#entries.get(set);
    if (entries === undefined) {
      entries = new Map();
      this.#entries.set(set, entries);
    }
    const key = parts.map(partKey).join();
    if (!entries.has(key)) entries.set(key, { parts, nomatch: false, origin });
  }

  isEmpty(set: KubeSet): boolean {
    return this.#entries.get(set) === undefined;
  }

  /** kube-proxy makes every set of its release, empty ones too. */
  build(family: Family, version: KubernetesVersion): readonly IpSet[] {
    return (Object.keys(SETS) as KubeSet[])
      .filter((set) => isSince(version, SINCE[set] ?? 0))
      .map((set) => {
        const [method, dimensions] = SETS[set][0].split(":") as ["hash" | "bitmap", string];
        return {
          name: setName(set, family),
          method,
          dimensions: dimensions.split(",") as SetDimension[],
          family: method === "bitmap" ? 4 : family,
          options: optionsOf(method, family),
          entries: [...(this.#entries.get(set)?.values() ?? [])],
          extent: "whole",
          origin: derived("kube-proxy makes this set in IPVS mode"),
        };
      });
  }
}

const optionsOf = (method: "hash" | "bitmap", family: Family): IpSet["options"] =>
  method === "bitmap"
    ? [{ name: "range", value: "0-65535" }]
    : [
        { name: "family", value: family === 6 ? "inet6" : "inet" },
        { name: "hashsize", value: "1024" },
        { name: "maxelem", value: "65536" },
      ];
