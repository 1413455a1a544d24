import { append, edit, pick, routesOf } from "./edit.ts";
import type { Varied, Vary } from "./varied.ts";

const ADDRESSES = "ip-addr.txt";
const inet = ({ family }: Varied): string => (family === 6 ? "inet6" : "inet");

/** Bridges and their ports gone: each pod behind a veth of its own to which a host route leads, as Calico has it. */
function routed(given: Varied): void {
  const { n, pods, addresses, family } = given;
  edit(given, ADDRESSES, (t) => t.replace(/^3: cni0:.*?(?=^\d+: |$(?![\s\S]))/ms, "").replaceAll(" master cni0", ""));
  edit(given, "bridge-link.txt", () => "");
  const own = Array.from(
    { length: pods },
    (_, p) => `${addresses.pod(n, p)} dev veth${p} ${family === 6 ? "metric 1024" : "scope link"}\n`,
  );
  edit(
    given,
    routesOf(given),
    (t) =>
      `${t.replace(/^.* dev cni0 .*\n/m, "")}${own.join("")}${given.at % 2 === 0 ? `blackhole ${addresses.podNetwork(n)}${family === 6 ? " dev lo metric 1024" : " proto bird"}\n` : ""}`,
  );
  edit(given, "sysctl.txt", (t) => {
    const all = t.replace(/^.*\.cni0\..*\n/gm, "");
    if (given.at % 3 === 0) return all;
    return `${all}${Array.from({ length: pods }, (_, p) => `net.ipv4.conf.veth${p}.proxy_arp = 1\nnet.ipv4.conf.veth${p}.rp_filter = ${given.at % 3 === 1 ? 1 : 0}\nnet.ipv4.conf.veth${p}.forwarding = 1\n`).join("")}`;
  });
}

