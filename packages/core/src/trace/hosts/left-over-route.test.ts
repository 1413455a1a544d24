import { assembled } from "@hairpin/testing/case.ts";
import { ADDRESSES, ask, type Files, NODE, ROUTES, toService } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";
import { parseAddress } from "../../net/index.ts";
import { ownerOf } from "./owners.ts";
import { isPlacedElsewhere } from "./placed-elsewhere.ts";

const VETH = `7: veth7@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UP group default
    link/ether 52:54:00:00:07:01 brd ff:ff:ff:ff:ff:ff
`;
const LEFT = "10.244.2.7 dev veth7 scope link\n";

/** Node a has a route to the endpoint by a port of its own; b is where other pods of its network are. */
const HERE: Files = {
  ...NODE,
  "nodes/a/ip-addr.txt": ADDRESSES + VETH,
  "nodes/a/ip-route.txt": ROUTES + LEFT,
};
const BOTH: Files = {
  ...HERE,
  "nodes/b/ip-addr.txt": (ADDRESSES + VETH)
    .replaceAll("52:54:00:00:0", "52:54:00:01:0")
    .replaceAll("10.0.0.1/", "10.0.0.2/")
    .replaceAll("10.244.1.", "10.244.2."),
  "nodes/b/ip-route.txt":
    "default via 10.0.0.254 dev eth0\n10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.2\n10.244.1.0/24 via 10.0.0.1 dev eth0\n10.244.2.0/24 dev cni0 proto kernel scope link src 10.244.2.1\n",
  "nodes/b/ip-rule.txt": NODE["nodes/a/ip-rule.txt"]!,
  "nodes/b/sysctl.txt": NODE["nodes/a/sysctl.txt"]!,
};

const objectOf = (name: string, node: string, address: string): string => `apiVersion: v1
kind: Pod
metadata: { name: ${name}, namespace: default }
spec: { nodeName: ${node}, containers: [{ name: c, ports: [{ containerPort: 8080 }] }] }
status: { podIP: ${address}, phase: Running }
`;

const CLIENTS = `${objectOf("client", "a", "10.244.1.5")}---\n${objectOf("other", "a", "10.244.1.9")}`;

const pod = (node: string): Files => ({ "pods.yaml": `${CLIENTS}---\n${objectOf("server", node, "10.244.2.7")}` });

describe("a route to a pod by a port of the node", () => {
  test("that an object places here", () => {
    expect(ask({ ...BOTH, ...pod("a") }, toService()).verdict).toBe("reachable");
  });

  test("that an object places on another node says nothing: it may be left over", () => {
    const { verdict, leaning } = ask({ ...BOTH, ...pod("b") }, toService());
    expect([verdict, leaning]).toEqual(["undetermined", "reachable"]);
  });

  test("guard: the port's neighbour is known to be there, whatever an object says", () => {
    const known = { "nodes/a/ip-neigh.txt": "10.244.2.7 dev veth7 lladdr 0a:58:0a:f4:02:07 REACHABLE\n" };
    expect(ask({ ...BOTH, ...pod("b"), ...known }, toService()).verdict).toBe("reachable");
  });

  test("guard: a node that nobody showed may be this one by another name", () => {
    expect(ask({ ...BOTH, ...pod("worker-1") }, toService()).verdict).toBe("reachable");
  });

  test("of which two nodes have one may be left over on either, without an object", () => {
    const twice = { "nodes/b/ip-route.txt": `${BOTH["nodes/b/ip-route.txt"]!}${LEFT}` };
    const address = parseAddress("10.244.2.7")!;
    const elsewhere = (files: Files): readonly boolean[] =>
      ["a", "b"].map((node) => isPlacedElsewhere(assembled(files).world, node, address));
    expect(elsewhere(BOTH)).toEqual([false, true]);
    expect(elsewhere({ ...BOTH, ...twice })).toEqual([true, true]);
  });
});

test("whom two nodes have a port for is behind that of the node where an object places it", () => {
  const twice = { "nodes/b/ip-route.txt": `${BOTH["nodes/b/ip-route.txt"]!}${LEFT}` };
  const nodeOf = (files: Files): string | undefined =>
    ownerOf(assembled({ ...BOTH, ...twice, ...files }).world, parseAddress("10.244.2.7")!)?.stack.name;
  expect([nodeOf(pod("a")), nodeOf(pod("b")), nodeOf({})]).toEqual(["a", "b", "a"]);
});

describe("a bridge's network that two nodes have", () => {
  const same = (text: string): string => text.replaceAll("10.244.1.", "10.244.2.");
  const routes = ROUTES.replace(/^10\.244\.2\..*\n/m, "").replaceAll("10.244.1.", "10.244.2.");
  const twin: Files = { ...BOTH, "nodes/a/ip-addr.txt": same(ADDRESSES), "nodes/a/ip-route.txt": routes };
  const clients = {
    "pods.yaml": `${objectOf("near", "a", "10.244.2.5")}---\n${objectOf("server", "b", "10.244.2.7")}`,
  };

  test("a pod that an object places on the other is not known to be here", () => {
    const { verdict, leaning } = ask({ ...twin, ...clients }, { ...toService("10.244.2.5"), node: "a" });
    expect([verdict, leaning]).toEqual(["undetermined", "reachable"]);
  });

  test("guard: the bridge has a card of the node, and reaches the other", () => {
    const uplink = `${same(ADDRESSES)}4: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc fq_codel master cni0 state UP group default qlen 1000
    link/ether 52:54:00:00:09:01 brd ff:ff:ff:ff:ff:ff
`;
    const files = { ...twin, ...clients, "nodes/a/ip-addr.txt": uplink };
    expect(isPlacedElsewhere(assembled(files).world, "a", parseAddress("10.244.2.7")!)).toBe(false);
    expect(isPlacedElsewhere(assembled({ ...twin, ...clients }).world, "a", parseAddress("10.244.2.7")!)).toBe(true);
  });
});

describe("WRONG_POD_ROUTE", () => {
  /** The port is another pod's. */
  const other = { "nodes/a/ip-route.txt": `${ROUTES}10.244.1.9 dev veth7 scope link\n${LEFT}` };

  test("a left-over route to somebody else's port is taken away, and the pod is reached", () => {
    const { claims, causes } = ask({ ...BOTH, ...other, ...pod("b") }, toService("10.244.1.9"));
    expect(claims[0]).toBe("WRONG_POD_ROUTE proven");
    expect(causes[0]?.lines).toContain("10.244.2.7 dev veth7 scope link");
  });

  test("the answer to a pod elsewhere goes to the port, too: the pod is not there a second time", () => {
    const { claims, verdict } = ask({ ...BOTH, ...pod("b") }, { from: "10.244.2.7", to: "10.244.1.5:8080" });
    expect([verdict, claims[0]]).toEqual(["unreachable", "WRONG_POD_ROUTE proven"]);
  });

  test("guard: what an object places here is not blamed", () => {
    expect(ask({ ...BOTH, ...other, ...pod("a") }, toService("10.244.1.9")).codes).not.toContain("WRONG_POD_ROUTE");
  });
});
