import { type BundleKind, output, read } from "../kind.ts";

export const periscope: BundleKind = {
  id: "periscope",
  title: "AKS periscope",
  marks: [["iptables/iptables"], ["kubeletcmd/kubeletcmd", "networkoutbound/*", "kubeobjects/*", "dns/kubernetes"]],
  files: [
    output(/^iptables\/iptables$/, "iptables -t nat -L"),
    output(
      /^kubeobjects\/([^/_]+)_(pod|service|endpoints?|node)_([^/]+)$/,
      ([, namespace, kind, name]) => `kubectl describe ${kind} ${name} -n ${namespace}`,
    ),
    read(/^(?:kubeletcmd\/kubeletcmd|networkconfig\/networkconfig)$/),
    read(/^(?:networkoutbound\/[^/]+|dns\/kubernetes)$/),
    read(/^podcontainerlogs\/kube-system_kube-proxy[^/]*$/),
  ],
  names: [
    { file: /^networkconfig\/networkconfig$/, read: (text) => /"HostName":\s*"([\w.-]+)"/i.exec(text)?.[1] },
    { file: /^kubeletcmd\/kubeletcmd$/, read: (text) => /\s--hostname-override[= ]"?([\w.-]+)/.exec(text)?.[1] },
    { folder: /^([A-Za-z0-9][\w.-]*?)(?:\.zip)?$/ },
  ],
  expected: [{ path: /^iptables\/iptables$/, command: "iptables-save -c" }],
  lacks: ["iptables-save -c", "ip route show table all", "ip rule", "ip -d addr", "sysctl -a"],
  lost: "terminal only",
};
