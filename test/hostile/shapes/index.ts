import { IPV6_SHAPES } from "./ipv6.ts";
import { NFT_SHAPES } from "./nft.ts";
import { ADDR, bit, filter, lines, nat, octets, ROUTE, RULE, type Shape, shuffled } from "./shape.ts";

export const SHAPES: readonly Shape[] = [
  {
    name: "chains that jump twice to the next",
    n: 12,
    files: (n) =>
      filter(
        `${lines(n + 1, (i) => `:C${i} - [0:0]`)}\n`,
        `-A OUTPUT -j C0\n${lines(n, (i) => `-A C${i} -j C${i + 1}\n-A C${i} -j C${i + 1}`)}\n-A C${n} -j RETURN`,
      ),
  },
  {
    name: "chains that jump twice to the next, in nat",
    n: 12,
    files: (n) =>
      nat(
        `${lines(n + 1, (i) => `:C${i} - [0:0]`)}\n`,
        `-A OUTPUT -j C0\n${lines(n, (i) => `-A C${i} -j C${i + 1}\n-A C${i} -j C${i + 1}`)}\n-A C${n} -p udp -j RETURN`,
      ),
  },
  {
    name: "marks by chance",
    n: 50,
    files: (n) =>
      filter(
        "",
        lines(
          n,
          (i) => `-A OUTPUT -m statistic --mode random --probability 0.5 -j MARK --set-xmark ${bit(i)}/${bit(i)}`,
        ),
      ),
  },
  {
    name: "matches nobody knows",
    n: 100,
    files: (n) =>
      filter(
        "",
        lines(n, (i) => `-A OUTPUT -m foo${i} --bar -j DROP`),
      ),
  },
  {
    name: "sets nobody showed",
    n: 100,
    files: (n) =>
      filter(
        "",
        lines(n, (i) => `-A OUTPUT -m set --match-set s${i} dst -j MARK --set-xmark ${bit(i)}/${bit(i)}`),
      ),
  },
  {
    name: "endpoints by chance",
    n: 500,
    files: (n) =>
      nat(
        "",
        lines(
          n,
          (i) =>
            `-A OUTPUT -d 10.96.0.1/32 -p tcp -m tcp --dport 443 -m statistic --mode random --probability ${(1 / (n - i)).toFixed(8)} -j DNAT --to-destination 10.0.${i >> 8}.${i & 255}:443`,
        ),
      ),
  },
  {
    name: "rules that all match",
    n: 20_000,
    files: (n) =>
      filter(
        "",
        lines(n, (i) => `-A OUTPUT -j MARK --set-xmark ${bit(i)}/${bit(i)}`),
      ),
  },
  {
    name: "rules that log",
    n: 5_000,
    files: (n) =>
      filter(
        "",
        lines(n, (i) => `-A OUTPUT -j LOG --log-prefix "p${i} "`),
      ),
  },
  {
    name: "rules of one chain in any order",
    n: 500,
    files: (n) =>
      filter(
        "",
        shuffled(
          lines(
            n,
            (i) => `-A OUTPUT -d 10.${octets(i)}/32 -p tcp -m tcp --dport ${i % 60000} -j ${i % 2 ? "DROP" : "ACCEPT"}`,
          ),
        ),
      ),
  },
  {
    name: "chains in a row",
    n: 2_000,
    files: (n) =>
      filter(
        `${lines(n + 1, (i) => `:C${i} - [0:0]`)}\n`,
        `-A OUTPUT -j C0\n${lines(n, (i) => `-A C${i} -j C${i + 1}`)}`,
      ),
  },
  {
    name: "chains that call each other",
    n: 200,
    files: (n) =>
      filter(
        `${lines(n, (i) => `:C${i} - [0:0]`)}\n`,
        `-A OUTPUT -j C0\n${lines(n, (i) => `-A C${i} -j C${(i + 1) % n}\n-A C${i} -j C${(i + 7) % n}`)}`,
      ),
  },
  {
    name: "many matches in one rule",
    n: 2_000,
    files: (n) =>
      filter("", `-A OUTPUT ${Array.from({ length: n }, (_, i) => `-m comment --comment c${i}`).join(" ")} -j DROP`),
  },
  {
    name: "routing rules",
    n: 2_000,
    files: (n) => ({
      ...filter("", ""),
      "ip-rule.txt": `0:\tfrom all lookup local\n${lines(n, (i) => `${i + 1}:\tfrom 10.${octets(i)} lookup ${i + 1000}`)}\n32766:\tfrom all lookup main\n`,
    }),
  },
  {
    name: "routing tables nobody showed",
    n: 100,
    files: (n) => ({
      ...filter("", ""),
      "ip-rule.txt": `0:\tfrom all lookup local\n${lines(n, (i) => `${i + 1}:\tfrom all lookup ${i + 1000}`)}\n32766:\tfrom all lookup main\n`,
    }),
  },
  {
    name: "routes",
    n: 10_000,
    files: (n) => ({
      ...filter("", ""),
      "ip-route.txt": `${ROUTE}${lines(n, (i) => `11.${octets(i)} via 10.0.0.${2 + (i % 200)} dev eth0`)}\n`,
    }),
  },
  {
    name: "next hops of one route",
    n: 500,
    files: (n) => ({
      ...filter("", ""),
      "ip-route.txt": `${ROUTE}10.96.0.0/12\n${lines(n, (i) => `\tnexthop via 10.0.0.${2 + (i % 250)} dev eth0 weight 1`)}\n`,
    }),
  },
  {
    name: "devices",
    n: 2_000,
    files: (n) => ({
      ...filter("", ""),
      "ip-addr.txt": `${ADDR}${lines(n, (i) => `${i + 3}: d${i}@if2: <BROADCAST,UP,LOWER_UP> mtu 1500\n    link/ether 02:00:01:${[(i >> 16) & 255, (i >> 8) & 255, i & 255].map((x) => x.toString(16).padStart(2, "0")).join(":")} brd ff:ff:ff:ff:ff:ff link-netnsid ${i}\n    inet 12.${octets(i)}/32 scope global d${i}`)}\n`,
    }),
  },
  {
    name: "VLANs on VLANs",
    n: 100,
    files: (n) => ({
      ...filter("", ""),
      "ip-route.txt": `default via 10.0.0.254 dev v${n - 1}\n`,
      "ip-addr.txt": `${ADDR}${lines(n, (i) => `${i + 3}: v${i}@${i === 0 ? "eth0" : `v${i - 1}`}: <BROADCAST,UP,LOWER_UP> mtu 1500\n    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n    vlan protocol 802.1Q id ${1 + (i % 4000)} <REORDER_HDR>\n    inet 12.${octets(i)}/32 scope global v${i}`)}\n`,
    }),
  },
  {
    name: "bridges",
    n: 200,
    files: (n) => ({
      ...filter("", ""),
      "ip-route.txt": "default via 10.0.0.254 dev b0\n",
      "ip-addr.txt": `${ADDR}${lines(n, (i) => `${2 * i + 3}: b${i}: <BROADCAST,UP,LOWER_UP> mtu 1500\n    link/ether 02:00:02:00:${(i >> 8).toString(16).padStart(2, "0")}:${(i & 255).toString(16).padStart(2, "0")} brd ff:ff:ff:ff:ff:ff\n    bridge forward_delay 1500\n${2 * i + 4}: p${i}@p${i + 1}: <BROADCAST,UP,LOWER_UP> mtu 1500 master b${i}\n    link/ether 02:00:03:00:${(i >> 8).toString(16).padStart(2, "0")}:${(i & 255).toString(16).padStart(2, "0")} brd ff:ff:ff:ff:ff:ff`)}\n`,
    }),
  },
  {
    name: "entries of a set",
    n: 10_000,
    files: (n) => ({
      ...filter("", "-A OUTPUT -m set --match-set s dst -j DROP"),
      "ipset.txt": `Name: s\nType: hash:ip\nRevision: 4\nHeader: family inet hashsize 1024 maxelem 65536\nSize in memory: 10\nReferences: 1\nNumber of entries: ${n}\nMembers:\n${lines(n, (i) => `11.${octets(i)}`)}\n`,
    }),
  },
  {
    name: "sets of sets",
    n: 200,
    files: (n) => ({
      ...filter("", "-A OUTPUT -m set --match-set l0 dst -j DROP"),
      "ipset.txt":
        lines(n, (i) => `create l${i} list:set size ${n}\n`) +
        lines(n, (i) => `add l${i} l${(i + 1) % n}\nadd l${i} l${(i + 2) % n}`),
    }),
  },
  {
    name: "virtual servers",
    n: 2_000,
    files: (n) => ({
      ...filter("", ""),
      "ipvsadm.txt": `IP Virtual Server version 1.2.1 (size=4096)\nProt LocalAddress:Port Scheduler Flags\n  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn\n${lines(n, (i) => `TCP  10.96.${(i >> 8) & 255}.${i & 255}:${443 + (i >> 16)} rr\n  -> 10.1.${(i >> 8) & 255}.${i & 255}:8443 Masq 1 0 0`)}\n`,
    }),
    to: "10.96.0.1:443",
  },
  {
    name: "real servers of one",
    n: 300,
    files: (n) => ({
      ...filter("", ""),
      "ipvsadm.txt": `IP Virtual Server version 1.2.1 (size=4096)\nProt LocalAddress:Port Scheduler Flags\n  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn\nTCP  10.96.0.1:443 rr\n${lines(n, (i) => `  -> 10.1.${(i >> 8) & 255}.${i & 255}:8443 Masq 1 0 0`)}\n`,
    }),
  },
  {
    name: "connections",
    n: 5_000,
    files: (n) => ({
      ...filter("", "-A OUTPUT -m conntrack --ctstate NEW -j ACCEPT"),
      "conntrack.txt": `${lines(n, (i) => `tcp      6 86399 ESTABLISHED src=10.0.0.1 dst=10.96.0.1 sport=${1024 + (i % 60000)} dport=443 src=10.1.${octets(i).slice(2)} dst=10.0.0.1 sport=8443 dport=${1024 + (i % 60000)} [ASSURED] mark=0 use=1`)}\n`,
    }),
  },
  {
    name: "neighbours",
    n: 5_000,
    files: (n) => ({
      ...filter("", ""),
      "ip-neigh.txt": `${lines(n, (i) => `11.${octets(i)} dev eth0 lladdr 02:00:00:00:00:${(i & 255).toString(16).padStart(2, "0")} REACHABLE`)}\n`,
    }),
  },
  {
    name: "sysctls",
    n: 5_000,
    files: (n) => ({
      ...filter("", ""),
      "sysctl.txt": `${lines(n, (i) => `net.ipv4.conf.d${i}.rp_filter = ${i % 3}`)}\n`,
    }),
  },
  {
    name: "log lines",
    n: 3_000,
    files: (n) => ({
      ...filter("", ""),
      "dmesg.txt": `${lines(n, (i) => `[${i}.000000] IN= OUT=eth0 SRC=10.0.0.1 DST=10.96.0.1 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=${i % 65536} DF PROTO=TCP SPT=${1024 + (i % 60000)} DPT=443 WINDOW=64240 RES=0x00 SYN URGP=0`)}\n`,
    }),
  },
  {
    name: "captured packets of one connection",
    n: 3_000,
    files: (n) => ({
      ...filter("", ""),
      "eth0.tcpdump.txt": `${lines(n, (i) => `12:00:${String(i % 60).padStart(2, "0")}.${String(i % 1000000).padStart(6, "0")} IP 10.0.0.1.40000 > 10.96.0.1.443: Flags [S], seq ${i}, win 64240, options [mss 1460], length 0`)}\n`,
    }),
  },
  {
    name: "captured connections",
    n: 3_000,
    files: (n) => ({
      ...filter("", ""),
      "eth0.tcpdump.txt": `${lines(n, (i) => `12:00:${String(i % 60).padStart(2, "0")}.${String(i % 1000000).padStart(6, "0")} IP 10.0.${(i >> 8) & 255}.${i & 255}.${1024 + (i % 60000)} > 10.96.0.1.443: Flags [S], seq 1, win 64240, length 0`)}\n`,
    }),
  },
  {
    name: "sockets",
    n: 3_000,
    files: (n) => ({
      ...filter("", ""),
      "ss.txt": `Netid State  Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n${lines(n, (i) => `tcp   LISTEN 0      128          10.0.0.1:${1 + (i % 65535)}        0.0.0.0:*`)}\n`,
    }),
  },
  {
    name: "Services",
    n: 300,
    files: (n) => ({
      "svc.yaml": `${lines(n, (i) => `---\napiVersion: v1\nkind: Service\nmetadata: {name: s${i}, namespace: default}\nspec: {clusterIP: 10.96.${(i >> 8) & 255}.${i & 255}, selector: {app: a${i}}, ports: [{port: 443, targetPort: 8443, protocol: TCP}]}\n---\napiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: s${i}-x, namespace: default, labels: {kubernetes.io/service-name: s${i}}}\naddressType: IPv4\nports: [{port: 8443, protocol: TCP}]\nendpoints: [{addresses: [10.1.${(i >> 8) & 255}.${i & 255}], nodeName: node, conditions: {ready: true}}]`)}\n`,
      "node.yaml":
        "apiVersion: v1\nkind: Node\nmetadata: {name: node}\nstatus: {addresses: [{type: InternalIP, address: 10.0.0.1}]}\n",
    }),
  },
  {
    name: "policies and pods",
    n: 200,
    files: (n) => ({
      ...filter("", ""),
      "objects.yaml": `${lines(n, (i) => `---\napiVersion: v1\nkind: Pod\nmetadata: {name: p${i}, namespace: default, labels: {app: a}}\nspec: {nodeName: node}\nstatus: {podIP: 10.1.${(i >> 8) & 255}.${i & 255}, hostIP: 10.0.0.1}\n---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: n${i}, namespace: default}\nspec: {podSelector: {matchLabels: {app: a}}, ingress: [{from: [{podSelector: {matchLabels: {app: b${i}}}}]}]}`)}\n`,
    }),
  },
  {
    name: "YAML one blank deeper each line",
    n: 1_000,
    files: (n) => ({
      ...filter("", ""),
      "deep.yaml": `apiVersion: v1\nkind: Service\n${lines(n, (i) => `${" ".repeat(i)}a:`)}\n`,
    }),
  },
  {
    name: "YAML nested in one line",
    n: 5_000,
    files: (n) => ({
      ...filter("", ""),
      "deep.yaml": `apiVersion: v1\nkind: Service\nmetadata: ${"[".repeat(n)}${"]".repeat(n)}\n`,
    }),
  },
  {
    name: "YAML anchors of anchors",
    n: 10,
    files: (n) => ({
      ...filter("", ""),
      "deep.yaml": `apiVersion: v1\nkind: List\na0: &a0 [x, x]\n${lines(n, (i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`)}\nitems: *a${n}\n`,
    }),
  },
  {
    name: "a case.yaml of anchors",
    n: 10,
    files: (n) => ({
      ...filter("", ""),
      "case.yaml": `a0: &a0 [x, x]\n${lines(n, (i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`)}\nquestion: {from: node/node, to: "10.96.0.1:443"}\n`,
    }),
  },
  {
    name: "JSON nested",
    n: 5_000,
    files: (n) => ({ ...filter("", ""), "link.json": `[{"ifname": ${'{"a":'.repeat(n)}1${"}".repeat(n)}}]\n` }),
  },
  {
    name: "prompts",
    n: 2_000,
    files: (n) => ({
      "session.txt": `${lines(n, (i) => `root@n${i % 50}:~# ip route\ndefault via 10.0.0.254 dev eth0`)}\n`,
    }),
  },
  {
    name: "fences",
    n: 2_000,
    files: (n) => ({
      ...filter("", ""),
      "session.md": `${lines(n, (i) => `On node n${i}:\n\`\`\`\n$ ip rule\n0:\tfrom all lookup local\n\`\`\``)}\n`,
    }),
  },
  {
    name: "fences that never close",
    n: 5_000,
    files: (n) => ({ ...filter("", ""), "session.md": `${lines(n, (i) => "`".repeat(3 + (i % 20)))}\n` }),
  },
  {
    name: "prose",
    n: 5_000,
    files: (n) => ({
      ...filter("", ""),
      "notes.txt": `${lines(n, (i) => `We then saw, ${i} times, that nothing came back; see https://example.org/${i}`)}\n`,
    }),
  },
  {
    name: "dumps in any order of lines",
    n: 300,
    files: (n) => ({
      "session.txt": shuffled(`${lines(n, () => `${ADDR}${ROUTE}${RULE}-A OUTPUT -j DROP\n*filter\nCOMMIT`)}\n`),
    }),
  },
  {
    name: "one long line",
    n: 50_000,
    files: (n) => ({
      ...filter("", ""),
      "notes.txt": `${"ab ".repeat(n)}\n`,
      "more.txt": `-A OUTPUT ${"-m ".repeat(n)}\n`,
      "dots.txt": `${"1.".repeat(n)}\n`,
      "colons.txt": `${"a:".repeat(n)}\n`,
    }),
  },
  {
    name: "files",
    n: 100,
    files: (n) => ({
      ...filter("", ""),
      ...Object.fromEntries(Array.from({ length: n }, (_, i) => [`f${i}.txt`, ROUTE])),
    }),
  },
  {
    name: "nodes",
    n: 50,
    files: (n) =>
      Object.fromEntries(
        Array.from({ length: n }, (_, i) =>
          Object.entries(filter("", "")).map(
            ([name, t]) => [`nodes/n${i}/${name}`, t.replaceAll("10.0.0.1", `10.0.${i >> 8}.${i & 255 || 1}`)] as const,
          ),
        ).flat(),
      ),
    from: "node/n0",
  },
  {
    name: "routing in circles",
    n: 10,
    files: (n) =>
      Object.fromEntries(
        Array.from({ length: n }, (_, i) =>
          Object.entries({
            ...filter("", ""),
            "ip-route.txt": `default via 10.0.0.${2 + ((i + 1) % n)} dev eth0\n10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.${2 + i}\n`,
          }).map(
            ([name, t]) =>
              [
                `nodes/n${i}/${name}`,
                t.replaceAll("10.0.0.1 ", `10.0.0.${2 + i} `).replaceAll("10.0.0.1/", `10.0.0.${2 + i}/`),
              ] as const,
          ),
        ).flat(),
      ),
    from: "node/n0",
  },
  {
    name: "fixes and links of case.yaml",
    n: 300,
    files: (n) => ({
      ...filter("", ""),
      "case.yaml": `question: {from: node/node, to: "10.96.0.1:443"}\nstacks:\n${lines(n, (i) => `  - { name: s${i}, kind: vm }`)}\nlinks:\n${lines(n, (i) => `  - { type: l2, name: l${i}, ends: ["s${i}:eth0", "s${(i + 1) % n}:eth1"] }`)}\nfixes:\n${lines(n, (i) => `  f${i}: ["sysctl -w net.ipv4.ip_forward=1"]`)}\n`,
    }),
  },
  ...NFT_SHAPES,
  ...IPV6_SHAPES,
];
