import { type BundleKind, output, read } from "../kind.ts";

const OBJECTS: ReadonlyMap<string, string> = new Map([
  ["network-policy", "networkpolicies"],
  ["endpoint-slices", "endpointslices"],
]);

export const troubleshoot: BundleKind = {
  id: "troubleshoot",
  title: "troubleshoot.sh support-bundle",
  marks: [["cluster-resources/nodes.json", "cluster-resources/services/*.json", "cluster-resources/pods/*.json"]],
  files: [
    output(/^cluster-resources\/nodes\.json$/, "kubectl get nodes -o json"),
    output(
      /^cluster-resources\/(services|pods|endpoints|endpointslices|endpoint-slices|network-policy|configmaps)\/[^/]+\.json$/,
      ([, objects]) => `kubectl get ${OBJECTS.get(objects!) ?? objects} -o json`,
    ),
    // What a host collector ran is named by whoever wrote its spec.
    read(/^host-collectors\/run-host\/[^/]+\.txt$/),
  ],
  expected: [
    { path: /^cluster-resources\/nodes\.json$/, command: "kubectl get nodes -o yaml" },
    { path: /^cluster-resources\/services\/[^/]+\.json$/, command: "kubectl get services -A -o yaml" },
    { path: /^cluster-resources\/pods\/[^/]+\.json$/, command: "kubectl get pods -A -o yaml" },
  ],
  lacks: ["iptables-save -c", "ip route show table all", "ip rule", "ip -d addr", "sysctl -a"],
  lost: "terminal only",
};
