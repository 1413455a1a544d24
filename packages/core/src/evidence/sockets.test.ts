import { factsOf } from "@hairpin/testing/observed.ts";
import { describe, expect, test } from "vitest";
import { formatAddress } from "../net/index.ts";

describe("the connection table", () => {
  test("both directions, state, flags, mark, zone; ICMP by id and type", () => {
    const [fact] = factsOf(
      "x.txt",
      `$ conntrack -L
tcp      6 86399 ESTABLISHED src=10.0.0.1 dst=10.1.0.2 sport=4 dport=80 src=10.0.0.3 dst=10.0.0.1 sport=8080 dport=4 [ASSURED] mark=16384 zone=2 use=1
icmp     1 29 src=10.0.0.1 dst=10.0.0.2 type=8 code=0 id=99 [UNREPLIED] src=10.0.0.2 dst=10.0.0.1 type=0 code=0 id=99 mark=0 use=1
conntrack v1.4.6 (conntrack-tools): 2 flow entries have been shown.
`,
      "conntrack",
    );
    expect(fact?.extent).toBe("whole");
    expect(fact?.entries[0]).toMatchObject({
      tcpState: "ESTABLISHED",
      assured: true,
      unreplied: false,
      mark: 16384,
      zone: 2,
      timeout: 86399,
      original: { sport: 4, dport: 80, protocol: 6 },
      reply: { sport: 8080, dport: 4 },
    });
    expect(fact?.entries[1]).toMatchObject({ unreplied: true, original: { sport: 99, dport: 0x800, protocol: 1 } });
  });
  test("a part of it is not the whole", () => {
    const line =
      "tcp 6 9 SYN_SENT src=10.0.0.1 dst=10.0.0.2 sport=4 dport=80 [UNREPLIED] src=10.0.0.2 dst=10.0.0.1 sport=80 dport=4 mark=0 use=1\n";
    const extents = [
      `$ conntrack -L | grep 10.0.0.1\n${line}conntrack v1.4.6 (conntrack-tools): 1 flow entries have been shown.\n`,
      `$ conntrack -L -p tcp\n${line}conntrack v1.4.6 (conntrack-tools): 1 flow entries have been shown.\n`,
      `$ conntrack -L\n${line}conntrack v1.4.6 (conntrack-tools): 9 flow entries have been shown.\n`,
      line,
    ].map((text) => factsOf("x.txt", text, "conntrack")[0]?.extent);
    expect(extents).toEqual(["partial", "partial", "partial", "partial"]);
  });
  test("counters of each CPU", () => {
    const [fact] = factsOf("x.txt", "$ conntrack -S\ncpu=0   \tfound=1 invalid=2 insert_failed=3 drop=3\n", "counters");
    expect(fact?.counters.map((c) => [c.name, c.of, c.value])).toContainEqual(["conntrack.insert_failed", "cpu0", 3]);
  });
});

