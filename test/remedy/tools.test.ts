import { applyPatch } from "@hairpin/core/assemble/index.ts";
import { shellLine } from "@hairpin/core/model/shell.ts";
import { undoAll } from "@hairpin/core/remedy/undo/index.ts";
import { assembled } from "@hairpin/testing/case.ts";
import { Namespace, whyNoTools } from "@hairpin/testing/iptables/tools.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** What the namespace below has, as dumps would show it. */
const world = assembled({
  "ip-addr.txt": `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 state UNKNOWN
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
2: br0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 state UP
    link/ether 52:54:00:00:00:02 brd ff:ff:ff:ff:ff:ff
    inet 10.244.1.1/24 brd 10.244.1.255 scope global br0
3: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 state UP
    link/ether 52:54:00:00:00:03 brd ff:ff:ff:ff:ff:ff
    inet 10.0.0.2/24 brd 10.0.0.255 scope global eth0
4: a$;b'c@eth9: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 master br0 state UP
    link/ether 52:54:00:00:00:04 brd ff:ff:ff:ff:ff:ff
5: eth9@a$;b'c: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 state UP
    link/ether 52:54:00:00:00:05 brd ff:ff:ff:ff:ff:ff
`,
  "ip-route.txt": `default via 10.0.0.1 dev eth0
10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.2
10.244.1.0/24 dev br0 proto kernel scope link src 10.244.1.1
blackhole 10.245.0.0/16
`,
  "ip-rule.txt": "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
  "iptables-save.txt": `*filter
:INPUT ACCEPT [0:0]
:FORWARD DROP [0:0]
:OUTPUT ACCEPT [0:0]
-A FORWARD -i br0 -m comment --comment "two words" -j ACCEPT
COMMIT
`,
  "ipset-list.txt":
    "Name: KUBE-CLUSTER-IP\nType: hash:ip,port\nRevision: 5\nHeader: family inet hashsize 1024 maxelem 65536\nSize in memory: 200\nReferences: 0\nNumber of entries: 1\nMembers:\n10.96.0.1,tcp:443\n",
  "sysctl.txt": "net.ipv4.ip_forward = 0\nnet.ipv4.conf.eth0.rp_filter = 1\nnet.ipv4.conf.all.rp_filter = 0\n",
}).world;

const PORT = "a$;b'c";
const SETUP = `set -e
ip link set lo up
ip link add br0 type bridge; ip addr add 10.244.1.1/24 brd + dev br0; ip link set br0 up
ip link add eth0 type veth peer name peer0; ip addr add 10.0.0.2/24 brd + dev eth0; ip link set eth0 up; ip link set peer0 up
ip link add ${shellLine([PORT])} type veth peer name eth9; ip link set ${shellLine([PORT])} master br0; ip link set ${shellLine([PORT])} up; ip link set eth9 up
ip route add default via 10.0.0.1 dev eth0; ip route add blackhole 10.245.0.0/16
iptables -P FORWARD DROP; iptables -A FORWARD -i br0 -m comment --comment "two words" -j ACCEPT
ipset create KUBE-CLUSTER-IP hash:ip,port; ipset add KUBE-CLUSTER-IP 10.96.0.1,tcp:443
sysctl -qw net.ipv4.ip_forward=0 net.ipv4.conf.eth0.rp_filter=1 net.ipv4.conf.all.rp_filter=0
`;
/** Everything that a command below may change. */
const SHOW =
  "ip -4 -o addr; ip -4 -o route show table all; ip -4 rule; bridge -d link | grep -o 'hairpin [a-z]*'; iptables-save | grep -v '^#'; ipset save; sysctl net.ipv4.ip_forward net.ipv4.conf.eth0.rp_filter net.ipv4.conf.br0.forwarding";

/** In the shapes in which fixes are proposed. */
const COMMANDS = [
  "iptables -t nat -I POSTROUTING -s 10.1.0.4/32 -p tcp -m conntrack --ctorigdst 10.96.0.1 --ctorigdstport 80 -j ACCEPT",
  "iptables -t nat -A POSTROUTING -s 10.0.0.2/32 -o eth0 -j MASQUERADE",
  "iptables -t nat -A POSTROUTING '!' -s 10.244.0.0/16 -d 10.244.0.0/16 -j MASQUERADE",
  "iptables -I FORWARD -s 10.1.0.4/32 -d 10.244.1.9/32 -p tcp --dport 80 -j ACCEPT",
  "iptables -I FORWARD -s 10.244.1.9/32 -d 10.1.0.4/32 -p tcp --sport 80 -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT",
  "iptables -P FORWARD ACCEPT",
  "iptables -D FORWARD -i br0 -m comment --comment 'two words' -j ACCEPT",
  "ip route add 10.96.0.1/32 dev br0 src 10.244.1.1",
  "ip route add 10.97.0.1/32 via 10.0.0.9",
  "ip route del blackhole 10.245.0.0/16 scope global",
  "ip rule add to 10.9.9.9 lookup main pref 1999",
  "sysctl -w net.ipv4.conf.eth0.rp_filter=2",
  "sysctl -w net.ipv4.ip_forward=1",
  "ipset del KUBE-CLUSTER-IP 10.96.0.1,tcp:443",
  "ip addr add 10.96.0.99/32 dev eth0",
  shellLine(["bridge", "link", "set", "dev", PORT, "hairpin", "on"]),
];

/** Sends nothing: rules and settings of a namespace of its own, looked at before, between and after. */
describe.skipIf(whyNoTools !== undefined)(`the real tools (${whyNoTools ?? "here"})`, () => {
  let ns: Namespace;
  const sh = (line: string) => ns.run("sh", ["-c", line]);
  beforeAll(() => {
    ns = new Namespace();
    expect(sh(SETUP).stderr).toBe("");
  });
  afterAll(() => ns.remove());

  test.each(COMMANDS)("%s", (command) => {
    const { problems, steps } = applyPatch(world, [command]);
    expect(problems).toEqual([]);
    const undo = undoAll(steps).lines.map((l) => l.line);
    expect(undo.length).toBeGreaterThan(0);
    const before = sh(SHOW).stdout;
    const done = sh(command);
    expect([done.status, done.stderr]).toEqual([0, ""]);
    expect(sh(SHOW).stdout).not.toBe(before);
    for (const line of undo) {
      const undone = sh(line);
      expect([line, undone.status, undone.stderr]).toEqual([line, 0, ""]);
    }
    // A table that was not there before stays, empty.
    const settled = (text: string) =>
      text
        .split("\n")
        .filter((l) => !/^(?:\*nat|:[A-Z]+ ACCEPT|COMMIT)/.test(l))
        .join("\n");
    expect(settled(sh(SHOW).stdout)).toBe(settled(before));
  });
});
