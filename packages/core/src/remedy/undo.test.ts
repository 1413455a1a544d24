import { applyPatch } from "@hairpin/core/assemble/index.ts";
import { undoAll } from "@hairpin/core/remedy/undo/index.ts";
import { assembled } from "@hairpin/testing/case.ts";
import { fc } from "@hairpin/testing/property.ts";
import { meaning } from "@hairpin/testing/same-world.ts";
import { describe, expect, test } from "vitest";

const ADDR = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether 52:54:00:00:00:02 brd ff:ff:ff:ff:ff:ff
    inet 10.0.0.2/24 brd 10.0.0.255 scope global eth0
3: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether 52:54:00:00:00:03 brd ff:ff:ff:ff:ff:ff
    inet 10.1.0.2/24 brd 10.1.0.255 scope global eth1
4: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether 52:54:00:00:00:04 brd ff:ff:ff:ff:ff:ff
    inet 10.244.1.1/24 brd 10.244.1.255 scope global cni0
5: veth1@if3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue master cni0 state UP group default
    link/ether 52:54:00:00:00:05 brd ff:ff:ff:ff:ff:ff link-netnsid 0
`;
const ROUTE = `default via 10.0.0.1 dev eth0
10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.2
10.1.0.0/24 dev eth1 proto kernel scope link src 10.1.0.2
10.244.1.0/24 dev cni0 proto kernel scope link src 10.244.1.1
10.244.2.0/24 via 10.1.0.3 dev eth1
blackhole 10.245.0.0/16
`;
const SAVE = `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:KUBE-POSTROUTING - [0:0]
-A POSTROUTING -j KUBE-POSTROUTING
-A POSTROUTING -s 10.244.0.0/16 ! -d 10.244.0.0/16 -j MASQUERADE
-A POSTROUTING -o eth1 -m comment --comment "two words" -j ACCEPT
-A KUBE-POSTROUTING -m mark --mark 0x4000/0x4000 -j MASQUERADE
COMMIT
*filter
:INPUT ACCEPT [0:0]
:FORWARD DROP [0:0]
:OUTPUT ACCEPT [0:0]
-A FORWARD -i cni0 -j ACCEPT
COMMIT
`;
const IPVS = `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
TCP  10.96.0.1:443 rr persistent 10800
  -> 10.244.1.5:6443              Masq    1      0          0
UDP  10.96.0.10:53 lc
  -> 10.244.1.6:53                Masq    1      0          0
  -> 10.244.2.6:53                Masq    0      0          0
