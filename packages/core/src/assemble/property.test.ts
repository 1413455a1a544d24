import { cpuMilliseconds } from "@hairpin/testing/cpu.ts";
import { fc } from "@hairpin/testing/property.ts";
import { expectSound } from "@hairpin/testing/sound.ts";
import { describe, expect, it } from "vitest";
import { readCase } from "../parse/index.ts";
import { applyPatch, assemble } from "./index.ts";

/** Lines of every dialect that becomes facts, and some that are damaged: any mix of them is a case. */
const LINES = [
  "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000",
  "    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00",
  "    inet 127.0.0.1/8 scope host lo",
  "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000",
  "    link/ether 52:54:00:00:00:02 brd ff:ff:ff:ff:ff:ff",
  "    inet 10.0.0.2/24 brd 10.0.0.255 scope global eth0",
  "    inet 10.0.0.3/24 scope global secondary eth0",
  "    inet6 fe80::1/64 scope link",
  "3: eth0@if9: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default",
  "9: cali1@if3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue master cni0 state UP group default",
  "    link/ether ee:ee:ee:ee:ee:ee brd ff:ff:ff:ff:ff:ff link-netnsid 0",
  "5: kube-ipvs0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN group default",
  "    inet 10.96.0.1/32 scope global kube-ipvs0",
  "default via 10.0.0.1 dev eth0",
  "10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.2",
  "10.244.1.5 dev cali1 scope link",
  "10.244.2.0/24 via 10.244.2.0 dev flannel.1 onlink",
  "blackhole 10.244.9.0/26 proto bird",
  "local 10.96.0.1 dev kube-ipvs0 table local proto kernel scope host src 10.96.0.1",
  "broadcast 10.0.0.255 dev eth0 table local proto kernel scope link src 10.0.0.2",
  "default via 10.0.0.1 dev eth1 table 1003",
  "0:\tfrom all lookup local",
  "1000:\tfrom 10.244.1.5 lookup 1003",
  "1001:\tfrom all fwmark 0x10/0x10 iif eth7 [detached] lookup eni5",
  "32766:\tfrom all lookup main",
  "10.0.0.9 dev eth0 lladdr 52:54:00:00:00:09 REACHABLE",
  "52:54:00:00:00:0a dev veth7 master cni0",
  "*nat",
  ":PREROUTING ACCEPT [0:0]",
  ":KUBE-SERVICES - [0:0]",
  "-A PREROUTING -j KUBE-SERVICES",
  "-A KUBE-SERVICES -m set --match-set KUBE-CLUSTER-IP dst,dst -j KUBE-MARK-MASQ",
  "-A KUBE-SERVICES -d 10.0.0.2/32 -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS",
  "-A KUBE-POSTROUTING -m set --match-set KUBE-LOOP-BACK dst,dst,src -j MASQUERADE",
  "-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp -m tcp --dport 443 -j KUBE-SVC-NPX46M4PTMTKRN6Y",
  "COMMIT",
  "Name: KUBE-CLUSTER-IP",
  "Type: hash:ip,port",
  "Header: family inet hashsize 1024 maxelem 65536",
  "Number of entries: 1",
  "Members:",
  "10.96.0.1,tcp:443",
  "IP Virtual Server version 1.2.1 (size=4096)",
  "TCP  10.96.0.1:443 rr",
  "TCP  10.0.0.2:30080 rr persistent 10800",
  "  -> 10.244.1.5:6443              Masq    1      0          0",
  "net.ipv4.ip_forward = 1",
  "net.ipv4.conf.all.rp_filter = 1",
  "net.ipv4.conf.eth0/100.rp_filter = 2",
  "Linux n1 5.10.0-8-amd64 #1 SMP Debian x86_64 GNU/Linux",
  "iptables v1.8.9 (nf_tables)",
  "table ip kube-proxy {",
  "[root@n1 ~]# ip route",
  "[root@n1 ~]# ip addr | grep inet",
  "[root@n2 ~]# nsenter -t 12 -n ip addr",
  "[root@n2 ~]# iptables -t nat -A POSTROUTING -j MASQUERADE",
  "[root@n2 ~]# sysctl -w net.ipv4.ip_forward=0",
  "[root@n2 ~]# ip route add 10.7.0.0/16 dev eth3",
  "prose between the dumps",
  "",
];
const PATHS = [
  "a.txt",
  "nodes/n1/x.txt",
  "nodes/n1/pods/web/a/y.txt",
  "nodes/n2/ip-addr.after.txt",
  "nodes/n2/ip-addr.txt",
];
const COMMANDS = [
  "ip addr add 10.0.0.2/24 dev eth0",
  "ip addr del 10.0.0.2/24 dev eth0",
  "ip link set eth0 down",
  "ip link del cali1",
  "ip route flush table main",
  "ip rule add from 10.0.0.2 lookup 77",
  "iptables -F",
  "ipset flush",
  "ipvsadm -C",
  "sysctl -w net.ipv4.ip_forward=0",
  "n1: ip link set eth0 name card",
];

const text = fc.array(fc.constantFrom(...LINES), { maxLength: 40 }).map((lines) => `${lines.join("\n")}\n`);
const files = fc.uniqueArray(fc.record({ path: fc.constantFrom(...PATHS), text }), {
  selector: (f) => f.path,
  maxLength: PATHS.length,
});

describe("any mix of dumps", () => {
  it("becomes a sound World without throwing, and so does any patch of it", () => {
    fc.assert(
      fc.property(files, fc.array(fc.constantFrom(...COMMANDS), { maxLength: 6 }), (inputs, commands) => {
        const { world } = assemble(readCase(inputs));
        expectSound(world);
        expectSound(applyPatch(world, commands).world);
      }),
      { numRuns: 200, seed: 20 },
    );
  });

  it("gives the same World twice", () => {
    fc.assert(
      fc.property(files, (inputs) => {
        const reading = readCase(inputs);
        expect(assemble(reading)).toEqual(assemble(reading));
      }),
      { numRuns: 30, seed: 7 },
    );
  });
});

describe("a large cluster", () => {
  it("is put together in time that grows with it", () => {
    const time = (n: number): number => {
      const services = Array.from({ length: n }, (_, i) => {
        const address = `10.${96 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`;
        return `TCP  ${address}:80 rr\n  -> 10.244.1.5:8080              Masq    1      0          0\n`;
      });
      const header =
        "IP Virtual Server version 1.2.1 (size=4096)\nProt LocalAddress:Port Scheduler Flags\n  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn\n";
      const rules =
        "*nat\n:PREROUTING ACCEPT [0:0]\n:KUBE-SERVICES - [0:0]\n-A KUBE-SERVICES -m set --match-set KUBE-CLUSTER-IP dst,dst -j ACCEPT\n-A KUBE-SERVICES -m set --match-set KUBE-LOAD-BALANCER dst,dst -j ACCEPT\nCOMMIT\n";
      const reading = readCase([
        { path: "ipvsadm-ln.txt", text: `${header}${services.join("")}` },
        { path: "iptables-save.txt", text: rules },
      ]);
      let world!: ReturnType<typeof assemble>["world"];
      const elapsed = cpuMilliseconds(() => {
        world = assemble(reading).world;
      });
      expect(world.stacks[0]!.ipvs.services).toHaveLength(n);
      expect(world.stacks[0]!.devices.items.find((d) => d.name === "kube-ipvs0")!.addresses).toHaveLength(n);
      return elapsed;
    };
    time(500);
    const small = Math.max(5, time(1_000));
    expect(time(8_000)).toBeLessThan(small * 40);
  });
});
