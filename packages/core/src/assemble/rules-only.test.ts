import { addressesOf, assembled, caseOf, deviceOf, readAt, routesOf, shown, stackOf } from "@hairpin/testing/case.ts";
import { describe, expect, it } from "vitest";

const NAT = `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-SVC-AAAAAAAAAAAAAAAA - [0:0]
-A PREROUTING -j KUBE-SERVICES
-A POSTROUTING -j MASQUERADE
-A KUBE-SERVICES -d 10.96.0.1/32 -p tcp -m tcp --dport 443 -j KUBE-SVC-AAAAAAAAAAAAAAAA
COMMIT
`;

describe("a node of which only rules were shown", () => {
  const { world } = assembled({ "iptables-save.txt": NAT });
  const node = stackOf(world);

  it("has lo and a card on the fabric, an address and a way out, all listed", () => {
    expect(node.rulesOnly).toBe(true);
    expect(node.devices.items.map((d) => d.name)).toEqual(["lo", "eth0"]);
    expect(deviceOf(node, "eth0")).toMatchObject({ up: true, kind: "ethernet", origin: { kind: "assumed" } });
    expect(addressesOf(node, "eth0")).toEqual(["198.18.0.1/32"]);
    expect(routesOf(node, 254).map(shown)).toEqual(["0.0.0.0/0 dev eth0 scope link"]);
    expect(world.links).toMatchObject([{ type: "fabric", ends: [{ stack: "node", device: "eth0" }] }]);
    expect(world.assumptions.map((a) => a.id)).toEqual(
      expect.arrayContaining(["node/device/eth0", "node/address/eth0", "node/route/default", "node/ip-rule"]),
    );
  });

  it("shares its made-up address with no other", () => {
    const two = assembled({ "nodes/a/iptables-save.txt": NAT, "nodes/b/iptables-save.txt": NAT }).world;
    expect(two.stacks.flatMap((s) => addressesOf(s, "eth0"))).toEqual(["198.18.0.1/32", "198.18.0.2/32"]);
  });

  it("has the address on which its rules open node ports", () => {
    const jump = "-A KUBE-SERVICES -d 10.0.0.7/32 -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS\nCOMMIT";
    const own = stackOf(assembled({ "iptables-save.txt": NAT.replace("COMMIT", jump) }).world);
    expect(addressesOf(own, "eth0")).toEqual(["10.0.0.7/32"]);
    expect(own.rulesOnly).toBeUndefined();
  });

  it("is no longer one as soon as a route or an address is shown", () => {
    const routed = stackOf(
      assembled({ "iptables-save.txt": NAT, "ip-route.txt": "default via 10.0.0.1 dev ens3\n" }).world,
    );
    expect(routed.rulesOnly).toBeUndefined();
    expect(routed.devices.items.map((d) => d.name)).toEqual(["lo", "ens3"]);
  });
});

describe("dumps that name no node beside nodes that are named", () => {
  const capture = (host: string) =>
    `[root@${host} ~]# tcpdump -i eth0 -nn\nlistening on eth0, link-type EN10MB (Ethernet), capture size 262144 bytes\n10:00:00.000001 IP 10.0.0.1.40000 > 10.0.0.2.80: Flags [S], seq 1, win 1, length 0\n`;
  const rules =
    "Rules of the cluster:\n\n```\n-A POSTROUTING -s 10.1.0.0/16 -j MASQUERADE\n-A PREROUTING -p tcp -m tcp --dport 80 -j DNAT --to-destination 10.1.0.5:80\n```\n";

  it("hold for each of them, and that is listed", () => {
    const { world } = assembled({
      "post.md": `\`\`\`\n${capture("a")}\`\`\`\n\`\`\`\n${capture("b")}\`\`\`\n${rules}`,
    });
    expect(world.stacks.map((s) => s.name)).toEqual(["a", "b"]);
    expect(world.stacks.map((s) => s.netfilter.tables.length)).toEqual([1, 1]);
    expect(world.assumptions.filter((a) => a.id.includes("/dump/"))).toHaveLength(2);
  });
});

describe("what case.yaml assumes instead", () => {
  const origin = readAt("case.yaml", 3);
  const assume = (fact: string, value: string) => caseOf({ assume: [{ fact, value, origin }] });

  it("takes the place of a made-up address and way out", () => {
    const addressed = assembled({ "iptables-save.txt": NAT }, assume("node/address/eth0", "10.0.0.5/24")).world;
    expect(addressesOf(stackOf(addressed), "eth0")).toEqual(["10.0.0.5/24"]);
    expect(addressed.assumptions.find((a) => a.id === "node/address/eth0")!.value).toBe("10.0.0.5");
    const two = {
      "iptables-save.txt": NAT,
      "ip-neigh.txt":
        "10.0.0.1 dev ens3 lladdr 52:54:00:00:00:01 STALE\n10.1.0.1 dev ens4 lladdr 52:54:00:00:00:02 STALE\n",
    };
    expect(routesOf(stackOf(assembled(two).world), 254).map(shown)).toContain("0.0.0.0/0 dev ens3 scope link");
    const chosen = assembled(two, assume("node/route/default", "ens4")).world;
    expect(routesOf(stackOf(chosen), 254).map(shown)).toContain("0.0.0.0/0 dev ens4 scope link");
  });

  it("takes the place of a switch that a dump shows, or opens it", () => {
    const files = { "sysctl.txt": "net.ipv4.conf.eth0/100.rp_filter = 1\nnet.ipv4.ip_forward = 1\n" };
    const id = "node/sysctl/net.ipv4.conf.eth0.100.rp_filter";
    const key = "net.ipv4.conf.eth0/100.rp_filter";
    const set = assembled(files, assume(id, "2"));
    expect(stackOf(set.world).sysctls.get(key)).toEqual({ key, value: "2", origin });
    expect(stackOf(assembled(files, assume(id, "?")).world).sysctls.has(key)).toBe(false);
    expect(stackOf(assembled(files).world).sysctls.get(key)!.value).toBe("1");
  });
});