describe("who listens", () => {
  const SS = `Netid  State   Recv-Q  Send-Q   Local Address:Port    Peer Address:Port  Process
udp    UNCONN  0       0        127.0.0.53%lo:53         0.0.0.0:*      users:(("resolved",pid=1,fd=1))
tcp    LISTEN  0       128            0.0.0.0:22         0.0.0.0:*
tcp    LISTEN  0       128              [::1]:631           [::]:*
tcp    ESTAB   0       0            10.0.0.1:22        10.0.0.9:5555
`;
  const told = (file: string, text: string) =>
    factsOf(file, text, "listeners").map((f) => [f.extent, ...f.wholeFor])[0];
  const TCP =
    "State   Recv-Q  Send-Q   Local Address:Port    Peer Address:Port\nLISTEN  0  128  0.0.0.0:22  0.0.0.0:*\n";
  const NETSTAT = `Active Internet connections (only servers)
Proto Recv-Q Send-Q Local Address           Foreign Address         State
tcp        0      0 0.0.0.0:22              0.0.0.0:*               LISTEN
udp        0      0 0.0.0.0:68              0.0.0.0:*
`;
  test("a listing with its head and both states is whole, whoever made it", () => {
    expect(told("ss.txt", SS)).toEqual(["whole", 6, 17]);
    expect(told("nodes/a/sockets.txt", SS)).toEqual(["whole", 6, 17]);
    expect(told("netstat.txt", NETSTAT)).toEqual(["whole", 6, 17]);
    expect(told("ss.txt", TCP)).toEqual(["partial", 6]);
  });
  test("guard: without its head, of connections only, cut or filtered it is not", () => {
    const rows = SS.slice(SS.indexOf("\n") + 1);
    expect(told("ss.txt", rows)).toEqual(["partial"]);
    const netid = SS.slice(0, SS.indexOf("\n") + 1);
    expect(told("ss.txt", `${netid}tcp    ESTAB   0       0            10.0.0.1:22        10.0.0.9:5555\n`)).toEqual([
      "partial",
    ]);
    expect(told("ss.txt", `${netid}tcp    LISTEN  0       128            0.0.0.0:22         0.0.0.0:*\n`)).toEqual([
      "partial",
    ]);
    expect(told("x.txt", `$ ss -lntup sport = :22\n${SS}`)).toEqual(["partial"]);
    expect(told("x.txt", `$ ss -4lntup\n${SS}`)).toEqual(["partial"]);
    const without = NETSTAT.replace("only servers", "w/o servers");
    expect(told("netstat.txt", without)).toEqual(["partial"]);
  });
  test("ss", () => {
    const [fact] = factsOf("x.txt", `# ss -lntup\n${SS}`, "listeners");
    expect(fact?.extent).toBe("whole");
    expect(
      fact?.listeners.map((l) => [l.protocol, l.port, l.device, l.process, l.address && formatAddress(l.address)]),
    ).toEqual([
      [17, 53, "lo", "resolved", "127.0.0.53"],
      [6, 22, undefined, undefined, undefined],
      [6, 631, undefined, undefined, "::1"],
    ]);
  });
  test("a listing of one protocol, or a filtered one, is partial", () => {
    expect(factsOf("x.txt", `# ss -lntup | grep 22\n${SS}`, "listeners")[0]?.extent).toBe("partial");
    expect(factsOf("x.txt", `# ss -lnu\n${SS}`, "listeners")[0]?.extent).toBe("partial");
    expect(factsOf("x.txt", `# ss -lntu sport = :22\n${SS}`, "listeners")[0]?.extent).toBe("partial");
  });
  test("netstat", () => {
    const [fact] = factsOf(
      "x.txt",
      `# netstat -lntup
Active Internet connections (only servers)
Proto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name
tcp        0      0 127.0.0.1:6443          0.0.0.0:*               LISTEN      123/apiserver
tcp6       0      0 :::80                   :::*                    LISTEN      9/nginx
udp        0      0 0.0.0.0:68              0.0.0.0:*                           7/dhclient
`,
      "listeners",
    );
    expect(fact?.listeners.map((l) => [l.protocol, l.port, l.process])).toEqual([
      [6, 6443, "apiserver"],
      [6, 80, "nginx"],
      [17, 68, "dhclient"],
    ]);
  });
});

test("nstat, /proc/net/snmp and ethtool", () => {
  const nstat = factsOf(
    "x.txt",
    "# nstat -az\n#kernel\nTcpExtTCPTimeouts               5                  0.0\n",
    "counters",
  );
  expect(nstat[0]?.counters.map((c) => [c.name, c.value])).toEqual([["TcpExtTCPTimeouts", 5]]);
  const snmp = factsOf("x.txt", "# cat /proc/net/snmp\nUdp: InDatagrams NoPorts\nUdp: 7 9\n", "counters");
  expect(snmp[0]?.counters.map((c) => [c.name, c.value])).toEqual([
    ["UdpInDatagrams", 7],
    ["UdpNoPorts", 9],
  ]);
  const ethtool = factsOf(
    "x.txt",
    "# ethtool -k flannel.1\nFeatures for flannel.1:\nrx-checksumming: on\ntx-checksumming: off [fixed]\n",
    "settings",
  );
  expect(ethtool[0]?.settings.map((s) => [s.device, s.name, s.value])).toEqual([
    ["flannel.1", "rx-checksumming", "on"],
    ["flannel.1", "tx-checksumming", "off [fixed]"],
  ]);
});
