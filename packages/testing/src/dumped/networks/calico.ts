import {
  all,
  CLUSTER,
  type DumpCluster,
  hashOf,
  network,
  nodeAddress,
  othersThan,
  podAddress,
  podMac,
  podsOn,
} from "../given.ts";
import { firstDevices, otherNodes, port, SOCKETS, sysctls } from "./dumps.ts";
import type { OwnRules, PodNetwork } from "./network.ts";

const MTU = 1500;
/** Of each port on each node. */
const PORT_MAC = "ee:ee:ee:ee:ee:ee";
const NAMESPACE = "shop-production";
const portOf = (n: number, p: number): string => `cali${hashOf(n, p, 11)}`;

const numbered = (lines: readonly string[]): string =>
  // Each rule is called after a hash of what it says, and of those before it.
  lines.map((line) => line.replace(/^(-A \S+)/, `$1 -m comment --comment "cali:${hashText(line)}"`)).join("\n");

function hashText(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9e3779b1];
  for (const c of text) {
    a = Math.imul(a ^ c.charCodeAt(0), 0x01000193) >>> 0;
    b = Math.imul(b ^ (a >>> 7), 0x85ebca6b) >>> 0;
  }
  return `${a.toString(16).padStart(8, "0")}${b.toString(16).padStart(8, "0")}`;
}

/** By the first sign of their names where several share it: the rest is looked for in a chain of their own. */
function dispatch(
  chain: string,
  flag: "-i" | "-o",
  to: string,
  ports: readonly string[],
): { names: string[]; lines: string[] } {
  const names = [chain];
  const lines: string[] = [];
  const behind: string[] = [];
  const bySign = new Map<string, string[]>();
  for (const p of [...ports].sort()) bySign.set(p.slice(0, 5), [...(bySign.get(p.slice(0, 5)) ?? []), p]);
  for (const [prefix, own] of bySign) {
    const [only, another] = own;
    if (another === undefined) {
      lines.push(`-A ${chain} ${flag} ${only} -g ${to}${only}`);
      continue;
    }
    const sub = `${chain}-${prefix.slice(4)}`;
    names.push(sub);
    lines.push(`-A ${chain} ${flag} ${prefix}+ -g ${sub}`);
    for (const p of own) behind.push(`-A ${sub} ${flag} ${p} -g ${to}${p}`);
    behind.push(`-A ${sub} -m comment --comment "Unknown interface" -j DROP`);
  }
  lines.push(`-A ${chain} -m comment --comment "Unknown interface" -j DROP`);
  return { names, lines: [...lines, ...behind] };
}

const endpointChain = (chain: string, way: "fw" | "tw"): readonly string[] => {
  const [first, second] = way === "fw" ? ["cali-pro", "cali-pro"] : ["cali-pri", "cali-pri"];
  return [
    `-A ${chain} -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`,
    `-A ${chain} -m conntrack --ctstate INVALID -j DROP`,
    `-A ${chain} -j MARK --set-xmark 0x0/0x10000`,
    ...(way === "fw"
      ? [
          `-A ${chain} -p udp -m comment --comment "Drop VXLAN encapped packets originating in workloads" -m multiport --dports 4789 -j DROP`,
          `-A ${chain} -p ipencap -m comment --comment "Drop IPinIP encapped packets originating in workloads" -j DROP`,
        ]
      : []),
    `-A ${chain} -j ${first}-kns.${NAMESPACE}`,
    `-A ${chain} -m comment --comment "Return if profile accepted" -m mark --mark 0x10000/0x10000 -j RETURN`,
    `-A ${chain} -j ${second}-ksa.${NAMESPACE}.default`,
    `-A ${chain} -m comment --comment "Return if profile accepted" -m mark --mark 0x10000/0x10000 -j RETURN`,
    `-A ${chain} -m comment --comment "Drop if no profiles matched" -j DROP`,
  ];
};

