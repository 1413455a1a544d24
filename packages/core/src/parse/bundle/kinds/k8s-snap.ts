import { type BundleKind, output, read, unameNode } from "../kind.ts";

export const k8sSnap: BundleKind = {
  id: "k8s-snap",
  title: "k8s-snap inspect",
  marks: [
    ["ip-a.log", "ip-r.log", "iptables.log"],
    ["uname.log", "args/kubelet", "args/kube-proxy"],
  ],
  files: [
    output(/^ip-a\.log$/, "ip a"),
    output(/^ip-r\.log$/, "ip r"),
    output(/^iptables\.log$/, "iptables-save"),
    output(/^iptables-legacy\.log$/, "iptables-legacy-save"),
    output(/^iptables6\.log$/, "ip6tables-save"),
    output(/^iptables6-legacy\.log$/, "ip6tables-legacy-save"),
    output(/^ss-plnt\.log$/, "ss -plnt"),
    output(/^ss-plntu\.log$/, "ss -plntu"),
    output(/^uname\.log$/, "uname -a"),
    output(/^sys\/loaded_kernel_modules$/, "lsmod"),
    output(/^sys\/dmesg$/, "dmesg"),
    read(/^args\/(?:kubelet|kube-proxy)$/),
    read(/^k8s\.kube-proxy\/journal\.log$/),
  ],
  names: [
    { file: /^args\/kubelet$/, read: (text) => /^--hostname-override[= ]"?([\w.-]+)/m.exec(text)?.[1] },
    { file: /^uname\.log$/, read: unameNode },
  ],
  expected: [
    { path: /^iptables\.log$/, command: "iptables-save" },
    { path: /^ip-r\.log$/, command: "ip route" },
    { path: /^ip-a\.log$/, command: "ip addr" },
  ],
  lacks: ["ip rule", "ip route show table all", "sysctl -a", "bridge -d link", "ipset list", "ip neigh"],
  lost: "terminal only",
};
