import { dialect } from "@hairpin/testing/segments.ts";
import { describe, expect, test } from "vitest";
import type { Device, Route, RoutingRule } from "../../packages/core/src/model/index.ts";
import { formatAddress, formatPrefix } from "../../packages/core/src/net/index.ts";
import type { DumpContext } from "../../packages/core/src/parse/dialect.ts";
import type { Facts } from "../../packages/core/src/parse/facts.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";
import { bare } from "./netns.ts";

const readAs = (id: string, text: string, context: DumpContext = {}) =>
  dialect(id).read(sourceOf("dump", text), context);
const command = (text: string): DumpContext => ({ command: text.split(" ") });

function only<K extends Facts["kind"]>(kind: K, id: string, text: string, context: DumpContext = {}) {
  const reading = readAs(id, text, context);
  expect(reading.diagnostics).toEqual([]);
  const facts = reading.facts.filter((f): f is Extract<Facts, { kind: K }> => f.kind === kind);
  expect(facts.length).toBe(1);
  return facts[0]!;
}
const routes = (text: string, context: DumpContext = {}): readonly Route[] =>
  only("routes", "ip-route", text, context).routes;
const shown = (r: Route): string =>
  `${r.type} ${formatPrefix(r.destination)} ${r.nexthops.map((h) => `${h.gateway === undefined ? "-" : formatAddress(h.gateway)} ${h.device}`).join(",")}`;

describe("ip rule as people paste it", () => {
  const rules = (text: string, context: DumpContext = {}): readonly RoutingRule[] =>
    only("routing-rules", "ip-rule", text, context).rules;
  test("blanks and tabs do not matter, nor do trailing blanks", () => {
    const a = rules("0:\tfrom all lookup local\n1000:\tfrom all to 10.0.0.3 lookup main\n32766:\tfrom all lookup main");
    const b = rules(
      "   0:      from all lookup local \n  1000:   from all to 10.0.0.3   lookup main \n 32766:  from all lookup main ",
    );
    expect(bare(b)).toEqual(bare(a));
  });
  test("each line knows where it stood", () => {
    const [, second] = rules("\n0:\tfrom all lookup local\n\n7:\tfrom all lookup main");
    expect(second?.origin).toEqual({ kind: "read", file: "dump", line: 4 });
  });
  test("a listing that restarts is another family's", () => {
    const text =
      "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n0:\tfrom all lookup local\n9:\tfrom fd00::/8 lookup 7\n32766:\tfrom all lookup main";
    const reading = readAs("ip-rule", text);
    expect(reading.facts.map((f) => f.kind === "routing-rules" && [f.family, f.rules.length, f.extent])).toEqual([
      [4, 3, "whole"],
      [6, 3, "whole"],
    ]);
  });
  test("an excerpt is known as one", () => {
    expect(only("routing-rules", "ip-rule", "1000:\tfrom all to 10.0.0.3 lookup main").extent).toBe("partial");
    expect(
      only("routing-rules", "ip-rule", "0:\tfrom all lookup local\n...\n32766:\tfrom all lookup main").extent,
    ).toBe("partial");
    const grep: DumpContext = { ...command("ip rule"), partial: { value: "through grep", by: "command" } };
    expect(
      only("routing-rules", "ip-rule", "0:\tfrom all lookup local\n32766:\tfrom all lookup main", grep).extent,
    ).toBe("partial");
  });
  test("words that are not known are kept, and pointed at", () => {
    const reading = readAs("ip-rule", "7:\tfrom all frobnicate 3 lookup 100");
    const facts = reading.facts[0];
    expect(facts?.kind === "routing-rules" && facts.rules[0]?.unknown).toEqual(["frobnicate", "3"]);
    expect(reading.diagnostics.map((d) => [d.severity, d.column, d.length])).toEqual([
      ["warning", 13, 10],
      ["warning", 24, 1],
    ]);
  });
  test("masks that old kernels lack are not taken for plain values", () => {
    const reading = readAs("ip-rule", "7:\tfrom all ipproto tcp sport 0x50/0xff0 lookup 100 dscp 0x8/0x38");
    const facts = reading.facts[0];
    expect(facts?.kind === "routing-rules" && facts.rules[0]).toMatchObject({
      ipProto: 6,
      unknown: ["sport 0x50/0xff0", "dscp 0x8/0x38"],
    });
  });
  test("a line cut in the middle is no rule that matches everything", () => {
    const reading = readAs("ip-rule", "1000:\tfrom 10.0.0.0/8 to 10.9");
    const facts = reading.facts[0];
    expect(facts?.kind === "routing-rules" && facts.rules[0]?.unknown).toEqual(["to 10.9"]);
    expect(facts?.kind === "routing-rules" && facts.rules[0]?.action.kind).toBe("unknown");
  });
});

