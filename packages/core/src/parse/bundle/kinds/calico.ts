import { type BundleKind, type FileRule, firstWord, output } from "../kind.ts";

/** A command of a node: its folder names it. */
const ofNode = (file: string, command: string): FileRule => ({
  path: new RegExp(`^nodes/([^/]+)/${file}$`),
  role: ([, node]) => ({ node: node!, command }),
});

export const calicoCluster: BundleKind = {
  id: "calico",
  title: "calicoctl cluster diags",
  marks: [["cluster/kubernetes/nodes.yaml", "cluster/kubernetes/services.yaml", "cluster/kubernetes/pods.yaml"]],
  files: [
    ofNode("iptables-legacy-save\\.txt", "iptables-legacy-save -c"),
    ofNode("iptables-nft-save\\.txt", "iptables-nft-save -c"),
    ofNode("iptables-save\\.txt", "iptables-save -c"),
    ofNode("nft-ruleset\\.txt", "nft -n -a list ruleset"),
    ofNode("ip-route\\.txt", "ip route show table all"),
    ofNode("ip-route-v6\\.txt", "ip -6 route show table all"),
    ofNode("ip-rule\\.txt", "ip rule"),
    ofNode("ip-addr\\.txt", "ip -d addr"),
    ofNode("ip-link\\.txt", "ip -d link"),
    ofNode("ip-neigh\\.txt", "ip neigh"),
    ofNode("ipset-list\\.txt", "ipset list"),
    ofNode("conntrack-list\\.txt", "conntrack -L"),
    ofNode("tc-qdisc\\.txt", "tc qdisc show"),
    ofNode(
      "bpf-(?:nat|routes|conntrack|arp|counters|ifstate|ipsets|policy)[\\w-]*\\.json",
      "calico-node -bpf nat dump",
    ),
    output(
      /^cluster\/kubernetes\/(services|endpoints|endpointslices|pods|nodes|networkpolicies|configmaps)\.yaml$/,
      ([, objects]) => `kubectl get ${objects} -A -o yaml`,
    ),
    output(
      /^cluster\/crd\/(felixconfigurations|ippools)[^/]*\.yaml$/,
      ([, objects]) => `kubectl get ${objects} -o yaml`,
    ),
  ],
  expected: [
    { path: /^nodes\/[^/]+\/iptables-(?:nft-|legacy-)?save\.txt$/, command: "iptables-save -c" },
    { path: /^nodes\/[^/]+\/ip-route\.txt$/, command: "ip route show table all" },
    { path: /^nodes\/[^/]+\/ip-rule\.txt$/, command: "ip rule" },
    { path: /^nodes\/[^/]+\/ip-addr\.txt$/, command: "ip addr" },
    { path: /^nodes\/[^/]+\/ipset-list\.txt$/, command: "ipset list" },
  ],
  lacks: ["sysctl -a", "bridge -d link"],
  lost: "in the files",
};

export const calicoNode: BundleKind = {
  id: "calico-node",
  title: "calicoctl node diags",
  marks: [["diagnostics/ipv4_route", "diagnostics/ipv4_tables", "diagnostics/ipv4_addr"]],
  files: [
    output(/^diagnostics\/ipv4_tables$/, "iptables-save -c"),
    output(/^diagnostics\/ipv6_tables$/, "ip6tables-save -c"),
    output(/^diagnostics\/ipv4_route$/, "ip -4 route"),
    output(/^diagnostics\/ipv6_route$/, "ip -6 route"),
    output(/^diagnostics\/ipv4_addr$/, "ip -4 addr"),
    output(/^diagnostics\/ipv6_addr$/, "ip -6 addr"),
    output(/^diagnostics\/ip_link$/, "ip link"),
    output(/^diagnostics\/ipsets$/, "ipset list"),
    output(/^diagnostics\/nft_ruleset$/, "nft list ruleset"),
    output(/^diagnostics\/hostname$/, "hostname"),
  ],
  names: [{ file: /^diagnostics\/hostname$/, read: firstWord }],
  expected: [
    { path: /^diagnostics\/ipv4_tables$/, command: "iptables-save -c" },
    { path: /^diagnostics\/ipv4_route$/, command: "ip route" },
    { path: /^diagnostics\/ipv4_addr$/, command: "ip addr" },
  ],
  lacks: ["ip rule", "ip route show table all", "sysctl -a", "bridge -d link"],
  lost: "in the files",
};
