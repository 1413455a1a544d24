import { addressesOf, assembled, caseOf, deviceOf, readAt, routesOf, shown, stackOf } from "@hairpin/testing/case.ts";
import { describe, expect, it } from "vitest";
import type { Link } from "../../model/index.ts";
import { type Address, formatAddress, ipv4Of } from "../../net/index.ts";

const LO = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
`;
const card = (index: number, name: string, address: string, mac: string) =>
  `${index}: ${name}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether ${mac} brd ff:ff:ff:ff:ff:ff
    inet ${address} scope global ${name}
       valid_lft forever preferred_lft forever
`;
const veth = (index: number, name: string, peer: number, mac: string, rest = "", address = "") =>
  `${index}: ${name}@if${peer}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue ${rest}state UP group default
    link/ether ${mac} brd ff:ff:ff:ff:ff:ff link-netnsid 0
${address === "" ? "" : `    inet ${address} scope global ${name}\n       valid_lft forever preferred_lft forever\n`}`;
const NODE = `${LO}${card(2, "eth0", "10.0.0.2/24", "52:54:00:00:00:02")}${veth(9, "cali1", 3, "ee:ee:ee:ee:ee:ee")}`;
const POD = `${LO}${veth(3, "eth0", 9, "0a:00:00:00:00:03", "", "10.244.1.5/32")}`;
const ROUTES =
  "default via 10.0.0.1 dev eth0\n10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.2\n10.244.1.5 dev cali1 scope link\n";

const ends = (links: readonly Link[], type: Link["type"]) =>
  links.filter((l) => l.type === type).map((l) => l.ends.map((e) => `${e.stack}:${e.device}`).sort());

describe("a pod and its node", () => {
  it("are joined where each end names the index of the other", () => {
    const { world } = assembled({ "nodes/n1/ip-addr.txt": NODE, "nodes/n1/pods/web/a/ip-addr.txt": POD });
    expect(ends(world.links, "veth")).toEqual([["n1:cali1", "web/a:eth0"]]);
    expect(ends(world.links, "fabric")).toEqual([["n1:eth0"]]);
    expect(stackOf(world, "web/a")).toMatchObject({ kind: "pod", node: "n1" });
  });

  it("are joined by the index on the node that it fits, where nobody said which node", () => {
    const other = NODE.replace("cali1@if3", "cali1@if7").replace("10.0.0.2", "10.0.0.3");
    const { world } = assembled({
      "nodes/n1/ip-addr.txt": other,
      "nodes/n2/ip-addr.txt": NODE,
      "session.txt": `[root@m ~]# kubectl exec -n web a -- ip addr\n${POD}`,
    });
    expect(ends(world.links, "veth")).toEqual([["n2:cali1", "web/a:eth0"]]);
    expect(stackOf(world, "web/a").node).toBe("n2");
  });

  it("are joined by the route to the pod's address where no index is shown", () => {
    const ifconfig =
      "eth0: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1500\n        inet 10.244.1.5  netmask 255.255.255.255  broadcast 0.0.0.0\n        ether 0a:00:00:00:00:03  txqueuelen 0  (Ethernet)\n";
    const { world } = assembled({ "nodes/n1/ip-route.txt": ROUTES, "nodes/n1/pods/web/a/ifconfig.txt": ifconfig });
    expect(ends(world.links, "veth")).toEqual([["n1:cali1", "web/a:eth0"]]);
    expect(world.links.find((l) => l.type === "veth")!.origin).toMatchObject({ kind: "derived" });
  });

  it("are joined on the bridge whose subnet holds it, by a port that is made up and listed", () => {
    const bridged = `${LO}${card(2, "eth0", "10.0.0.2/24", "52:54:00:00:00:02")}${card(4, "cni0", "10.244.1.1/24", "0a:58:00:00:00:01")}`;
    const pod = POD.replace("10.244.1.5/32", "10.244.1.5/24");
    const { world } = assembled({ "nodes/n1/ip-addr.txt": bridged, "nodes/n1/pods/web/a/ip-addr.txt": pod });
    const node = stackOf(world, "n1");
    expect(deviceOf(node, "vethpod0")).toMatchObject({ kind: "veth", master: "cni0", origin: { kind: "assumed" } });
    expect(ends(world.links, "veth")).toEqual([["n1:vethpod0", "web/a:eth0"]]);
    expect(world.assumptions.map((a) => a.id)).toContain("web/a/attached");
    expect(routesOf(stackOf(world, "web/a"), 254).map(shown)).toContain("0.0.0.0/0 via 10.244.1.1 dev eth0 onlink");
  });

  it("are not taken for a veth pair where the pod sits on the node's card", () => {
    const macvlan = `${LO}${veth(3, "eth0", 2, "0a:00:00:00:00:03", "", "10.0.0.77/24")}`;
    const { world } = assembled({ "nodes/n1/ip-addr.txt": NODE, "nodes/n1/pods/web/a/ip-addr.txt": macvlan });
    expect(ends(world.links, "veth")).toEqual([]);
    expect(deviceOf(stackOf(world, "web/a"), "eth0").kind).toBe("unknown");
    expect(ends(world.links, "fabric")).toEqual([["n1:eth0", "web/a:eth0"]]);
  });
});

