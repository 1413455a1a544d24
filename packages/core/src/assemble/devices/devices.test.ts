import { addressesOf, assembled, contradictionsIn, deviceOf, routesOf, shown, stackOf } from "@hairpin/testing/case.ts";
import { describe, expect, it } from "vitest";

const ADDR = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether 52:54:00:00:00:02 brd ff:ff:ff:ff:ff:ff
    inet 10.0.0.2/24 brd 10.0.0.255 scope global eth0
       valid_lft forever preferred_lft forever
    inet 10.0.0.7/24 scope global secondary eth0
       valid_lft forever preferred_lft forever
4: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UP group default qlen 1000
    link/ether 0a:58:0a:f4:01:01 brd ff:ff:ff:ff:ff:ff
    inet 10.244.1.1/24 brd 10.244.1.255 scope global cni0
       valid_lft forever preferred_lft forever
5: veth11@if3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue master cni0 state UP group default
    link/ether ee:00:00:00:00:05 brd ff:ff:ff:ff:ff:ff link-netnsid 0
3: eth0.100@eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether 52:54:00:00:00:02 brd ff:ff:ff:ff:ff:ff
    inet 10.100.0.2/24 scope global eth0.100
       valid_lft forever preferred_lft forever
6: kube-ipvs0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN group default
    link/ether 6e:00:00:00:00:06 brd ff:ff:ff:ff:ff:ff
    inet 10.96.0.10/32 scope global kube-ipvs0
       valid_lft forever preferred_lft forever
7: flannel0: <POINTOPOINT,MULTICAST,NOARP,UP,LOWER_UP> mtu 1472 qdisc fq_codel state UNKNOWN group default qlen 500
    link/none
    inet 10.244.1.0/16 scope global flannel0
       valid_lft forever preferred_lft forever
`;
const BRIDGE_LINK = `5: veth11@if3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 master cni0 state forwarding priority 32 cost 2
    hairpin on guard off root_block off fastleave off learning on flood on
