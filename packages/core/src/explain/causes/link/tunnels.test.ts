import { ask, type Files, filter, nat, SYSCTLS, toService } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";

const device = (n: number, mac: string, vni = 1) => `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    link/ether 52:54:00:00:00:0${n} brd ff:ff:ff:ff:ff:ff
    inet 10.0.0.${n}/24 scope global eth0
3: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450
    link/ether 52:54:00:00:0${n}:01 brd ff:ff:ff:ff:ff:ff
    bridge forward_delay 1500
    inet 10.244.${n}.1/24 scope global cni0
6: flannel.1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450
    link/ether ${mac} brd ff:ff:ff:ff:ff:ff
    vxlan id ${vni} local 10.0.0.${n} dev eth0 srcport 0 0 dstport 8472 nolearning
    inet 10.244.${n}.0/32 scope global flannel.1
`;
const vxlanNode = (
  name: string,
  n: number,
  other: number,
  mac: string,
  farMac: string,
  farEnd: string,
  vni = 1,
): Files => ({
  [`nodes/${name}/ip-d-addr.txt`]: device(n, mac, vni),
  [`nodes/${name}/ip-rule.txt`]:
    "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
  [`nodes/${name}/ip-route.txt`]: `default via 10.0.0.254 dev eth0
10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.${n}
10.244.${n}.0/24 dev cni0 proto kernel scope link src 10.244.${n}.1
10.244.${other}.0/24 via 10.244.${other}.0 dev flannel.1 onlink
`,
  [`nodes/${name}/ip-neigh.txt`]: `10.244.${other}.0 dev flannel.1 lladdr ${farMac} PERMANENT\n`,
  [`nodes/${name}/bridge-fdb.txt`]: farEnd === "" ? "" : `${farMac} dev flannel.1 dst ${farEnd} self permanent\n`,
  [`nodes/${name}/sysctl.txt`]: `${SYSCTLS}net.ipv4.conf.flannel.1.rp_filter = 0\n`.replace(
    "flannel.1.rp",
    "flannel/1.rp",
  ),
  [`nodes/${name}/iptables-save.txt`]: (name === "a" ? nat() : "") + filter(),
});

const [ONE, TWO] = ["fe:00:00:00:00:01", "fe:00:00:00:00:02"];
const world = ({ macB = TWO, farEnd = "10.0.0.2", vniB = 1 } = {}): Files => ({
  ...vxlanNode("a", 1, 2, ONE, macB, farEnd),
  ...vxlanNode("b", 2, 1, macB, ONE, "10.0.0.1", vniB),
});

describe("tunnels in the walk", () => {
  test("guard: one that is in order claims nothing", () => {
    expect(ask(world(), toService())).toMatchObject({ leaning: "reachable", claims: [] });
  });
  test("DUPLICATE_VTEP_MAC: the receiver takes the frame for its own", () => {
    const { codes, verdict } = ask(world({ macB: ONE }), toService());
    expect(verdict).not.toBe("reachable");
    expect(codes[0]).toBe("DUPLICATE_VTEP_MAC");
  });
  test("WRONG_UNDERLAY_INTERFACE: the tunnel's far end is the node itself", () => {
    const { claims, verdict } = ask(world({ farEnd: "10.0.0.1" }), toService());
    expect(verdict).toBe("unreachable");
    expect(claims).toEqual(["WRONG_UNDERLAY_INTERFACE inferred"]);
  });
  test("TUNNEL_MISMATCH: the far end has another VNI", () => {
    expect(ask(world({ vniB: 42 }), toService()).codes).toContain("TUNNEL_MISMATCH");
  });
});
