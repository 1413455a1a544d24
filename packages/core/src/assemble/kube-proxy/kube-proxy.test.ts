import {
  addressesOf,
  assembled,
  caseOf,
  contradictionsIn,
  deviceOf,
  readAt,
  routesOf,
  shown,
  stackOf,
} from "@hairpin/testing/case.ts";
import { describe, expect, it } from "vitest";
import type { IpSet, SetEntry, Stack } from "../../model/index.ts";
import { type Address, compareAddress, formatAddress, ipv4Of } from "../../net/index.ts";

const NAT = `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:KUBE-LOAD-BALANCER - [0:0]
:KUBE-MARK-MASQ - [0:0]
:KUBE-NODE-PORT - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-SERVICES - [0:0]
-A PREROUTING -j KUBE-SERVICES
-A OUTPUT -j KUBE-SERVICES
-A POSTROUTING -j KUBE-POSTROUTING
-A KUBE-LOAD-BALANCER -j KUBE-MARK-MASQ
-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000
-A KUBE-NODE-PORT -p tcp -m set --match-set KUBE-NODE-PORT-TCP dst -j KUBE-MARK-MASQ
-A KUBE-POSTROUTING -m set --match-set KUBE-LOOP-BACK dst,dst,src -j MASQUERADE
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0
-A KUBE-POSTROUTING -j MASQUERADE
-A KUBE-SERVICES -m set --match-set KUBE-LOAD-BALANCER dst,dst -j KUBE-LOAD-BALANCER
-A KUBE-SERVICES ! -s 10.244.0.0/16 -m set --match-set KUBE-CLUSTER-IP dst,dst -j KUBE-MARK-MASQ
-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODE-PORT
COMMIT
`;
const IPVS = `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
TCP  10.0.0.2:30080 rr
  -> 10.244.1.5:8080              Masq    1      0          0
TCP  10.96.7.7:80 rr
  -> 10.244.1.5:8080              Masq    1      0          0
TCP  192.168.9.9:80 rr
  -> 10.244.1.5:8080              Masq    1      0          0
`;
const LINK = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 52:54:00:00:00:02 brd ff:ff:ff:ff:ff:ff
5: kube-ipvs0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN mode DEFAULT group default
    link/ether 6e:00:00:00:00:06 brd ff:ff:ff:ff:ff:ff
