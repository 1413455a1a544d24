import { type BundleKind, type FileRole, firstWord, output, read, unameNode } from "../kind.ts";

/** sos writes a command's blanks and the like as `_`, and `/` as `.`. */
const TOOL =
  /^(?:ip6?tables(?:-save)?|nft|ipset|ipvsadm|bridge|brctl|sysctl|ss|netstat|conntrack|route|ifconfig|arp|uname|lsmod|tc|bpftool|nstat)$/;
const IP_OBJECT = /^(?:a|addr|address|l|link|r|route|ru|rule|n|neigh|neighbou?r)$/;

/** The command that a file is called after, if its output is read. */
export function demangled(name: string): string | undefined {
  const words = name.split("_").filter((w) => w !== "");
  const [tool, ...rest] = words;
  if (tool === undefined) return undefined;
  if (tool === "kubectl") return rest.includes("get") ? words.join(" ") : undefined;
  if (tool === "ip") {
    const object = rest.find((w) => !w.startsWith("-"));
    // `nud noarp` and the like show a part of the neighbours that is shown whole beside it.
    return object !== undefined && IP_OBJECT.test(object) && !rest.includes("nud") ? words.join(" ") : undefined;
  }
  if (!TOOL.test(tool)) return undefined;
  // Group memberships and statistics are no sockets.
  if (tool === "netstat" && rest.some((w) => /^-\w*[gsi]/.test(w))) return undefined;
  if (tool === "ip6tables" && rest.includes("-vnxL")) return undefined;
  return words.join(" ");
}

const inNamespace = (stack: string, name: string): FileRole | undefined => {
  const command = demangled(name);
  return command === undefined ? undefined : { command, stack: `netns:${stack}` };
};

export const sos: BundleKind = {
  id: "sos",
  title: "sos report",
  marks: [["sos_commands/*/*"]],
  files: [
    {
      path: /^sos_commands\/[^/]+\/namespaces\/([^/]+)\/ip_netns_exec_(.+)$/,
      role: ([, stack, rest]) =>
        rest!.startsWith(`${stack}_`) ? inNamespace(stack!, rest!.slice(stack!.length + 1)) : undefined,
    },
    {
      path: /^sos_commands\/[^/]+\/ip_netns_exec_([^_/]+)_([^/]+)$/,
      role: ([, stack, name]) => inNamespace(stack!, name!),
    },
    output(/^sos_commands\/kubernetes\/(?:[^/]+\/)*(kubectl_[^/]+)$/, ([, name]) => demangled(name!)),
    output(/^sos_commands\/[^/]+\/([^/]+)$/, ([, name]) => (name === "hostname" ? "hostname" : demangled(name!))),
    output(/^etc\/hostname$/, "hostname"),
    output(/^(?:run\/flannel\/subnet\.env)$/, "cat /run/flannel/subnet.env"),
    output(/^proc\/net\/ip_vs$/, "cat /proc/net/ip_vs"),
    read(/^var\/log\/(?:pods\/kube-system_kube-proxy[^/]*\/.*|containers\/kube-proxy[^/]*)\.log$/),
    read(/^sos_logs\/ui\.log$/),
  ],
  names: [
    { file: /^sos_commands\/host\/hostname$/, read: firstWord },
    { file: /^sos_commands\/kernel\/uname_-a$/, read: unameNode },
    { file: /^etc\/hostname$/, read: firstWord },
    { folder: /^sosreport-(.+?)-\d{4}-\d\d-\d\d-[a-z]+/ },
    { folder: /^sosreport-(.+?)(?:\.|$)/ },
  ],
  expected: [
    { path: /^sos_commands\/networking\/ip_(?:-o_addr|-d_address)$/, command: "ip -d address" },
    { path: /^sos_commands\/networking\/ip_route_show_table_all$/, command: "ip route show table all" },
    { path: /^sos_commands\/networking\/ip_-4_rule/, command: "ip rule" },
    { path: /^sos_commands\/(?:networking|firewall_tables)\/iptables_-t_nat_-nvL$/, command: "iptables -t nat -nvL" },
    {
      path: /^sos_commands\/(?:networking|firewall_tables)\/iptables_-t_filter_-nvL$/,
      command: "iptables -t filter -nvL",
    },
    { path: /^sos_commands\/kernel\/sysctl_-a$/, command: "sysctl -a" },
  ],
  lacks: ["iptables-save -c", "ipset list", "kubectl get endpointslices -A -o yaml"],
  lost: "in a log",
};
