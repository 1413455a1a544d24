import { type BundleKind, output, read } from "../kind.ts";

export const antctlAgent: BundleKind = {
  id: "antrea-agent",
  title: "antctl supportbundle, an agent's",
  marks: [
    ["ovsports", "flows", "agentinfo"],
    ["iptables", "address", "route"],
  ],
  files: [
    output(/^iptables$/, "iptables-save -c"),
    output(/^ipset$/, "ipset save"),
    output(/^nftables$/, "nft list ruleset"),
    output(/^rule$/, "ip rule"),
    output(/^route$/, "ip route"),
    output(/^route-table-all$/, "ip route show table all"),
    output(/^link$/, "ip -d link"),
    output(/^address$/, "ip addr"),
    output(/^ovsports$/, "ovs-ofctl dump-ports-desc br-int"),
    output(/^flows$/, "ovs-ofctl dump-flows br-int"),
    read(/^agentinfo$/),
  ],
  names: [
    { folder: /^agent_(.+?)(?:\.tar(?:\.gz)?|\.tgz)?$/ },
    { file: /^agentinfo$/, read: (text) => /nodeRef:\s*\n(?:.*\n)*?\s*name: (\S+)/.exec(text)?.[1] },
  ],
  expected: [
    { path: /^iptables$/, command: "iptables-save -c" },
    { path: /^route-table-all$|^route$/, command: "ip route show table all" },
    { path: /^rule$/, command: "ip rule" },
    { path: /^address$/, command: "ip addr" },
  ],
  lacks: ["sysctl -a", "ip neigh", "kubectl get services,endpointslices -A -o yaml"],
  lost: "terminal only",
};

export const antctl: BundleKind = {
  id: "antrea",
  title: "antctl supportbundle",
  marks: [["clusterinfo", "clusterinfo/pods.yaml", "clusterinfo/nodes.yaml"]],
  files: [
    read(/^clusterinfo$/),
    output(
      /^clusterinfo\/(pods|nodes|services|endpoints)\.yaml$/,
      ([, objects]) => `kubectl get ${objects} -A -o yaml`,
    ),
  ],
  expected: [{ path: /^clusterinfo(?:\/nodes\.yaml)?$/, command: "kubectl get nodes,pods -A -o yaml" }],
  lacks: ["kubectl get services,endpointslices -A -o yaml"],
  lost: "terminal only",
};