describe("ip route as people paste it", () => {
  test("old versions put two blanks, tables align columns", () => {
    const texts = [
      "10.10.0.0/16 dev eth0 proto kernel scope link src 10.10.67.156",
      "10.10.0.0/16 dev eth0  proto kernel  scope link  src 10.10.67.156 ",
      "  10.10.0.0/16   dev eth0     proto kernel scope link   src 10.10.67.156\t",
    ];
    for (const text of texts) expect(bare(routes(text))).toEqual(bare(routes(texts[0]!)));
  });
  test("which table", () => {
    const table = (text: string, context: DumpContext = {}): unknown => routes(text, context).map((r) => r.table);
    expect(table("default via 10.0.0.1 dev eth0")).toEqual([254]);
    expect(table("default via 10.0.0.1 dev eth0", command("ip route show table 1003"))).toEqual([1003]);
    expect(table("default via 10.0.0.1 dev eth0", command("ip r s t local"))).toEqual([255]);
    expect(table("default via 10.0.0.1 dev eth0", command("ip route list table vpn"))).toEqual(["vpn"]);
    expect(table("default via 10.0.0.1 dev eth0 table 1003", command("ip route show table 1003"))).toEqual([1003]);
    const said: DumpContext = { ...command("ip route"), routeTable: { value: 7, by: "case.yaml" } };
    expect(table("default via 10.0.0.1 dev eth0", said)).toEqual([7]);
    const all = only(
      "routes",
      "ip-route",
      "default via 10.0.0.1 dev eth0\nlocal 10.0.0.5 dev eth0 table local proto kernel scope host src 10.0.0.5",
    );
    expect(all.tables).toBe("all");
    expect(all.routes.map((r) => r.table)).toEqual([254, 255]);
  });
  test("an empty listing under its command is an empty table", () => {
    const facts = only("routes", "ip-route", "", command("ip route show table 100"));
    expect([facts.tables, facts.routes, facts.extent]).toEqual([[100], [], "whole"]);
    const missing = only(
      "routes",
      "ip-route",
      "Error: ipv4: FIB table does not exist.\nDump terminated",
      command("ip route show table 100"),
    );
    expect([missing.tables, missing.routes]).toEqual([[100], []]);
    expect(readAs("ip-route", "").facts).toEqual([]);
  });
  test("multipath, indented by a tab or by blanks, or in one line", () => {
    const text =
      "default proto static \n\tnexthop via 10.0.0.1 dev eth0 weight 1 \n\tnexthop via 10.0.0.2 dev eth1 weight 3 linkdown ";
    const other =
      "default proto static\n        nexthop via 10.0.0.1 dev eth0 weight 1\n        nexthop via 10.0.0.2 dev eth1 weight 3 linkdown";
    const one =
      "default proto static \\\tnexthop via 10.0.0.1 dev eth0 weight 1 \\\tnexthop via 10.0.0.2 dev eth1 weight 3 linkdown ";
    expect(routes(text).map(shown)).toEqual(["unicast 0.0.0.0/0 10.0.0.1 eth0,10.0.0.2 eth1"]);
    expect(bare(routes(other))).toEqual(bare(routes(text)));
    expect(bare(routes(one))).toEqual(bare(routes(text)));
    expect(routes(text)[0]?.nexthops[1]).toMatchObject({ weight: 3, flags: ["linkdown"] });
  });
  test("family by content", () => {
    const family = (text: string, context: DumpContext = {}): unknown => routes(text, context).map((r) => r.family);
    expect(family("default via fe80::1 dev eth0 proto ra metric 1024 pref medium")).toEqual([6]);
    expect(family("default dev wg0 metric 1024 pref medium")).toEqual([6]);
    expect(family("default dev wg0 scope link")).toEqual([4]);
    expect(family("default dev wg0")).toEqual([4]);
    expect(family("default dev wg0", command("ip -6 route"))).toEqual([6]);
    expect(family("default via inet6 fe80::1 dev eth0")).toEqual([4]);
    expect(family("unreachable default dev lo metric 4294967295 error -101 pref medium")).toEqual([6]);
  });
  test("a word that is not known is kept, and pointed at", () => {
    const reading = readAs("ip-route", "10.0.0.0/8 via 10.1.1.1 dev eth0 newthing 7");
    const facts = reading.facts[0];
    expect(facts?.kind === "routes" && facts.routes[0]?.extra).toEqual(["newthing", "7"]);
    expect(reading.diagnostics[0]).toMatchObject({ severity: "warning", column: 34, length: 8 });
  });
  test("a damaged gateway is not dropped in silence", () => {
    const reading = readAs("ip-route", "10.0.0.0/8 via 10.1.1.l dev eth0");
    expect(reading.diagnostics[0]).toMatchObject({
      code: "ip-route-bad-value",
      severity: "error",
      column: 16,
      length: 8,
    });
    // Without its gateway it would be another route: nothing is taken from the line.
    expect(reading.facts).toEqual([]);
    const two = readAs("ip-route", "10.0.0.0/8 via 10.1.1.l dev eth0\n10.1.0.0/16 dev eth0");
    expect(two.facts.map((f) => f.kind === "routes" && [f.routes.length, f.extent])).toEqual([[1, "partial"]]);
  });
  test("answers of `ip route get` among routes are told apart", () => {
    const reading = readAs("ip-route", "10.0.0.1 via 10.0.0.2 dev eth0 src 10.0.0.3\n    cache\n10.9.0.0/16 dev eth0");
    expect(reading.facts.map((f) => f.kind)).toEqual(["routes", "route-gets"]);
  });
});

