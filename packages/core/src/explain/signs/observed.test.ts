import { ADDRESSES, ask, filter, NODE, nat, POD, ROUTES, SYSCTLS, toService } from "@hairpin/testing/dumps.ts";
import { describe, expect, test } from "vitest";

const question = { from: "10.244.1.0", to: "10.244.2.7:8080" };
const on = (device: string) => `listening on ${device}, link-type EN10MB (Ethernet), capture size 262144 bytes\n`;
const outer = (from: string, to: string, times: number, second: number) =>
  Array.from(
    { length: times },
    (_, i) => `10:00:0${second + i}.000000 IP 10.0.0.${from}.45000 > 10.0.0.${to}.8472: UDP, length 82\n`,
  ).join("");
const syn = (sport: number, times: number) =>
  Array.from(
    { length: times },
    (_, i) =>
      `10:00:0${i}.000000 IP 10.244.1.0.${sport} > 10.244.2.7.8080: Flags [S], seq 77${sport}, win 64240, length 0\n`,
  ).join("");

describe("UNDERLAY_FILTER", () => {
  const client = `$ tcpdump -nn -i flannel.1\n${on("flannel.1")}${syn(40001, 3)}`;
  const here = (text: string) => `$ tcpdump -nn -i eth0 port 8472\n${on("eth0")}${text}`;
  test("tunnel packets leave one node and do not reach the other, all of them", () => {
    const files = {
      "nodes/a/tcpdump.flannel1.txt": client,
      "nodes/a/tcpdump.eth0.txt": here(outer("1", "2", 3, 0)),
      "nodes/b/tcpdump.eth0.txt": here(outer("1", "2", 3, 0) + outer("2", "1", 3, 0)),
    };
    const { causes } = ask(files, question);
    expect(causes[0]).toMatchObject({ code: "UNDERLAY_FILTER", certainty: "inferred", direction: "reply" });
    expect(causes[0]?.said).toContain("UDP 8472 from 10.0.0.2 to 10.0.0.1");
  });
  test("guard: both captures show both directions", () => {
    const both = here(outer("1", "2", 3, 0) + outer("2", "1", 3, 0));
    const files = {
      "nodes/a/tcpdump.flannel1.txt": client,
      "nodes/a/tcpdump.eth0.txt": both,
      "nodes/b/tcpdump.eth0.txt": both,
    };
    expect(ask(files, question).codes).not.toContain("UNDERLAY_FILTER");
  });
  test("guard: two captures of one node", () => {
    const files = {
      "nodes/a/tcpdump.flannel1.txt": client,
      "nodes/a/tcpdump.eth0.txt": here(outer("1", "2", 3, 0)),
      "nodes/a/tcpdump.eth1.txt": here(outer("1", "2", 3, 0) + outer("2", "1", 3, 0)),
    };
    expect(ask(files, question).codes).not.toContain("UNDERLAY_FILTER");
  });
  test("guard: the asked flow was not seen to fail", () => {
    const files = {
      "nodes/a/tcpdump.eth0.txt": here(outer("1", "2", 3, 0)),
      "nodes/b/tcpdump.eth0.txt": here(outer("1", "2", 3, 0) + outer("2", "1", 3, 0)),
    };
    expect(ask(files, question).codes).not.toContain("UNDERLAY_FILTER");
  });

  const entry = (src: string, flag: string) =>
    `udp      17 20 src=${src} dst=10.96.0.10 sport=4${flag === "" ? 2 : 1}000 dport=53 ${flag}src=10.244.2.9 dst=${src} sport=53 dport=4${flag === "" ? 2 : 1}000 mark=0 use=1\n`;
  const trace = `[10.000001] TRACE: filter:FORWARD:policy:1 IN=cni0 OUT=eth0 SRC=10.244.1.5 DST=10.244.2.9 LEN=60 TOS=0x00 PREC=0x00 TTL=63 ID=4 PROTO=UDP SPT=41000 DPT=53 LEN=40
[10.000002] TRACE: nat:POSTROUTING:policy:4 IN= OUT=eth0 SRC=10.244.1.5 DST=10.244.2.9 LEN=60 TOS=0x00 PREC=0x00 TTL=63 ID=4 PROTO=UDP SPT=41000 DPT=53 LEN=40
`;
  const dns = { from: POD, to: "10.96.0.10:53", proto: "udp" };
  const table = (text: string) => ({
    "nodes/a/ip-route.txt": ROUTES,
    "nodes/a/conntrack-L.txt": `$ conntrack -L\n${text}`,
    "nodes/a/dmesg.txt": trace,
  });
  test("the endpoint answers the node and not the pod, whose packet left", () => {
    const { claims, causes } = ask(table(entry(POD, "[UNREPLIED] ") + entry("10.0.0.1", "")), dns);
    expect(claims).toContain("UNDERLAY_FILTER possible");
    expect(causes.find((c) => c.code === "UNDERLAY_FILTER")?.check?.command).toBe("tcpdump -ni any host 10.244.1.5");
  });
  test("guard: nobody is answered", () => {
    const both = entry(POD, "[UNREPLIED] ") + entry("10.0.0.1", "[UNREPLIED] ");
    expect(ask(table(both), dns).codes).not.toContain("UNDERLAY_FILTER");
  });
});

