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
`;
const RULES =
  "0:\tfrom all lookup local\n1000:\tfrom 10.0.0.2 lookup 1003\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n";

const extentOf = (world: ReturnType<typeof assembled>["world"], id: number) =>
  stackOf(world).routeTables.find((t) => t.id === id && t.family === 4)?.extent;

describe("route tables", () => {
  it("tell a table that nobody showed from one that is empty", () => {
    const { world } = assembled({
      "ip-addr.txt": ADDR,
      "ip-rule.txt": RULES,
      "ip-route.txt": "default via 10.0.0.1 dev eth0\n",
    });
    expect(extentOf(world, 1003)).toBe("unread");
    expect(extentOf(world, 253)).toBe("whole");
    const all = assembled({
      "ip-addr.txt": ADDR,
      "ip-rule.txt": RULES,
      "ip-route-show-table-all.txt":
        "default via 10.0.0.1 dev eth0\nlocal 10.0.0.2 dev eth0 table local proto kernel scope host src 10.0.0.2\n",
    });
    expect(extentOf(all.world, 1003)).toBe("whole");
  });

  it("are derived from the addresses where main was not shown, with a default route that is listed", () => {
    const { world } = assembled({ "ip-addr.txt": ADDR });
    const node = stackOf(world);
    expect(routesOf(node, 254).map(shown)).toEqual([
      "10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.2",
      "0.0.0.0/0 dev eth0 scope link",
    ]);
    expect(routesOf(node, 254)[0]!.origin.kind).toBe("derived");
    expect(routesOf(node, 254)[1]!.origin.kind).toBe("assumed");
    expect(world.assumptions.map((a) => a.id)).toContain("node/route/default");
    expect(node.rulesOnly).toBeUndefined();
  });

  it("take a whole main table as it is, without a default route if it has none", () => {
    const { world } = assembled({
      "ip-addr.txt": ADDR,
      "ip-route.txt": "10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.2\n",
    });
    expect(routesOf(stackOf(world), 254)).toHaveLength(1);
    expect(world.assumptions.map((a) => a.id)).not.toContain("node/route/default");
  });

  it("complete a main table that grep cut", () => {
    const { world } = assembled({
      "session.txt": `[root@node ~]# ip addr\n${ADDR}[root@node ~]# ip route | grep 10.9\n10.9.0.0/16 via 10.0.0.9 dev eth0\n`,
    });
    expect(routesOf(stackOf(world), 254).map(shown)).toEqual([
      "10.9.0.0/16 via 10.0.0.9 dev eth0",
      "10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.2",
      "0.0.0.0/0 dev eth0 scope link",
    ]);
  });

  it("take a whole local table, and note an address it lacks", () => {
    const files = {
      "ip-addr.txt": ADDR,
      "ip-route-show-table-local.txt":
        "broadcast 10.0.0.0 dev eth0 proto kernel scope link src 10.0.0.2\nlocal 127.0.0.1 dev lo proto kernel scope host src 127.0.0.1\n",
    };
    const { world } = assembled(files);
    expect(routesOf(stackOf(world), 255)).toHaveLength(2);
    expect(contradictionsIn(files)).toContain("ADDRESS_NOT_LOCAL");
  });

  it("keep the network's own address as a broadcast on an old kernel only", () => {
    const old = assembled({
      "ip-addr.txt": ADDR,
      "uname-a.txt": "Linux n1 4.19.0-10-amd64 #1 SMP Debian 4.19.132-1 x86_64 GNU/Linux\n",
    });
    const has = (world: typeof old.world) =>
      routesOf(stackOf(world), 255)
        .map(shown)
        .some((r) => r.startsWith("broadcast 10.0.0.0/32"));
    expect(has(old.world)).toBe(true);
    expect(has(assembled({ "ip-addr.txt": ADDR }).world)).toBe(false);
  });
});