describe("ip addr and ip link as people paste them", () => {
  const devices = (id: string, text: string, context: DumpContext = {}): readonly Device[] =>
    only("devices", id, text, context).devices;
  test("an address that grep cut out names its device by its label", () => {
    const cut =
      "    inet 170.0.0.1/32 brd 170.0.0.1 scope global kube-ipvs0\n       valid_lft forever preferred_lft forever";
    const context: DumpContext = {
      ...command("ip a show kube-ipvs0"),
      partial: { value: "through grep", by: "command" },
    };
    const [d] = devices("ip-addr", cut, context);
    expect(d).toMatchObject({ name: "kube-ipvs0", addressesKnown: false });
    expect(d?.addresses[0]).toMatchObject({ validLifetime: "forever", broadcast: 0xaa000001 });
  });
  test("an excerpt does not say that a device has no other address", () => {
    const text =
      "784: kube-ipvs0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN\n    inet 10.20.0.1/32 brd 10.20.0.1 scope global kube-ipvs0";
    const facts = only("devices", "ip-addr", text, command("ip addr"));
    expect([facts.extent, facts.devices[0]?.addressesKnown]).toEqual(["partial", false]);
  });
  test("`ip link` without its command is not taken for a device without addresses", () => {
    const text =
      "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN \n    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00";
    const facts = only("devices", "ip-addr", text);
    expect([facts.shows, facts.devices[0]?.addressesKnown]).toEqual([["link"], false]);
  });
  test("a damaged first line does not give its addresses to the device before", () => {
    const text =
      "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN\n    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n    inet 127.0.0.1/8 scope host lo\n2; eth0: <UP> mtu 15OO\n    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n    inet 10.0.0.1/24 scope global eth0\n";
    const reading = readAs("ip-addr", text, command("ip addr"));
    expect(reading.diagnostics.map((d) => [d.line, d.severity])).toEqual([
      [4, "error"],
      [5, "error"],
    ]);
    const facts = reading.facts[0];
    expect(
      facts?.kind === "devices" && facts.devices.map((d) => [d.name, d.addresses.length, d.addressesKnown]),
    ).toEqual([
      ["lo", 1, true],
      ["eth0", 1, false],
    ]);
    expect(facts?.kind === "devices" && facts.extent).toBe("partial");
  });
  test("far ends", () => {
    const text =
      "28: eth0@if29: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9001 qdisc noqueue state UP group default qlen 1000\n    link/ether c2:c9:cc:9c:b7:51 brd ff:ff:ff:ff:ff:ff link-netnsid 0\n30: cali1@eth7: <BROADCAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP\n    link/ether ee:ee:ee:ee:ee:ee brd ff:ff:ff:ff:ff:ff link-netns blue";
    const [a, b] = devices("ip-addr", text);
    expect(a?.peer).toEqual({ index: 29, netnsid: 0 });
    expect(b?.peer).toEqual({ name: "eth7", netnsName: "blue" });
  });
  test("programs are noted", () => {
    const text =
      "2: eth0: <BROADCAST,UP,LOWER_UP> mtu 1500 xdpgeneric/id:7 qdisc mq state UP mode DEFAULT group default qlen 1000\n    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n    prog/xdp id 7 name xdp_lb tag 3b185187f1855c4c jited ";
    expect(devices("ip-link", text)[0]?.programs).toEqual([
      { hook: "xdp", name: "xdpgeneric/id:7" },
      { hook: "xdp", name: "prog/xdp id 7 name xdp_lb tag 3b185187f1855c4c jited" },
    ]);
  });
  test("kinds that are not modelled keep their name", () => {
    const text = (kind: string): string =>
      `2: dev0: <NOARP> mtu 1500 qdisc noop state DOWN mode DEFAULT group default qlen 1000\n    link/none promiscuity 0 allmulti 0 minmtu 68 maxmtu 65535 \n    ${kind} addrgenmode eui64 numtxqueues 1 numrxqueues 1 \n`;
    const kinds = [
      "bareudp dstport 6635 ethertype mpls_uc srcportmin 0 nomultiproto",
      "xfrm if_id 0xf",
      "shiny mode 3",
    ];
    expect(kinds.map((k) => devices("ip-link", text(k))).map(([d]) => [d?.kind, d?.kindName])).toEqual([
      ["unknown", "bareudp"],
      ["xfrm", undefined],
      ["unknown", "shiny"],
    ]);
  });
  test("old versions: no lifetimes, no qlen, no group", () => {
    const text =
      "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc pfifo_fast state UP qlen 1000\n    link/ether 52:54:00:12:34:56 brd ff:ff:ff:ff:ff:ff\n    inet 10.0.2.15/24 brd 10.0.2.255 scope global eth0\n    inet6 fe80::5054:ff:fe12:3456/64 scope link \n       valid_lft forever preferred_lft forever";
    const [d] = devices("ip-addr", text);
    expect(d?.addresses.map((a) => formatPrefix(a.prefix))).toEqual(["10.0.2.15/24", "fe80::5054:ff:fe12:3456/64"]);
    expect(d?.addressesKnown).toBe(true);
  });
  test("JSON of old versions has empty elements, and may be cut", () => {
    const json =
      '[{},{},{"ifindex":3,"ifname":"eth1","flags":["UP"],"mtu":1500,"addr_info":[{"family":"inet","local":"10.0.0.1","prefixlen":24,"scope":"global"}]}]';
    expect(devices("ip-json", json).map((d) => d.name)).toEqual(["eth1"]);
    const cut = readAs("ip-json", json.slice(0, -30));
    expect(cut.diagnostics.map((d) => d.code)).toEqual(["ip-json-not-json"]);
    const pretty = readAs(
      "ip-json",
      `[\n    {\n        "ifname": "eth1",\n        "flags": [ "UP" ],\n        "addr_info": [\n            {\n                "local": "10.0.0.1",\n                "prefixlen": 24\n            }\n        ]\n    }\n]`,
    );
    const facts = pretty.facts[0];
    expect(facts?.kind === "devices" && [facts.devices[0]?.origin, facts.devices[0]?.addresses[0]?.origin]).toEqual([
      { kind: "read", file: "dump", line: 3 },
      { kind: "read", file: "dump", line: 7 },
    ]);
  });
});

