import { ask, filter, NODE, nat, POD, toService } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";

const rules = (text: string) => ({ ...NODE, "nodes/a/iptables-save.txt": text });
const withFilter = (more: string, forward = "ACCEPT") => rules(nat() + filter(more, forward));

describe("FORWARD_POLICY_DROP", () => {
  test("no rule accepts it and the policy is DROP", () => {
    const { claims, causes } = ask(withFilter("", "DROP"), toService());
    expect(claims).toEqual(["FORWARD_POLICY_DROP proven"]);
    expect(causes[0]).toMatchObject({ direction: "request", stack: "a", lines: [":FORWARD DROP [0:0]"] });
  });
  test("the answer may be the victim", () => {
    const oneWay = withFilter("-A FORWARD -s 10.244.1.0/24 -j ACCEPT\n", "DROP");
    expect(ask(oneWay, toService()).causes[0]).toMatchObject({ code: "FORWARD_POLICY_DROP", direction: "reply" });
  });
  test("guard: accepted, or not forwarded", () => {
    expect(ask(withFilter("-A FORWARD -j ACCEPT\n", "DROP"), toService()).claims).toEqual([]);
    expect(ask(withFilter("", "DROP"), toService("node/a")).claims).toEqual([]);
  });
});

describe("RULE_ORDER_REJECT", () => {
  const reject = "-A FORWARD -j REJECT --reject-with icmp-host-prohibited\n";
  test("the closing REJECT stands before the ACCEPT", () => {
    const { claims } = ask(withFilter(`${reject}-A FORWARD -s 10.244.0.0/16 -j ACCEPT\n`), toService());
    expect(claims).toEqual(["RULE_ORDER_REJECT proven"]);
  });
  test("in a chain of the distribution's own, and a DROP with the ACCEPT behind it", () => {
    const own = `:SITE-FORWARD - [0:0]
-A FORWARD -j SITE-FORWARD
-A SITE-FORWARD -p icmp -j ACCEPT
-A SITE-FORWARD -j REJECT --reject-with icmp-host-prohibited
`;
    expect(ask(withFilter(own), toService()).claims).toEqual(["RULE_ORDER_REJECT proven"]);
    const late = "-A FORWARD -j DROP\n-A FORWARD -s 10.244.0.0/16 -j ACCEPT\n";
    expect(ask(withFilter(late), toService()).claims).toEqual(["RULE_ORDER_REJECT proven"]);
    expect(ask(withFilter("-A FORWARD -j DROP\n"), toService()).claims).toEqual(["RULE_DROP proven"]);
  });
  test("guard: behind the ACCEPTs it is harmless", () => {
    const accepts = "-A FORWARD -s 10.244.0.0/16 -j ACCEPT\n-A FORWARD -d 10.244.0.0/16 -j ACCEPT\n";
    expect(ask(withFilter(accepts + reject), toService()).claims).toEqual([]);
  });
  test("guard: a REJECT for some is a plain rule", () => {
    const some = "-A FORWARD -d 10.244.2.0/24 -j REJECT --reject-with icmp-port-unreachable\n";
    expect(ask(withFilter(some), toService()).claims).toEqual(["RULE_DROP proven"]);
  });
});

describe("RULE_DROP", () => {
  test("table, chain and number are named", () => {
    const { causes } = ask(withFilter("-A FORWARD -d 10.244.2.7/32 -p tcp -m tcp --dport 8080 -j DROP\n"), toService());
    expect(causes[0]).toMatchObject({ code: "RULE_DROP", certainty: "proven" });
    expect(causes[0]?.said).toContain("rule 1 of FORWARD in table filter");
  });
  test("guard: the address that was called is translated by then", () => {
    expect(ask(withFilter("-A FORWARD -d 10.96.0.20/32 -j DROP\n"), toService()).claims).toEqual([]);
  });
});

describe("RAW_TABLE_FILTER", () => {
  const raw = (rule: string) => `*raw
:PREROUTING ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
${rule}COMMIT
`;
  test("a filter in raw drops the answer it does not know", () => {
    const drop = raw("-A PREROUTING -i eth0 -p tcp -m tcp --sport 8080 -j DROP\n");
    const { causes } = ask(rules(drop + nat() + filter()), toService());
    expect(causes[0]).toMatchObject({ code: "RAW_TABLE_FILTER", direction: "reply", certainty: "proven" });
  });
  test("guard: rules of raw that do not match", () => {
    const drop = raw("-A PREROUTING -i eth0 -p tcp -m tcp --sport 22 -j DROP\n");
    expect(ask(rules(drop + nat() + filter()), toService()).claims).toEqual([]);
  });
});

