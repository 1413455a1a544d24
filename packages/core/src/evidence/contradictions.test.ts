import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { hairpin } from "../../../../test/check/surface.ts";

const NODE = {
  "nodes/a/ip-addr.txt": `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    inet 10.0.0.1/24 brd 10.0.0.255 scope global eth0
`,
  "nodes/a/ip-route.txt":
    "default via 10.0.0.254 dev eth0\n10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.1\n",
  "nodes/a/ip-rule.txt": "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
  "nodes/a/iptables-save.txt": "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n",
};

async function diagnose(files: Readonly<Record<string, string>>, ...more: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-"));
  try {
    for (const [name, text] of Object.entries({ ...NODE, ...files })) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const { out } = await hairpin("diagnose", folder, "--json", "--from", "node/a", "--to", "10.0.0.9:80", ...more);
    const { verdict, leaning, contradictions } = JSON.parse(out) as {
      verdict: string;
      leaning: string | null;
      contradictions: string[];
    };
    return { verdict, ...(leaning !== null && { leaning }), contradictions };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const SYN = (time: string, from = "10.0.0.1") =>
  `${time} IP ${from}.4000 > 10.0.0.9.80: Flags [S], seq 1500000000, win 1, length 0\n`;

describe("a walk that delivers, beside what was seen", () => {
  test("nothing was seen", async () => {
    expect(await diagnose({})).toEqual({ verdict: "undetermined", leaning: "reachable", contradictions: [] });
  });
  test.each([
    ["refused", "$ curl 10.0.0.9\ncurl: (7) Failed to connect to 10.0.0.9 port 80: Connection refused\n"],
    [
      "timed out",
      "$ telnet 10.0.0.9 80\nTrying 10.0.0.9...\ntelnet: connect to address 10.0.0.9: Connection timed out\n",
    ],
    ["aborted", "$ curl http://10.0.0.9/\n^C\n"],
  ])("a client says %s", async (word, text) => {
    const { verdict, contradictions } = await diagnose({ "nodes/a/symptom.txt": text });
    expect(verdict).toBe("undetermined");
    expect(contradictions).toHaveLength(1);
    expect(contradictions[0]).toMatch(/^nodes\/a\/symptom\.txt:\d+ /);
    expect(contradictions[0]).toContain(word);
  });
  test("slow at times is neither: it comes and goes", async () => {
    const slow = "$ time curl -I 10.0.0.9\nHTTP/1.1 200 OK\n\nreal\t1m3.100s\nuser\t0m0.002s\nsys\t0m0.007s\n";
    const { verdict, contradictions } = await diagnose({ "nodes/a/symptom.txt": slow });
    expect([verdict, contradictions]).toEqual([
      "intermittent",
      ["nodes/a/symptom.txt:2 curl to 10.0.0.9:80 took 63.1 s"],
    ]);
  });
  test("a SYN that is sent again and again", async () => {
    const { verdict, contradictions } = await diagnose({
      "nodes/a/tcpdump.eth0.txt": SYN("10:00:00.1") + SYN("10:00:01.1"),
    });
    expect([verdict, contradictions.length]).toEqual(["undetermined", 2]);
    expect(contradictions[1]).toMatch(/seen at a eth0; according to the trace it should be seen next at .+$/);
    expect(contradictions[0]).toMatch(
      /^nodes\/a\/tcpdump\.eth0\.txt:1 10\.0\.0\.1:4000 > 10\.0\.0\.9:80: retransmitted without a reply/,
    );
  });
  test.each([
    [
      "another destination",
      { "nodes/a/s.txt": "$ curl 10.0.0.8\ncurl: (7) Failed to connect to 10.0.0.8 port 80: Connection refused\n" },
    ],
    [
      "another port",
      { "nodes/a/s.txt": "$ curl 10.0.0.9:81\ncurl: (7) Failed to connect to 10.0.0.9 port 81: Connection refused\n" },
    ],
    [
      "another way out",
      {
        "nodes/a/s.txt":
          "$ curl --interface eth7 10.0.0.9\ncurl: (7) Failed to connect to 10.0.0.9 port 80: Connection refused\n",
      },
    ],
    ["one SYN, and the text ends", { "nodes/a/tcpdump.eth0.txt": SYN("10:00:00.1") }],
  ])("%s says nothing against it", async (_, files) => {
    expect(await diagnose(files)).toEqual({ verdict: "undetermined", leaning: "reachable", contradictions: [] });
  });
  test("a connection that came about shows that whoever is asked is there", async () => {
    const capture = `${SYN("10:00:00.1")}10:00:00.2 IP 10.0.0.9.80 > 10.0.0.1.4000: Flags [S.], seq 7, ack 1500000001, win 1, length 0\n10:00:00.3 IP 10.0.0.1.4000 > 10.0.0.9.80: Flags [.], ack 1, win 1, length 0\n`;
    expect(await diagnose({ "nodes/a/tcpdump.eth0.txt": capture })).toEqual({
      verdict: "reachable",
      contradictions: [],
    });
  });
  test("a listing of who listens settles it", async () => {
    const rows =
      "Netid State  Recv-Q Send-Q Local Address:Port Peer Address:Port\ntcp   LISTEN 0      128          0.0.0.0:22        0.0.0.0:*\n";
    const { verdict } = await diagnose({ "nodes/a/s.txt": `# ss -lntu\n${rows}` }, "--to", "10.0.0.1:80");
    expect(verdict).toBe("unreachable");
    const tcp = await diagnose({ "nodes/a/s.txt": `# ss -lntp\n${rows}` }, "--to", "10.0.0.1:80");
    expect(tcp.verdict).toBe("unreachable");
    const udp = await diagnose({ "nodes/a/s.txt": `# ss -lnup\n${rows}` }, "--to", "10.0.0.1:80");
    expect(udp.verdict).toBe("undetermined");
    expect((await diagnose({ "nodes/a/s.txt": `# ss -lntu\n${rows}` }, "--to", "10.0.0.1:22")).verdict).toBe(
      "reachable",
    );
  });
});