describe("VXLAN_TX_CSUM_OFFLOAD", () => {
  const wrapped = (times: number) =>
    Array.from(
      { length: times },
      (_, i) => `10:00:0${i}.000000 IP 10.0.0.1.4500${i} > 10.0.0.2.8472: OTV, flags [I] (0x08), overlay 0, instance 1
IP 10.244.1.0.40001 > 10.244.2.7.8080: Flags [S], seq 911, win 64240, length 0
`,
    ).join("");
  const answered = `10:00:07.000100 IP 10.0.0.2.46000 > 10.0.0.1.8472: OTV, flags [I] (0x08), overlay 0, instance 1
IP 10.244.2.7.8080 > 10.244.1.0.40001: Flags [S.], seq 435, ack 912, win 27960, length 0
10:00:07.000200 IP 10.0.0.1.45006 > 10.0.0.2.8472: OTV, flags [I] (0x08), overlay 0, instance 1
IP 10.244.1.0.40001 > 10.244.2.7.8080: Flags [.], ack 1, win 342, length 0
`;
  const capture = (text: string) => `$ tcpdump -nn -i eth0 port 8472\n${on("eth0")}${text}`;
  test("some SYNs of one connection are lost in the tunnel, and a later one passes", () => {
    const files = {
      "nodes/a/tcpdump.eth0.txt": capture(wrapped(7) + answered),
      "nodes/b/tcpdump.eth0.txt": capture(wrapped(1) + answered),
    };
    expect(ask(files, question).claims).toContain("VXLAN_TX_CSUM_OFFLOAD inferred");
  });
  test("guard: all arrive", () => {
    const files = {
      "nodes/a/tcpdump.eth0.txt": capture(wrapped(1) + answered),
      "nodes/b/tcpdump.eth0.txt": capture(wrapped(1) + answered),
    };
    expect(ask(files, question).codes).not.toContain("VXLAN_TX_CSUM_OFFLOAD");
  });

  const ping = `$ tcpdump -nn -i flannel.1 host 10.244.2.7
${on("flannel.1")}10:00:00.000001 IP 10.244.1.0 > 10.244.2.7: ICMP echo request, id 7, seq 1, length 64
10:00:00.000101 IP 10.244.2.7 > 10.244.1.0: ICMP echo reply, id 7, seq 1, length 64
`;
  const curl = "$ curl -m 5 http://10.244.2.7:8080/\ncurl: (28) Connection timed out after 5001 milliseconds\n";
  const driver = "$ ethtool -i eth0\ndriver: vmxnet3\nversion: 1.7\n";
  test("ping passes the tunnel and TCP does not", () => {
    const files = { "nodes/a/curl.txt": curl, "nodes/b/tcpdump.flannel1.txt": ping };
    expect(ask(files, { from: "node/a", to: "10.244.2.7:8080" }).claims).toContain("VXLAN_TX_CSUM_OFFLOAD possible");
    const known = { ...files, "nodes/a/ethtool-i.txt": driver };
    expect(ask(known, { from: "node/a", to: "10.244.2.7:8080" }).claims).toContain("VXLAN_TX_CSUM_OFFLOAD inferred");
  });
  test("guard: TCP arrives behind the tunnel, too", () => {
    const both = `${ping}10:00:01.000001 IP 10.244.1.0.40002 > 10.244.2.7.8080: Flags [S], seq 5, win 64240, length 0\n`;
    const files = { "nodes/a/curl.txt": curl, "nodes/b/tcpdump.flannel1.txt": both };
    expect(ask(files, { from: "node/a", to: "10.244.2.7:8080" }).codes).not.toContain("VXLAN_TX_CSUM_OFFLOAD");
  });
});

