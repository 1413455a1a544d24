import { describe, expect, test } from "vitest";
import { readCase } from "../case/read-case.ts";
import { dialects } from "./index.ts";

/** One or more lines of each kind, written for this test in the tools' own form. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  tcpdump: [
    "tcpdump: listening on eth0, link-type EN10MB (Ethernet), capture size 262144 bytes",
    "18:47:35.011943 IP (tos 0x0, ttl 63, id 0, offset 0, flags [DF], proto TCP (6), length 60)",
    "    10.1.4.194.8000 > 10.2.97.49.44624: Flags [S.], cksum 0x1ed1 (correct), seq 1, ack 2, win 65160, length 0",
    "16:46:35.562471   P 02:00:00:00:00:01 ethertype IPv4 (0x0800), length 76: 10.0.0.1.42712 > 10.0.0.2.10001: Flags [S], seq 4, length 0",
    "10:03:44.685400 eth0  Out IP 10.0.0.1.37025 > 10.0.0.2.80: Flags [S], seq 2191192236, win 28640, length 0",
    "2019-12-13 11:49:47.319093 IP 10.0.0.3.36708 > 10.0.8.106.80: Flags [S], seq 39, win 29200, length 0",
    "07:01:02.123456 ARP, Request who-has 10.0.0.9 tell 10.0.0.1, length 28",
  ],
  "kernel-log": [
    "Mar 31 16:57:22 slave1 kernel: raw out: IN= OUT=eth0 SRC=10.0.0.1 DST=10.0.0.2 LEN=60 TOS=0x00 PROTO=TCP SPT=5 DPT=80",
    "[90332.241576] TRACE: nat:KUBE-SERVICES:rule:14 IN=cbr0 OUT= SRC=10.0.0.1 DST=10.0.0.2 LEN=82 PROTO=UDP",
    "[  123.456789] IPv4: martian source 10.0.0.5 from 10.0.0.6, on dev eth0",
    "[  123.456790] ll header: 00000000: ff ff ff ff ff ff 02 00 00 00 00 01 08 06",
  ],
  nft: [
    "table ip nat {",
    "\tchain prerouting {",
    "\t\ttype nat hook prerouting priority dstnat; policy accept;",
    "\t\tip daddr 10.0.0.1 tcp dport 80 dnat to 10.0.0.2:8080",
    "\t}",
    "}",
  ],
  "nft-trace": [
    'trace id 1a2b3c4d ip nat prerouting packet: iif "eth0" ip saddr 10.0.0.1',
    "trace id 1a2b3c4d ip nat prerouting rule counter (verdict continue)",
  ],
  conntrack: [
    "tcp      6 86399 ESTABLISHED src=10.0.0.1 dst=10.0.0.2 sport=4 dport=80 src=10.0.0.3 dst=10.0.0.1 sport=80 dport=4 [ASSURED] mark=0 use=1",
    "ipv4     2 udp      17 29 src=10.0.0.1 dst=10.0.0.2 sport=5 dport=53 [UNREPLIED] src=10.0.0.2 dst=10.0.0.1 sport=53 dport=5 mark=0 zone=0 use=2",
  ],
  "conntrack-stats": [
    "cpu=0   \tfound=10 invalid=1 ignore=0 insert=0 insert_failed=3 drop=3 early_drop=0 error=0 search_restart=1",
  ],
  sockets: [
    "State    Recv-Q   Send-Q     Local Address:Port     Peer Address:Port  Process",
    "LISTEN   0        128              0.0.0.0:22            0.0.0.0:*",
    "tcp        0      0 127.0.0.1:6443          0.0.0.0:*               LISTEN      123/apiserver",
  ],
  counters: [
    "#kernel",
    "IpInReceives                    1234               0.0",
    "TcpExtTCPTimeouts               5                  0.0",
  ],
  ethtool: ["Features for flannel.1:", "rx-checksumming: on", "tx-checksumming: on", "\ttx-checksum-ip-generic: on"],
  client: [
    "curl: (7) Failed to connect to 10.0.0.1 port 80: Connection refused",
    "PING 10.0.0.1 (10.0.0.1) 56(84) bytes of data.",
    "64 bytes from 10.0.0.1: icmp_seq=1 ttl=64 time=0.035 ms",
    "Trying 10.0.0.1...",
    "Connected to 10.0.0.1.",
    ";; ANSWER SECTION:",
    "HTTP/1.1 200 OK",
  ],
  "cni-config": ['      "Network": "10.244.0.0/16",', '        "Type": "vxlan",', '        "Port": 8475'],
  "service-log": [
    "I0612 10:20:30.123456       1 main.go:89] Using interface with name eth0",
    'time="2024-01-02T03:04:05Z" level=info msg="ready"',
    "Jun 12 10:20:30 n1 kubelet[812]: E0612 10:20:30.1 812 kubelet.go:1] x",
  ],
  listing: ["dr-xr-xr-x 1 root root 0 Feb 10 11:42 core/", "-rw-r--r-- 1 root root 0 Feb 10 11:42 nf_conntrack_max"],
  diff: [
    "--- a.txt 2024-01-02 03:04:05.000000000 +0000",
    "+++ b.txt 2024-01-02 03:04:05.000000000 +0000",
    "@@ -1,3 +1,4 @@",
    "-a",
    "+b",
  ],
  "change-commands": [
    "ip rule add fwmark 42 lookup 100 pref 1024",
    "ip route add default via 10.0.0.1 dev veth0 table 100",
    "ethtool -K eth0 tx off",
  ],
};

describe("recognised, to be read later", () => {
  test.each(Object.entries(SAMPLES))("%s", (id, lines) => {
    const { dumps } = readCase([{ path: "notes.txt", text: `Some words.\n\n${lines.join("\n")}\n\nMore words.\n` }]);
    expect(dumps.map((d) => [d.dialect.id, d.lines])).toEqual([[id, [3, 2 + lines.length]]]);
    const unread = dialects.some((d) => d.id === id);
    expect(dumps[0]?.reading.facts.some((f) => f.kind === "not-read-yet")).toBe(unread);
    expect(dumps[0]?.reading.diagnostics).toEqual([]);
  });

  test.each([
    ["# tcpdump -nni eth0", "tcpdump"],
    ["# conntrack -L -p tcp", "conntrack"],
    ["# cat /proc/net/nf_conntrack", "conntrack"],
    ["# conntrack -S", "conntrack-stats"],
    ["# ss -lntp", "sockets"],
    ["# netstat -lntp", "sockets"],
    ["# nstat -az", "counters"],
    ["# netstat -s", "counters"],
    ["# ethtool -k eth0", "ethtool"],
    ["# nft list ruleset", "nft"],
    ["$ kubectl get svc -A", "kubectl-get"],
    ["$ kubectl get svc web -o yaml", "kubernetes"],
    ["$ kubectl get svc web -oyaml", "kubernetes"],
    ["$ kubectl describe svc web", "kubectl-describe"],
    ["# dmesg -T", "kernel-log"],
    ["# journalctl -k", "kernel-log"],
    ["# journalctl -u kubelet", "service-log"],
    ["$ docker logs flannel", "service-log"],
    ["$ curl -v 10.0.0.1", "client"],
    ["$ dig +short web.default", "client"],
    ["# cat /run/flannel/subnet.env", "flannel-env"],
    ["# diff -u a b", "diff"],
  ])("the output of %s", (command, id) => {
    const { dumps } = readCase([{ path: "notes.txt", text: `${command}\nwhatever 1 2 3=4 it printed\n` }]);
    expect(dumps.map((d) => d.dialect.id)).toEqual([id]);
  });

  test("every one has a sample", () => {
    const unsampled = dialects.map((d) => d.id).filter((id) => !Object.hasOwn(SAMPLES, id));
    expect(unsampled).toEqual(["kubectl-logs"]);
  });

  test("a binary capture", () => {
    const { dumps } = readCase([{ path: "nodes/a/tcpdump.eth0.pcap", binary: "pcap" }]);
    expect(dumps.map((d) => [d.dialect.id, d.node.value, d.context.captureDevice?.value])).toEqual([
      ["pcap", "a", "eth0"],
    ]);
  });
});
