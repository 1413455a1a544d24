import { readdirSync, readFileSync } from "node:fs";
import { all, dialect } from "@hairpin/testing/segments.ts";
import { describe, expect, test } from "vitest";

const folder = new URL("fixtures/kinds/", import.meta.url);
const DIALECT: readonly (readonly [RegExp, string])[] = [
  [/^ip-(j|p)-/, "ip-json"],
  [/^ip-.*link/, "ip-link"],
  [/^ip-.*addr/, "ip-addr"],
  [/^ip-route/, "ip-route"],
  [/^ip-rule/, "ip-rule"],
  [/^bridge-j-/, "bridge-json"],
  [/^bridge-.*vlan/, "bridge-vlan"],
  [/^bridge-.*link/, "bridge-link"],
  [/^bridge-fdb/, "bridge-fdb"],
  [/^ifconfig/, "ifconfig"],
  [/^route-n/, "route-n"],
];
/** Forms that share their lines: which one it is shows in other lines, or not at all. */
const TWINS: readonly (readonly string[])[] = [
  ["ip-addr", "ip-link"],
  ["ip-json", "bridge-json"],
];
const areTwins = (a: string, b: string): boolean => TWINS.some((t) => t.includes(a) && t.includes(b));

/** Our own samples of what the fixtures do not hold. */
const SAMPLES: readonly (readonly [string, string])[] = [
  ["ip-rule", "0:\tfrom all lookup local"],
  ["ip-rule", "1000:   from all to 10.12.192.3 lookup main "],
  ["ip-rule", "32765:\tnot from all fwmark 0xca6c lookup 51820"],
  ["ip-rule", "99: from 10.0.0.0/8 iif eth0 [detached] unreachable"],
  ["ip-rule", "100:\tfrom fd00::/8 goto 200 [unresolved]"],
  ["ip-route", "default via 10.0.0.1 dev eth0 proto dhcp src 10.0.0.5 metric 100 "],
  ["ip-route", "10.244.2.0/24 via 10.244.2.0 dev flannel.1 onlink "],
  ["ip-route", "10.12.192.3 dev cali43227a97fc8 scope link "],
  ["ip-route", "blackhole 10.233.80.0/26 proto bird"],
  ["ip-route", "unreachable default dev lo metric 4294967295 error -101 pref medium"],
  ["ip-route", "\tnexthop via 10.0.0.1 dev eth0 weight 1 "],
  ["ip-route", "fe80::/64 dev eth0 proto kernel metric 256 pref medium"],
  ["ip-route", "10.142.0.1             dev eth0    proto dhcp   src 10.142.15.206 metric 1024"],
  ["ip-route-get", "10.187.1.0 via 10.187.1.0 dev flannel.1 src 10.187.0.0 uid 0 "],
  ["ip-route-get", "local 10.187.0.0 dev lo src 10.187.0.0 uid 0"],
  ["ip-route-get", "    cache <local,brd> "],
  ["ip-route-get", "    cache "],
  ["ip-neigh", "10.0.0.1 dev eth0 lladdr 02:00:00:00:00:01 REACHABLE"],
  ["ip-neigh", "10.0.0.9 dev eth0  FAILED"],
  ["ip-neigh", "fe80::1 dev eth0 lladdr 02:00:00:00:00:01 router STALE"],
  ["ip-neigh", "10.0.0.30 dev eth0 proxy"],
  ["ip-nexthop", "id 3 group 1,5/2 "],
  ["ip-nexthop", "id 1 via 10.0.0.20 dev v0 scope link "],
  [
    "ip-addr",
    "2: eth0    inet 10.0.0.1/24 brd 10.0.0.255 scope global eth0\\       valid_lft forever preferred_lft forever",
  ],
  ["ip-addr", "eth0@if29        UP             10.12.192.44/32 fe80::1/64 "],
  ["ip-link", "eth0@if29        UP             c2:c9:cc:9c:b7:51 <BROADCAST,MULTICAST,UP,LOWER_UP> "],
  ["ip-commands", "ip rule add fwmark 42 lookup 100 pref 1024"],
  ["ip-commands", "sudo ip route replace default via 10.0.0.1 dev eth0 table 100"],
  ["ip-commands", "bridge link set dev veth0 hairpin on"],
  ["bridge-fdb", "02:00:00:00:00:03 dev vx0 dst 10.0.0.9 self permanent"],
  [
    "bridge-link",
    "5: veth1 state UP @(null): <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 master docker0 state forwarding priority 32 cost 2 ",
  ],
  ["brctl-show", "bridge name\tbridge id\t\tSTP enabled\tinterfaces"],
  ["brctl-show", "docker0\t\t8000.0242a1b2c3d4\tno\t\tveth1a2b3c4"],
  ["brctl-showmacs", "port no\tmac addr\t\tis local?\tageing timer"],
  ["brctl-showmacs", "  1\t02:00:00:00:00:01\tno\t\t   0.01"],
  ["hairpin-mode", "/sys/class/net/veth0/brport/hairpin_mode:1"],
  ["hairpin-mode", "/sys/devices/virtual/net/docker0/brif/veth1a2b3c4 0"],
  ["arp-n", "Address                  HWtype  HWaddress           Flags Mask            Iface"],
  ["arp-n", "17.0.51.13               ether   02:42:11:00:33:0d   C                     docker0"],
  ["arp-n", "10.0.0.9                         (incomplete)                              eth0"],
  ["arp-a", "? (10.0.0.77) at 02:00:00:00:00:01 [ether] PERM on v0"],
  ["arp-a", "gw.lan (10.0.0.1) at <incomplete> on eth0"],
  ["proc-net-arp", "IP address       HW type     Flags       HW address            Mask     Device"],
  ["proc-net-arp", "10.0.0.77        0x1         0x6         02:00:00:00:00:01     *        v0"],
  ["proc-net-route", "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT"],
  ["proc-net-route", "v0\t00000000\t0200000A\t0003\t0\t0\t0\t00000000\t0\t0\t0"],
  ["route-n", "0.0.0.0         10.0.0.2        0.0.0.0         UG    0      0        0 v0"],
  ["route-n", "Destination     Gateway         Genmask         Flags   MSS Window  irtt Iface"],
  ["ifconfig", "eth0      Link encap:Ethernet  HWaddr 02:42:AC:11:00:02  "],
  ["ifconfig", "          inet addr:10.0.0.1  Bcast:10.0.0.255  Mask:255.255.255.0"],
  ["ifconfig", "flannel.1: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1450"],
  ["ifconfig", "        inet 172.27.0.0  netmask 255.255.255.255  broadcast 0.0.0.0"],
];