describe("MASQ_TOO_MUCH and MARTIAN_LOCAL_SOURCE in a capture", () => {
  const line = (way: string, mac: string, flow: string, flags: string) =>
    `10:00:00.000001 ${way} ${mac} ethertype IPv4 (0x0800), length 76: ${flow}: ${flags}, win 29200, length 0\n`;
  const vm = "fa:00:00:00:00:05";
  const capture = `# tcpdump -i any -nne host 10.40.30.200
listening on any, link-type LINUX_SLL (Linux cooked), capture size 262144 bytes
${line("  P", vm, "10.40.12.7.42000 > 10.40.30.200.8443", "Flags [S], seq 4083216508")}${line("Out", vm, "10.40.30.11.21000 > 10.40.30.200.8443", "Flags [S], seq 4083216508")}${line(" In", "76:00:00:00:00:06", "10.40.30.200.8443 > 10.40.30.11.21000", "Flags [S.], seq 2043216204, ack 4083216509")}`;
  const asked = { from: "10.40.12.7", to: "10.40.30.200:8443" };
  test("a bridged frame is masqueraded, and its answer goes no further", () => {
    const { codes, causes } = ask({ "nodes/a/tcpdump.txt": capture }, asked);
    expect(codes).toEqual(expect.arrayContaining(["MASQ_TOO_MUCH", "MARTIAN_LOCAL_SOURCE"]));
    expect(causes.every((c) => c.certainty === "possible")).toBe(true);
    expect(causes.map((c) => c.check?.command)).toContain("ip addr show to 10.40.30.200");
  });
  test("guard: the answer was handed on", () => {
    const on = line(
      "Out",
      "52:00:00:00:00:01",
      "10.40.30.200.8443 > 10.40.12.7.42000",
      "Flags [S.], seq 2043216204, ack 4083216509",
    );
    expect(ask({ "nodes/a/tcpdump.txt": capture + on }, asked).codes).not.toContain("MARTIAN_LOCAL_SOURCE");
  });
});

describe("refused by the called address itself", () => {
  const capture = (from: string) => `$ tcpdump -nn -i eth0 host 203.0.113.5
${on("eth0")}10:00:00.000001 IP 10.244.1.5.40000 > 203.0.113.5.80: Flags [S], seq 16, win 29200, length 0
10:00:00.000101 IP ${from} > 10.244.1.5: ICMP 203.0.113.5 tcp port 80 unreachable, length 68
`;
  const asked = { from: POD, to: "203.0.113.5:80" };
  test("ETP_LOCAL_NO_ENDPOINT_IPVS: the node has the address, and nobody behind it", () => {
    expect(ask({ "tcpdump.txt": capture("203.0.113.5") }, asked).claims).toContain(
      "ETP_LOCAL_NO_ENDPOINT_IPVS possible",
    );
  });
  test("guard: a router's error says nothing of the kind", () => {
    expect(ask({ "tcpdump.txt": capture("10.0.0.254") }, asked).codes).not.toContain("ETP_LOCAL_NO_ENDPOINT_IPVS");
  });
});

describe("SRC_SELECTION_MULTI_NIC in LOG lines", () => {
  const log = (
    src: string,
    out: string,
  ) => `[100.000001] out-nat: IN= OUT=eth0 SRC=10.0.0.1 DST=10.96.0.20 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=500 DF PROTO=TCP SPT=40000 DPT=80 SEQ=7 ACK=0 WINDOW=29200 RES=0x00 SYN URGP=0
[100.000002] post-nat: IN= OUT=${out} SRC=${src} DST=10.244.2.7 LEN=60 TOS=0x00 PREC=0x00 TTL=64 ID=500 DF PROTO=TCP SPT=40000 DPT=8080 SEQ=7 ACK=0 WINDOW=29200 RES=0x00 SYN URGP=0
`;
  const curl = "$ curl -m 5 http://10.96.0.20/\ncurl: (28) Connection timed out after 5001 milliseconds\n";
  const files = (text: string, client = curl) => ({ "nodes/a/dmesg.txt": text, "nodes/a/curl.txt": client });
  const asked = { from: "10.0.0.1", to: "10.96.0.20:80", node: "a" };
  test("translated, it leaves by another device and keeps its source", () => {
    const { codes, causes } = ask(files(log("10.0.0.1", "flannel0")), asked);
    expect(codes).toEqual(expect.arrayContaining(["SRC_SELECTION_MULTI_NIC", "RP_FILTER_STRICT"]));
    expect(causes[0]?.check?.command).toContain("net.ipv4.conf.flannel0.rp_filter");
  });
  test("guard: the source was translated, or the device is the same", () => {
    expect(ask(files(log("10.244.1.0", "flannel0")), asked).codes).not.toContain("SRC_SELECTION_MULTI_NIC");
    expect(ask(files(log("10.0.0.1", "eth0")), asked).codes).not.toContain("SRC_SELECTION_MULTI_NIC");
  });
});

