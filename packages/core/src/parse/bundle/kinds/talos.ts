import { type BundleKind, output, read } from "../kind.ts";

export const talosNode: BundleKind = {
  id: "talos-node",
  title: "Talos support bundle, a node's",
  marks: [
    [
      "resources/addressstatuses.net.talos.dev.yaml",
      "resources/routestatuses.net.talos.dev.yaml",
      "resources/routestatuses.net.talos.dev.yaml/ip-route",
      "resources/addressstatuses.net.talos.dev.yaml/ip-addr.json",
    ],
  ],
  files: [
    // What the resources were made into.
    output(/^resources\/routestatuses\.net\.talos\.dev\.yaml\/ip-route$/, "ip route show table all"),
    output(/^resources\/routingrulestatuses\.net\.talos\.dev\.yaml\/ip-rule$/, "ip rule"),
    output(/^resources\/linkstatuses\.net\.talos\.dev\.yaml\/ip-link\.json$/, "ip -j -d link"),
    output(/^resources\/addressstatuses\.net\.talos\.dev\.yaml\/ip-addr\.json$/, "ip -j addr"),
    output(/^resources\/kernelparamstatuses\.\w+\.talos\.dev\.yaml\/sysctl$/, "sysctl -a"),
    read(
      /^resources\/(?:addressstatuses|routestatuses|linkstatuses|routingrulestatuses|hostnamestatuses|nftableschains)\.net\.talos\.dev\.yaml$/,
    ),
    read(/^resources\/nodenames\.kubernetes\.talos\.dev\.yaml$/),
    read(/^resources\/kernelparamstatuses\.(?:net|runtime)\.talos\.dev\.yaml$/),
    read(/^kubernetes-logs\/kube-system\/kube-proxy[^/]*\.log$/),
  ],
  names: [
    { file: /^resources\/hostnamestatuses\.net\.talos\.dev\.yaml$/, read: (t) => /^\s+hostname: (\S+)/m.exec(t)?.[1] },
    { file: /^resources\/nodenames\.kubernetes\.talos\.dev\.yaml$/, read: (t) => /^\s+nodename: (\S+)/m.exec(t)?.[1] },
    { folder: /^([\w.:-]+)$/ },
  ],
  expected: [
    { path: /^resources\/routestatuses\.net\.talos\.dev\.yaml/, command: "talosctl get routes" },
    { path: /^resources\/addressstatuses\.net\.talos\.dev\.yaml/, command: "talosctl get addresses" },
  ],
  lacks: ["iptables-save -c", "nft list ruleset", "kubectl get services,endpointslices,pods -A -o yaml", "sysctl -a"],
  lost: "terminal only",
};

export const talos: BundleKind = {
  id: "talos",
  title: "Talos support bundle",
  marks: [["kubernetesResources/nodes.yaml", "kubernetesResources/systemPods.yaml"]],
  files: [
    output(/^kubernetesResources\/(nodes|systemPods)\.yaml$/, ([, objects]) =>
      objects === "nodes" ? "kubectl get nodes -o yaml" : "kubectl get pods -n kube-system -o yaml",
    ),
  ],
  expected: [{ path: /^kubernetesResources\/nodes\.yaml$/, command: "kubectl get nodes -o yaml" }],
  lacks: ["kubectl get services,endpointslices,pods -A -o yaml"],
  lost: "terminal only",
};
