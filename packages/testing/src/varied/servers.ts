import { append, edit, pick } from "./edit.ts";
import type { Varied, Vary } from "./varied.ts";

const SERVERS_FILE = "ipvsadm-save.txt";
/** What kube-proxy has in its virtual servers, otherwise; nothing where it has none. */
const server =
  (change: (line: string, given: Varied) => string): Vary =>
  (given) =>
    edit(given, SERVERS_FILE, (t) => {
      const lines = t.split("\n");
      const real = lines.flatMap((l, i) => (l.startsWith("-a ") ? [i] : []));
      const at = real[given.at % Math.max(1, real.length)];
      if (at !== undefined) lines[at] = change(lines[at]!, given);
      return lines.filter((l) => l !== "gone").join("\n");
    });

/** Virtual servers. */
export const SERVERS: Readonly<Record<string, Vary>> = {
  "server-drained": server((l) => l.replace(/-w \d+/, "-w 0")),
  "server-gone": server(() => "gone"),
  "server-elsewhere": server((l, { addresses, n, nodes }) =>
    l.replace(
      /-r \S+:(\d+)/,
      `-r ${addresses.pod((n + 1) % nodes, 0).includes(":") ? `[${addresses.pod((n + 1) % nodes, 0)}]` : addresses.pod((n + 1) % nodes, 0)}:$1`,
    ),
  ),
  "server-tunnelled": server((l, { at }) => l.replace(" -m ", pick([" -g ", " -i "], at))),
  scheduler: (g) =>
    edit(g, SERVERS_FILE, (t) => t.replace(/-s rr/g, `-s ${pick(["sh", "lc", "wrr", "dh", "mh"], g.at)}`)),
  "scheduler-of-one": (g) =>
    edit(g, SERVERS_FILE, (t) => t.replace(/-s rr$/m, `-s ${pick(["sh", "lc", "wrr", "rr -p 300"], g.at)}`)),
  "service-of-a-mark": (g) =>
    append(
      g,
      SERVERS_FILE,
      g.files[`${g.folder}/${SERVERS_FILE}`] === undefined ? "" : `-A -f ${1 + (g.at % 3)} -s rr\n`,
    ),
  "set-emptied": (g) =>
    edit(g, "ipset-save.txt", (t) =>
      t.replace(
        new RegExp(
          `^add ${pick(["KUBE-CLUSTER-IP", "KUBE-LOOP-BACK", "KUBE-NODE-PORT-TCP", "KUBE-IPVS-IPS"], g.at)} .*\\n`,
          "m",
        ),
        "",
      ),
    ),
  "address-not-bound": (g) =>
    edit(g, "ip-addr.txt", (t) => t.replace(/^ {4}inet6? \S+ scope global kube-ipvs0\n/m, "")),
  "conntrack-of-servers": (g) => append(g, "sysctl.txt", `net.ipv4.vs.conntrack = ${g.at % 2}\n`),
};