/** Prose and other tools' output: none of it is ours. */
const FOREIGN: readonly string[] = [
  "The default route is via eth0, and 10.0.0.1 is the gateway.",
  "default",
  "10.0.0.1",
  "10.0.0.0/8",
  "from all",
  "*nat",
  ":PREROUTING ACCEPT [0:0]",
  "-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp -m tcp --dport 443 -j KUBE-SVC-1",
  "COMMIT",
  "TCP  10.96.0.1:443 rr",
  "  -> 10.0.0.2:6443                Masq    1      0          0         ",
  "Name: KUBE-LOAD-BALANCER",
  "10.96.0.1,tcp:443",
  "12:00:00.000000 IP 10.0.0.1.40000 > 10.0.0.2.80: Flags [S], seq 1, win 64240, length 0",
  "tcp      6 86399 ESTABLISHED src=10.0.0.1 dst=10.0.0.2 sport=1 dport=2 src=10.0.0.2 dst=10.0.0.1 sport=2 dport=1 [ASSURED] mark=0 use=1",
  "net.ipv4.conf.all.rp_filter = 1",
  "NAME         TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE",
  "kubernetes   ClusterIP   10.96.0.1    <none>        443/TCP   1d",
  "apiVersion: v1",
  "64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=0.05 ms",
  "[ 1234.567890] IPv4: martian source 10.0.0.1 from 10.0.0.2, on dev eth0",
  "Linux node 5.10.0 #1 SMP x86_64 GNU/Linux",
  "ip rule",
  "ip route show table 100",
  "| 10.0.0.1 | eth0 |",
  "1: first point of a list",
  "2: from all of us, thank you",
  '{ "kind": "Service", "apiVersion": "v1", "metadata": { "name": "x" } }',
  '[{"name":"x","dst":"y"}]',
];