function filter(given: DumpCluster, n: number): OwnRules {
  const ports = all(podsOn(given, n)).map((p) => portOf(n, p));
  const from = dispatch("cali-from-wl-dispatch", "-i", "cali-fw-", ports);
  const to = dispatch("cali-to-wl-dispatch", "-o", "cali-tw-", ports);
  const profiles = [`kns.${NAMESPACE}`, `ksa.${NAMESPACE}.default`].flatMap((p) => [`cali-pri-${p}`, `cali-pro-${p}`]);
  return {
    empty: [
      ...[
        "cali-FORWARD",
        "cali-INPUT",
        "cali-OUTPUT",
        "cali-cidr-block",
        "cali-from-hep-forward",
        "cali-from-host-endpoint",
      ],
      ...["cali-to-hep-forward", "cali-to-host-endpoint", "cali-wl-to-host"],
      ...from.names,
      ...to.names,
      ...ports.flatMap((p) => [`cali-fw-${p}`, `cali-tw-${p}`]),
      ...profiles,
    ],
    first: `${numbered(["-A INPUT -j cali-INPUT", "-A FORWARD -j cali-FORWARD", "-A OUTPUT -j cali-OUTPUT"])}\n`,
    last: `${numbered([
      `-A FORWARD -m comment --comment "Policy explicitly accepted packet." -m mark --mark 0x10000/0x10000 -j ACCEPT`,
      "-A FORWARD -j MARK --set-xmark 0x10000/0x10000",
      "-A cali-FORWARD -j MARK --set-xmark 0x0/0xe0000",
      "-A cali-FORWARD -m mark --mark 0x0/0x10000 -j cali-from-hep-forward",
      "-A cali-FORWARD -i cali+ -j cali-from-wl-dispatch",
      "-A cali-FORWARD -o cali+ -j cali-to-wl-dispatch",
      "-A cali-FORWARD -j cali-to-hep-forward",
      "-A cali-FORWARD -j cali-cidr-block",
      "-A cali-INPUT -i cali+ -g cali-wl-to-host",
      "-A cali-INPUT -m mark --mark 0x10000/0x10000 -j ACCEPT",
      "-A cali-INPUT -j MARK --set-xmark 0x0/0xf0000",
      "-A cali-INPUT -j cali-from-host-endpoint",
      `-A cali-INPUT -m comment --comment "Host endpoint policy accepted packet." -m mark --mark 0x10000/0x10000 -j ACCEPT`,
      "-A cali-OUTPUT -m mark --mark 0x10000/0x10000 -j ACCEPT",
      "-A cali-OUTPUT -o cali+ -j RETURN",
      "-A cali-OUTPUT -j MARK --set-xmark 0x0/0xf0000",
      "-A cali-OUTPUT -m conntrack ! --ctstate DNAT -j cali-to-host-endpoint",
      `-A cali-OUTPUT -m comment --comment "Host endpoint policy accepted packet." -m mark --mark 0x10000/0x10000 -j ACCEPT`,
      "-A cali-wl-to-host -j cali-from-wl-dispatch",
      `-A cali-wl-to-host -m comment --comment "Configured DefaultEndpointToHostAction" -j ACCEPT`,
      ...from.lines,
      ...to.lines,
      ...ports.flatMap((p) => [...endpointChain(`cali-fw-${p}`, "fw"), ...endpointChain(`cali-tw-${p}`, "tw")]),
      ...[`cali-pri-kns.${NAMESPACE}`, `cali-pro-kns.${NAMESPACE}`].flatMap((c) => [
        `-A ${c} -m comment --comment "Profile kns.${NAMESPACE} ${c.slice(6, 8)}gress" -j MARK --set-xmark 0x10000/0x10000`,
        `-A ${c} -m mark --mark 0x10000/0x10000 -j RETURN`,
      ]),
    ])}\n`,
  };
}

const NAT: OwnRules = {
  empty: ["cali-OUTPUT", "cali-POSTROUTING", "cali-PREROUTING", "cali-fip-dnat", "cali-fip-snat", "cali-nat-outgoing"],
  first: `${numbered(["-A PREROUTING -j cali-PREROUTING", "-A OUTPUT -j cali-OUTPUT", "-A POSTROUTING -j cali-POSTROUTING"])}\n`,
  last: `${numbered([
    "-A cali-OUTPUT -j cali-fip-dnat",
    "-A cali-POSTROUTING -j cali-fip-snat",
    "-A cali-POSTROUTING -j cali-nat-outgoing",
    "-A cali-PREROUTING -j cali-fip-dnat",
    "-A cali-nat-outgoing -m set --match-set cali40masq-ipam-pools src -m set ! --match-set cali40all-ipam-pools dst -j MASQUERADE --random-fully",
  ])}\n`,
};

