import { type BundleKind, type FileRule, output } from "../kind.ts";

const COMMANDS: readonly (readonly [string, string])[] = [
  ["ip-addr\\.json", "ip -j -d addr"],
  ["ip-route", "ip route show table all"],
  ["ip-rule", "ip rule"],
  ["iptables-save", "iptables-save -c"],
  ["ip-neigh", "ip neigh"],
  ["bridge-fdb", "bridge fdb"],
  ["sysctl-a", "sysctl -a"],
  ["ss", "ss -lntu"],
];

/** The files that its JSON was taken apart into. */
export const kubeskoopCollector: BundleKind = {
  id: "kubeskoop",
  title: "KubeSkoop collector",
  marks: [["kubeskoop/node/ip-route"]],
  files: [
    ...COMMANDS.map(([file, command]) => output(new RegExp(`^kubeskoop/node/${file}$`), command)),
    ...COMMANDS.map(
      ([file, command]): FileRule => ({
        path: new RegExp(`^kubeskoop/pods/([^/]+/[^/]+)/${file}$`),
        role: ([, pod]) => ({ command, stack: pod! }),
      }),
    ),
  ],
  names: [{ folder: /^(.+?)[-_.]?collector\.json$/ }, { folder: /^(.+?)\.json$/ }],
  expected: [
    { path: /^kubeskoop\/node\/ip-route$/, command: "ip route show table all" },
    { path: /^kubeskoop\/node\/ip-rule$/, command: "ip rule" },
    { path: /^kubeskoop\/node\/iptables-save$/, command: "iptables-save -c" },
  ],
  lacks: ["bridge -d link", "kubectl get services,endpointslices,pods,nodes -A -o yaml"],
  lost: "terminal only",
};
