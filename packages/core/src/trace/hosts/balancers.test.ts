import { type Answer, ask, cluster, type Given, VIP } from "@hairpin/testing/cluster.ts";
import { describe, expect, test } from "vitest";
import { formatAddress } from "../../net/index.ts";

const AWS = "service.beta.kubernetes.io/aws-load-balancer-";
const NLB_NAME = '{ hostname: "k8s-web-1234.elb.eu-west-1.amazonaws.com" }';
const CLASSIC_NAME = '{ hostname: "a1b2c3-99.eu-west-1.elb.amazonaws.com" }';
const CLIENT = "203.0.113.77";

const fromOutside = (given: Given, assume: Readonly<Record<string, string>> = {}): Answer =>
  ask(cluster(given), "external", "svc/shop/web:80", {
    via: "loadbalancer",
    proto: (given.protocol ?? "TCP").toLowerCase(),
    assume,
  });

const habit = (answer: Answer, what: string): string | undefined =>
  [...answer.assumed].find(([id]) => id.endsWith(`/${what}`))?.[1];

describe("makers are known by what the Service, its status or the nodes show", () => {
  const rows: readonly (readonly [string, Given, string, boolean | "?"])[] = [
    ["AWS classic, by its name", { ingress: CLASSIC_NAME }, "nat", false],
    ["AWS classic, by the nodes", { providerId: "aws:///eu-west-1a/i-0", ingress: CLASSIC_NAME }, "nat", false],
    ["AWS NLB, by its name", { ingress: NLB_NAME }, "nat", true],
    ["AWS NLB, instances", { annotations: { [`${AWS}type`]: "nlb" }, ingress: NLB_NAME }, "nat", true],
    [
      "AWS NLB, pods",
      { annotations: { [`${AWS}type`]: "external", [`${AWS}nlb-target-type`]: "ip" }, ingress: NLB_NAME },
      "pods",
      false,
    ],
    [
      "AWS NLB, pods, UDP",
      { annotations: { [`${AWS}type`]: "nlb-ip" }, ingress: NLB_NAME, protocol: "UDP" },
      "pods",
      true,
    ],
    [
      "AWS NLB, told to keep",
      {
        loadBalancerClass: "service.k8s.aws/nlb",
        annotations: {
          [`${AWS}nlb-target-type`]: "ip",
          [`${AWS}target-group-attributes`]: "stickiness.enabled=true,preserve_client_ip.enabled=true",
        },
        ingress: NLB_NAME,
      },
      "pods",
      true,
    ],
    ["Google, by the nodes", { providerId: "gce://p/europe-west1-b/n1" }, "passthrough", true],
    ["Google, internal", { annotations: { "networking.gke.io/load-balancer-type": "Internal" } }, "passthrough", true],
    ["Azure, by the nodes", { providerId: "azure:///subscriptions/0/vm" }, "passthrough", true],
    [
      "Azure without floating IP",
      { annotations: { "service.beta.kubernetes.io/azure-disable-load-balancer-floating-ip": "true" } },
      "nat",
      true,
    ],
    ["Alibaba CLB", { providerId: "cn-hangzhou.i-bp1abc" }, "nat", true],
    [
      "Alibaba CLB, pods",
      {
        annotations: {
          "service.beta.kubernetes.io/alibaba-cloud-loadbalancer-id": "lb-1",
          "service.beta.kubernetes.io/backend-type": "eni",
        },
      },
      "pods",
      true,
    ],
    ["Alibaba NLB", { loadBalancerClass: "alibabacloud.com/nlb" }, "nat", "?"],
    ["Tencent CLB", { providerId: "qcloud:///800002/ins-1" }, "nat", true],
    ["Tencent CLB, pods", { annotations: { "service.cloud.tencent.com/direct-access": "true" } }, "pods", true],
    ["MetalLB", { annotations: { "metallb.universe.tf/address-pool": "main" } }, "passthrough", true],
    ["kube-vip", { annotations: { "kube-vip.io/loadbalancerIPs": VIP } }, "passthrough", true],
    ["Cilium, BGP", { loadBalancerClass: "io.cilium/bgp-control-plane" }, "passthrough", true],
    ["Octavia", { annotations: { "loadbalancer.openstack.org/floating-network-id": "x" } }, "nat", false],
    ["Hetzner", { providerId: "hcloud://1" }, "nat", false],
  ];

  test.each(rows)("%s", (_name, given, forwarding, keeps) => {
    const answer = fromOutside(given);
    expect(habit(answer, "forwarding")).toBe(forwarding);
    expect(answer.world.loadBalancers[0]?.preserveClient).toBe(keeps);
    expect(answer.verdict).toBe("reachable");
  });

  test("another's class takes a Service away from the cloud's own balancer", () => {
    const answer = ask(
      cluster({ providerId: "gce://p/z/n", loadBalancerClass: "example.com/own" }),
      "external",
      `${VIP}:80`,
    );
    expect(answer.world.loadBalancers).toEqual([]);
  });

  test("of a balancer whose maker nothing tells nothing is claimed", () => {
    const answer = ask(cluster(), "external", `${VIP}:80`);
    expect([answer.world.loadBalancers.length, answer.verdict]).toEqual([0, "undetermined"]);
  });
});