`;

describe("devices of several dumps", () => {
  const { world } = assembled({ "ip-addr.txt": ADDR, "bridge-d-link.txt": BRIDGE_LINK });
  const node = stackOf(world);

  it("are one list in the order of their indexes, lo first", () => {
    expect(node.devices.items.map((d) => d.name)).toEqual([
      "lo",
      "eth0",
      "eth0.100",
      "cni0",
      "veth11",
      "kube-ipvs0",
      "flannel0",
    ]);
    expect(node.devices.extent).toBe("whole");
  });

  it("get the kind that plain output does not print, with the reason", () => {
    const kinds = Object.fromEntries(node.devices.items.map((d) => [d.name, d.kind]));
    expect(kinds).toEqual({
      lo: "loopback",
      eth0: "ethernet",
      "eth0.100": "vlan",
      cni0: "bridge",
      veth11: "veth",
      "kube-ipvs0": "dummy",
      flannel0: "tun",
    });
    expect(deviceOf(node, "eth0.100")).toMatchObject({ lower: "eth0", vlan: { id: 100 } });
    const plain = deviceOf(stackOf(assembled({ "ip-addr.txt": ADDR }).world), "cni0");
    expect(plain.kind).toBe("bridge");
    expect(plain.kindOrigin).toMatchObject({ kind: "derived", rule: "others name it as their master" });
  });

  it("take each field from whichever dump has it", () => {
    expect(deviceOf(node, "veth11")).toMatchObject({
      master: "cni0",
      mac: "ee:00:00:00:00:05",
      port: { hairpin: true, state: "forwarding" },
    });
    expect(addressesOf(node, "eth0")).toEqual(["10.0.0.2/24", "10.0.0.7/24"]);
    expect(deviceOf(node, "veth11").addressesKnown).toBe(true);
  });

  it("make no local broadcast on a device that is down, and none for a secondary", () => {
    const local = routesOf(node, 255).map(shown);
    expect(local).toContain("local 10.96.0.10/32 dev kube-ipvs0 proto kernel scope host src 10.96.0.10");
    expect(local).toContain("local 10.0.0.7/32 dev eth0 proto kernel scope host src 10.0.0.2");
    expect(local.filter((r) => r.startsWith("broadcast 10.0.0.255"))).toHaveLength(1);
  });
});

describe("devices that no list shows", () => {
  it("are added where routes, rules, neighbours or captures name them", () => {
    const { world } = assembled({
      "ip-route.txt": "default via 10.0.0.1 dev eth0\n10.244.1.5 dev cali0123456789a scope link\n",
      "ip-rule.txt": "0:\tfrom all lookup local\n100:\tfrom all iif eth1 lookup 7\n32766:\tfrom all lookup main\n",
      "ip-neigh.txt": "10.9.0.1 dev eth2 lladdr 52:54:00:00:00:09 REACHABLE\n",
    });
    const node = stackOf(world);
    expect(node.devices.items.map((d) => d.name)).toEqual(["lo", "eth0", "cali0123456789a", "eth2", "eth1"]);
    expect(deviceOf(node, "cali0123456789a")).toMatchObject({ kind: "veth", addressesKnown: false });
    expect(deviceOf(node, "eth2").origin).toMatchObject({ kind: "derived", rule: "device named by a neighbour" });
    expect(deviceOf(node, "eth2").up).toBeUndefined();
  });

  it("are a contradiction where the whole list lacks them", () => {
    const route = "default via 10.0.0.1 dev eth9\n";
    expect(contradictionsIn({ "ip-addr.txt": ADDR, "ip-route.txt": route })).toEqual(["DEVICE_NOT_THERE"]);
  });
});

describe("one thing shown twice", () => {
  const second = ADDR.replace("inet 10.0.0.2/24", "inet 10.0.0.3/24");

  it("is taken as first shown, and the difference is a contradiction", () => {
    const files = { "ip-addr.txt": ADDR, "ip-addr-2.txt": second };
    const together = assembled(files);
    expect(addressesOf(stackOf(together.world), "eth0")[0]).toBe("10.0.0.2/24");
    expect(contradictionsIn(files)).toContain("DEVICE_DIFFERS");
  });

  it("is left out where it was taken after the change", () => {
    const { world } = assembled({ "ip-addr.before.txt": ADDR, "ip-addr.after.txt": second });
    expect(addressesOf(stackOf(world), "eth0")[0]).toBe("10.0.0.2/24");
  });
});

describe("plain ip -4 addr", () => {
  it("proves that a device it leaves out has no IPv4 address", () => {
    const link =
      "1: lo: <LOOPBACK,UP> mtu 65536 qdisc noqueue state UNKNOWN\n    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP\n    link/ether 52:54:00:00:00:02 brd ff:ff:ff:ff:ff:ff\n3: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP\n    link/ether 52:54:00:00:00:03 brd ff:ff:ff:ff:ff:ff\n";
    const v4 =
      "1: lo: <LOOPBACK,UP> mtu 65536 qdisc noqueue state UNKNOWN\n    inet 127.0.0.1/8 scope host lo\n2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP\n    inet 10.0.0.2/24 scope global eth0\n";
    const node = stackOf(assembled({ "ip-link.txt": link, "ip-4-addr.txt": v4 }).world);
    expect(deviceOf(node, "eth1")).toMatchObject({ addresses: [], addressesKnown: true });
  });
});

describe("a node that is a container", () => {
  const text = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: vethab12@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default
    link/ether 52:54:00:00:00:07 brd ff:ff:ff:ff:ff:ff link-netnsid 1
    inet 10.244.0.1/32 scope global vethab12
       valid_lft forever preferred_lft forever
17: eth0@if18: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default
    link/ether 02:42:ac:12:00:02 brd ff:ff:ff:ff:ff:ff link-netnsid 0
    inet 172.18.0.2/16 brd 172.18.255.255 scope global eth0
       valid_lft forever preferred_lft forever
`;

  it("has its card on the underlay, though it is the end of a veth, and pods behind the others", () => {
    const { world } = assembled({ "ip-addr.txt": text });
    const node = stackOf(world);
    expect(deviceOf(node, "eth0").kind).toBe("ethernet");
    expect(deviceOf(node, "vethab12").kind).toBe("veth");
    expect(world.links).toMatchObject([{ type: "fabric", ends: [{ device: "eth0" }] }]);
    expect(routesOf(node, 254).map(shown)).toContain("0.0.0.0/0 dev eth0 scope link");
  });
});
