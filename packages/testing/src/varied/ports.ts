import { append, edit, pick, routesOf, rule, rulesOf, vip } from "./edit.ts";
import type { Varied, Vary } from "./varied.ts";

/** The port of one of a node's pods, as its dump calls it. */
function portOf({ files, folder, at }: Varied): string {
  const ports = [...(files[`${folder}/ip-addr.txt`] ?? "").matchAll(/^\d+: ([^:@\s]+)@if2:/gm)].map((m) => m[1]!);
  return ports.length === 0 ? "veth0" : pick(ports, Math.floor(at / 11));
}

/** Of several lines for one setting the first counts. */
const setting = (g: Varied, key: string, value: number): void =>
  edit(g, "sysctl.txt", (t) => `${key} = ${value}\n${t}`);

/** What is said of the port of one pod, or of some. */
export const PORTS: Readonly<Record<string, Vary>> = {
  "drop-of-port": (g) =>
    rule(g, "filter", pick(["FORWARD", "INPUT"], g.at), `-${pick(["i", "o"], g.at)} ${portOf(g)} -j DROP`),
  "drop-but-of-port": (g) =>
    rule(g, "filter", "FORWARD", `! -i ${portOf(g)} -o ${pick(["eth0", "cni0", "veth+"], g.at)} -j DROP`),
  "drop-of-some-ports": (g) =>
    rule(g, "filter", "FORWARD", `-${pick(["i", "o"], g.at)} ${portOf(g).slice(0, pick([5, 6, 7], g.at))}+ -j DROP`),
  "drop-between-ports": (g) =>
    rule(g, "filter", "FORWARD", `-i ${portOf(g)} -o ${portOf({ ...g, at: g.at + 11 })} -j DROP`),
  "drop-between-ports-by-chain": (g) => {
    const [first, second] = g.at % 2 === 0 ? ["i", "o"] : ["o", "i"];
    rule(g, "filter", "FROM-ONE", `-${second} ${portOf({ ...g, at: g.at + 11 })} -j DROP`);
    rule(g, "filter", "FORWARD", `-${first} ${portOf(g)} -j FROM-ONE`);
  },
  "drop-of-port-to-one": (g) =>
    rule(g, "filter", "FORWARD", `-i ${portOf(g)} -d ${g.addresses.pod(g.at % g.nodes, 0)}/32 -j DROP`),
  "translated-by-port": (g) =>
    rule(
      g,
      "nat",
      pick(["PREROUTING", "POSTROUTING"], g.at),
      g.at % 2 === 0 ? `-i ${portOf(g)} -d ${vip(g)}/32 -j RETURN` : `-o ${portOf(g)} -j MASQUERADE`,
    ),
  "marked-by-port": (g) => {
    rule(g, "mangle", "PREROUTING", `-i ${portOf(g)} -j MARK --set-xmark 0x200/0x200`);
    rule(g, "filter", "FORWARD", "-m mark --mark 0x200/0x200 -j DROP");
  },
  "set-of-ports": (g) => {
    append(
      g,
      "ipset-save.txt",
      `create ports-${g.at} hash:net,iface family inet hashsize 1024 maxelem 65536\nadd ports-${g.at} ${g.addresses.clusterCidr},${portOf(g)}\n`,
    );
    rule(g, "filter", "FORWARD", `-m set --match-set ports-${g.at} src,src -j DROP`);
  },
  "port-checked": (g) => setting(g, `net.ipv4.conf.${portOf(g)}.rp_filter`, pick([1, 2], g.at)),
  "port-answers": (g) =>
    setting(g, `net.ipv4.conf.${portOf(g)}.${pick(["proxy_arp", "arp_ignore", "forwarding"], g.at)}`, 0),
  "port-of-another-mac": (g) =>
    edit(g, "ip-addr.txt", (t) =>
      t.replace(
        new RegExp(`(: ${portOf(g)}@if2:.*\\n    link/ether) \\S+`),
        `$1 ${pick(["02:dd:00:00:00:01", "ee:ee:ee:ee:ee:ee"], g.at)}`,
      ),
    ),
  "port-narrow": (g) =>
    edit(g, "ip-addr.txt", (t) => t.replace(new RegExp(`(: ${portOf(g)}@if2:.*) mtu \\d+`), "$1 mtu 1280")),
  "port-gone": (g) =>
    edit(g, "ip-addr.txt", (t) => t.replace(new RegExp(`^\\d+: ${portOf(g)}@if2:.*\\n(?:    .*\\n)*`, "m"), "")),
  "chain-of-port-drops": (g) =>
    edit(g, rulesOf(g), (t) =>
      t.replace(new RegExp(`^-A cali-(fw|tw)-${portOf(g)} .*\\n`, "m"), (line, way: string) =>
        pick(
          [
            `-A cali-${way}-${portOf(g)} -j DROP\n${line}`,
            "",
            `-A cali-${way}-${portOf(g)} -d ${vip(g)}/32 -j DROP\n${line}`,
          ],
          g.at,
        ),
      ),
    ),
  "port-not-dispatched": (g) =>
    edit(g, rulesOf(g), (t) =>
      t.replace(new RegExp(`^.* -${pick(["i", "o"], g.at)} ${portOf(g)} .*-g .*\\n`, "m"), ""),
    ),
  "one-among-ports": (g) =>
    edit(g, rulesOf(g), (t) =>
      t.replace(
        /^((?:-A cali-to-wl-dispatch .*\n))(-A cali-to-wl-dispatch )/m,
        `$1-A cali-to-wl-dispatch -d ${g.addresses.pod(g.at % g.nodes, 0)}/32 -j ${pick(["ACCEPT", "DROP"], g.at)}\n$2`,
      ),
    ),
  "pod-of-two-nodes": (g) => {
    const other = (g.n + 1 + (g.at % Math.max(1, g.nodes - 1))) % g.nodes;
    append(g, routesOf(g), `${g.addresses.pod(other, 0)} dev ${portOf(g)} scope link\n`);
  },
  "route-of-pod-lost": (g) =>
    edit(g, routesOf(g), (t) => t.replace(new RegExp(`^\\S+ dev ${portOf(g)} scope .*\\n`, "m"), "")),
  "source-of-pods-route": (g) =>
    edit(g, routesOf(g), (t) =>
      t.replace(new RegExp(`^(\\S+ dev ${portOf(g)} scope .*)$`, "m"), `$1 src ${g.addresses.node(g.n)}`),
    ),
};
