import { readFileSync } from "node:fs";
import {
  DEFAULT_CONFIG,
  type ProxyConfig,
  type ProxyInput,
  type ProxyNode,
  parseVersion,
} from "@hairpin/core/kubernetes/index.ts";
import { assumed, type KubernetesObjects } from "@hairpin/core/model/index.ts";
import { parseAddress } from "@hairpin/core/net/index.ts";
import { readCase } from "@hairpin/core/parse/index.ts";

const text = readFileSync(new URL("./shop.yaml", import.meta.url), "utf8");

export function readObjects(yaml: string): KubernetesObjects {
  for (const dump of readCase([{ path: "objects.yaml", text: yaml }]).dumps)
    for (const fact of dump.reading.facts) if (fact.kind === "kubernetes") return fact.objects;
  throw new Error("no objects");
}

export const SHOP = readObjects(text);

export const WORKER: ProxyNode = {
  name: "worker-1",
  labels: { "topology.kubernetes.io/zone": "west" },
  addresses: ["192.0.2.11", "2001:db8::11"].map((a) => parseAddress(a)!),
  podCidrs: ["10.244.1.0/24", "fd00:244:1::/64"],
  interfaceAddresses: ["127.0.0.1", "::1", "192.0.2.11", "2001:db8::11", "172.16.0.11"].map((a) => parseAddress(a)!),
  origin: assumed("test"),
};

export const CONFIG: ProxyConfig = {
  ...DEFAULT_CONFIG,
  detectLocal: { mode: "ClusterCIDR", clusterCidrs: ["10.244.0.0/16", "fd00:244::/32"] },
};

export const shopInput = (version: string, config: Partial<ProxyConfig> = {}): ProxyInput => ({
  services: SHOP.services,
  endpoints: SHOP.endpoints,
  node: WORKER,
  config: { ...CONFIG, ...config },
  version: parseVersion(version)!,
});