describe("NOTRACK_VS_POLICY", () => {
  const raw = (rule: string) => `*raw\n:PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n${rule}COMMIT\n`;
  const stateful =
    "-A FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT\n-A FORWARD -i cni0 -j ACCEPT\n-A FORWARD -j DROP\n";
  const direct = { from: POD, to: "10.244.2.7:8080" };
  test("the answer is kept out of conntrack and then not known to it", () => {
    const untracked = raw("-A PREROUTING -i eth0 -p tcp -m tcp --sport 8080 -j CT --notrack\n");
    expect(ask(rules(untracked + nat() + filter(stateful)), direct).claims).toContain("NOTRACK_VS_POLICY proven");
  });
  test("a request that is kept out of conntrack is not translated", () => {
    const untracked = (port: number) => raw(`-A PREROUTING -i cni0 -p tcp -m tcp --dport ${port} -j CT --notrack\n`);
    const answer = ask(rules(untracked(80) + nat() + filter()), toService());
    expect(answer.claims).toContain("NOTRACK_VS_POLICY proven");
    expect(ask(rules(untracked(81) + nat() + filter()), toService()).codes).not.toContain("NOTRACK_VS_POLICY");
  });
  test("guard: a drop that tracking does not cure", () => {
    const untracked = raw("-A PREROUTING -i eth0 -p tcp -m tcp --sport 8080 -j CT --notrack\n");
    const { codes } = ask(rules(untracked + nat() + filter("-A FORWARD -i eth0 -j DROP\n")), direct);
    expect(codes).toEqual(["RULE_DROP"]);
  });
});

describe("kube-proxy's own drops", () => {
  test("NO_ENDPOINTS by the rule's comment", () => {
    const none =
      '-A FORWARD -d 10.96.0.30/32 -p tcp -m comment --comment "default/empty has no endpoints" -m tcp --dport 80 -j REJECT --reject-with icmp-port-unreachable\n';
    expect(ask(withFilter(none), { from: POD, to: "10.96.0.30:80" }).claims).toEqual(["NO_ENDPOINTS proven"]);
    expect(ask(withFilter(none), toService()).claims).toEqual([]);
  });

  const external = (action: string) =>
    nat("10.244.2.7", "") +
    `*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:KUBE-EXTERNAL-SERVICES - [0:0]
-A INPUT -m conntrack --ctstate NEW -j KUBE-EXTERNAL-SERVICES
${action}COMMIT
`;
  test("ETP_LOCAL_NO_ENDPOINT_IPTABLES by the comment of 1.24 and later", () => {
    const drop =
      '-A KUBE-EXTERNAL-SERVICES -p tcp -m comment --comment "default/web has no local endpoints" -m addrtype --dst-type LOCAL -m tcp --dport 30080 -j DROP\n';
    const { claims } = ask(rules(external(drop)), { from: "192.0.2.9", to: "10.0.0.1:30080" });
    expect(claims).toEqual(["ETP_LOCAL_NO_ENDPOINT_IPTABLES inferred"]);
  });

  const firewall = (rule: string) => `*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:KUBE-FIREWALL - [0:0]
-A INPUT -j KUBE-FIREWALL
-A OUTPUT -j KUBE-FIREWALL
${rule}COMMIT
`;
  const marked =
    '-A KUBE-FIREWALL -m comment --comment "kubernetes firewall for dropping marked packets" -m mark --mark 0x8000/0x8000 -j DROP\n';
  test("RULE_CORRUPTED_BY_VERSION_SKEW: the rule without its mark", () => {
    const bare = '-A KUBE-FIREWALL -m comment --comment "kubernetes firewall for dropping marked packets" -j DROP\n';
    const { claims } = ask(rules(nat() + firewall(bare)), { from: "node/a", to: "192.0.2.1:443" });
    expect(claims).toEqual(["RULE_CORRUPTED_BY_VERSION_SKEW proven"]);
  });
  test("guard: with its mark it drops only what is marked", () => {
    expect(ask(rules(nat() + firewall(marked)), { from: "node/a", to: "192.0.2.1:443" }).claims).toEqual([]);
  });
  test("ETP_LOCAL_NO_ENDPOINT_IPTABLES by the mark, and who put it on", () => {
    const xlb = nat("10.244.2.7").replace(
      "COMMIT\n",
      `:KUBE-MARK-DROP - [0:0]
:KUBE-XLB-AAAAAAAAAAAAAAAA - [0:0]
-A KUBE-MARK-DROP -j MARK --set-xmark 0x8000/0x8000
-A KUBE-NODEPORTS -p tcp -m comment --comment "default/web" -m tcp --dport 30080 -j KUBE-XLB-AAAAAAAAAAAAAAAA
-A KUBE-XLB-AAAAAAAAAAAAAAAA -m comment --comment "default/web has no local endpoints" -j KUBE-MARK-DROP
COMMIT
`,
    );
    const { claims, causes } = ask(rules(xlb + firewall(marked)), { from: "192.0.2.9", to: "10.0.0.1:30080" });
    expect(claims).toEqual(["ETP_LOCAL_NO_ENDPOINT_IPTABLES inferred"]);
    expect(causes[0]?.lines).toContain("-A KUBE-MARK-DROP -j MARK --set-xmark 0x8000/0x8000");
  });

  test("LB_SOURCE_RANGES and its guard", () => {
    const ranges = (from: string) => `*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:KUBE-PROXY-FIREWALL - [0:0]
-A FORWARD -m conntrack --ctstate NEW -j KUBE-PROXY-FIREWALL
-A KUBE-PROXY-FIREWALL -s ${from} -d 10.244.2.7/32 -p tcp -m tcp --dport 8080 -j RETURN
-A KUBE-PROXY-FIREWALL -d 10.244.2.7/32 -p tcp -m comment --comment "default/web traffic not accepted by KUBE-FW" -m tcp --dport 8080 -j DROP
COMMIT
`;
    expect(ask(rules(nat() + ranges("198.51.100.0/24")), toService()).claims).toEqual(["LB_SOURCE_RANGES inferred"]);
    expect(ask(rules(nat() + ranges("10.244.0.0/16")), toService()).claims).toEqual([]);
  });
});