describe("of time and load", () => {
  const stats = (n: number) =>
    `cpu=0   \tfound=10 invalid=0 ignore=5 insert=0 insert_failed=${n} drop=${n} early_drop=0 error=0 search_restart=1\n`;
  test("CONNTRACK_INSERT_RACE: entries that clashed, of a flow that is translated", () => {
    const { claims, verdict } = ask({ ...NODE, "nodes/a/conntrack-S.txt": stats(40) }, toService());
    expect(claims).toEqual(["CONNTRACK_INSERT_RACE possible"]);
    expect(verdict).not.toBe("reachable");
  });
  test("guard: a counter of 0, or TCP that nobody translates", () => {
    expect(ask({ ...NODE, "nodes/a/conntrack-S.txt": stats(0) }, toService()).claims).toEqual([]);
    const direct = ask({ ...NODE, "nodes/a/conntrack-S.txt": stats(40) }, { from: POD, to: "10.244.2.7:8080" });
    expect(direct.codes).not.toContain("CONNTRACK_INSERT_RACE");
  });

  test("TCP_TW_RECYCLE_NAT, and kernels that no longer have it", () => {
    const on = { ...NODE, "nodes/a/sysctl.txt": `${SYSCTLS}net.ipv4.tcp_tw_recycle = 1\n` };
    expect(ask(on, toService()).claims).toEqual(["TCP_TW_RECYCLE_NAT possible"]);
    const later = { ...on, "nodes/a/uname.txt": "Linux a 5.10.0-9-amd64 #1 SMP x86_64 GNU/Linux\n" };
    expect(ask(later, toService()).codes).not.toContain("TCP_TW_RECYCLE_NAT");
    const off = { ...NODE, "nodes/a/sysctl.txt": `${SYSCTLS}net.ipv4.tcp_tw_recycle = 0\n` };
    expect(ask(off, toService()).claims).toEqual([]);
  });

  test("CONNTRACK_FULL by the kernel's word, by the count, and not by a count far below", () => {
    const log = "[1.0] nf_conntrack: nf_conntrack: table full, dropping packet\n";
    expect(ask({ ...NODE, "nodes/a/dmesg.txt": log }, toService()).codes).toContain("CONNTRACK_FULL");
    const count = (n: number) => ({
      ...NODE,
      "nodes/a/sysctl.txt": `${SYSCTLS}net.netfilter.nf_conntrack_count = ${n}\nnet.netfilter.nf_conntrack_max = 65536\n`,
    });
    expect(ask(count(65536), toService()).codes).toContain("CONNTRACK_FULL");
    expect(ask(count(900), toService()).claims).toEqual([]);
  });

  test("ARP_TABLE_OVERFLOW by the kernel's word", () => {
    const log = "[1.0] neighbour: arp_cache: neighbor table overflow!\n";
    expect(ask({ ...NODE, "nodes/a/dmesg.txt": log }, toService()).codes).toContain("ARP_TABLE_OVERFLOW");
  });

  test("CONNTRACK_STALE_UDP: an entry of before decides, and the flow works without it", () => {
    const udp = nat("10.244.2.7").replaceAll("-p tcp", "-p udp").replaceAll("-m tcp", "-m udp");
    const stale = (sport: number) =>
      `udp      17 20 src=10.244.1.5 dst=10.96.0.20 sport=${sport} dport=80 [UNREPLIED] src=10.96.0.20 dst=10.244.1.5 sport=80 dport=${sport} mark=0 use=1\n`;
    const files = { ...NODE, "nodes/a/iptables-save.txt": udp + filter(), "nodes/a/conntrack-L.txt": stale(43000) };
    const asked = { from: POD, to: "10.96.0.20:80", proto: "udp", sport: 43000 };
    expect(ask(files, asked).claims).toContain("CONNTRACK_STALE_UDP proven");
    expect(ask(files, { ...asked, sport: 43001 }).codes).not.toContain("CONNTRACK_STALE_UDP");
  });

  test("NODEPORT_PORT_TAKEN by kube-proxy's log", () => {
    const log = (port: number) =>
      `E0101 10:00:00.000000       1 proxier.go:1] "can't open port, skipping it" err="listen tcp4 :${port}: bind: address already in use" port={Description:nodePort for default/web IP: IPFamily:4 Port:${port} Protocol:TCP}\n`;
    const asked = { from: "192.0.2.9", to: "10.0.0.1:30080" };
    expect(ask({ ...NODE, "nodes/a/kube-proxy.log": log(30080) }, asked).codes).toContain("NODEPORT_PORT_TAKEN");
    expect(ask({ ...NODE, "nodes/a/kube-proxy.log": log(30081) }, asked).codes).not.toContain("NODEPORT_PORT_TAKEN");
  });

  test("MTU_BLACKHOLE: large segments stall where a tunnel's MTU does not add up", () => {
    const link = (
      mtu: number,
    ) => `${ADDRESSES}6: flannel.1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu ${mtu} qdisc noqueue state UNKNOWN
    link/ether 52:54:00:00:06:01 brd ff:ff:ff:ff:ff:ff
    vxlan id 1 local 10.0.0.1 dev eth0 srcport 0 0 dstport 8472 nolearning
    inet 10.244.1.0/32 scope global flannel.1
`;
    const stall = `$ tcpdump -nn -i eth0 host 10.244.2.7
${on("eth0")}10:00:00.000001 IP 10.244.1.5.40000 > 10.244.2.7.8080: Flags [S], seq 10, win 64240, length 0
10:00:00.000101 IP 10.244.2.7.8080 > 10.244.1.5.40000: Flags [S.], seq 20, ack 11, win 64240, length 0
10:00:00.000201 IP 10.244.1.5.40000 > 10.244.2.7.8080: Flags [.], ack 21, win 64240, length 0
10:00:00.100000 IP 10.244.1.5.40000 > 10.244.2.7.8080: Flags [.], seq 11:1411, ack 21, win 64240, length 1400
10:00:00.400000 IP 10.244.1.5.40000 > 10.244.2.7.8080: Flags [.], seq 11:1411, ack 21, win 64240, length 1400
10:00:01.000000 IP 10.244.1.5.40000 > 10.244.2.7.8080: Flags [.], seq 11:1411, ack 21, win 64240, length 1400
`;
    const direct = { from: POD, to: "10.244.2.7:8080" };
    const files = (mtu: number, text: string) => ({
      ...NODE,
      "nodes/a/ip-d-addr.txt": link(mtu),
      "nodes/a/ip-addr.txt": "",
      "nodes/a/tcpdump.txt": text,
    });
    expect(ask(files(1500, stall), direct).claims).toContain("MTU_BLACKHOLE inferred");
    expect(ask(files(1450, stall), direct).claims).toContain("MTU_BLACKHOLE possible");
    expect(ask(files(1500, ""), direct).codes).not.toContain("MTU_BLACKHOLE");
  });
});

