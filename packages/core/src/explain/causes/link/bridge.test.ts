import { ADDRESSES, ask, filter, NODE, nat, POD, SYSCTLS, toService } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";

const local = (endpoint: string, sysctl = SYSCTLS) => ({
  ...NODE,
  "nodes/a/iptables-save.txt": nat(endpoint) + filter(),
  "nodes/a/sysctl.txt": sysctl,
});
const NF_OFF = SYSCTLS.replace("call-iptables = 1", "call-iptables = 0");

describe("BRIDGE_NF_OFF", () => {
  test("an endpoint on the client's bridge answers past netfilter", () => {
    const { claims, causes } = ask(local("10.244.1.6", NF_OFF), toService());
    expect(claims).toEqual(["BRIDGE_NF_OFF proven"]);
    expect(causes[0]).toMatchObject({ direction: "reply", stack: "a" });
    expect(causes[0]?.lines).toContain("net.bridge.bridge-nf-call-iptables = 0");
  });
  test("guard: called for bridged packets, or an endpoint elsewhere", () => {
    expect(ask(local("10.244.1.6"), toService()).claims).toEqual([]);
    expect(ask(local("10.244.2.7", NF_OFF), toService()).claims).toEqual([]);
  });

  const capture = (answer: string) => `$ tcpdump -nn -i any port 80 or port 8080
listening on any, link-type LINUX_SLL (Linux cooked), capture size 262144 bytes
10:00:00.000001 IP 10.244.1.5.40000 > 10.96.0.20.80: Flags [S], seq 1000, win 64240, length 0
10:00:00.000060 IP 10.244.1.5.40000 > 10.244.1.6.8080: Flags [S], seq 1000, win 64240, length 0
10:00:00.000080 IP 10.244.1.6.8080 > 10.244.1.5.40000: Flags [S.], seq 5000, ack 1001, win 65160, length 0
${answer}`;
  const reset = "10:00:00.000090 IP 10.244.1.5.40000 > 10.244.1.6.8080: Flags [R], seq 1001, win 0, length 0\n";
  const alone = { "nodes/a/ip-addr.txt": ADDRESSES };
  test("a capture alone shows it", () => {
    const { claims, causes } = ask({ ...alone, "nodes/a/tcpdump.txt": capture(reset) }, toService());
    expect(claims[0]).toBe("BRIDGE_NF_OFF inferred");
    expect(causes[0]?.check?.command).toBe("sysctl net.bridge.bridge-nf-call-iptables");
  });
  test("guard: the answer was translated back", () => {
    const fine = `10:00:00.000085 IP 10.96.0.20.80 > 10.244.1.5.40000: Flags [S.], seq 5000, ack 1001, win 65160, length 0
10:00:00.000095 IP 10.244.1.5.40000 > 10.96.0.20.80: Flags [.], ack 5001, win 502, length 0
`;
    expect(ask({ ...alone, "nodes/a/tcpdump.txt": capture(fine) }, toService()).codes).not.toContain("BRIDGE_NF_OFF");
  });
  test("guard: client and endpoint are not on one bridge", () => {
    const elsewhere = capture(reset).replaceAll("10.244.1.6", "10.244.2.6");
    expect(ask({ ...alone, "nodes/a/tcpdump.txt": elsewhere }, toService()).codes).not.toContain("BRIDGE_NF_OFF");
  });
  test("guard: netfilter is known to be called", () => {
    const files = { ...alone, "nodes/a/sysctl.txt": SYSCTLS, "nodes/a/tcpdump.txt": capture(reset) };
    expect(ask(files, toService()).codes).not.toContain("BRIDGE_NF_OFF");
  });
});

describe("HAIRPIN_OFF", () => {
  const port = (
    mode: string,
  ) => `5: veth0@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue master cni0 state UP
    link/ether 7a:00:00:00:00:05 brd ff:ff:ff:ff:ff:ff link-netnsid 0
    bridge_slave state forwarding priority 32 cost 2 hairpin ${mode} guard off root_block off fastleave off learning on flood on
`;
  test("a pod that calls itself, and its bridge's ports do not turn frames back", () => {
    const { claims } = ask({ ...local(POD), "nodes/a/ip-d-link.txt": port("off") }, toService());
    expect(claims).toEqual(["HAIRPIN_OFF proven"]);
  });
  test("guard: they do", () => {
    expect(ask({ ...local(POD), "nodes/a/ip-d-link.txt": port("on") }, toService()).claims).toEqual([]);
  });
  test("not shown: it decides, and is possible at most", () => {
    const { verdict, claims } = ask(local(POD), toService());
    expect(verdict).toBe("undetermined");
    expect(claims).toEqual(["HAIRPIN_OFF possible"]);
  });
  test("guard: another endpoint of the bridge needs no turning back", () => {
    expect(ask({ ...local("10.244.1.6"), "nodes/a/ip-d-link.txt": port("off") }, toService()).claims).toEqual([]);
  });
});

