import { cpuMilliseconds } from "@hairpin/testing/cpu.ts";
import { describe, expect, test } from "vitest";
import { BadCaseFile, readCaseFile } from "../../../../case/src/case-file.ts";
import { parseAddress, parsePrefix } from "../../net/index.ts";

const failure = (text: string): string => {
  try {
    readCaseFile("case.yaml", text);
  } catch (error) {
    if (error instanceof BadCaseFile) return error.message;
    throw error;
  }
  throw new Error("it was accepted");
};

describe("case.yaml", () => {
  test("all that can stand in it", () => {
    const file = readCaseFile(
      "case.yaml",
      `question: { from: node/a, to: "10.0.0.1:80", proto: tcp, in: eth0, node: a, via: nodeport, bind: flannel0, sport: 4000, size: 1400 }
expect:
  verdict: unreachable
  causes: [RP_FILTER_STRICT]
nodes:
  a:
    files:
      - dumps/a
      - { path: rt.txt, command: ip route show table 1003, stack: p, routeTable: 1003, table: nat, backend: nft, family: 6, captureDevice: eth0, moment: after, partial: true }
    kernel: 5.15
    kubeProxy: { mode: ipvs, version: v1.29.1 }
  b:
stacks:
  - { name: default/p, kind: pod, node: a, dumps: nodes/a/pods/p }
  - { name: vm, kind: vm, node: a, addresses: 10.0.0.9/24, gateway: 10.0.0.1, device: ens3, mac: "02:00:00:00:00:0A" }
links:
  - { type: veth, ends: ["a:eth0", "router:lan0"] }
  - { type: l2, name: seg0, ends: ["a:eth0", "b:eth0"] }
fabric: { srcDstCheck: "?", egressNat: 192.0.2.1, deny: [{ from: 10.0.0.0/8, to: 10.1.0.1, protocol: udp, port: 8472 }] }
loadBalancers:
  - { name: lb, address: 192.0.2.9, ports: [80, "443:30443", "53:30053/udp"], targets: [a, b], preserveClient: true }
listeners:
  - { stack: default/p, port: 8080 }
  - { stack: a, port: 53, protocol: udp, address: 10.0.0.2 }
assume:
  a/sysctl/net.ipv4.conf.eth0.rp_filter: "?"
  a/sysctl/net.ipv4.ip_forward: 1
fixes:
  loose: sysctl -w net.ipv4.conf.eth0.rp_filter=2
  two: [ "a: ip rule", "b: ip rule" ]
`,
    );
    expect(file.question).toMatchObject({ from: "node/a", to: "10.0.0.1:80", sport: 4000, origin: { line: 1 } });
    expect(file.expect).toMatchObject({ verdict: "unreachable", causes: ["RP_FILTER_STRICT"] });
    expect(file.nodes.map((n) => [n.name, n.origin])).toEqual([
      ["a", { kind: "read", file: "case.yaml", line: 6 }],
      ["b", { kind: "read", file: "case.yaml", line: 12 }],
    ]);
    expect(file.nodes[0]?.kernel).toBe("5.15");
    expect(file.nodes[0]?.files).toEqual([
      { path: "dumps/a" },
      {
        path: "rt.txt",
        command: "ip route show table 1003",
        stack: "p",
        routeTable: 1003,
        table: "nat",
        backend: "nft",
        family: 6,
        captureDevice: "eth0",
        moment: "after",
        partial: true,
      },
    ]);
    expect(file.stacks[0]).toMatchObject({ dumps: ["nodes/a/pods/p"], addresses: [] });
    expect(file.stacks[1]).toMatchObject({
      addresses: [parsePrefix("10.0.0.9/24")],
      gateway: parseAddress("10.0.0.1"),
      mac: "02:00:00:00:00:0a",
    });
    expect(file.links.map((l) => l.ends.map((e) => `${e.stack}|${e.device}`))).toEqual([
      ["a|eth0", "router|lan0"],
      ["a|eth0", "b|eth0"],
    ]);
    expect(file.fabric).toMatchObject({ srcDstCheck: "?", egressNat: parseAddress("192.0.2.1") });
    expect(file.fabric?.deny[0]).toEqual({
      from: parsePrefix("10.0.0.0/8"),
      to: parsePrefix("10.1.0.1"),
      protocol: 17,
      ports: { from: 8472, to: 8472 },
    });
    expect(file.loadBalancers[0]).toMatchObject({
      preserveClient: true,
      vipBoundOnNode: "?",
      ports: [
        { port: 80, protocol: 6, targetPort: 80 },
        { port: 443, protocol: 6, targetPort: 30443 },
        { port: 53, protocol: 17, targetPort: 30053 },
      ],
    });
    expect(file.listeners[1]).toMatchObject({ protocol: 17, address: parseAddress("10.0.0.2") });
    expect(file.assume.map((a) => [a.fact, a.value])).toEqual([
      ["a/sysctl/net.ipv4.conf.eth0.rp_filter", "?"],
      ["a/sysctl/net.ipv4.ip_forward", "1"],
    ]);
    expect(file.fixes.map((f) => f.commands)).toEqual([
      ["sysctl -w net.ipv4.conf.eth0.rp_filter=2"],
      ["a: ip rule", "b: ip rule"],
    ]);
  });
  test("all of it is optional", () => {
    expect(readCaseFile("case.yaml", "").nodes).toEqual([]);
    expect(readCaseFile("case.yaml", "# only a remark\n").fixes).toEqual([]);
  });
  test.each([
    ["question:\n  form: node/a\n", "case.yaml:2: question.form is not a known key"],
    [
      "stacks:\n  - name: a\n    kind: host\n",
      "case.yaml:3: stacks.0.kind must be one of node, pod, vm, router, client, lb",
    ],
    ["stacks:\n  - kind: node\n", "case.yaml:2: stacks.0.name must be a string"],
    ["loadBalancers:\n  - address: 10.0.0.300\n", "case.yaml:2: loadBalancers.0.address is not an address"],
    [
      "links:\n  - { type: veth, ends: [a, b] }\n",
      "case.yaml:2: links.0.ends.0 is not an end of a link, written stack:device",
    ],
    ["question: { sport: 70000 }\n", "case.yaml:1: question.sport is out of range"],
    ["nodes: [a, b]\n", "case.yaml:1: nodes must be an object"],
    ["- 1\n", "case.yaml:1: the file must be an object"],
  ])("%j is said with its line", (text, message) => expect(failure(text)).toContain(message));
  test.each(["a: [1, 2\n", "a: 1\na: 2\n", "\tx: 1\n", "a: *nowhere\n"])("%j is no YAML", (text) => {
    expect(failure(text)).toMatch(/^case\.yaml(?::\d+)?: /);
  });
  test("a nest of aliases is refused, not unfolded", () => {
    const bomb = [
      "a: &a [x, x, x, x, x, x, x, x, x, x]",
      ..."bcdefghij".split("").map((k, i) => `${k}: &${k} [${Array(10).fill(`*${"abcdefghi"[i]}`).join(", ")}]`),
    ];
    expect(cpuMilliseconds(() => expect(failure(bomb.join("\n"))).toMatch(/alias/i))).toBeLessThan(2000);
  });
});