describe("whom they send to, and as whom", () => {
  test("externalTrafficPolicy Local: only nodes with an endpoint pass the health check, and the pod sees the client", () => {
    const answer = fromOutside({ providerId: "gce://p/z/n", policy: "Local" });
    expect([habit(answer, "targets"), answer.verdict, answer.seen]).toEqual(["node-1", "reachable", [CLIENT]]);
  });

  test("a balancer that does not check is one word away", () => {
    const id = `load-balancer/${VIP}/targets`;
    const answer = fromOutside({ providerId: "gce://p/z/n", policy: "Local" }, { [id]: "node-1,node-2" });
    expect(answer.verdict).toBe("intermittent");
    expect(answer.assumed.has(id)).toBe(false);
  });

  test("a proxy is seen in place of the client, from an address of the nodes' network", () => {
    const answer = fromOutside({
      annotations: { [`${AWS}type`]: "external", [`${AWS}nlb-target-type`]: "ip" },
      ingress: NLB_NAME,
    });
    expect(answer.seen).toEqual(["10.0.0.254"]);
  });

  test("what keeps the client's address, for once, does not", () => {
    const [balancer] = fromOutside({ ingress: NLB_NAME, policy: "Local" }).world.loadBalancers;
    const id = `load-balancer/${formatAddress(balancer!.address)}/preserveClient`;
    const answer = fromOutside({ ingress: NLB_NAME, policy: "Local" }, { [id]: "false" });
    expect([answer.verdict, answer.seen.includes(CLIENT)]).toEqual(["reachable", false]);
  });

  test("whether an Alibaba NLB keeps the client's address is left open", () => {
    const { exploration } = fromOutside({ loadBalancerClass: "alibabacloud.com/nlb", policy: "Local" });
    expect(exploration.facts.map((f) => f.id)).toContain(`load-balancer/${VIP}/preserveClient`);
  });

  test("layer 2: one node at a time, which is a fact; told otherwise it is chance", () => {
    const given = { annotations: { "metallb.io/ip-allocated-from-pool": "main" } };
    const one = fromOutside(given);
    expect(one.exploration.facts.map((f) => f.id)).toEqual([`load-balancer/${VIP}/node`]);
    const spread = fromOutside(given, { [`load-balancer/${VIP}/oneAtATime`]: "false" });
    expect([spread.exploration.facts, spread.exploration.branches.map((b) => b.share)]).toEqual([[], [0.5, 0.5]]);
  });

  test("source ranges are kept by the balancer itself", () => {
    const denied = fromOutside({ providerId: "gce://p/z/n", sourceRanges: ["192.0.2.0/24"] });
    expect([denied.verdict, denied.exploration.branches[0]?.request.drop]).toEqual(["unreachable", "FABRIC_DENY"]);
    expect(fromOutside({ providerId: "gce://p/z/n", sourceRanges: ["203.0.113.0/24"] }).verdict).toBe("reachable");
  });
});

test("what a balancer does with a ping is not guessed", () => {
  const answer = ask(cluster({ providerId: "gce://p/z/n" }), "external", VIP, { proto: "icmp" });
  expect(answer.verdict).toBe("undetermined");
});

describe("from objects alone, with nodes as kube-proxy would have them", () => {
  const objects = (given: Given): Record<string, string> => ({ "objects.yaml": cluster(given)["objects.yaml"]! });
  test.each([
    ["Google, Local", { providerId: "gce://p/z/n", policy: "Local" }, "external", [CLIENT]],
    ["Google, Cluster", { providerId: "gce://p/z/n" }, "external", ["10.0.0.11", "10.0.0.12"]],
    ["AWS NLB, Local", { ingress: NLB_NAME, policy: "Local" }, "external", [CLIENT]],
    [
      "AWS NLB, Local, from a node that is no target",
      { ingress: NLB_NAME, policy: "Local" },
      "node/node-2",
      ["10.0.0.12"],
    ],
  ] as const)("%s", (_name, given, from, seen) => {
    const answer = ask(objects(given), from, "svc/shop/web:80", { via: "loadbalancer" });
    expect([answer.verdict, [...answer.seen].sort()]).toEqual(["reachable", seen]);
  });
});

describe("inside out", () => {
  test("a node that is a target itself gets its own packet back and drops it", () => {
    const answer = ask(cluster({ ingress: NLB_NAME }), "node/node-1", "svc/shop/web:80", { via: "loadbalancer" });
    expect(answer.verdict).toBe("intermittent");
    expect(answer.exploration.branches.map((b) => b.request.drop)).toContain("IP_LOCAL_SOURCE");
  });

  test("a proxy hides that the packet comes from a target", () => {
    const answer = ask(cluster({ ingress: CLASSIC_NAME }), "node/node-1", "svc/shop/web:80", { via: "loadbalancer" });
    expect(answer.verdict).toBe("reachable");
  });

  test("where the user says at which node the packet arrives, no balancer stands between", () => {
    const answer = ask(cluster({ providerId: "gce://p/z/n" }), "external", `${VIP}:80`, { node: "node-2" });
    expect([answer.assumed.size, answer.exploration.branches.length]).toEqual([0, 1]);
  });
});
