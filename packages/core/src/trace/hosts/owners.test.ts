import { describe, expect, test } from "vitest";
import { assemble } from "../../assemble/index.ts";
import { assumptionText, say } from "../../messages/index.ts";
import { readCase } from "../../parse/index.ts";
import { judge, resolveQuestion, trace } from "../index.ts";

const address = (
  n: number,
) => `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq state UP group default qlen 1000
    link/ether 02:00:00:00:00:0${n} brd ff:ff:ff:ff:ff:ff
    inet 192.0.2.1${n}/24 brd 192.0.2.255 scope global eth0
       valid_lft forever preferred_lft forever
`;
const pod = (name: string, node: string, ip: string, more = "") => `- apiVersion: v1
  kind: Pod
  metadata: {name: ${name}, namespace: shop}
  spec: {nodeName: ${node}${more}}
  status: {podIP: ${ip}}
`;
const PODS = `apiVersion: v1
kind: List
items:
${pod("client", "n1", "10.244.1.5")}${pod("server", "n2", "10.244.2.7")}${pod("stranger", "n9", "10.244.9.7")}`;
const DROP = `*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
-A FORWARD -d 10.244.2.7/32 -j DROP
COMMIT
`;
const NO_ROUTE = "default via 192.0.2.1 dev eth0 \n192.0.2.0/24 dev eth0 proto kernel scope link src 192.0.2.12 \n";

function asked(files: Readonly<Record<string, string>>, to = "10.244.2.7:80", from = "10.244.1.5") {
  const inputs = Object.entries({ "nodes/n1/ip-addr.txt": address(1), "nodes/n2/ip-addr.txt": address(2), ...files });
  const { world } = assemble(readCase(inputs.map(([path, text]) => ({ path, text }))));
  const resolved = resolveQuestion(world, { from, to });
  if (resolved.ok !== true) throw new Error("not a question");
  const exploration = trace(resolved.world, resolved.question);
  const [branch] = exploration.branches;
  const stacks = branch!.request.steps.map((s) => s.stack);
  return {
    // The walk's own word, whatever of the way nobody showed.
    verdict: judge(exploration, true).verdict,
    way: stacks.filter((s, i) => s !== stacks[i - 1]),
    drop: branch!.request.drop,
    stack: branch!.request.stack,
    assumptions: branch!.assumptions.map((a) => say(assumptionText(a.why))),
  };
}

describe("an address is traced to a pod by its Pod object", () => {
  test("through both nodes", () => {
    const { way, verdict, assumptions } = asked({ "pods.yaml": PODS });
    expect([way, verdict]).toEqual([["pod-10.244.1.5", "n1", "n2", "pod-10.244.2.7"], "reachable"]);
    expect(assumptions.filter((a) => a.includes("shop/"))).toHaveLength(2);
  });
  test("so that its node's rules count", () => {
    expect(asked({ "pods.yaml": PODS, "nodes/n2/iptables-save.txt": DROP })).toMatchObject({
      verdict: "unreachable",
      stack: "n2",
      drop: "NETFILTER_DROP",
    });
    expect(asked({ "nodes/n2/iptables-save.txt": DROP }).stack).not.toBe("n2");
  });
  test("and its node's routes, where they were shown", () => {
    const { verdict, stack } = asked({ "pods.yaml": PODS, "nodes/n2/ip-route.txt": NO_ROUTE });
    expect([verdict, stack]).toEqual(["unreachable", "n2"]);
  });
  test("a node that was not shown is beyond what was dumped", () => {
    expect(asked({ "pods.yaml": PODS }, "10.244.9.7:80").way.at(-1)).toBe("endpoint-10.244.9.7");
  });
  test("the route that leads to a bridge says where the pod is", () => {
    const route = `${NO_ROUTE}10.244.2.0/24 dev cni0 proto kernel scope link src 10.244.2.1 \n`;
    const { way, verdict } = asked({ "pods.yaml": PODS, "nodes/n2/ip-route.txt": route });
    expect([way.slice(-2), verdict]).toEqual([["n2", "pod-10.244.2.7"], "reachable"]);
  });
});

describe("an address is a node's by its Node object", () => {
  const NODES = `apiVersion: v1
kind: List
items:
${[1, 2].map((n) => `- apiVersion: v1\n  kind: Node\n  metadata: {name: n${n}}\n  status: {addresses: [{type: InternalIP, address: 192.0.2.1${n}}]}\n`).join("")}`;
  const INPUT_DROP =
    "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A INPUT -p tcp -m tcp --dport 22 -j DROP\nCOMMIT\n";
  const inputs = [
    { path: "nodes/n1/iptables-save.txt", text: DROP },
    { path: "nodes/n2/iptables-save.txt", text: INPUT_DROP },
    { path: "nodes.yaml", text: NODES },
  ];
  test("so that its rules count, though its devices were not shown", () => {
    const { world } = assemble(readCase(inputs));
    const resolved = resolveQuestion(world, { from: "192.0.2.11", to: "192.0.2.12:22" });
    if (resolved.ok !== true) throw new Error("not a question");
    expect(resolved.question.client).toBe("n1");
    const { request } = trace(resolved.world, resolved.question).branches[0]!;
    expect([request.stack, request.drop]).toEqual(["n2", "NETFILTER_DROP"]);
  });
});