describe("addresses that no list shows", () => {
  it("follow from the routes that the kernel wrote for them", () => {
    const { world } = assembled({
      "ip-route.txt":
        "default via 10.0.0.1 dev eth0\n10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.2\n10.9.0.1 dev ppp0 proto kernel scope link src 10.9.0.7\n10.50.0.0/16 via 10.0.0.9 dev eth1 src 10.66.0.1\n",
    });
    const node = stackOf(world);
    expect(addressesOf(node, "eth0")).toEqual(["10.0.0.2/24"]);
    expect(deviceOf(node, "ppp0").addresses[0]).toMatchObject({ peer: { length: 32 } });
    expect(addressesOf(node, "eth1")).toEqual(["10.66.0.1/32"]);
    expect(deviceOf(node, "eth0").addresses[0]!.origin).toEqual({
      kind: "derived",
      rule: "address from a kernel route",
      from: [{ kind: "read", file: "ip-route.txt", line: 2 }],
    });
  });

  it("follow from the local table and from ip route get", () => {
    const { world } = assembled({
      "ip-route-show-table-local.txt":
        "local 10.0.0.2 dev eth0 proto kernel scope host src 10.0.0.2\nlocal 10.96.0.10 dev kube-ipvs0 proto kernel scope host src 10.96.0.10\n",
      "ip-route-get.txt": "8.8.8.8 via 10.7.0.1 dev eth1 src 10.7.0.9 uid 0\n    cache\n",
    });
    const node = stackOf(world);
    expect(addressesOf(node, "eth0")).toEqual(["10.0.0.2/32"]);
    expect(addressesOf(node, "kube-ipvs0")).toEqual(["10.96.0.10/32"]);
  });

  it("contradict a list that lacks them", () => {
    const route = "10.3.0.0/24 dev eth0 proto kernel scope link src 10.3.0.2\n";
    expect(contradictionsIn({ "ip-addr.txt": ADDR, "ip-route.txt": route })).toContain("SOURCE_NOT_LOCAL");
  });
});

describe("routing rules", () => {
  it("are the kernel's three where nobody showed any, and that is an assumption", () => {
    const { world } = assembled({
      "ip-addr.txt": ADDR,
      "ip-route-show-table-1003.txt": "default via 10.0.0.1 dev eth0 table 1003\n",
    });
    expect(stackOf(world).routingRules.items.map((r) => r.preference)).toEqual([0, 32766, 32767]);
    expect(stackOf(world).routingRules.extent).toBe("unread");
    expect(world.assumptions.map((a) => a.id)).toContain("node/ip-rule");
  });

  it("are completed where grep cut them, and taken as they are where not", () => {
    const cut = assembled({ "s.txt": "[root@n ~]# ip rule | grep 1003\n1000:\tfrom 10.0.0.2 lookup 1003\n" });
    expect(stackOf(cut.world, "n").routingRules.items.map((r) => r.preference)).toEqual([1000, 0, 32766, 32767]);
    const two = assembled({ "ip-rule.txt": "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n" });
    expect(stackOf(two.world).routingRules.items).toHaveLength(2);
    expect(two.world.assumptions.map((a) => a.id)).not.toContain("node/ip-rule");
  });
});

describe("two listings of one table", () => {
  const full =
    "default via 10.0.0.1 dev eth0 proto dhcp src 10.0.0.2 metric 100\n10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.2\n";

  it("give the more detailed one", () => {
    const routeN =
      "Kernel IP routing table\nDestination     Gateway         Genmask         Flags Metric Ref    Use Iface\n0.0.0.0         10.0.0.1        0.0.0.0         UG    100    0        0 eth0\n10.0.0.0        0.0.0.0         255.255.255.0   U     0      0        0 eth0\n";
    const files = { "a-route-n.txt": routeN, "ip-route.txt": full };
    const { world } = assembled(files);
    expect(routesOf(stackOf(world), 254)[1]!.protocol).toBe("kernel");
    expect(contradictionsIn(files)).toEqual([]);
  });

  it("are a contradiction where they differ", () => {
    const files = {
      "ip-route.txt": full,
      "ip-route-2.txt": `${full}10.7.0.0/16 via 10.0.0.7 dev eth0\n`,
    };
    expect(contradictionsIn(files)).toHaveLength(1);
  });
});
