import { refusalText, say } from "@hairpin/core/messages/index.ts";
import { addressesOf, assembled, deviceOf, routesOf, shown, stackOf } from "@hairpin/testing/case.ts";
import { describe, expect, it } from "vitest";
import type { World } from "../../model/index.ts";
import { printRuleSpec } from "../../parse/iptables/rule/print.ts";
import { printNftRule } from "../../parse/nft/index.ts";
import { applyPatch } from "../index.ts";

const ADDR = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether 52:54:00:00:00:02 brd ff:ff:ff:ff:ff:ff
    inet 10.0.0.2/24 brd 10.0.0.255 scope global eth0
       valid_lft forever preferred_lft forever
3: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether 52:54:00:00:00:03 brd ff:ff:ff:ff:ff:ff
4: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether 52:54:00:00:00:04 brd ff:ff:ff:ff:ff:ff
5: veth1@if3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue master cni0 state UP group default
    link/ether 52:54:00:00:00:05 brd ff:ff:ff:ff:ff:ff link-netnsid 0
`;
const ROUTE = "default via 10.0.0.1 dev eth0\n10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.2\n";
const SAVE =
  "*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n-A POSTROUTING -o eth0 -j MASQUERADE\nCOMMIT\n";
const IPVS =
  "IP Virtual Server version 1.2.1 (size=4096)\nProt LocalAddress:Port Scheduler Flags\n  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn\nTCP  10.96.0.1:443 rr\n  -> 10.244.1.5:6443              Masq    1      0          0\n";
const SET =
  "Name: allowed\nType: hash:ip\nRevision: 4\nHeader: family inet hashsize 1024 maxelem 65536\nSize in memory: 200\nReferences: 0\nNumber of entries: 1\nMembers:\n10.9.0.1\n";
const FILES = {
  "ip-addr.txt": ADDR,
  "ip-route.txt": ROUTE,
  "ip-rule.txt": "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
  "iptables-save.txt": SAVE,
  "ipvsadm-ln.txt": IPVS,
  "ipset-list.txt": SET,
  "sysctl.txt": "net.ipv4.ip_forward = 0\n",
};
const base = assembled(FILES).world;

function patched(...commands: string[]): World {
  const { world, problems } = applyPatch(base, commands);
  expect(problems).toEqual([]);
  return world;
}
const why = (command: string, world: World = base) =>
  applyPatch(world, [command]).problems.map((p) => say(refusalText(p.refusal)));

describe("a patch", () => {
  it("inserts, deletes and replaces iptables rules", () => {
    const rules = (world: World) =>
      stackOf(world)
        .netfilter.tables.find((t) => t.name === "nat")!
        .chains.find((c) => c.name === "POSTROUTING")!
        .rules.map((r) => printRuleSpec(r, 4));
    expect(rules(patched("iptables -t nat -I POSTROUTING -s 10.1.0.0/16 -j ACCEPT"))).toEqual([
      "-s 10.1.0.0/16 -j ACCEPT",
      "-o eth0 -j MASQUERADE",
    ]);
    expect(rules(patched("iptables -t nat -D POSTROUTING -o eth0 -j MASQUERADE"))).toEqual([]);
    expect(rules(patched("sudo iptables -t nat -F POSTROUTING"))).toEqual([]);
    expect(why("iptables -t nat -D POSTROUTING -o eth9 -j MASQUERADE")).toEqual([
      "iptables: chain POSTROUTING has no such rule",
    ]);
    expect(why("iptables -t nat -A NOWHERE -j ACCEPT")).toEqual(["iptables: there is no chain NOWHERE"]);
  });

  it("makes a table that was not there", () => {
    const world = patched("iptables -t mangle -A PREROUTING -i eth0 -j MARK --set-mark 0x10");
    expect(stackOf(world).netfilter.tables.map((t) => t.name)).toContain("mangle");
  });

  it("adds an address with what the kernel makes of it", () => {
    const node = stackOf(patched("ip addr add 10.5.0.1/24 dev eth1"));
    expect(addressesOf(node, "eth1")).toEqual(["10.5.0.1/24"]);
    expect(routesOf(node, 254).map(shown)).toContain("10.5.0.0/24 dev eth1 proto kernel scope link src 10.5.0.1");
    expect(routesOf(node, 255).map(shown)).toContain("local 10.5.0.1/32 dev eth1 proto kernel scope host src 10.5.0.1");
    expect(deviceOf(node, "eth1").addresses[0]!.origin).toEqual({ kind: "read", file: "patch", line: 1 });
  });

  it("makes a table with the rule that looks it up, and fills it", () => {
    const world = patched(
      "ip rule add fwmark 42 lookup 100 pref 1024",
      "ip route add default via 10.0.0.1 dev eth0 table 100",
    );
    expect(stackOf(world).routingRules.items.map((r) => r.preference)).toEqual([0, 1024, 32766, 32767]);
    expect(routesOf(stackOf(world), 100).map(shown)).toEqual(["0.0.0.0/0 via 10.0.0.1 dev eth0"]);
  });

  it("sets switches, all devices with ip_forward", () => {
    const on = stackOf(patched("sysctl -w net.ipv4.ip_forward=1"));
    expect(on.sysctls.get("net.ipv4.conf.eth1.forwarding")!.value).toBe("1");
    expect(on.sysctls.get("net.ipv4.conf.all.forwarding")!.value).toBe("1");
    const echoed = stackOf(patched("echo 2 > /proc/sys/net/ipv4/conf/eth0/rp_filter"));
    expect(echoed.sysctls.get("net.ipv4.conf.eth0.rp_filter")!.value).toBe("2");
    expect(why("sysctl -w net.ipv4.conf.eth7.rp_filter=2")).toEqual(["node has no device eth7"]);
  });

  it("changes IPVS and sets", () => {
    const ipvs = stackOf(patched("ipvsadm -a -t 10.96.0.1:443 -r 10.244.2.5:6443 -m -w 1")).ipvs;
    expect(ipvs.services[0]!.realServers).toHaveLength(2);
    expect(stackOf(patched("ipset add allowed 10.9.0.2")).ipsets.items[0]!.entries).toHaveLength(2);
    expect(why("ipset add nosuch 10.9.0.2")).toEqual(["ipset: there is no set nosuch"]);
    expect(why("ipvsadm -d -t 10.99.0.1:80 -r 10.1.1.1:80")).toHaveLength(1);
  });

  it("turns hairpin on and loads br_netfilter", () => {
    for (const command of [
      "bridge link set dev veth1 hairpin on",
      "brctl hairpin cni0 veth1 on",
      "echo 1 > /sys/class/net/veth1/brport/hairpin_mode",
    ]) {
      expect(deviceOf(stackOf(patched(command)), "veth1").port, command).toMatchObject({ hairpin: true });
    }
    expect(stackOf(patched("modprobe br_netfilter")).sysctls.get("net.bridge.bridge-nf-call-iptables")!.value).toBe(
      "1",
    );
  });

  it("takes links along with their devices", () => {
    const gone = patched("ip link del eth1");
    expect(gone.links.flatMap((l) => l.ends.map((e) => e.device))).not.toContain("eth1");
    const named = patched("ip link set eth1 down", "ip link set eth1 name uplink");
    expect(named.links.flatMap((l) => l.ends.map((e) => e.device))).toContain("uplink");
  });

  it("leaves the World as it was where a command fails, and goes on with the next", () => {
    const { world, problems } = applyPatch(base, [
      "ip route add 10.7.0.0/16 via 10.99.0.1",
      "ip route add 10.8.0.0/16 via 10.0.0.9",
    ]);
    expect(problems).toEqual([
      {
        command: "ip route add 10.7.0.0/16 via 10.99.0.1",
        refusal: {
          kind: "answered",
          answer: "Error: Nexthop has invalid gateway: no on-link route holds 10.99.0.1",
        },
      },
    ]);
    expect(routesOf(stackOf(world), 254).map(shown)).toContain("10.8.0.0/16 via 10.0.0.9 dev eth0");
    expect(stackOf(base).routeTables).toEqual(stackOf(assembled(FILES).world).routeTables);
  });

  it("says why of everything it does not carry out", () => {
    for (const [command, reason] of [
      ["svc/default/web spec.externalTrafficPolicy=Cluster", /there is no Service default\/web/],
      ["tc qdisc add dev eth0 root netem", /not a command whose effect is modelled/],
      ["iptables-save | iptables-restore", /one command at a time/],
      ["ip route add", /./],
      ["ip frobnicate eth0", /./],
      ["iptables -t nat -A POSTROUTING --frob 1 -j ACCEPT", /./],
      ["iptables -L", /changes nothing/],
      ["sysctl -p", /KEY=VALUE/],
      ["rm -rf /", /not a command whose effect is modelled/],
    ] as const) {
      expect(why(command), command).toEqual([expect.stringMatching(reason)]);
    }
  });
});

describe("a patch of nftables", () => {
  const RULESET = `table ip fw {
	set bad {
		type ipv4_addr
		elements = { 10.0.0.7 }
	}
	chain forward {
		type filter hook forward priority filter; policy accept;
		ip saddr @bad drop # handle 4
		jump more # handle 5
	}
	chain more {
	}
}
`;
  const { world } = assembled({ "ip-addr.txt": ADDR, "nft-list-ruleset.txt": RULESET });

  it.each([
    ["nft delete element ip fw bad { 10.0.0.8 }", /no such element/],
    ["nft create element ip fw bad { 10.0.0.7 }", /exists/],
    ["nft create chain ip fw more", /exists/],
    ["nft delete set ip fw bad", /@bad, which is not there/],
    ["nft delete chain ip fw more", /more, which is not there/],
    ["nft add rule ip fw forward jump nowhere", /nowhere, which is not there/],
    ["nft add rule ip fw forward ip saddr @good accept", /@good, which is not there/],
    ["nft replace rule ip fw forward handle 9 accept", /handle 9/],
    ["nft flush chain ip fw nowhere", /no chain nowhere/],
    ["nft delete table ip other", /no table ip other/],
  ])("is refused as the kernel refuses it: %s", (command, reason) => {
    expect(applyPatch(world, [command]).problems.map((p) => JSON.stringify(p.refusal))).toEqual([
      expect.stringMatching(reason),
    ]);
  });

  it.each([
    ["nft replace rule ip fw forward handle 4 ip saddr @bad accept", ["ip saddr @bad accept", "jump more"]],
    ["nft 'delete rule ip fw forward handle 5; delete chain ip fw more'", ["ip saddr @bad drop"]],
    ["nft rename chain ip fw forward fwd", ["ip saddr @bad drop", "jump more"]],
    [
      "nft 'add rule ip fw forward drop ; insert rule ip fw forward accept'",
      ["accept", "ip saddr @bad drop", "jump more", "drop"],
    ],
  ])("is carried out: %s", (command, rules) => {
    const { world: after, problems } = applyPatch(world, [command]);
    expect(problems).toEqual([]);
    const [chain] = stackOf(after).netfilter.nft![0]!.chains;
    expect(chain!.rules.map(printNftRule)).toEqual(rules);
  });
});

describe("a patch of several nodes", () => {
  const two = assembled({ "nodes/a/ip-addr.txt": ADDR, "nodes/b/ip-addr.txt": ADDR }).world;

  it("names the node before each command", () => {
    const { world, problems } = applyPatch(two, [
      "b: sysctl -w net.ipv4.conf.eth0.rp_filter=2",
      "a:ip addr add 10.5.0.1/24 dev eth1",
    ]);
    expect(problems).toEqual([]);
    expect(stackOf(world, "b").sysctls.get("net.ipv4.conf.eth0.rp_filter")!.value).toBe("2");
    expect(stackOf(world, "a").sysctls.size).toBe(0);
    expect(addressesOf(stackOf(world, "a"), "eth1")).toEqual(["10.5.0.1/24"]);
  });

  it("is refused where it does not say which, or names one that is not there", () => {
    expect(why("sysctl -w net.ipv4.ip_forward=1", two)).toEqual(["say on which node: put one of a:, b: before it"]);
    expect(why("c: sysctl -w net.ipv4.ip_forward=1", two)).toEqual(["there is no node c in this case; there is a, b"]);
  });
});