describe("LB_LOOPBACK in a capture", () => {
  const line = (device: string, way: string, flow: string) =>
    `10:00:00.000001 ${device} ${way} IP ${flow}: Flags [S], seq 4080, win 29200, length 0\n`;
  const capture = (back: string) => `# tcpdump -nn -i any tcp
listening on any, link-type LINUX_SLL2 (Linux cooked v2), snapshot length 262144 bytes
${line("eth0", "Out", "10.0.0.1.40000 > 198.51.100.9.80")}${back}`;
  const asked = { from: "node/a", to: "198.51.100.9:80" };
  const files = (back: string) => ({ "nodes/a/ip-addr.txt": ADDRESSES, "nodes/a/tcpdump.txt": capture(back) });
  test("the packet comes back in with its own source, for a node port", () => {
    const { claims } = ask(files(line("eth0", "In ", "10.0.0.1.40000 > 10.0.0.1.30080")), asked);
    expect(claims).toContain("LB_LOOPBACK inferred");
  });
  test("guard: it was translated on its way out, or does not come back", () => {
    const translated = line("eth0", "Out", "10.0.0.1.40000 > 10.244.2.7.8080");
    expect(ask(files(translated), asked).codes).not.toContain("LB_LOOPBACK");
    expect(ask(files(""), asked).codes).not.toContain("LB_LOOPBACK");
  });
});

