import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, test } from "vitest";
import { AddressMap } from "../../packages/collect/src/anonymise/addresses.ts";
import { anonymise } from "../../packages/collect/src/anonymise/index.ts";
import { keyed } from "../../packages/collect/src/anonymise/keyed.ts";
import { assemble } from "../../packages/core/src/assemble/index.ts";
import {
  type Address,
  contains,
  formatPrefix,
  ipv4Of,
  ipv6Of,
  lastOf,
  lowBitsOf,
  networkOf,
  offset,
  type Prefix,
  parseAddress,
  parsePrefix,
} from "../../packages/core/src/net/index.ts";
import { readCase } from "../../packages/core/src/parse/index.ts";
import { decisiveLeg, resolveQuestion, trace } from "../../packages/core/src/trace/index.ts";

const by = keyed(Buffer.alloc(32, 7));
const v4 = fc.integer({ min: 0, max: 0xffffffff }).map(ipv4Of);
const v6 = fc.array(fc.nat({ max: 0xffff }), { minLength: 8, maxLength: 8 }).map(ipv6Of);

describe("addresses", () => {
  test("what is in a network stays in it, what is not stays out; networks and broadcasts stay such", () => {
    const network = fc
      .tuple(v4, fc.integer({ min: 8, max: 31 }))
      .map(([address, length]): Prefix => networkOf({ address, length }));
    fc.assert(
      fc.property(
        fc.array(network, { minLength: 1, maxLength: 6 }),
        fc.array(v4, { maxLength: 8 }),
        (networks, others) => {
          const map = new AddressMap(networks, by);
          for (const n of networks) {
            const first = n.address;
            const last = lastOf(n);
            const mapped: Prefix = { address: map.map(first), length: n.length };
            expect(networkOf(mapped)).toEqual(mapped);
            expect(map.map(last)).toBe(lastOf(mapped));
            for (const a of [...others, offset(first, 1), offset(last, -1)])
              expect(contains(mapped, map.map(a))).toBe(contains(n, a));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("two addresses share exactly as many leading bits as before", () => {
    const map = new AddressMap([], by);
    const shared = (a: Address, b: Address) => Math.clz32(lowBitsOf(a) ^ lowBitsOf(b));
    fc.assert(
      fc.property(v4, fc.integer({ min: 0, max: 0xffffff }), (a, x) => {
        const b = ipv4Of((lowBitsOf(a) ^ x) >>> 0);
        expect(shared(map.map(a), map.map(b))).toBe(shared(a, b));
      }),
    );
    fc.assert(
      fc.property(v6, v6, (a, b) => {
        expect(map.map(a) === map.map(b)).toBe(a === b);
      }),
    );
  });

  test.each(["0.0.0.0", "127.0.0.1", "169.254.1.1", "224.0.0.1", "255.255.255.255", "::", "::1", "ff02::1"])(
    "%s means itself",
    (text) => {
      const address = parseAddress(text)!;
      expect(new AddressMap([], by).map(address)).toEqual(address);
    },
  );

  test.each(["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"])("private stays private: %s", (text) => {
    const prefix = parsePrefix(text)!;
    const map = new AddressMap([], by);
    for (let i = 1; i < 200; i++) expect(contains(prefix, map.map(offset(prefix.address, i * 7)))).toBe(true);
  });
});

const FILES = [
  {
    path: "nodes/prod-worker-1/ip-d-addr.txt",
    text: `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq state UP group default qlen 1000
    link/ether 52:54:00:12:34:56 brd ff:ff:ff:ff:ff:ff
    inet 172.20.5.11/24 brd 172.20.5.255 scope global eth0
       valid_lft forever preferred_lft forever
    inet6 2001:db8:5::11/64 scope global
       valid_lft forever preferred_lft forever
`,
  },
  {
    path: "nodes/prod-worker-1/ip-rule.txt",
    text: "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
  },
  {
    path: "nodes/prod-worker-1/ip-route-show-table-all.txt",
    text: `default via 172.20.5.1 dev eth0
10.244.3.0/24 via 172.20.5.13 dev eth0
172.20.5.0/24 dev eth0 proto kernel scope link src 172.20.5.11
local 172.20.5.11 dev eth0 table local proto kernel scope host src 172.20.5.11
broadcast 172.20.5.255 dev eth0 table local proto kernel scope link src 172.20.5.11
local 127.0.0.0/8 dev lo table local proto kernel scope host src 127.0.0.1
`,
  },
  {
    path: "nodes/prod-worker-1/iptables-save.txt",
    text: `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
-A OUTPUT -d 10.96.7.8/32 -p tcp -m comment --comment "payroll/ledger:http cluster IP" -m tcp --dport 80 -j DNAT --to-destination 10.244.3.9:8080
COMMIT
*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
-A OUTPUT -d 10.244.3.0/24 -p tcp -m tcp --dport 8081 -m comment --comment "ledger of prod-worker-1" -j DROP
COMMIT
`,
  },
  { path: "nodes/prod-worker-1/pods/payroll/ledger-0/ip-rule.txt", text: "0:\tfrom all lookup local\n" },
  {
    path: "nodes/prod-worker-1/uname-a.txt",
    text: "Linux prod-worker-1 6.1.0-18-amd64 #1 SMP Debian x86_64 GNU/Linux\n",
  },
];

describe("a bundle", () => {
  const anonymous = anonymise(FILES, by);
  const all = anonymous.map((f) => `${f.path}\n${f.text}`).join("\n");

  test("no name, address or MAC of the original is in it", () => {
    for (const secret of [
      "prod-worker-1",
      "payroll",
      "ledger",
      "172.20.5.",
      "10.96.7.8",
      "10.244.3.",
      "52:54:00",
      "2001:db8:5:",
    ])
      expect(all, secret).not.toContain(secret);
  });

  test("it is read as before, line by line", () => {
    const before = readCase(FILES);
    const after = readCase(anonymous);
    expect(after.dumps.map((d) => [d.dialect.id, d.lines, d.reading.counts])).toEqual(
      before.dumps.map((d) => [d.dialect.id, d.lines, d.reading.counts]),
    );
    expect(after.dumps.flatMap((d) => d.reading.diagnostics)).toEqual([]);
  });

  test("the walk is the same but for names", () => {
    const walk = (files: typeof FILES, node: string, to: string) => {
      const { world } = assemble(readCase(files));
      const resolved = resolveQuestion(world, { from: `node/${node}`, to });
      if (resolved.ok !== true) throw new Error(JSON.stringify(resolved));
      return trace(resolved.world, resolved.question).branches.map((b) => {
        const leg = decisiveLeg(b);
        return [b.share, leg.disposition, leg.step, leg.drop, b.clientSees, leg.steps.length];
      });
    };
    const rules = anonymous.find((f) => f.path.endsWith("iptables-save.txt"))!.text;
    const service = /-A OUTPUT -d (\S+)\/32 .*--dport 80 /.exec(rules)![1]!;
    const blocked = /--to-destination (\S+):8080/.exec(rules)![1]!;
    expect(walk([...anonymous], "node-1", `${service}:80`)).toEqual(walk(FILES, "prod-worker-1", "10.96.7.8:80"));
    expect(walk([...anonymous], "node-1", `${blocked}:8081`)).toEqual(walk(FILES, "prod-worker-1", "10.244.3.9:8081"));
    expect(JSON.stringify(walk(FILES, "prod-worker-1", "10.244.3.9:8081"))).toContain("dropped");
  });

  test("networks, masks, broadcasts, ports and the machine's own addresses keep their form", () => {
    expect(all).toMatch(/inet 172\.\d+\.\d+\.\d+\/24 brd 172\.\d+\.\d+\.255 scope global eth0/);
    expect(all).toContain("inet 127.0.0.1/8");
    expect(all).toContain("brd ff:ff:ff:ff:ff:ff");
    expect(all).toMatch(/^10\.\d+\.\d+\.0\/24 via /m);
    const prefix = parsePrefix(/^(172\.\S+\/24) dev eth0 proto kernel/m.exec(all)![1]!)!;
    expect(formatPrefix(networkOf(prefix))).toBe(formatPrefix(prefix));
    expect(anonymous.map((f) => f.path)).toContain(
      "nodes/node-1/pods/namespace-1/name-1/ip-rule.txt".replace("name-1", /name-\d+/.exec(anonymous[4]!.path)![0]),
    );
  });
});

test("the addresses of a capture are hidden, the port behind them is kept", () => {
  const line = "09:23:57.9 IP 10.25.1.9.43792 > 10.111.9.80.80: Flags [S], seq 1, win 64240, length 0\n";
  const [file] = anonymise([{ path: "tcpdump.eth0.txt", text: line }], by);
  expect(file?.text).not.toMatch(/10\.25\.1\.9|10\.111\.9\.80/);
  expect(file?.text).toMatch(/IP \d+\.\d+\.\d+\.\d+\.43792 > \d+\.\d+\.\d+\.\d+\.80: Flags/);
});
