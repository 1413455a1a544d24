import { type BundleKind, output, read } from "../kind.ts";

export const mustGather: BundleKind = {
  id: "must-gather",
  title: "OpenShift must-gather or oc adm inspect",
  marks: [
    [
      "cluster-scoped-resources/core/nodes/*.yaml",
      "cluster-scoped-resources/config.openshift.io/networks/cluster.yaml",
      "cluster-scoped-resources/config.openshift.io/networks.yaml",
      "namespaces/*/core/services.yaml",
      "namespaces/*/core/pods.yaml",
    ],
  ],
  files: [
    output(/^cluster-scoped-resources\/core\/nodes(?:\/[^/]+)?\.yaml$/, "kubectl get nodes -o yaml"),
    output(
      /^namespaces\/[^/]+\/(?:core\/(services|endpoints|pods|configmaps)|discovery\.k8s\.io\/(endpointslices)|networking\.k8s\.io\/(networkpolicies))\.yaml$/,
      ([, core, slices, policies]) => `kubectl get ${core ?? slices ?? policies} -o yaml`,
    ),
    read(/^cluster-scoped-resources\/(?:config|operator)\.openshift\.io\/networks(?:\/[^/]+)?\.yaml$/),
  ],
  expected: [
    { path: /^cluster-scoped-resources\/core\/nodes(?:\/[^/]+)?\.yaml$/, command: "kubectl get nodes -o yaml" },
    { path: /^namespaces\/[^/]+\/core\/services\.yaml$/, command: "kubectl get services -A -o yaml" },
    { path: /^namespaces\/[^/]+\/core\/pods\.yaml$/, command: "kubectl get pods -A -o yaml" },
    {
      path: /^namespaces\/[^/]+\/(?:core\/endpoints|discovery\.k8s\.io\/endpointslices)\.yaml$/,
      command: "kubectl get endpointslices -A -o yaml",
    },
  ],
  lacks: [
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
