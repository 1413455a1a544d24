import { type BundleKind, output } from "../kind.ts";

const OBJECTS = "services|pods|endpoints|endpointslices|networkpolicies|configmaps";

export const clusterInfo: BundleKind = {
  id: "cluster-info",
  title: "kubectl cluster-info dump",
  marks: [
    ["nodes.json", "nodes.yaml"],
    ["*/replication-controllers.json", "*/replication-controllers.yaml"],
  ],
  files: [
    output(/^nodes\.(json|yaml)$/, ([, form]) => `kubectl get nodes -o ${form}`),
    output(
      new RegExp(`^[^/]+/(${OBJECTS})\\.(json|yaml)$`),
      ([, objects, form]) => `kubectl get ${objects} -o ${form}`,
    ),
    { path: /^[^/]+\/replication-controllers\.(?:json|yaml)$/, role: () => ({}) },
  ],
  expected: [
    { path: /^nodes\.(?:json|yaml)$/, command: "kubectl get nodes -o yaml" },
    { path: /^[^/]+\/services\.(?:json|yaml)$/, command: "kubectl get services -A -o yaml" },
    { path: /^[^/]+\/pods\.(?:json|yaml)$/, command: "kubectl get pods -A -o yaml" },
  ],
  lacks: [
    "kubectl get endpointslices -A -o yaml",
    "iptables-save -c",
    "nft list ruleset",
    "ip route show table all",
    "ip rule",
    "ip -d addr",
    "sysctl -a",
    "bridge -d link",
  ],
  lost: "terminal only",
};
