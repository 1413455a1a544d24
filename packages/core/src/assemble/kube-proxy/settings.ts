import {
  formatVersion,
  inferredSettings,
  inferredVersion,
  isModelled,
  type KubernetesVersion,
  NEWEST_MODELLED,
  type ProxyConfig,
  type ProxyMode,
  parseVersion,
  proxyConfigOf,
} from "../../kubernetes/index.ts";
import { text } from "../../messages/index.ts";
import type { CaseNode, IptablesTable, KubeProxyConfig, KubernetesNode, KubernetesObjects } from "../../model/index.ts";
import type { Ledger } from "../ledger.ts";

/** How kube-proxy runs on a node of which there is no dump. */
export interface ProxySettings {
  /** More than one: nobody said which, and every one becomes a hypothesis. */
  readonly modes: readonly ProxyMode[];
  readonly config: ProxyConfig;
  readonly version: KubernetesVersion;
}

const UNDECIDED: readonly ProxyMode[] = ["iptables", "ipvs"];

/**
 * Mode, settings and release: as case.yaml says, as KubeProxyConfiguration and the Node object say, else as on the nodes that were
 * dumped (`elsewhere`). A release that nobody names is taken to be the newest that is modelled.
 */
export function settingsOf(
  node: KubernetesNode,
  objects: KubernetesObjects,
  stated: CaseNode | undefined,
  elsewhere: ReadonlySet<ProxyMode>,
  ledger: Ledger,
  /** What was shown of the node's rules: they tell settings and releases that nobody stated. */
  shown: readonly IptablesTable[] = [],
): ProxySettings {
  const input = configFor(node.name, objects.kubeProxyConfigs);
  const written = shown.filter((t) => t.family === 4);
  const { serviceCidrs } = objects;
  const config = {
    ...(input === undefined ? { ...proxyConfigOf(input), ...inferredSettings(written).config } : proxyConfigOf(input)),
    ...(serviceCidrs !== undefined && { serviceCidrs }),
  };
  return {
    modes: modesStated(node, objects, stated, elsewhere),
    config,
    version: versionOf(node, stated, written, ledger),
  };
}

/** More than one: nobody said which. */
export function modesStated(
  node: KubernetesNode,
  objects: KubernetesObjects,
  stated: CaseNode | undefined,
  elsewhere: ReadonlySet<ProxyMode>,
): readonly ProxyMode[] {
  const supplied = configFor(node.name, objects.kubeProxyConfigs);
  if (stated?.kubeProxy?.mode !== undefined) return [stated.kubeProxy.mode];
  if (supplied !== undefined) return [proxyConfigOf(supplied).mode];
  return elsewhere.size === 1 ? [...elsewhere] : UNDECIDED;
}

/** The configuration that names this node; else one that names none; else the only one there is. */
function configFor(name: string, configs: readonly KubeProxyConfig[]): KubeProxyConfig | undefined {
  return (
    configs.find((c) => c.hostnameOverride === name) ??
    configs.find((c) => c.hostnameOverride === undefined) ??
    (configs.length === 1 ? configs[0] : undefined)
  );
}

function versionOf(
  node: KubernetesNode,
  stated: CaseNode | undefined,
  written: readonly IptablesTable[],
  ledger: Ledger,
): KubernetesVersion {
  for (const phrase of [stated?.kubeProxy?.version, node.kubeProxyVersion, node.kubeletVersion]) {
    const version = phrase === undefined ? undefined : parseVersion(phrase);
    if (version === undefined) continue;
    if (!isModelled(version)) {
      const id = `${node.name}/kube-proxy/version`;
      ledger.assume(
        id,
        formatVersion(version),
        text("assume.release-not-compared", { version: formatVersion(version), node: node.name }),
      );
    }
    return version;
  }
  const known = inferredVersion(written);
  // Of a minor release, the one that all its patches were made to.
  if (known !== undefined && known.until < NEWEST_MODELLED.minor) return { minor: known.until, patch: 99 };
  const newest = formatVersion(NEWEST_MODELLED);
  ledger.assume(
    `${node.name}/kube-proxy/version`,
    newest,
    text("assume.release", { node: node.name, version: newest }),
  );
  return NEWEST_MODELLED;
}