`;
const ROUTE = "default via 10.0.0.1 dev eth0\n10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.2\n";
const balancers = (...members: string[]) =>
  `Name: KUBE-LOAD-BALANCER\nType: hash:ip,port\nRevision: 5\nHeader: family inet hashsize 1024 maxelem 65536\nSize in memory: 200\nReferences: 1\nNumber of entries: ${members.length}\nMembers:\n${members.join("\n")}\n`;

const setOf = (stack: Stack, name: string): IpSet => {
  const set = stack.ipsets.items.find((s) => s.name === name);
  if (set === undefined) throw new Error(`no set ${name}`);
  return set;
};
const text = (e: SetEntry): string =>
  `${e.nomatch ? "! " : ""}${e.parts
    .map((p) =>
      p.kind === "address"
        ? formatAddress(p.from)
        : p.kind === "port"
          ? `${p.protocol === undefined ? "" : `${p.protocol}:`}${p.from === p.to ? p.from : `${p.from}-${p.to}`}`
          : p.kind,
    )
    .join(",")}`;
const members = (stack: Stack, name: string) => setOf(stack, name).entries.map(text);

describe("Service addresses on kube-ipvs0", () => {
  it("are those that IPVS serves and the node does not have anyway, where its list was not shown", () => {
    const { world } = assembled({
      "ip-link.txt": LINK,
      "ip-route.txt": ROUTE,
      "ipvsadm-ln.txt": IPVS,
      "iptables-save.txt": NAT,
    });
    const node = stackOf(world);
    expect(addressesOf(node, "kube-ipvs0")).toEqual(["10.96.7.7/32", "192.168.9.9/32"]);
    expect(addressesOf(node, "eth0")).toEqual(["10.0.0.2/24"]);
    const local = routesOf(node, 255).map(shown);
    expect(local).toContain("local 10.96.7.7/32 dev kube-ipvs0 proto kernel scope host src 10.96.7.7");
    expect(deviceOf(node, "kube-ipvs0").addresses[0]!.origin).toMatchObject({
      kind: "derived",
      from: [{ kind: "read", file: "ipvsadm-ln.txt", line: 6 }],
    });
  });

  it("are only those shown where the list was", () => {
    const addr = `${LINK.replaceAll("mode DEFAULT ", "")}    inet 10.96.7.7/32 scope global kube-ipvs0\n       valid_lft forever preferred_lft forever\n`;
    const { world } = assembled({
      "ip-addr.txt": addr,
      "ip-route.txt": ROUTE,
      "ipvsadm-ln.txt": IPVS,
      "iptables-save.txt": NAT,
    });
    expect(addressesOf(stackOf(world), "kube-ipvs0")).toEqual(["10.96.7.7/32"]);
  });

  it("are only those of a whole local table where that was shown", () => {
    const local =
      "local 10.0.0.2 dev eth0 proto kernel scope host src 10.0.0.2\nlocal 10.96.7.7 dev kube-ipvs0 proto kernel scope host src 10.96.7.7\n";
    const { world } = assembled({
      "ip-link.txt": LINK,
      "ip-route-show-table-local.txt": local,
      "ipvsadm-ln.txt": IPVS,
      "iptables-save.txt": NAT,
    });
    expect(addressesOf(stackOf(world), "kube-ipvs0")).toEqual(["10.96.7.7/32"]);
  });

  it("need a device to be on: none is made up beside a whole list without it", () => {
    const without = LINK.slice(0, LINK.indexOf("5: kube"));
    const { world } = assembled({
      "ip-link.txt": without,
      "ip-route.txt": ROUTE,
      "ipvsadm-ln.txt": IPVS,
      "iptables-save.txt": NAT,
    });
    expect(stackOf(world).devices.items.map((d) => d.name)).toEqual(["lo", "eth0"]);
    const unlisted = stackOf(
      assembled({ "ip-route.txt": ROUTE, "ipvsadm-ln.txt": IPVS, "iptables-save.txt": NAT }).world,
    );
    expect(addressesOf(unlisted, "kube-ipvs0")).toEqual(["10.96.7.7/32", "192.168.9.9/32"]);
  });

  it("are as case.yaml says where it says so", () => {
    const files = { "ip-link.txt": LINK, "ip-route.txt": ROUTE, "ipvsadm-ln.txt": IPVS, "iptables-save.txt": NAT };
    const lb = (bound: boolean) =>
      caseOf({
        loadBalancers: [
          {
            address: ipv4Of(0xc0a80909),
            ports: [],
            targets: ["node"],
            preserveClient: true,
            vipBoundOnNode: bound,
            origin: readAt("case.yaml", 1),
          },
        ],
      });
    expect(addressesOf(stackOf(assembled(files, lb(true)).world), "kube-ipvs0")).toContain("192.168.9.9/32");
    expect(addressesOf(stackOf(assembled(files, lb(false)).world), "kube-ipvs0")).toEqual(["10.96.7.7/32"]);
  });

  it("of a node whose addresses nobody showed are told from its own by their ports", () => {
    const node = stackOf(assembled({ "ipvsadm-ln.txt": IPVS, "iptables-save.txt": NAT }).world);
    expect(addressesOf(node, "eth0")).toEqual(["10.0.0.2/32"]);
    expect(addressesOf(node, "kube-ipvs0")).toEqual(["10.96.7.7/32", "192.168.9.9/32"]);
  });
});

describe("kube-proxy's sets that nobody dumped", () => {
  const files = { "ip-link.txt": LINK, "ip-route.txt": ROUTE, "ipvsadm-ln.txt": IPVS, "iptables-save.txt": NAT };

  it("follow from IPVS and the one set that was dumped", () => {
    const node = stackOf(
      assembled({ ...files, "ipset-list-KUBE-LOAD-BALANCER.txt": balancers("192.168.9.9,tcp:80") }).world,
    );
    expect(members(node, "KUBE-CLUSTER-IP")).toEqual(["10.96.7.7,6:80"]);
    expect(setOf(node, "KUBE-CLUSTER-IP").extent).toBe("whole");
    expect(members(node, "KUBE-NODE-PORT-TCP")).toEqual(["30080"]);
    expect(members(node, "KUBE-LOOP-BACK")).toEqual(["10.244.1.5,6:8080,10.244.1.5"]);
  });

  it("stay open for what is served and could be either, and for nothing else", () => {
    const node = stackOf(assembled(files).world);
    const cluster = setOf(node, "KUBE-CLUSTER-IP");
    expect(cluster.extent).toBe("partial");
    expect(cluster.entries.every((e) => e.nomatch)).toBe(true);
    const covered = (address: Address, port: number) =>
      cluster.entries.some(
        ({ parts: [a, p] }) =>
          (a?.kind === "address"
            ? a.from === address
            : a?.kind === "range" && compareAddress(a.from, address) <= 0 && compareAddress(address, a.to) <= 0) &&
          p?.kind === "port" &&
          p.protocol === 6 &&
          p.from <= port &&
          port <= p.to,
      );
    expect(covered(ipv4Of(0x0a600707), 80)).toBe(false);
    expect(covered(ipv4Of(0xc0a80909), 80)).toBe(false);
    expect(covered(ipv4Of(0x0a600707), 81)).toBe(true);
    expect(covered(ipv4Of(0x0a600708), 80)).toBe(true);
    expect(covered(ipv4Of(0x0a000002), 30080)).toBe(true);
    expect(covered(ipv4Of(0xffffffff), 1)).toBe(true);
  });

  it("know that a load balancer's address is no cluster IP even where IPVS was cut", () => {
    const session = `[root@node ~]# ipvsadm -ln | grep -A 1 192.168.9.9\nTCP  192.168.9.9:80 rr\n  -> 10.244.1.5:8080              Masq    1      0          0\n`;
    const node = stackOf(
      assembled({
        "ip-link.txt": LINK,
        "ip-route.txt": ROUTE,
        "iptables-save.txt": NAT,
        "session.txt": session,
        "ipset-list-KUBE-LOAD-BALANCER.txt": balancers("192.168.9.9,tcp:80"),
      }).world,
    );
    expect(members(node, "KUBE-CLUSTER-IP")).toEqual(["! 192.168.9.9,6:80"]);
    expect(members(node, "KUBE-NODE-PORT-TCP")).toEqual(["! 0-29999", "! 32768-65535"]);
  });

  it("are not made up where all sets were shown, and a rule that names one more is a contradiction", () => {
    const all = { ...files, "ipset-list.txt": balancers("192.168.9.9,tcp:80") };
    const { world } = assembled(all);
    expect(stackOf(world).ipsets.items.map((s) => s.name)).toEqual(["KUBE-LOAD-BALANCER"]);
    expect(contradictionsIn(all)).toEqual(["SET_NOT_THERE", "SET_NOT_THERE", "SET_NOT_THERE"]);
  });
});