describe("other owners", () => {
  const policy = (allowed: string) => `:cali-FORWARD - [0:0]
:cali-tw-cali0 - [0:0]
-A FORWARD -j cali-FORWARD
-A cali-FORWARD -d 10.244.2.7/32 -g cali-tw-cali0
-A cali-tw-cali0 -s ${allowed} -j RETURN
-A cali-tw-cali0 -m comment --comment "Drop if no policies passed packet" -j DROP
`;
  test("NETWORK_POLICY_DROP and its guard", () => {
    expect(ask(withFilter(policy("10.244.9.0/24")), toService()).claims).toEqual(["NETWORK_POLICY_DROP proven"]);
    expect(ask(withFilter(policy("10.244.1.0/24")), toService()).claims).toEqual([]);
  });

  test("MASQ_TOO_MUCH: the policy would let the pod pass, and sees the node", () => {
    const all = nat("10.244.2.7", "").replace(
      "-A KUBE-SERVICES -d 10.96.0.20/32",
      "-A KUBE-SERVICES -d 10.96.0.20/32 -p tcp -m tcp --dport 80 -j KUBE-MARK-MASQ\n-A KUBE-SERVICES -d 10.96.0.20/32",
    );
    const far = {
      "nodes/b/ip-addr.txt": `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    link/ether 52:54:00:00:00:02 brd ff:ff:ff:ff:ff:ff
    inet 10.0.0.2/24 scope global eth0
3: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450
    link/ether 52:54:00:00:02:01 brd ff:ff:ff:ff:ff:ff
    inet 10.244.2.1/24 scope global cni0
`,
      "nodes/b/ip-route.txt": `default via 10.0.0.254 dev eth0
10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.2
10.244.1.0/24 via 10.0.0.1 dev eth0
10.244.2.0/24 dev cni0 proto kernel scope link src 10.244.2.1
`,
      "nodes/b/sysctl.txt":
        "net.ipv4.ip_forward = 1\nnet.ipv4.conf.all.rp_filter = 0\nnet.ipv4.conf.eth0.rp_filter = 0\n",
      "nodes/b/iptables-save.txt": filter(policy("10.244.1.0/24")),
    };
    const hidden = { ...rules(all + filter()), ...far };
    expect(ask(hidden, toService()).claims).toEqual(["MASQ_TOO_MUCH proven", "NETWORK_POLICY_DROP proven"]);
    const refused = { ...hidden, "nodes/b/iptables-save.txt": filter(policy("10.244.9.0/24")) };
    expect(ask(refused, toService()).claims).toEqual(["NETWORK_POLICY_DROP proven"]);
  });

  test("DOCKER_ISOLATION and its guard", () => {
    const isolation = (bridge: string) => `:DOCKER-ISOLATION-STAGE-1 - [0:0]
:DOCKER-ISOLATION-STAGE-2 - [0:0]
-A FORWARD -j DOCKER-ISOLATION-STAGE-1
-A DOCKER-ISOLATION-STAGE-1 -i ${bridge} ! -o ${bridge} -j DOCKER-ISOLATION-STAGE-2
-A DOCKER-ISOLATION-STAGE-2 -o eth0 -j DROP
`;
    expect(ask(withFilter(isolation("cni0")), toService()).claims).toEqual(["DOCKER_ISOLATION proven"]);
    expect(ask(withFilter(isolation("docker0")), toService()).claims).toEqual([]);
  });
});