describe("CLOUD_SRC_DST_CHECK and POLICY_ROUTE_POD_SOURCE, where the walk delivers and the flow was seen to fail", () => {
  const cards = `${ADDRESSES}5: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
    link/ether 52:54:00:00:05:01 brd ff:ff:ff:ff:ff:ff
    inet 10.0.5.1/24 brd 10.0.5.255 scope global eth1
`;
  const files = (client: string) => ({
    ...NODE,
    "nodes/a/ip-addr.txt": cards,
    "nodes/a/ip-rule.txt":
      "0:\tfrom all lookup local\n1500:\tfrom 10.244.1.5 lookup 100\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
    "nodes/a/ip-route.txt": `${ROUTES}10.0.5.0/24 dev eth1 proto kernel scope link src 10.0.5.1\ndefault via 10.0.5.254 dev eth1 table 100\n`,
    "nodes/a/sysctl.txt": `${SYSCTLS}net.ipv4.conf.eth1.rp_filter = 0\n`,
    "nodes/a/tcpdump.txt": client,
  });
  const lost = `$ tcpdump -nn -i eth0 port 8080
${on("eth0")}10:00:00.000001 IP 192.0.2.9.40000 > 10.244.1.5.8080: Flags [S], seq 10, win 64240, length 0
10:00:01.000001 IP 192.0.2.9.40000 > 10.244.1.5.8080: Flags [S], seq 10, win 64240, length 0
`;
  const asked = { from: "192.0.2.9", to: "10.244.1.5:8080", node: "a", in: "eth0" };
  test("the pod's rule sends the answer out of another card", () => {
    expect(ask(files(lost), asked).claims).toContain("POLICY_ROUTE_POD_SOURCE possible");
  });
  test("guard: nothing was seen to fail", () => {
    expect(ask(files(""), asked).claims).toEqual([]);
  });
});

describe("what stands against the walk", () => {
  const files = (text: string) => ({
    ...NODE,
    "nodes/a/iptables-save.txt": nat() + filter("", "DROP"),
    "nodes/a/tcpdump.txt": `$ tcpdump -nn -i any port 80 or port 8080\nlistening on any, link-type LINUX_SLL (Linux cooked), capture size 262144 bytes\n${text}`,
  });
  const syn = "10:00:00.000001 IP 10.244.1.5.40000 > 10.96.0.20.80: Flags [S], seq 10, win 64240, length 0\n";
  const again = syn.replace("10:00:00", "10:00:01");
  test("a request that the walk loses was answered: nothing is proven, and it is said", () => {
    const answer =
      "10:00:00.000100 IP 10.244.2.7.8080 > 10.244.1.5.40000: Flags [S.], seq 20, ack 11, win 64240, length 0\n";
    const moved = "10:00:00.000050 IP 10.244.1.5.40000 > 10.244.2.7.8080: Flags [S], seq 10, win 64240, length 0\n";
    const { claims, contradictions } = ask(files(syn + moved + answer + again), toService());
    expect(claims).toEqual(["FORWARD_POLICY_DROP inferred"]);
    expect(contradictions.join("\n")).toContain("the reply was retransmitted and never acknowledged");
  });
  test("a request that goes unanswered confirms it", () => {
    expect(ask(files(syn + again), toService())).toMatchObject({
      claims: ["FORWARD_POLICY_DROP proven"],
      contradictions: [],
    });
  });
  test("where the walk delivers, it is said where the packet should have been seen next", () => {
    const { verdict, contradictions } = ask(
      { ...files(syn + again), "nodes/a/iptables-save.txt": nat() + filter() },
      toService(),
    );
    expect(verdict).toBe("undetermined");
    expect(contradictions.join("\n")).toMatch(/according to the trace it should be seen next at .+/);
  });
});