describe("virtual services that nobody listed", () => {
  it("stand for the members of kube-proxy's sets, with real servers unknown", () => {
    const set = balancers("10.96.7.7,tcp:80").replaceAll("KUBE-LOAD-BALANCER", "KUBE-CLUSTER-IP");
    const node = stackOf(
      assembled({
        "ip-link.txt": LINK,
        "ip-route.txt": ROUTE,
        "iptables-save.txt": NAT,
        "ipset-list-KUBE-CLUSTER-IP.txt": set,
      }).world,
    );
    expect(addressesOf(node, "kube-ipvs0")).toEqual(["10.96.7.7/32"]);
    expect(node.ipvs.services).toMatchObject([{ extent: "unread", realServers: [], key: { port: 80 } }]);
  });

  it("follow from a connection that IPVS keeps", () => {
    const lnc =
      "IPVS connection entries\npro expire state       source             virtual            destination\nTCP 14:58  ESTABLISHED 10.244.1.9:41000   10.96.7.7:80       10.244.2.5:8080\n";
    const node = stackOf(assembled({ "ipvsadm-lnc.txt": lnc, "ip-link.txt": LINK }).world);
    expect(node.ipvs.services).toMatchObject([{ extent: "partial", realServers: [{ port: 8080, method: "masq" }] }]);
    expect(addressesOf(node, "kube-ipvs0")).toEqual(["10.96.7.7/32"]);
  });
});