describe("claims", () => {
  const lines = readdirSync(folder)
    .filter((f) => f.endsWith(".txt"))
    .flatMap((file) => {
      const id = DIALECT.find(([pattern]) => pattern.test(file))![1];
      return readFileSync(new URL(file, folder), "utf8")
        .split("\n")
        .filter((l) => l.trim() !== "")
        .map((line) => [id, line] as const);
    });

  test("every line of a listing is claimed by its dialect, and by no other one surely", () => {
    expect(lines.length).toBeGreaterThan(800);
    for (const [id, line] of [...lines, ...SAMPLES]) {
      const own = id === "bridge-json" ? "ip-json" : id;
      expect(dialect(own).claim(line), `${own}: ${line}`).not.toBe("no");
      for (const other of all) {
        if (other.id === own || areTwins(other.id, own)) continue;
        const claim = other.claim(line);
        expect(claim === "no" || claim === "maybe", `${other.id} says ${claim}: ${line}`).toBe(true);
      }
    }
  });
  test("samples are claimed surely", () => {
    for (const [id, line] of SAMPLES) expect(dialect(id).claim(line), `${id}: ${line}`).toMatch(/^(line|head)$/);
  });
  test.each(FOREIGN)("%s", (line) => {
    for (const d of all) expect(d.claim(line), d.id).toMatch(/^(no|maybe)$/);
  });
  test("each dialect has a sample that it claims surely", () => {
    const sampled = new Set([...lines, ...SAMPLES].map(([id]) => id));
    expect(all.map((d) => d.id).filter((id) => !sampled.has(id))).toEqual([]);
  });
});

describe("commands name their dialect", () => {
  const TABLE: readonly (readonly [string, string | undefined])[] = [
    ["ip rule", "ip-rule"],
    ["ip ru", "ip-rule"],
    ["ip -4 rule list", "ip-rule"],
    ["ip r", "ip-route"],
    ["ip route show table 1003", "ip-route"],
    ["ip ro sh t all", "ip-route"],
    ["/sbin/ip -6 route", "ip-route"],
    ["ip r g 10.0.0.1", "ip-route-get"],
    ["ip route get 10.0.0.1 from 10.0.0.2 iif eth0", "ip-route-get"],
    ["ip a", "ip-addr"],
    ["ip a s flannel.1", "ip-addr"],
    ["ip add", "ip-addr"],
    ["ip addr add 10.0.0.1/24 dev eth0", undefined],
    ["ip -br -c a", "ip-addr"],
    ["ip -o -4 addr show", "ip-addr"],
    ["ip -d link show flannel.1", "ip-link"],
    ["ip l", "ip-link"],
    ["ip -s -s link ls eth0", "ip-link"],
    ["ip n", "ip-neigh"],
    ["ip neighbour show", "ip-neigh"],
    ["ip nexthop", "ip-nexthop"],
    ["ip -j addr", "ip-json"],
    ["ip --json -p route", "ip-json"],
    ["ip -n blue route", "ip-route"],
    ["ip -netns blue -4 addr", "ip-addr"],
    ["ip netns exec blue ip a", undefined],
    ["ip route add default via 10.0.0.1", undefined],
    ["ip rule del pref 5", undefined],
    ["bridge link", "bridge-link"],
    ["bridge -d link show dev veth0", "bridge-link"],
    ["bridge fdb show dev flannel.1", "bridge-fdb"],
    ["bridge vlan", "bridge-vlan"],
    ["bridge vlan tunnelshow dev dev0", "bridge-vlan"],
    ["bridge -j fdb", "bridge-json"],
    ["brctl show", "brctl-show"],
    ["brctl showmacs br0", "brctl-showmacs"],
    ["cat /sys/class/net/veth0/brport/hairpin_mode", "hairpin-mode"],
    ["route -n", "route-n"],
    ["route", "route-n"],
    ["route add default gw 10.0.0.1", undefined],
    ["netstat -rn", "route-n"],
    ["netstat -nr", "route-n"],
    ["netstat -tlnp", undefined],
    ["ifconfig", "ifconfig"],
    ["ifconfig -a", "ifconfig"],
    ["ifconfig eth0", "ifconfig"],
    ["ifconfig eth0 up", undefined],
    ["arp -n", "arp-n"],
    ["arp -an", "arp-a"],
    ["arp -s 10.0.0.1 02:00:00:00:00:01", undefined],
    ["cat /proc/net/route", "proc-net-route"],
    ["cat /proc/net/arp", "proc-net-arp"],
    ["iptables-save", undefined],
  ];
  test.each(TABLE)("%s", (command, id) => {
    const words = command.split(" ");
    expect(all.filter((d) => d.printedBy(words)).map((d) => d.id)).toEqual(id === undefined ? [] : [id]);
  });
});