describe("the way out of a pod", () => {
  it("is a gateway that its node answers for, where nobody showed its routes", () => {
    const { world } = assembled({ "nodes/n1/ip-addr.txt": NODE, "nodes/n1/pods/web/a/ip-addr.txt": POD });
    const pod = stackOf(world, "web/a");
    expect(routesOf(pod, 254).map(shown)).toEqual(["0.0.0.0/0 via 169.254.1.1 dev eth0 onlink"]);
    expect(pod.neighbours.items).toMatchObject([{ device: "eth0", mac: "ee:ee:ee:ee:ee:ee", states: ["PERMANENT"] }]);
    expect(world.assumptions.map((a) => a.id)).toContain("web/a/neighbour/169.254.1.1");
  });

  it("is the one its routes show, answered for by the node if nothing else does", () => {
    const routes = "default via 169.254.1.1 dev eth0\n169.254.1.1 dev eth0 scope link\n";
    const { world } = assembled({
      "nodes/n1/ip-addr.txt": NODE,
      "nodes/n1/pods/web/a/ip-addr.txt": POD,
      "nodes/n1/pods/web/a/ip-route.txt": routes,
    });
    const pod = stackOf(world, "web/a");
    expect(routesOf(pod, 254)).toHaveLength(2);
    expect(pod.neighbours.items.map((n) => formatAddress(n.address))).toEqual(["169.254.1.1"]);
  });

  it("is left to the neighbour table where that was shown", () => {
    const { world } = assembled({
      "nodes/n1/ip-addr.txt": NODE,
      "nodes/n1/pods/web/a/ip-addr.txt": POD,
      "nodes/n1/pods/web/a/ip-neigh.txt": "169.254.1.1 dev eth0 FAILED\n",
    });
    expect(stackOf(world, "web/a").neighbours.items).toMatchObject([{ states: ["FAILED"] }]);
  });
});

describe("case.yaml", () => {
  const origin = readAt("case.yaml", 1);
  const prefix = (address: Address, length: number) => ({ address, length });

  it("names stacks that no dump is of, and links them", () => {
    const stated = caseOf({
      stacks: [
        {
          name: "router",
          kind: "router",
          dumps: [],
          addresses: [prefix(ipv4Of(0x0a000001), 24)],
          device: "lan0",
          origin,
        },
        {
          name: "pc",
          kind: "client",
          dumps: [],
          addresses: [prefix(ipv4Of(0xc0a80105), 24)],
          gateway: ipv4Of(0xc0a80101),
          origin,
        },
      ],
      links: [
        {
          type: "veth",
          ends: [
            { stack: "n1", device: "eth0" },
            { stack: "router", device: "lan0" },
          ],
          origin,
        },
        {
          type: "l2",
          name: "office",
          ends: [
            { stack: "pc", device: "eth0" },
            { stack: "router", device: "wan0" },
          ],
          origin,
        },
      ],
      listeners: [{ stack: "pc", protocol: 6, port: 8080, origin }],
    });
    const { world } = assembled({ "nodes/n1/ip-addr.txt": NODE }, stated);
    expect(ends(world.links, "veth")).toEqual([["n1:eth0", "router:lan0"]]);
    expect(ends(world.links, "l2")).toEqual([["pc:eth0", "router:wan0"]]);
    expect(ends(world.links, "fabric")).toEqual([]);
    const pc = stackOf(world, "pc");
    expect(addressesOf(pc, "eth0")).toEqual(["192.168.1.5/24"]);
    expect(routesOf(pc, 254).map(shown)).toContain("0.0.0.0/0 via 192.168.1.1 dev eth0 onlink");
    expect(pc).toMatchObject({ kind: "client", assumed: "outside", listeners: { items: [{ port: 8080 }] } });
    expect(stackOf(world, "router").sysctls.get("net.ipv4.conf.lan0.forwarding")!.value).toBe("1");
    expect(pc.sysctls.get("net.ipv4.conf.eth0.forwarding")!.value).toBe("0");
    expect(deviceOf(stackOf(world, "router"), "wan0").origin).toEqual(origin);
  });

  it("takes no link that leads nowhere, and a device in one only", () => {
    const stated = caseOf({
      links: [
        {
          type: "l2",
          name: "a",
          ends: [
            { stack: "n1", device: "eth0" },
            { stack: "ghost", device: "eth0" },
          ],
          origin,
        },
        { type: "l2", name: "b", ends: [{ stack: "n1", device: "eth0" }], origin },
      ],
    });
    const { world } = assembled({ "nodes/n1/ip-addr.txt": NODE }, stated);
    expect(ends(world.links, "l2")).toEqual([["n1:eth0"]]);
  });

  it("states the fabric, load balancers, kernel and kube-proxy", () => {
    const stated = caseOf({
      nodes: [{ name: "n1", files: [], kernel: "4.19.90", kubeProxy: { mode: "iptables" }, origin }],
      fabric: {
        srcDstCheck: "?",
        deny: [
          { to: prefix(ipv4Of(0x0a000000), 8), ports: { from: 80, to: 80 } },
          { protocol: 17, ports: { from: 1, to: 9 } },
        ],
        origin,
      },
      loadBalancers: [
        { address: ipv4Of(0x0a00000a), ports: [], targets: ["n1"], preserveClient: "?", vipBoundOnNode: false, origin },
      ],
    });
    const { world } = assembled({ "nodes/n1/ip-addr.txt": NODE }, stated);
    expect(world.fabric).toEqual({
      srcDstCheck: false,
      open: ["srcDstCheck"],
      deny: [
        { to: "10.0.0.0/8", port: 80 },
        { protocol: 17, ports: { from: 1, to: 9 } },
      ],
      origin,
    });
    expect(world.loadBalancers).toMatchObject([{ preserveClient: "?", targets: ["n1"] }]);
    expect(stackOf(world, "n1").machine.kernel).toMatchObject({ major: 4, minor: 19, patch: 90 });
    expect(stackOf(world, "n1").sysctls.get("net.ipv4.conf.all.route_localnet")!.value).toBe("1");
  });
});
