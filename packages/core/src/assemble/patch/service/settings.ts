import {
  DEFAULT_CONFIG,
  type InferredSettings,
  inferredSettings,
  inferredVersion,
  type KubernetesVersion,
  NEWEST_MODELLED,
  type ProxyConfig,
  type ProxyInput,
  type ProxyMode,
  type ProxyNode,
  parseVersion,
  proxyConfigOf,
} from "../../../kubernetes/index.ts";
import { type IptablesTable, isKubeProxyTable, type KubernetesObjects, type Stack } from "../../../model/index.ts";
import { isLoopback } from "../../../net/index.ts";
import { kubeProxyOf } from "../../kube-proxy/mode.ts";

const settings = new WeakMap<Stack["netfilter"], InferredSettings["config"]>();

/** Kept: every change that is tried on a Service asks every node. */
function settingsOn({ netfilter }: Stack): InferredSettings["config"] {
  let known = settings.get(netfilter);
  if (known === undefined) {
    known = inferredSettings(netfilter.tables.filter((t) => t.family === 4)).config;
    settings.set(netfilter, known);
  }
  return known;
}

/** Everything kube-proxy of a node goes by but the Services: stated by objects, else told from what it wrote there. */
export function inputFor(
  stack: Stack,
  objects: KubernetesObjects,
  mode: ProxyMode,
): Omit<ProxyInput, "services"> | undefined {
  const { tables } = stack.netfilter;
  const object = objects.nodes.find((n) => n.name === stack.name);
  const input =
    objects.kubeProxyConfigs.find((c) => c.hostnameOverride === stack.name) ??
    objects.kubeProxyConfigs.find((c) => c.hostnameOverride === undefined);
  const written = tables.filter((t) => t.family === 4);
  const known = settingsOn(stack);
  // A configuration says nothing of what the iptables binary knows; of the rest, what it leaves out has its default.
  const config: ProxyConfig =
    input === undefined
      ? { ...DEFAULT_CONFIG, ...known, mode }
      : { ...proxyConfigOf(input), ...("randomFully" in known && { randomFully: known.randomFully }), mode };
  const own = stack.devices.items
    .filter((d) => d.kind !== "dummy")
    .flatMap((d) => d.addresses.map((a) => a.prefix.address));
  const node: ProxyNode = {
    name: stack.name,
    labels: object?.labels ?? {},
    addresses: object?.addresses ?? own.filter((a) => !isLoopback(a)).slice(0, 1),
    podCidrs: object?.podCidrs ?? [],
    ...(own.length > 0 && { interfaceAddresses: own }),
    origin: stack.origin,
  };
  const native = (stack.netfilter.nft ?? []).some((t) => isKubeProxyTable(t.name));
  if (tables.length === 0 && stack.ipvs.services.length === 0 && !native) return undefined;
  return {
    endpoints: objects.endpoints,
    pods: objects.pods,
    node,
    config,
    version: versionOf(written, object?.kubeProxyVersion ?? object?.kubeletVersion),
  };
}

/** A node made up from objects has what its mode writes and nothing else: without a Service to serve there, iptables mode shows by no chain of one. */
export const modeOf = ({ netfilter, devices, ipsets, ipvs, fromObjects }: Stack): ProxyMode | undefined =>
  kubeProxyOf({ tables: netfilter.tables, devices: devices.items, ipsets: ipsets.items, ipvs }, undefined)?.mode ??
  (fromObjects === true && netfilter.tables.some((t) => t.name === "nat") ? "iptables" : undefined);

/** By the Node object; else the newest of the releases that write such rules. */
function versionOf(tables: readonly IptablesTable[], stated: string | undefined): KubernetesVersion {
  const version = stated === undefined ? undefined : parseVersion(stated);
  if (version !== undefined) return version;
  const hint = inferredVersion(tables);
  // Of a minor release, the one that all its patches were made to.
  return hint === undefined || hint.until === NEWEST_MODELLED.minor
    ? NEWEST_MODELLED
    : { minor: hint.until, patch: 99 };
}