describe("CONNTRACK_INVALID_RST", () => {
  const begin = `10:00:00.000001 IP 10.244.1.5.40000 > 10.96.0.20.80: Flags [S], seq 1000, win 64240, length 0
10:00:00.000060 IP 10.244.1.5.40000 > 10.244.2.7.8080: Flags [S], seq 1000, win 64240, length 0
10:00:00.000080 IP 10.244.2.7.8080 > 10.244.1.5.40000: Flags [S.], seq 5000, ack 1001, win 65160, length 0
10:00:00.000081 IP 10.96.0.20.80 > 10.244.1.5.40000: Flags [S.], seq 5000, ack 1001, win 65160, length 0
10:00:00.000090 IP 10.244.1.5.40000 > 10.96.0.20.80: Flags [.], ack 1, win 502, length 0
`;
  const stray = `10:00:01.000000 IP 10.244.2.7.8080 > 10.244.1.5.40000: Flags [.], ack 1, win 502, length 0
10:00:01.000010 IP 10.244.1.5.40000 > 10.244.2.7.8080: Flags [R], seq 1001, win 0, length 0
`;
  const head = "$ tcpdump -nn -i veth0\nlistening on veth0, link-type EN10MB (Ethernet), capture size 262144 bytes\n";
  const files = (text: string, more = "") => ({
    ...NODE,
    "nodes/a/sysctl.txt": SYSCTLS + more,
    "nodes/a/tcpdump.veth0.txt": head + text,
  });
  test("in an established connection the endpoint's own address appears, and is reset", () => {
    expect(ask(files(begin + stray), toService()).claims).toContain("CONNTRACK_INVALID_RST inferred");
  });
  test("captured at the client alone, where the stray looks like another connection", () => {
    const client = begin
      .split("\n")
      .filter((line) => !line.includes("10.244.2.7"))
      .join("\n");
    expect(ask(files(client + stray), toService()).claims).toContain("CONNTRACK_INVALID_RST inferred");
  });
  test("guard: be_liberal, or no reset", () => {
    const liberal = "net.netfilter.nf_conntrack_tcp_be_liberal = 1\n";
    expect(ask(files(begin + stray, liberal), toService()).codes).not.toContain("CONNTRACK_INVALID_RST");
    expect(ask(files(begin), toService()).codes).not.toContain("CONNTRACK_INVALID_RST");
  });
});

describe("L2_PATH", () => {
  const port = (
    n: number,
    state: string,
  ) => `${n}: veth${n}@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue master cni0 state UP
    link/ether 7a:00:00:00:00:0${n} brd ff:ff:ff:ff:ff:ff link-netnsid 0
    bridge_slave state ${state} priority 32 cost 2 hairpin off guard off root_block off fastleave off learning on flood on
`;
  const pod = (n: number) => ({
    [`nodes/a/pods/default/p${n}/ip-addr.txt`]: `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536
    inet 127.0.0.1/8 scope host lo
2: eth0@if${n}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450
    link/ether 0a:00:00:00:00:0${n} brd ff:ff:ff:ff:ff:ff
    inet 10.244.1.${n}/24 scope global eth0
`,
    [`nodes/a/pods/default/p${n}/ip-route.txt`]: `default via 10.244.1.1 dev eth0
10.244.1.0/24 dev eth0 proto kernel scope link src 10.244.1.${n}
`,
  });
  const files = (state: string) => ({
    "nodes/a/ip-d-addr.txt": `3: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450
    link/ether 52:54:00:00:01:01 brd ff:ff:ff:ff:ff:ff
    bridge forward_delay 1500
    inet 10.244.1.1/24 scope global cni0
${port(5, state)}${port(6, "forwarding")}`,
    "nodes/a/sysctl.txt": NF_OFF,
    ...pod(5),
    ...pod(6),
  });
  const links = `links:
  - { type: veth, ends: ["a:veth5", "default/p5:eth0"] }
  - { type: veth, ends: ["a:veth6", "default/p6:eth0"] }
`;
  test("the pod's port does not forward, and its guard", () => {
    const asked = { from: "pod/default/p5", to: "10.244.1.6:80" };
    expect(ask(files("blocking"), asked, links).claims).toEqual(["L2_PATH inferred"]);
    expect(ask(files("forwarding"), asked, links)).toMatchObject({ leaning: "reachable", claims: [] });
  });
  const down = (n: number) =>
    port(n, "disabled")
      .replace("<BROADCAST,MULTICAST,UP,LOWER_UP>", "<BROADCAST,MULTICAST>")
      .replace("state UP", "state DOWN");
  const failed = (of: number) => ({
    ...files("forwarding"),
    "nodes/a/ip-d-addr.txt": files("forwarding")["nodes/a/ip-d-addr.txt"].replace(port(of, "forwarding"), down(of)),
    "nodes/a/ip-route.txt": "10.244.1.0/24 dev cni0 proto kernel scope link src 10.244.1.1\n",
    "nodes/a/ip-neigh.txt": "10.244.1.6 dev cni0 FAILED\n",
  });
  test("a port that is down is that, though the neighbour behind it has failed already", () => {
    const { causes, verdict } = ask(failed(6), { from: "node/a", to: "10.244.1.6:80" }, links);
    expect(verdict).toBe("unreachable");
    expect(causes.map((c) => [c.code, c.certainty, c.said])).toEqual([["LINK_DOWN", "proven", "veth6 of a is down"]]);
  });
  test("guard: a port that leads to somebody else may be down as well", () => {
    const both = failed(6);
    const text = both["nodes/a/ip-d-addr.txt"].replace(port(5, "forwarding"), down(5));
    const { causes } = ask({ ...both, "nodes/a/ip-d-addr.txt": text }, { from: "node/a", to: "10.244.1.6:80" }, links);
    expect(causes.map((c) => c.said)).toEqual(["veth6 of a is down"]);
  });
});
