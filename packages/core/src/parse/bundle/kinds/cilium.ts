import { type BundleKind, firstWord, output, read, unameNode } from "../kind.ts";

/** bugtool writes a command's blanks and slashes as `-`. */
function commandOf(name: string): string | undefined {
  if (/^(?:ip6?tables)-(?:nft-|legacy-)?save(?:--c)?$/.test(name)) return name.replace(/--c$/, " -c");
  if (/^ip--?/.test(name)) return ip(name);
  if (name === "sysctl--a") return "sysctl -a";
  if (name === "ipset-list") return "ipset list";
  if (name === "uname--a") return "uname -a";
  if (name === "hostname" || name === "lsmod") return name;
  if (name.startsWith("ss--")) return name.replace(/-/g, " ").replace(/ {2}/g, " -");
  if (name.startsWith("tc-filter-show-dev-")) return tcFilter(name);
  if (/^bpftool-net-(?:show|list)$/.test(name)) return "bpftool net show";
  if (/^cilium-(?:dbg-)?status(?:---verbose)?$/.test(name)) return "cilium-dbg status --verbose";
  if (/^cilium-(?:dbg-)?service-list$/.test(name)) return "cilium-dbg service list";
  if (/^cilium-(?:dbg-)?bpf-lb-list$/.test(name)) return "cilium-dbg bpf lb list";
  if (/^bpftool-cgroup-tree/.test(name)) return "bpftool cgroup tree";
  if (name.startsWith("dmesg")) return "dmesg";
  return undefined;
}

const tcFilter = (name: string): string | undefined => {
  const [, device, hook] = /^tc-filter-show-dev-(.+)-(ingress|egress)$/.exec(name) ?? [];
  return device === undefined ? undefined : `tc filter show dev ${device} ${hook}`;
};

function ip(name: string): string | undefined {
  if (name === "ip-a") return "ip a";
  const [, family] = /^ip--([46])-r$/.exec(name) ?? [];
  if (family !== undefined) return `ip -${family} r`;
  const [, of, table] = /^ip--([46])-route-show-table-(\w+)$/.exec(name) ?? [];
  if (of !== undefined) return `ip -${of} route show table ${table}`;
  const [, neighbours] = /^ip--([46])-n$/.exec(name) ?? [];
  if (neighbours !== undefined) return `ip -${neighbours} n`;
  if (/^ip-(?:-d-)?rule$|^ip--4-rule/.test(name)) return "ip -d rule";
  return /^ip(?:--[ds])+-l$/.test(name) ? "ip -d -s -s l" : undefined;
}

export const ciliumBugtool: BundleKind = {
  id: "cilium-bugtool",
  title: "cilium bugtool",
  marks: [["cmd/iptables-save--c.md", "cmd/ip-a.md", "cmd/cilium-dbg-status---verbose.md", "cmd/ip--4-r.md"]],
  files: [output(/^cmd\/([^/]+)\.md$/, ([, name]) => commandOf(name!))],
  names: [
    {
      file: /^cmd\/hostname\.md$/,
      read: (text) =>
        text
          .split(/\r?\n/)
          .map(firstWord)
          .find((w) => w !== undefined),
    },
    { file: /^cmd\/uname--a\.md$/, read: unameNode },
  ],
  expected: [
    { path: /^cmd\/iptables-(?:nft-|legacy-)?save--c\.md$/, command: "iptables-save -c" },
    { path: /^cmd\/ip-a\.md$/, command: "ip a" },
    { path: /^cmd\/ip--4-r\.md$/, command: "ip route" },
    { path: /^cmd\/ip--d-rule\.md$/, command: "ip rule" },
    { path: /^cmd\/sysctl--a\.md$/, command: "sysctl -a" },
  ],
  lacks: ["nft list ruleset", "ip route show table all"],
  lost: "in the files",
};

export const ciliumSysdump: BundleKind = {
  id: "cilium",
  title: "cilium sysdump",
  marks: [["k8s-nodes-*.yaml", "cilium-configmap-*.yaml", "k8s-services-*.yaml"]],
  files: [
    output(
      /^k8s-(nodes|pods|services|endpoints|endpointslices|networkpolicies)-[\d-]+\.yaml$/,
      ([, objects]) => `kubectl get ${objects} -A -o yaml`,
    ),
    read(/^cilium-configmap-[\d-]+\.yaml$/),
    read(/^logs-kube-proxy[^/]*\.log$/),
  ],
  expected: [
    { path: /^k8s-nodes-[\d-]+\.yaml$/, command: "kubectl get nodes -o yaml" },
    { path: /^k8s-pods-[\d-]+\.yaml$/, command: "kubectl get pods -A -o yaml" },
    { path: /^k8s-services-[\d-]+\.yaml$/, command: "kubectl get services -A -o yaml" },
    { path: /^k8s-endpoint(?:s|slices)-[\d-]+\.yaml$/, command: "kubectl get endpointslices -A -o yaml" },
  ],
  lacks: ["nft list ruleset"],
  lost: "in a log",
};
