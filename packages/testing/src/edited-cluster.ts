import { fc } from "./property.ts";

/** Something that tells nodes, or Services, of a generated cluster of dumps apart. */
export interface Edit {
  readonly kind: number;
  readonly node: number;
  readonly at: number;
  readonly everywhere: boolean;
}

/** Those about nodes come first. */
export const KINDS_OF_NODES = 17;
export const KINDS = 31;

export const edits = fc.record({
  kind: fc.nat(KINDS - 1),
  node: fc.nat(4),
  at: fc.nat(10_000),
  everywhere: fc.boolean(),
});

/** On one node, or a line about one of them on all; or about one Service, everywhere or on one node. */
export function edited(path: string, text: string, { kind, node, at, everywhere }: Edit): string {
  const own = path.startsWith(`nodes/node-${node}/`);
  if (!own && !everywhere) return text;
  const lines = text.split("\n");
  const other = at % 5;
  const before = (chain: string, rule: string): string =>
    text.replace(new RegExp(`^-A ${chain} `, "m"), `-A ${chain} ${rule}\n-A ${chain} `);
  if (path.endsWith("iptables-save.txt")) {
    const rules = lines.flatMap((l, i) => (l.startsWith("-A KUBE-S") ? [i] : []));
    const rule = rules[at % Math.max(1, rules.length)];
    if (kind === 0 && own && rule !== undefined) lines.splice(rule, 1);
    if (kind === 1 && own) return text.replace(":FORWARD ACCEPT", ":FORWARD DROP");
    // A node, a pod, networks of some of each; and a rule that only one of the nodes has, for everybody or for one port.
    if (kind === 2) return before("KUBE-FORWARD", `-s 10.0.1.${10 + other}/32 -j DROP`);
    if (kind === 3) return before("KUBE-FORWARD", `-s 10.128.${other}.10/32 -j DROP`);
    if (kind === 4) return before("KUBE-FORWARD", "-s 10.128.0.0/14 -j DROP");
    if (kind === 5) return before("KUBE-FORWARD", "-s 10.128.4.0/22 -j DROP");
    if (kind === 6) return before("KUBE-SERVICES", "-s 10.0.1.8/30 -j RETURN");
    if (kind === 7 && own) return before("KUBE-FORWARD", `-p tcp -m tcp --dport ${at % 2 === 0 ? 8080 : 81} -j DROP`);
    if (kind === 8) return before("KUBE-SERVICES", `-d 10.96.0.${10 + (at % 6)}/32 -j RETURN`);
    return aboutService(text, kind, at);
  }
  if (path.endsWith("sysctl.txt") && kind === 9 && own) return text.replaceAll("ip_forward = 1", "ip_forward = 0");
  if (path.endsWith("ip-route.txt")) {
    if (kind === 10) return lines.filter((l) => !l.startsWith(`10.128.${other}.0/24 via`)).join("\n");
    if (kind === 11)
      return text.replace(`10.128.${other}.0/24 via 10.0.1.${10 + other}`, `10.128.${other}.0/24 via 10.0.1.10`);
    if (kind === 12) return `${text}blackhole 10.0.1.${10 + other}\n`;
    if (kind === 28) return lines.filter((l) => !l.startsWith("default")).join("\n");
    if (kind === 29) return `${text}blackhole 10.96.0.${at % 2 === 0 ? 0 : 8}/29\n`;
    if (kind === 20) return `${text}10.128.${other}.${10 + (at % 2)} via 10.0.1.${11 + other} dev eth0\n`;
    if (kind === 21) return `${text}blackhole 10.128.${other}.${8 * (at % 4)}/29\n`;
  }
  if (path.endsWith("ip-addr.txt") && kind === 13)
    return text.replace(
      /(\n4: |$)/,
      "\n9: dock0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default\n    link/ether 02:ff:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n    inet 172.17.0.1/16 brd 172.17.255.255 scope global dock0$1",
    );
  // Another node is taken for somebody else, for good; the bridge has a pod behind another's port.
  if (path.endsWith("ip-neigh.txt") && own) {
    const others = lines.flatMap((l, i) => (/ dev \S+ lladdr /.test(l) ? [i] : []));
    if (others.length === 0) return text;
    const [other, beside] = [others[at % others.length]!, others[(at + 1) % others.length]!];
    const mac = / lladdr \S+/.exec(lines[beside]!)![0];
    if (kind === 14)
      lines[other] = lines[other]!.replace(/ lladdr \S+ REACHABLE/, " lladdr 0e:00:00:00:00:01 PERMANENT");
    if (kind === 15) lines[other] = lines[other]!.replace(/ lladdr \S+ REACHABLE/, `${mac} PERMANENT`);
  }
  if (path.endsWith("bridge-fdb.txt") && own && kind === 16)
    lines[0] = lines[0]!.replace(/veth\d+ master cni0/, `veth${at % 2} master cni0 ${at % 3 === 0 ? "sticky" : ""}`);
  if (path === "objects.json" && (kind === 23 || kind === 24)) {
    const wanted = kind === 23 ? /"phase": "Running"/g : /"ready": true/g;
    const instead = kind === 23 ? '"phase": "Failed"' : '"ready": false';
    let turn = at % Math.max(1, text.match(wanted)?.length ?? 1);
    return text.replace(wanted, (found) => (turn-- === 0 ? instead : found));
  }
  return lines.join("\n");
}

/** Lines of one Service, or of one of its endpoints: the same one on every node. */
function aboutService(text: string, kind: number, at: number): string {
  const own = [...new Set(text.split("\n").filter((l) => /^-A KUBE-S(?:VC|EP)-/.test(l)))].sort();
  const line = own[at % Math.max(1, own.length)];
  const vip = `10.96.0.${10 + (at % 6)}`;
  const pod = `10.128.${at % 5}.${10 + (at % 2)}`;
  const before = (chain: string, rule: string): string =>
    text.replace(new RegExp(`^-A ${chain} `, "m"), `-A ${chain} ${rule}\n-A ${chain} `);
  if (line === undefined) return text;
  if (kind === 17) return text.replace(`${own.filter((l) => l.includes("-j DNAT"))[at % 4] ?? line}\n`, "");
  if (kind === 18) return text.replace(new RegExp(`(-A KUBE-SERVICES -d ${vip}/32 .*--dport) 80 `), "$1 81 ");
  if (kind === 30) return before("KUBE-FORWARD", `-d 10.128.${at % 5}.0/24 -j DROP`);
  if (kind === 19) return before("KUBE-FORWARD", `-d ${pod}/32 -j DROP`);
  if (kind === 22) return text.replace(line, line.replace(/team-\d+/, "team-00001"));
  if (kind === 25) return before("KUBE-SERVICES", `-s 10.0.1.${10 + (at % 5)}/32 -d ${vip}/32 -j RETURN`);
  if (kind === 26) return before("POSTROUTING", `-s 10.128.0.0/9 -d ${pod}/32 -j RETURN`);
  if (kind === 27) return before("KUBE-SERVICES", `-d ${vip}/31 -j KUBE-MARK-MASQ`);
  return text;
}