`;
const SET = `Name: KUBE-CLUSTER-IP
Type: hash:ip,port
Revision: 5
Header: family inet hashsize 1024 maxelem 65536
Size in memory: 200
References: 1
Number of entries: 2
Members:
10.96.0.1,tcp:443
10.96.0.10,udp:53
`;
const SYSCTLS = ["all", "default", "lo", "eth0", "eth1", "cni0", "veth1"]
  .map((d) => `net.ipv4.conf.${d}.rp_filter = 1\nnet.ipv4.conf.${d}.forwarding = 0\n`)
  .join("");
const base = assembled({
  "ip-addr.txt": ADDR,
  "ip-route.txt": ROUTE,
  "ip-rule.txt": "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
  "iptables-save.txt": SAVE,
  "ipvsadm-ln.txt": IPVS,
  "ipset-list.txt": SET,
  "sysctl.txt": `net.ipv4.ip_forward = 0\nnet.bridge.bridge-nf-call-iptables = 1\n${SYSCTLS}`,
}).world;

const COMMANDS = [
  "iptables -t nat -A POSTROUTING -s 10.9.0.0/16 -j ACCEPT",
  "iptables -t nat -A POSTROUTING -o eth1 -m comment --comment 'two words' -j ACCEPT",
  "iptables -t nat -I POSTROUTING 2 -s 10.9.0.1/32 -p tcp --dport 80 -j MASQUERADE",
  "iptables -t nat -I POSTROUTING -o eth1 -m comment --comment 'two words' -j ACCEPT",
  "iptables -t nat -D POSTROUTING 2",
  "iptables -t nat -D POSTROUTING -s 10.244.0.0/16 ! -d 10.244.0.0/16 -j MASQUERADE",
  "iptables -t nat -R POSTROUTING 1 -j ACCEPT",
  "iptables -t nat -F KUBE-POSTROUTING",
  "iptables -t mangle -A FORWARD -j ACCEPT",
  "iptables -P FORWARD ACCEPT",
  "iptables -N MINE",
  "sysctl -w net.ipv4.conf.eth0.rp_filter=2",
  "sysctl -w net.ipv4.conf.all.rp_filter=0",
  "sysctl -w net.ipv4.ip_forward=1",
  "sysctl -w net.bridge.bridge-nf-call-iptables=0",
  "ip route add 10.9.0.0/16 via 10.0.0.9",
  "ip route add 10.96.0.1/32 dev eth1 src 10.1.0.2",
  "ip route del blackhole 10.245.0.0/16",
  "ip route replace 10.244.2.0/24 via 10.0.0.3 dev eth0",
  "ip rule add from 10.244.1.0/24 lookup 100 pref 1000",
  "ip rule add fwmark 0x1/0x1 lookup main pref 900",
  "ip addr add 10.96.0.99/32 dev eth1",
  "ip addr del 10.1.0.2/24 dev eth1",
  "ip link set dev eth1 mtu 1400",
  "ip link set dev eth1 down",
  "bridge link set dev veth1 hairpin on",
  "ipset add KUBE-CLUSTER-IP 10.96.0.99,tcp:80",
  "ipset del KUBE-CLUSTER-IP 10.96.0.1,tcp:443",
  "ipset create mine hash:ip",
  "ipvsadm -a -t 10.96.0.1:443 -r 10.244.2.5:6443 -m",
  "ipvsadm -d -t 10.96.0.1:443 -r 10.244.1.5:6443",
  "ipvsadm -e -u 10.96.0.10:53 -r 10.244.2.6:53 -m -w 1",
  "ipvsadm -D -u 10.96.0.10:53",
  "ipvsadm -A -t 10.96.0.99:80 -s rr",
] as const;

function thereAndBack(commands: readonly string[]) {
  const after = applyPatch(base, commands);
  const undo = undoAll(after.steps).lines.map((l) => l.line);
  const back = applyPatch(after.world, undo);
  return { after, back, undo };
}

describe("what was typed can be taken back", () => {
  test.each(COMMANDS)("%s", (command) => {
    const { after, back } = thereAndBack([command]);
    expect(after.problems).toEqual([]);
    expect(meaning(after.world)).not.toEqual(meaning(base));
    expect(back.problems).toEqual([]);
    expect(meaning(back.world)).toEqual(meaning(base));
  });

  test("several in a row", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...COMMANDS), { minLength: 2, maxLength: 5 }), (commands) => {
        const { back, undo } = thereAndBack(commands);
        expect({ undo, problems: back.problems }).toEqual({ undo, problems: [] });
        expect(meaning(back.world)).toEqual(meaning(base));
      }),
      { numRuns: 150 },
    );
  });

  test("a value that nobody showed is said, not guessed", () => {
    const { steps } = applyPatch(base, ["sysctl -w net.ipv4.conf.eth0.accept_local=1"]);
    expect(undoAll(steps)).toEqual({ lines: [], unknown: ["net.ipv4.conf.eth0.accept_local"] });
  });
});

test("what was there and no line can say is to be kept by whoever changes it", () => {
  const { world } = assembled({
    "iptables-save.txt":
      '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A FORWARD -m comment --comment "a\u0001b" -j DROP\nCOMMIT\n',
  });
  const { steps } = applyPatch(world, ["iptables -F FORWARD"]);
  expect(undoAll(steps)).toEqual({ lines: [], unknown: ["iptables -F FORWARD"] });
});
