import {
  type KubernetesVersion,
  NEWEST_MODELLED,
  type ProxyConfig,
  type ProxyInput,
  type ProxyMode,
  type ProxyNode,
  parseVersion,
  proxyConfigOf,
} from "../../../kubernetes/index.ts";
import type { KubernetesObjects, Stack } from "../../../model/index.ts";
import { formatPrefix, lengthOfMask } from "../../../net/index.ts";
import { kubeProxyOf } from "../../kube-proxy/mode.ts";

/** Everything kube-proxy of a node goes by but the Services: stated by objects, else told from what it wrote there. */
export function inputFor(
  stack: Stack,
  objects: KubernetesObjects,
  mode: ProxyMode,
): Omit<ProxyInput, "services"> | undefined {
  const { tables } = stack.netfilter;
  const object = objects.nodes.find((n) => n.name === stack.name);
  const given =
    objects.kubeProxyConfigs.find((c) => c.hostnameOverride === stack.name) ??
    objects.kubeProxyConfigs.find((c) => c.hostnameOverride === undefined);
  const config: ProxyConfig = { ...proxyConfigOf(given), mode };
  const cidr = config.detectLocal.mode === "none" ? shownCidr(stack) : undefined;
  const own = stack.devices.items
    .filter((d) => d.kind !== "dummy")
    .flatMap((d) => d.addresses.map((a) => a.prefix.address));
  const node: ProxyNode = {
    name: stack.name,
    labels: object?.labels ?? {},
    addresses: object?.addresses ?? own.filter((a) => typeof a !== "number" || a >>> 24 !== 127).slice(0, 1),
    podCidrs: object?.podCidrs ?? [],
    ...(own.length > 0 && { interfaceAddresses: own }),
    origin: stack.origin,
  };
  if (tables.length === 0 && stack.ipvs.services.length === 0) return undefined;
  return {
    endpoints: objects.endpoints,
    pods: objects.pods,
    node,
    config: cidr === undefined ? config : { ...config, detectLocal: { mode: "ClusterCIDR", clusterCidrs: [cidr] } },
    version: versionOf(stack, object?.kubeProxyVersion ?? object?.kubeletVersion),
  };
}

export const modeOf = ({ netfilter, devices, ipsets, ipvs }: Stack): ProxyMode | undefined =>
  kubeProxyOf({ tables: netfilter.tables, devices: devices.items, ipsets: ipsets.items, ipvs }, undefined)?.mode;

/** `! -s 10.244.0.0/16 … -j KUBE-MARK-MASQ`: what kube-proxy takes for local. */
function shownCidr({ netfilter }: Stack): string | undefined {
  for (const table of netfilter.tables) {
    if (table.name !== "nat" || table.family !== 4) continue;
    for (const chain of table.chains) {
      if (!/^KUBE-(?:SVC|SVL|EXT)-|^KUBE-SERVICES$/.test(chain.name)) continue;
      for (const { source, target } of chain.rules) {
        if (source?.negated !== true || target.kind !== "jump" || target.chain !== "KUBE-MARK-MASQ") continue;
        const length = lengthOfMask(source.value.mask);
        if (length !== undefined) return formatPrefix({ address: source.value.address, length });
      }
    }
  }
  return undefined;
}

/** By the Node object; else by what only old or new releases write. */
function versionOf({ netfilter }: Stack, stated: string | undefined): KubernetesVersion {
  const version = stated === undefined ? undefined : parseVersion(stated);
  if (version !== undefined) return version;
  const names = netfilter.tables.flatMap((t) => t.chains.map((c) => c.name));
  if (names.some((n) => n.startsWith("KUBE-XLB-"))) return { minor: 23, patch: 0 };
  if (names.includes("KUBE-SERVICES") && !names.includes("KUBE-PROXY-FIREWALL")) return { minor: 24, patch: 0 };
  return NEWEST_MODELLED;
}