describe("bridge and net-tools as people paste them", () => {
  test("bridge link of old versions", () => {
    const text =
      "5: veth1 state UP @eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 master docker0 state forwarding priority 32 cost 2 \n    hairpin on guard off root_block off fastleave off learning on flood on ";
    const [port, bridge] = only("devices", "bridge-link", text).devices;
    expect(port).toMatchObject({
      name: "veth1",
      master: "docker0",
      operState: "UP",
      port: { state: "forwarding", hairpin: true },
    });
    expect(bridge).toMatchObject({ name: "docker0", kind: "bridge" });
  });
  test("bridge vlan of old versions, and tunnelshow", () => {
    const old =
      "port\tvlan ids\neth0\t 1 PVID Egress Untagged\n\t 10\n\t 20-25\n\nbr0\t 1 PVID Egress Untagged\n\ndocker0\tNone\n";
    expect(only("bridge-vlans", "bridge-vlan", old).vlans.map((v) => [v.device, v.from, v.to, v.pvid])).toEqual([
      ["eth0", 1, 1, true],
      ["eth0", 10, 10, false],
      ["eth0", 20, 25, false],
      ["br0", 1, 1, true],
    ]);
    const tunnels =
      "port              vlan-id    tunnel-id\ndev0              1000       1000\n                  1010-1020  1010-1020\n                  1030       65556";
    expect(only("bridge-vlans", "bridge-vlan", tunnels).vlans.map((v) => [v.device, v.from, v.to, v.tunnelId])).toEqual(
      [
        ["dev0", 1000, 1000, 1000],
        ["dev0", 1010, 1020, 1010],
        ["dev0", 1030, 1030, 65556],
      ],
    );
  });
  test("brctl show with several ports", () => {
    const text =
      "bridge name\tbridge id\t\tSTP enabled\tinterfaces\ncni0\t\t8000.0a580af40001\tno\t\tveth1\n\t\t\t\t\t\t\tveth2\ndocker0\t\t8000.0242a1b2c3d4\tyes\t\t\n";
    const facts = only("devices", "brctl-show", text);
    expect(facts.devices.map((d) => [d.name, d.kind, d.master, d.bridge?.stp])).toEqual([
      ["cni0", "bridge", undefined, false],
      ["docker0", "bridge", undefined, true],
      ["veth1", "unknown", "cni0", undefined],
      ["veth2", "unknown", "cni0", undefined],
    ]);
  });
  test("ifconfig of a flannel tun device, both formats", () => {
    const old =
      "flannel0  Link encap:UNSPEC  HWaddr 00-00-00-00-00-00-00-00-00-00-00-00-00-00-00-00  \n          inet addr:172.30.8.0  P-t-P:172.30.8.0  Mask:255.255.0.0\n          UP POINTOPOINT RUNNING NOARP MULTICAST  MTU:1472  Metric:1\n          RX packets:1 errors:0 dropped:0 overruns:0 frame:0\n          TX packets:1 errors:0 dropped:0 overruns:0 carrier:0\n          collisions:0 txqueuelen:500 \n          RX bytes:60 (60.0 B)  TX bytes:60 (60.0 B)";
    const modern =
      "flannel0: flags=4305<UP,POINTOPOINT,RUNNING,NOARP,MULTICAST>  mtu 1472\n        inet 172.30.8.0  netmask 255.255.0.0  destination 172.30.8.0\n        unspec 00-00-00-00-00-00-00-00-00-00-00-00-00-00-00-00  txqueuelen 500  (UNSPEC)\n        RX packets 1  bytes 60 (60.0 B)\n        RX errors 0  dropped 0  overruns 0  frame 0\n        TX packets 1  bytes 60 (60.0 B)\n        TX errors 0  dropped 0 overruns 0  carrier 0  collisions 0";
    for (const text of [old, modern]) {
      const [d] = only("devices", "ifconfig", text).devices;
      expect(d).toMatchObject({
        name: "flannel0",
        kind: "unknown",
        mtu: 1472,
        up: true,
        carrier: true,
        addressesKnown: false,
      });
      expect(d?.mac).toBeUndefined();
      expect(d?.addresses.map((a) => [formatPrefix(a.prefix), a.peer])).toEqual([["172.30.8.0/16", undefined]]);
    }
  });
  test("names instead of addresses are said, not guessed", () => {
    const route = readAs(
      "route-n",
      "Kernel IP routing table\nDestination     Gateway         Genmask         Flags Metric Ref    Use Iface\ndefault         _gateway        0.0.0.0         UG    100    0        0 eth0\n10.0.0.0        *               255.255.255.0   U     0      0        0 eth0\n",
    );
    expect(route.diagnostics.map((d) => [d.code, d.line, d.column])).toEqual([["route-n-name", 3, 17]]);
    const facts = route.facts[0];
    expect(facts?.kind === "routes" && [facts.routes.length, facts.extent]).toEqual([1, "partial"]);
    const arp = readAs(
      "arp-n",
      "Address                  HWtype  HWaddress           Flags Mask            Iface\ngateway                  ether   02:00:00:00:00:01   C                     eth0",
    );
    expect(arp.diagnostics.map((d) => d.code)).toEqual(["arp-n-name"]);
  });
});
