import {
  formatVersion,
  isModelled,
  type KubernetesVersion,
  NEWEST_MODELLED,
  type ProxyConfig,
  type ProxyMode,
  parseVersion,
  proxyConfigOf,
} from "../../kubernetes/index.ts";
import { text } from "../../messages/index.ts";
import type { CaseNode, KubeProxyConfig, KubernetesNode, KubernetesObjects } from "../../model/index.ts";
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
): ProxySettings {
  const given = configFor(node.name, objects.kubeProxyConfigs);
  const config = proxyConfigOf(given);
  return { modes: modesOf(given, config, stated, elsewhere), config, version: versionOf(node, stated, ledger) };
}

/** The configuration that names this node; else one that names none; else the only one there is. */
function configFor(name: string, configs: readonly KubeProxyConfig[]): KubeProxyConfig | undefined {
  return (
    configs.find((c) => c.hostnameOverride === name) ??
    configs.find((c) => c.hostnameOverride === undefined) ??
    (configs.length === 1 ? configs[0] : undefined)
  );
}

function modesOf(
  given: KubeProxyConfig | undefined,
  config: ProxyConfig,
  stated: CaseNode | undefined,
  elsewhere: ReadonlySet<ProxyMode>,
): readonly ProxyMode[] {
  if (stated?.kubeProxy?.mode !== undefined) return [stated.kubeProxy.mode];
  if (given !== undefined) return [config.mode];
  return elsewhere.size === 1 ? [...elsewhere] : UNDECIDED;
}

function versionOf(node: KubernetesNode, stated: CaseNode | undefined, ledger: Ledger): KubernetesVersion {
  for (const said of [stated?.kubeProxy?.version, node.kubeProxyVersion, node.kubeletVersion]) {
    const version = said === undefined ? undefined : parseVersion(said);
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
  const newest = formatVersion(NEWEST_MODELLED);
  ledger.assume(
    `${node.name}/kube-proxy/version`,
    newest,
    text("assume.release", { node: node.name, version: newest }),
  );
  return NEWEST_MODELLED;
}