const RAW: OwnRules = {
  empty: ["cali-OUTPUT", "cali-PREROUTING", "cali-from-host-endpoint", "cali-rpf-skip", "cali-to-host-endpoint"],
  last: `${numbered([
    "-A PREROUTING -j cali-PREROUTING",
    "-A OUTPUT -j cali-OUTPUT",
    "-A cali-OUTPUT -j MARK --set-xmark 0x0/0xf0000",
    "-A cali-OUTPUT -j cali-to-host-endpoint",
    "-A cali-OUTPUT -m mark --mark 0x10000/0x10000 -j ACCEPT",
    "-A cali-PREROUTING -j MARK --set-xmark 0x0/0xf0000",
    "-A cali-PREROUTING -i cali+ -j MARK --set-xmark 0x40000/0x40000",
    "-A cali-PREROUTING -m mark --mark 0x40000/0x40000 -j cali-rpf-skip",
    "-A cali-PREROUTING -m mark --mark 0x40000/0x40000 -m rpfilter --validmark --invert -j DROP",
    "-A cali-PREROUTING -m mark --mark 0x0/0x40000 -j cali-from-host-endpoint",
    "-A cali-PREROUTING -m mark --mark 0x10000/0x10000 -j ACCEPT",
  ])}\n`,
};

const MANGLE: OwnRules = {
  empty: ["cali-PREROUTING", "cali-POSTROUTING", "cali-from-host-endpoint", "cali-to-host-endpoint"],
  last: `${numbered([
    "-A PREROUTING -j cali-PREROUTING",
    "-A POSTROUTING -j cali-POSTROUTING",
    "-A cali-PREROUTING -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT",
    "-A cali-PREROUTING -m mark --mark 0x10000/0x10000 -j ACCEPT",
    "-A cali-PREROUTING -j cali-from-host-endpoint",
    `-A cali-PREROUTING -m comment --comment "Host endpoint policy accepted packet." -m mark --mark 0x10000/0x10000 -j ACCEPT`,
    "-A cali-POSTROUTING -m mark --mark 0x10000/0x10000 -j RETURN",
    "-A cali-POSTROUTING -j MARK --set-xmark 0x0/0xf0000",
    "-A cali-POSTROUTING -m conntrack --ctstate DNAT -j cali-to-host-endpoint",
    `-A cali-POSTROUTING -m comment --comment "Host endpoint policy accepted packet." -m mark --mark 0x10000/0x10000 -j RETURN`,
  ])}\n`,
};

const sets = (
  n: number,
): string => `create cali40all-ipam-pools hash:net family inet hashsize 1024 maxelem 1048576 bucketsize 12 initval 0x5f0ab3c1
add cali40all-ipam-pools ${CLUSTER}
create cali40masq-ipam-pools hash:net family inet hashsize 1024 maxelem 1048576 bucketsize 12 initval 0x0d3c18e2
add cali40masq-ipam-pools ${CLUSTER}
create cali40this-host hash:ip family inet hashsize 1024 maxelem 1048576 bucketsize 12 initval 0x7a11f0c5
add cali40this-host 127.0.0.0
add cali40this-host 127.0.0.1
add cali40this-host ${nodeAddress(n)}
`;

/** A route to each pod, routes between nodes as BGP spreads them, chains for each pod. */
export const CALICO: PodNetwork = {
  dumps: (given, n) => ({
    "ip-addr": [firstDevices(n), ...all(podsOn(given, n)).map((p) => port(3 + p, portOf(n, p), MTU, PORT_MAC))].join(
      "",
    ),
    "ip-route": [
      "default via 10.0.0.1 dev eth0\n",
      `10.0.0.0/16 dev eth0 proto kernel scope link src ${nodeAddress(n)}\n`,
      `blackhole ${network(n)}.0/24 proto bird\n`,
      ...all(podsOn(given, n)).map((p) => `${podAddress(n, p)} dev ${portOf(n, p)} scope link\n`),
      ...othersThan(given, n).map((m) => `${network(m)}.0/24 via ${nodeAddress(m)} dev eth0 proto bird\n`),
    ].join(""),
    "ipset-save": sets(n),
    sysctl: sysctls(
      all(podsOn(given, n)).map((p) => portOf(n, p)),
      all(podsOn(given, n))
        .map((p) => `net.ipv4.conf.${portOf(n, p)}.proxy_arp = 1\n`)
        .join(""),
    ),
    "ss-lntp": SOCKETS,
  }),
  neighbours: (given, n) => ({
    "ip-neigh": [
      otherNodes(given, n),
      ...all(podsOn(given, n)).map((p) => `${podAddress(n, p)} dev ${portOf(n, p)} lladdr ${podMac(n, p)} STALE\n`),
    ].join(""),
  }),
  rules: (given, n) => ({ nat: NAT, filter: filter(given, n), raw: RAW, mangle: MANGLE }),
};
