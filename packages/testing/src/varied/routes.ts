import { append, edit, host, pick, routesOf, rule, who } from "./edit.ts";
import type { Varied, Vary } from "./varied.ts";

const tableFile = ({ family }: Varied, table: number): string =>
  `ip-${family === 6 ? "6-" : ""}route-table-${table}.txt`;
const ruleFile = ({ family }: Varied): string => (family === 6 ? "ip-6-rule.txt" : "ip-rule.txt");

/** A routing rule beside the usual ones. */
function routingRule(given: Varied, text: string): void {
  const path = `${given.folder}/${ruleFile(given)}`;
  given.files[path] ??=
    `0:\tfrom all lookup local\n32766:\tfrom all lookup main\n${given.family === 6 ? "" : "32767:\tfrom all lookup default\n"}`;
  given.files[path] = given.files[path].replace("32766:", `${text}\n32766:`);
}

const route = (given: Varied, text: string): void => append(given, routesOf(given), `${text}\n`);
const bare = (prefix: string): string => prefix.replace(/\/(?:32|128)$/, "");
const nextNode = ({ addresses, n, nodes, at }: Varied): string =>
  addresses.node((n + 1 + (at % Math.max(1, nodes - 1))) % nodes);

function ownTable(given: Varied): void {
  const { addresses, at } = given;
  append(
    given,
    tableFile(given, 100),
    pick(
      [
        `default via ${addresses.gateway} dev eth0\n`,
        `blackhole default${given.family === 6 ? " dev lo metric 1024" : ""}\n`,
        `default via ${nextNode(given)} dev eth0\n`,
        `${addresses.nodeNetwork} dev eth0 scope link\nthrow ${addresses.clusterCidr}${given.family === 6 ? " dev lo metric 1024" : ""}\n`,
        `${addresses.podNetwork(given.n)} dev cni0 scope link\n`,
      ],
      Math.floor(at / 2),
    ),
  );
}

/** Routes, rules about them and what checks sources by them. */
export const ROUTES: Readonly<Record<string, Vary>> = {
  "rule-by-mark": (g) => {
    rule(g, "mangle", pick(["PREROUTING", "OUTPUT"], g.at), `-s ${who(g)} -j MARK --set-xmark 0x100/0x100`);
    routingRule(g, "100:\tfrom all fwmark 0x100/0x100 lookup 100");
    ownTable(g);
  },
  "rule-by-source": (g) => {
    routingRule(g, `100:\tfrom ${bare(who(g))} lookup 100`);
    ownTable(g);
  },
  "rule-by-destination": (g) => {
    routingRule(g, `100:\tfrom all to ${bare(who(g))} lookup 100`);
    ownTable(g);
  },
  "rule-by-device": (g) => {
    routingRule(g, `100:\tfrom all iif ${pick(["cni0", "eth0", "lo", "veth0"], g.at)} lookup 100`);
    ownTable(g);
  },
  "rule-by-port": (g) => {
    routingRule(g, `100:\tfrom all ipproto tcp dport ${pick([8080, 80], g.at)} lookup 100`);
    ownTable(g);
  },
  "rule-not-shown": (g) => routingRule(g, `100:\tfrom all fwmark 0x4000/0x4000 lookup 77`),
  "host-route-elsewhere": (g) => route(g, `${host(g)} via ${nextNode(g)} dev eth0`),
  "host-unreachable": (g) =>
    route(
      g,
      `${pick(["unreachable", "prohibit", "blackhole"], g.at)} ${host(g)}${g.family === 6 ? " dev lo metric 1024" : ""}`,
    ),
  "network-unreachable": (g) => route(g, `blackhole ${bare(who(g))}${g.family === 6 ? " dev lo metric 1024" : ""}`),
  "source-of-route": (g) => {
    if (g.family === 4)
      edit(g, routesOf(g), (t) =>
        t.replace(
          /^(10\.\S+ via \S+ dev eth0)$/m,
          `$1 src ${pick([g.addresses.bridge(g.n), g.addresses.node(g.n)], g.at)}`,
        ),
      );
  },
  "no-default": (g) => edit(g, routesOf(g), (t) => t.replace(/^default.*\n/m, "")),
  "by-the-gateway": (g) =>
    edit(g, routesOf(g), (t) =>
      t
        .split("\n")
        .filter((l) => !/ via 10\.0\.1\.\d+ dev eth0$/.test(l) || l.startsWith("default"))
        .join("\n"),
    ),
  "two-ways": (g) =>
    edit(g, routesOf(g), (t) =>
      t.replace(
        /^default via (\S+) dev eth0$/m,
        `default\n\tnexthop via $1 dev eth0 weight 1\n\tnexthop via ${nextNode(g)} dev eth0 weight 1`,
      ),
    ),
  "source-checked": (g) =>
    edit(g, "sysctl.txt", (t) =>
      t.replace(
        new RegExp(`(conf\\.(?:${pick(["all", "eth0", "cni0", "all|eth0|cni0|default"], g.at)})\\.rp_filter) = 0`, "g"),
        `$1 = ${pick([1, 1, 2], Math.floor(g.at / 4))}`,
      ),
    ),
  "marks-checked": (g) => append(g, "sysctl.txt", "net.ipv4.conf.all.src_valid_mark = 1\n"),
  "forwarding-of-one-device": (g) =>
    edit(g, "sysctl.txt", (t) =>
      t.replace(new RegExp(`conf\\.${pick(["eth0", "cni0"], g.at)}\\.forwarding = 1`), "conf.eth0.forwarding = 0"),
    ),
  "bridge-not-filtered": (g) => edit(g, "sysctl.txt", (t) => t.replace(/(bridge-nf-call-ip6?tables) = 1/, "$1 = 0")),
  "no-localnet": (g) => edit(g, "sysctl.txt", (t) => t.replace(/route_localnet = 1/g, "route_localnet = 0")),
  "answers-for-others": (g) =>
    append(
      g,
      "sysctl.txt",
      `net.ipv4.conf.eth0.proxy_arp = 1\nnet.ipv4.conf.${pick(["all", "eth0"], g.at)}.arp_ignore = ${pick([0, 1, 2], g.at)}\nnet.ipv4.conf.all.arp_announce = ${g.at % 3}\n`,
    ),
};