/** Devices and addresses, and pods that were dumped themselves. */
export const DEVICES: Readonly<Record<string, Vary>> = {
  routed,
  "second-card": (g) => {
    const { n, family, at } = g;
    const own = family === 6 ? `fd00:20::${n + 16}/64` : `10.20.0.${n + 10}/16`;
    const ll = family === 6 ? `    inet6 fe80::${n + 1}:9/64 scope link\n` : "";
    append(
      g,
      ADDRESSES,
      `90: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000\n    link/ether 02:00:0${n}:00:00:90 brd ff:ff:ff:ff:ff:ff\n    ${inet(g)} ${own} scope global eth1\n${ll}`,
    );
    append(
      g,
      routesOf(g),
      family === 6
        ? "fd00:20::/64 dev eth1 proto kernel metric 256\n"
        : `10.20.0.0/16 dev eth1 proto kernel scope link src 10.20.0.${n + 10}\n`,
    );
    append(
      g,
      "sysctl.txt",
      `net.ipv4.conf.eth1.rp_filter = ${pick([0, 1, 2], at)}\nnet.ipv4.conf.eth1.forwarding = 1\nnet.ipv6.conf.eth1.forwarding = 1\n`,
    );
    // Pods of others are reached by the second one.
    if (at % 2 === 0 && family === 4)
      edit(g, routesOf(g), (t) =>
        t.replace(/^(10\.12\d\.\S+) via 10\.0\.1\.(\d+) dev eth0$/gm, "$1 via 10.20.0.$2 dev eth1"),
      );
    if (at % 5 === 0)
      edit(g, routesOf(g), (t) =>
        t.replace(
          /^default via .*$/m,
          family === 6 ? "default via fd00:20::1 dev eth1" : "default via 10.20.0.1 dev eth1",
        ),
      );
  },
  "second-address": (g) =>
    edit(g, ADDRESSES, (t) =>
      t.replace(
        /( scope global eth0\n)/,
        `$1    ${inet(g)} ${g.family === 6 ? `fd00:10::9${g.n}/64` : `10.0.9.${g.n + 9}/${pick([16, 32], g.at)}`} scope global ${g.family === 6 ? "" : "secondary eth0"}\n`,
      ),
    ),
  "address-on-loopback": (g) =>
    edit(g, ADDRESSES, (t) =>
      t.replace(
        /( scope host (?:lo|noprefixroute)\n)/,
        `$1    ${inet(g)} ${pick([g.addresses.service(1), g.addresses.service(0), g.family === 6 ? "fd00:77::1:1" : "10.0.77.11"], g.at)}/${g.family === 6 ? 128 : 32} scope global lo\n`,
      ),
    ),
  "name-server-of-the-node": (g) => {
    const bits = g.family === 6 ? 128 : 32;
    const own = g.addresses.service(0);
    append(
      g,
      ADDRESSES,
      `91: nodelocaldns: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN group default\n    link/ether 02:00:0${g.n}:00:00:91 brd ff:ff:ff:ff:ff:ff\n    ${inet(g)} ${own}/${bits} scope global nodelocaldns\n`,
    );
    if (g.at % 2 === 0)
      append(
        g,
        "ss-lnu.txt",
        `State    Recv-Q   Send-Q     Local Address:Port      Peer Address:Port   Process\nUNCONN   0        0          ${g.family === 6 ? `[${own}]` : own}:53            0.0.0.0:*\n`,
      );
  },
  "narrow-card": (g) => edit(g, ADDRESSES, (t) => t.replace(/(eth0: .*) mtu 1500/, "$1 mtu 1400")),
  "narrow-port": (g) =>
    edit(g, ADDRESSES, (t) => t.replace(/(veth0@if2: .*) mtu 1500/, `$1 mtu ${pick([1400, 1280, 60], g.at)}`)),
  "card-down": (g) =>
    edit(g, ADDRESSES, (t) =>
      t
        .replace(/eth0: <BROADCAST,MULTICAST,UP,LOWER_UP>/, "eth0: <NO-CARRIER,BROADCAST,MULTICAST,UP>")
        .replace(/(eth0: .*)state UP/, "$1state DOWN"),
    ),
  "port-down": (g) => {
    edit(g, ADDRESSES, (t) =>
      t
        .replace(/veth0@if2: <BROADCAST,MULTICAST,UP,LOWER_UP>/, "veth0@if2: <NO-CARRIER,BROADCAST,MULTICAST,UP>")
        .replace(/(veth0@if2: .*)state UP/, "$1state LOWERLAYERDOWN"),
    );
    edit(g, "bridge-link.txt", (t) => t.replace(/(veth0@if2: .*) state forwarding/, "$1 state disabled"));
  },
  "port-isolated": (g) =>
    edit(g, "bridge-link.txt", (t) => t.replace(/(veth[01]@if2.*\n.*guard off)/, `$1 isolated on`)),
  "hairpin-of-one": (g) => edit(g, "bridge-link.txt", (t) => t.replace(/hairpin on/, "hairpin off")),
  "pod-dumped": (g) => {
    const { n, pods, addresses, family, at } = g;
    const p = at % pods;
    const own = `${addresses.pod(n, p)}/${family === 6 ? 64 : 24}`;
    const folder = `pods/shop/pod-${n}-${p}`;
    append(
      g,
      `${folder}/ip-addr.txt`,
      `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000\n    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n    inet 127.0.0.1/8 scope host lo\n2: eth0@if${p + 4}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default\n    link/ether 0a:00:0${n}:00:00:0${p} brd ff:ff:ff:ff:ff:ff link-netnsid 0\n    ${inet(g)} ${own} scope global eth0\n`,
    );
    if (at % 5 !== 0)
      append(
        g,
        `${folder}/${routesOf(g)}`,
        `${at % 7 === 0 ? "" : `default via ${addresses.bridge(n)} dev eth0\n`}${addresses.podNetwork(n)} dev eth0 proto kernel ${family === 6 ? "metric 256" : `scope link src ${addresses.pod(n, p)}`}\n`,
      );
    if (at % 2 === 0)
      append(
        g,
        `${folder}/ss-lnt.txt`,
        `State    Recv-Q   Send-Q     Local Address:Port      Peer Address:Port   Process\nLISTEN   0        4096                   ${pick([`*:8080`, `127.0.0.1:8080`, `${family === 6 ? `[${addresses.pod(n, p)}]` : addresses.pod(n, p)}:9090`], at)}                *:*\n`,
      );
    if (at % 3 === 0)
      append(
        g,
        `${folder}/iptables-save.txt`,
        `*nat\n:PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -p tcp -m owner ! --uid-owner 1337 -j REDIRECT --to-ports 15001\nCOMMIT\n`,
      );
  },
  neighbours: (g) => {
    const { n, nodes, addresses, at } = g;
    for (let m = 0; m < nodes; m++)
      if (m !== n)
        append(
          g,
          "ip-neigh.txt",
          `${addresses.node(m)} dev eth0 ${m === at % nodes ? pick(["FAILED", "INCOMPLETE", "lladdr 02:00:0f:00:00:02 PERMANENT", "lladdr 02:00:0f:00:00:02 STALE"], at) : `lladdr 02:00:0${m}:00:00:02 ${pick(["REACHABLE", "STALE"], at + m)}`}\n`,
        );
    if (at % 2 === 0)
      append(
        g,
        "ip-neigh.txt",
        `${addresses.pod(n, 0)} dev cni0 ${pick(["FAILED", "lladdr 0a:00:00:00:00:77 REACHABLE", "lladdr 0a:00:00:00:00:77 PERMANENT"], Math.floor(at / 2))}\n`,
      );
  },
  sockets: (g) =>
    append(
      g,
      "ss-lnt.txt",
      `State    Recv-Q   Send-Q     Local Address:Port      Peer Address:Port   Process\nLISTEN   0        4096                   ${pick([`*:30001`, `127.0.0.1:10250`, `${g.family === 6 ? `[${g.addresses.node(g.n)}]` : g.addresses.node(g.n)}:10250`, "*:8080", "*:80"], g.at)}                *:*\n`,
    ),
};
