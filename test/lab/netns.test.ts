import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { type Device, type IptablesTable, is, unread, type World } from "@hairpin/core/model/index.ts";
import { formatAddress, maskFor, PROTO, singlePort } from "@hairpin/core/net/index.ts";
import {
  cleanLeftovers,
  frameBytes,
  type HookRecord,
  type LabBackend,
  netnsSupport,
  OBSERVE_ALL,
  type Observations,
  openNetns,
  realise,
  type Stimulus,
} from "@hairpin/lab/index.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { device, ip, listener, origin, route, rule, segment, stack, table, underlay, veth, world } from "./world.ts";

const support = netnsSupport();
if (!support.usable) console.warn(`SKIPPED: the lab on the running kernel: ${support.reasons.join("; ")}`);

const MASQUERADE = rule({
  outInterface: is("eth0"),
  target: { kind: "masquerade", random: false, randomFully: false },
});
const host = (address: string) => is({ address: ip(address), mask: maskFor(ip(address), 32) });

const dnat = (address: string, port: number, to: string, toPort: number) =>
  rule({
    destination: host(address),
    protocol: is(PROTO.tcp),
    matches: [{ kind: "tcp", dport: is(singlePort(port)) }],
    target: {
      kind: "dnat",
      to: { addresses: { from: ip(to), to: ip(to) }, ports: singlePort(toPort) },
      random: false,
      randomFully: false,
      persistent: false,
    },
  });

/** pod – veth – node – segment – router – veth – server. */
const chainOf = (tables: readonly IptablesTable[], sysctls: Readonly<Record<string, string>> = {}): World =>
  world(
    [
      stack("pod", "pod", [device("eth0", "veth", ["10.244.0.2/24"])], [route("0.0.0.0/0", "10.244.0.1", "eth0")]),
      stack(
        "node",
        "node",
        [device("eth0", "ethernet", ["10.0.0.10/24"]), device("veth1", "veth", ["10.244.0.1/24"])],
        [route("0.0.0.0/0", "10.0.0.1", "eth0")],
        { netfilter: { tables, nativeNft: [] }, sysctls: { "net.ipv4.ip_forward": "1", ...sysctls } },
      ),
      stack(
        "router",
        "router",
        [device("lan", "ethernet", ["10.0.0.1/24"]), device("wan", "veth", ["192.0.2.1/24"])],
        [],
        { sysctls: { "net.ipv4.ip_forward": "1", "net.ipv4.conf.lan.rp_filter": "1" } },
      ),
      stack("server", "vm", [device("eth0", "veth", ["192.0.2.80/24"])], [route("0.0.0.0/0", "192.0.2.1", "eth0")], {
        listeners: whole([listener("tcp", 8080), listener("udp", 53)]),
      }),
    ],
    [veth("pod:eth0", "node:veth1"), segment("lan", "node:eth0", "router:lan"), veth("router:wan", "server:eth0")],
  );
const whole = <T>(items: readonly T[]) => ({ items, extent: "whole" as const });

const connect = (to: string, port: number, rest: Partial<Extract<Stimulus, { kind: "connect" }>> = {}): Stimulus => ({
  kind: "connect",
  id: `${to}:${port}`,
  stack: "pod",
  to: ip(to),
  port,
  ...rest,
});

/** `raw/PREROUTING eth0>veth1 a:1>b:2 SYN ttl` for what a test compares. */
const SYN = 2;
const shown = (h: HookRecord): string =>
  `${h.table}/${h.chain} ${h.in}>${h.out} ${formatAddress(h.packet.src)}>${formatAddress(h.packet.dst)}:${h.packet.dport} ttl=${h.packet.ttl}`;
const syns = (o: Observations, name: string, n = 0): readonly string[] =>
  o.stimuli[n]!.hooks.filter((h) => h.stack === name && h.packet.flags === SYN).map(shown);

describe.skipIf(!support.usable)("the lab on the running kernel", () => {
  let lab: LabBackend;
  beforeAll(async () => {
    lab = await openNetns();
  });
  afterAll(async () => {
    await lab?.close();
  });
  const ask = async (w: World, stimuli: readonly Stimulus[]): Promise<Observations> => {
    const { plan, remarks } = realise(w, { stimuli });
    expect(remarks.filter((r) => r.kind === "missing")).toEqual([]);
    const seen = await lab.run(plan);
    expect(seen.problems).toEqual([]);
    return seen;
  };

  test.each(["legacy", "nft"] as const)("a masqueraded connection passes the hooks in order (%s)", async (backend) => {
    const seen = await ask(chainOf([table("nat", { POSTROUTING: [MASQUERADE] }, backend)]), [
      connect("192.0.2.80", 8080),
    ]);
    expect(seen.stimuli[0]!.result).toMatchObject({ outcome: "connected", echoed: 4 });
    expect(seen.stimuli[0]!.served).toMatchObject([{ listener: "server tcp/8080", peer: ip("10.0.0.10") }]);
    const from = "10.244.0.2>192.0.2.80:8080";
    expect(syns(seen, "node")).toEqual([
      `raw/PREROUTING veth1> ${from} ttl=64`,
      `mangle/PREROUTING veth1> ${from} ttl=64`,
      `nat/PREROUTING veth1> ${from} ttl=64`,
      `mangle/FORWARD veth1>eth0 ${from} ttl=63`,
      `filter/FORWARD veth1>eth0 ${from} ttl=63`,
      `mangle/POSTROUTING veth1>eth0 ${from} ttl=63`,
      `nat/POSTROUTING veth1>eth0 ${from} ttl=63`,
    ]);
    expect(syns(seen, "router")[0]).toBe("raw/PREROUTING lan> 10.0.0.10>192.0.2.80:8080 ttl=63");
    expect(new Set(seen.stimuli[0]!.hooks.filter((h) => h.stack === "node").map((h) => h.backend))).toEqual(
      new Set([backend]),
    );
    const [state] = seen.states.filter((s) => s.stack === "node");
    expect(state!.conntrack).toMatchObject([
      { original: { src: ip("10.244.0.2") }, reply: { dst: ip("10.0.0.10") }, tcpState: "ESTABLISHED" },
    ]);
    expect(state!.ruleCounts.find((c) => c.chain === "POSTROUTING" && c.rule === 1 && c.table === "nat")?.packets).toBe(
      1,
    );
  });

  test("a Service address is translated, and the answer translated back", async () => {
    const tables = [
      table("nat", { PREROUTING: [dnat("10.96.0.1", 80, "192.0.2.80", 8080)], POSTROUTING: [MASQUERADE] }),
    ];
    const seen = await ask(chainOf(tables), [connect("10.96.0.1", 80)]);
    expect(seen.stimuli[0]!.result.outcome).toBe("connected");
    const states = seen.stimuli[0]!.hooks.filter(
      (h) => h.stack === "node" && h.table === "mangle" && h.chain === "PREROUTING",
    );
    const told = seen.ctInfo ? ["NEW", "ESTABLISHED_REPLY", "ESTABLISHED"] : [undefined, undefined, undefined];
    expect(states.slice(0, 3).map((h) => h.ct)).toEqual(told);
    const frames = seen.stimuli[0]!.frames.filter(
      (f) => f.stack === "pod" && f.direction === "in" && f.packet !== undefined,
    );
    expect(formatAddress(frames[0]!.packet!.src)).toBe("10.96.0.1");
  });

  test("nat chains are not traversed where nothing asked for conntrack", async () => {
    const seen = await ask(chainOf([table("nat", { POSTROUTING: [rule({ target: { kind: "accept" } })] })]), [
      connect("192.0.2.80", 8080, { patience: 60 }),
    ]);
    const tables = seen.stimuli[0]!.hooks.filter((h) => h.stack === "node").map((h) => h.table);
    expect(tables.length).toBeGreaterThan(0);
    expect(tables).not.toContain("nat");
  });

  test("a spoofed source is dropped by rp_filter, and its counter tells", async () => {
    const w = chainOf([]);
    const { plan } = realise(w, { stimuli: [] });
    const mac = (s: string, d: string) =>
      plan.stacks.find((x) => x.name === s)!.devices.find((x) => x.name === d)!.mac!;
    const packet = { src: ip("192.0.2.99"), dst: ip("192.0.2.80"), protocol: PROTO.udp, sport: 7, dport: 53, size: 4 };
    const frame = frameBytes(mac("router", "lan"), mac("node", "eth0"), packet);
    const seen = await ask(w, [{ kind: "inject", stack: "node", device: "eth0", frame }]);
    expect(seen.stimuli[0]!.counters.get("router")!.get("TcpExtIPReversePathFilter")).toBe(1);
    expect(seen.stimuli[0]!.hooks.filter((h) => h.stack === "router").map((h) => h.chain)).toEqual([
      "PREROUTING",
      "PREROUTING",
    ]);
  });

  test("what the client is told: refused, unreachable, unanswered", async () => {
    const drop = table("filter", { FORWARD: [rule({ destination: host("192.0.2.77"), target: { kind: "drop" } })] });
    const seen = await ask(chainOf([drop, table("nat", { POSTROUTING: [MASQUERADE] })]), [
      connect("192.0.2.80", 81),
      connect("192.0.2.81", 80),
      connect("192.0.2.77", 80),
      { kind: "udp", stack: "pod", to: ip("192.0.2.80"), port: 53 },
      { kind: "udp", stack: "pod", to: ip("192.0.2.80"), port: 54, errorQueue: true },
      { kind: "ping", stack: "pod", to: ip("192.0.2.80") },
    ]);
    expect(seen.stimuli.map((s) => s.result.errno ?? s.result.outcome)).toEqual([
      "ECONNREFUSED",
      "EHOSTUNREACH",
      "timeout",
      "connected",
      "ECONNREFUSED",
      "connected",
    ]);
    expect(seen.stimuli[4]!.result.errorQueue).toEqual([
      { errno: "ECONNREFUSED", type: 3, code: 3, from: ip("192.0.2.80") },
    ]);
  });

  test("a change in mid-flow takes effect between two packets", async () => {
    const drop = rule({ target: { kind: "drop" } });
    const edit = { kind: "insert", chain: "FORWARD", position: 1, rule: drop } as const;
    const seen = await ask(chainOf([table("nat", { POSTROUTING: [MASQUERADE] }), table("filter", { FORWARD: [] })]), [
      connect("192.0.2.80", 8080),
      {
        kind: "change",
        stack: "node",
        change: { kind: "iptables", family: 4, backend: "legacy", table: "filter", edit },
      },
      { kind: "send", id: "192.0.2.80:8080" },
    ]);
    expect(seen.stimuli.map((s) => s.result.outcome)).toEqual(["connected", "sent", "timeout"]);
    expect(seen.stimuli[2]!.hooks.some((h) => h.stack === "node" && h.table === "filter")).toBe(true);
    expect(seen.stimuli[2]!.hooks.some((h) => h.stack === "node" && h.chain === "POSTROUTING")).toBe(false);
  });

  test("a SYN without answer is sent again where that is asked for, else never", async () => {
    const drop = table("filter", { FORWARD: [rule({ target: { kind: "drop" } })] });
    const seen = await ask(chainOf([drop]), [
      connect("192.0.2.80", 8080, { id: "again", retransmit: true }),
      connect("192.0.2.80", 8081, { id: "once" }),
      { kind: "wait", milliseconds: 1200 },
      { kind: "send", id: "once" },
    ]);
    expect(seen.stimuli.map((s) => s.result.errno ?? s.result.outcome)).toEqual([
      "timeout",
      "timeout",
      "sent",
      "ENOTCONN",
    ]);
    const later = seen.stimuli[2]!.hooks.filter((h) => h.stack === "node" && h.table === "raw");
    expect(later.map((h) => h.packet.dport)).toEqual([8080]);
  });

  test.skipIf(!existsSync("/proc/sys/net/bridge"))("bridged frames show the ports they cross", async () => {
    const pods = ["10.1.0.2", "10.1.0.3"].map((a, i) =>
      stack(`pod${i}`, "pod", [device("eth0", "veth", [`${a}/24`])], [], { listeners: whole([listener("tcp", 80)]) }),
    );
    const node = stack(
      "node",
      "node",
      [
        device("cni0", "bridge", ["10.1.0.1/24"]),
        device("v0", "veth", [], { master: "cni0" }),
        device("v1", "veth", [], { master: "cni0" }),
      ],
      [],
      {
        sysctls: { "net.bridge.bridge-nf-call-iptables": "1", "net.ipv4.ip_forward": "1" },
        netfilter: { tables: [table("filter", { FORWARD: [] })], nativeNft: [] },
      },
    );
    const w = world([...pods, node], [veth("pod0:eth0", "node:v0"), veth("pod1:eth0", "node:v1")]);
    const seen = await ask(w, [connect("10.1.0.3", 80, { stack: "pod0" })]);
    expect(seen.stimuli[0]!.result.outcome).toBe("connected");
    const hooks = seen.stimuli[0]!.hooks.filter((h) => h.stack === "node" && h.packet.flags === SYN);
    expect(hooks.map((h) => `${h.table}/${h.chain} ${h.in}>${h.out} ${h.physin}>${h.physout}`)).toEqual([
      "raw/PREROUTING cni0> v0>",
      "mangle/PREROUTING cni0> v0>",
      "mangle/FORWARD cni0>cni0 v0>v1",
      "filter/FORWARD cni0>cni0 v0>v1",
      "mangle/POSTROUTING >cni0 >v1",
    ]);
  });

  test.skipIf(!existsSync("/proc/sys/net/bridge"))(
    "a bridge port sends a frame back only in hairpin mode",
    async () => {
      const masqueradeAll = rule({ target: { kind: "masquerade", random: false, randomFully: false } });
      const of = (hairpin: boolean) => {
        const pod = stack(
          "pod",
          "pod",
          [device("eth0", "veth", ["10.1.0.2/24"])],
          [route("0.0.0.0/0", "10.1.0.1", "eth0")],
          {
            listeners: whole([listener("tcp", 80)]),
          },
        );
        const devices = [
          device("cni0", "bridge", ["10.1.0.1/24"]),
          device("v0", "veth", [], { master: "cni0", port: { hairpin } }),
        ];
        const tables = [
          table("nat", { PREROUTING: [dnat("10.96.0.1", 80, "10.1.0.2", 80)], POSTROUTING: [masqueradeAll] }),
        ];
        const node = stack("node", "node", devices, [], {
          sysctls: { "net.bridge.bridge-nf-call-iptables": "1", "net.ipv4.ip_forward": "1" },
          netfilter: { tables, nativeNft: [] },
        });
        return world([pod, node], [veth("pod:eth0", "node:v0")]);
      };
      for (const [hairpin, outcome] of [
        [true, "connected"],
        [false, "timeout"],
      ] as const) {
        const seen = await ask(of(hairpin), [connect("10.96.0.1", 80)]);
        expect([hairpin, seen.stimuli[0]!.result.outcome]).toEqual([hairpin, outcome]);
      }
    },
  );

  test("the underlay delivers by owner, without being felt, and balances load", async () => {
    const node = (n: number, listens: readonly ReturnType<typeof listener>[]) =>
      stack(
        `node${n}`,
        "node",
        [device("eth0", "ethernet", [`10.0.0.1${n}/24`])],
        [route("0.0.0.0/0", "10.0.0.1", "eth0")],
        { listeners: whole(listens) },
      );
    const client = stack(
      "client",
      "client",
      [device("eth0", "ethernet", ["198.51.100.7/24"])],
      [route("0.0.0.0/0", "198.51.100.1", "eth0")],
    );
    const w = world(
      [node(1, [listener("tcp", 30080)]), node(2, []), client],
      [underlay("node1:eth0", "node2:eth0", "client:eth0")],
      {
        loadBalancers: [
          {
            address: ip("203.0.113.5"),
            ports: [{ port: 80, protocol: PROTO.tcp, targetPort: 30080 }],
            targets: ["node1"],
            preserveClient: false,
            vipBoundOnNode: false,
            origin,
          },
        ],
        fabric: { srcDstCheck: true, deny: [{ from: "198.51.100.0/24", to: "10.0.0.12/32", port: 30080 }], origin },
      },
    );
    const seen = await ask(w, [
      connect("10.0.0.11", 30080, { stack: "client" }),
      connect("203.0.113.5", 80, { stack: "client" }),
      connect("10.0.0.12", 30080, { stack: "client" }),
      connect("10.0.0.12", 30080, { stack: "node1" }),
    ]);
    expect(seen.stimuli.map((s) => s.result.errno ?? s.result.outcome)).toEqual([
      "connected",
      "connected",
      "timeout",
      "ECONNREFUSED",
    ]);
    expect(seen.stimuli.slice(0, 2).map((s) => formatAddress(s.served[0]!.peer))).toEqual([
      "198.51.100.7",
      "203.0.113.5",
    ]);
    expect(seen.stimuli[0]!.hooks.find((h) => h.stack === "node1")!.packet.ttl).toBe(64);
  });

  test("flannel's udp back end carries packets between tun devices", async () => {
    const node = (n: number, rp: string) =>
      stack(
        `node${n}`,
        "node",
        [
          device("eth0", "ethernet", [`10.0.0.1${n}/24`]),
          device("flannel0", "tun", [`10.1.${n}.0/16`]),
          device("cni0", "bridge", [`10.1.${n}.1/24`]),
        ],
        [],
        { listeners: whole([listener("tcp", 80)]), sysctls: { "net.ipv4.conf.flannel0.rp_filter": rp } },
      );
    const w = world([node(1, "0"), node(2, "1")], [segment("lan", "node1:eth0", "node2:eth0")]);
    const from = (address: string) => ({ stack: "node1", bind: { address: ip(address) } });
    const seen = await ask(w, [
      connect("10.1.2.1", 80, { ...from("10.1.1.0"), id: "overlay" }),
      connect("10.1.2.1", 80, { ...from("10.0.0.11"), id: "underlay" }),
    ]);
    expect(seen.stimuli.map((s) => s.result.outcome)).toEqual(["connected", "timeout"]);
    expect(seen.stimuli[1]!.counters.get("node2")!.get("TcpExtIPReversePathFilter")).toBeGreaterThan(0);
    expect(
      seen.stimuli[0]!.frames.some((f) => f.stack === "node2" && f.device === "eth0" && f.packet?.dport === 8285),
    ).toBe(true);
  });

  test("flannel's vxlan back end: far ends are derived, the outer packet crosses the underlay", async () => {
    const node = (n: number) =>
      stack(
        `node${n}`,
        "node",
        [
          device("eth0", "ethernet", [`10.0.0.1${n}/24`]),
          device("flannel.1", "vxlan", [`10.1.${n}.0/32`], {
            lower: "eth0",
            tunnel: { id: 1, local: ip(`10.0.0.1${n}`), port: 8472, learning: false },
          }),
          device("veth1", "veth", [`10.1.${n}.1/24`]),
        ],
        [
          route(`10.1.${3 - n}.0/24`, `10.1.${3 - n}.0`, "flannel.1", {
            nexthops: [{ device: "flannel.1", gateway: ip(`10.1.${3 - n}.0`), weight: 1, flags: ["onlink"] }],
          }),
        ],
        { fdb: unread, neighbours: unread },
      );
    const pod = (n: number) =>
      stack(
        `pod${n}`,
        "pod",
        [device("eth0", "veth", [`10.1.${n}.2/24`])],
        [route("0.0.0.0/0", `10.1.${n}.1`, "eth0")],
        { listeners: whole([listener("tcp", 80)]) },
      );
    const w = world(
      [node(1), node(2), pod(1), pod(2)],
      [underlay("node1:eth0", "node2:eth0"), veth("node1:veth1", "pod1:eth0"), veth("node2:veth1", "pod2:eth0")],
    );
    const seen = await ask(w, [connect("10.1.2.2", 80, { stack: "pod1" })]);
    expect(seen.stimuli[0]!.result.outcome).toBe("connected");
    const outer = seen.stimuli[0]!.frames.find(
      (f) => f.stack === "node2" && f.device === "eth0" && f.packet?.dport === 8472,
    );
    expect(formatAddress(outer!.packet!.inner!.dst)).toBe("10.1.2.2");
  });

  test("sets, marks and policy routing work together", async () => {
    const member = {
      parts: [{ kind: "address", from: ip("192.0.2.80"), length: 32 }],
      nomatch: false,
      origin,
    } as const;
    const w = chainOf([
      table("mangle", {
        PREROUTING: [
          rule({
            matches: [
              {
                kind: "set",
                name: "BLOCKED",
                directions: ["dst"],
                negated: false,
                returnNomatch: false,
                noUpdateCounters: false,
                noUpdateSubcounters: false,
              },
            ],
            target: { kind: "mark", value: 0x10, mask: 0xffffffff },
          }),
        ],
      }),
    ]);
    const [pod, node, ...rest] = w.stacks;
    const lookup = (preference: number, id: number | string, more = {}) =>
      ({
        family: 4,
        preference,
        not: false,
        action: { kind: "lookup", table: id },
        unknown: [],
        origin,
        ...more,
      }) as const;
    const changed = {
      ...node!,
      ipsets: whole([
        {
          name: "BLOCKED",
          method: "hash",
          dimensions: ["ip"],
          family: 4,
          options: [],
          entries: [member],
          extent: "whole",
          origin,
        } as const,
      ]),
      routingRules: whole([
        lookup(0, 255),
        lookup(100, "dead", { fwmark: 0x10 }),
        lookup(32766, 254),
        lookup(32767, 253),
      ]),
      routeTables: [
        ...node!.routeTables,
        {
          id: "dead",
          family: 4 as const,
          extent: "whole" as const,
          routes: [
            { ...route("0.0.0.0/0", undefined, "eth0"), table: "dead", type: "unreachable" as const, nexthops: [] },
          ],
        },
      ],
    };
    const seen = await ask({ ...w, stacks: [pod!, changed, ...rest] }, [
      connect("192.0.2.80", 8080),
      {
        kind: "change",
        stack: "node",
        change: { kind: "ipset", action: "delete", set: "BLOCKED", entry: member },
      },
      connect("192.0.2.81", 8080),
    ]);
    expect(seen.stimuli.map((s) => s.result.errno ?? s.result.outcome)).toEqual(["EHOSTUNREACH", "sent", "timeout"]);
    const marks = seen.stimuli[0]!.hooks.filter((h) => h.stack === "node" && h.packet.flags === SYN).map(
      (h) => `${h.table} ${h.mark}`,
    );
    expect(marks).toEqual(["raw 0", "mangle 0"]);
  });

  test("IPv6 is there where the World has it", async () => {
    const six = (name: string, addresses: readonly string[]) => device(name, "veth", addresses);
    const v6route = (via: string) => ({ ...route("::/0", via, "eth0"), family: 6 as const });
    const tables = [{ ...table("filter", { FORWARD: [] }), family: 6 as const }];
    const router = stack("router", "router", [six("a", ["fd00:1::1/64"]), six("b", ["fd00:2::1/64"])], [], {
      netfilter: { tables, nativeNft: [] },
      sysctls: { "net.ipv6.conf.all.forwarding": "1" },
    });
    const host = (name: string, n: number) => {
      const made = stack(name, "vm", [six("eth0", [`fd00:${n}::2/64`])], [], {
        listeners: whole([listener("tcp", 80, `fd00:${n}::2`)]),
      });
      return {
        ...made,
        routeTables: [{ id: 254, family: 6 as const, routes: [v6route(`fd00:${n}::1`)], extent: "partial" as const }],
      };
    };
    const w = world([router, host("x", 1), host("y", 2)], [veth("router:a", "x:eth0"), veth("router:b", "y:eth0")]);
    const seen = await ask(w, [
      connect("fd00:2::2", 80, { stack: "x" }),
      { kind: "ping", stack: "x", to: ip("fd00:2::2") },
    ]);
    expect(seen.stimuli.map((s) => s.result.outcome)).toEqual(["connected", "connected"]);
    const hooks = seen.stimuli[0]!.hooks.filter((h) => h.stack === "router" && h.packet.flags === SYN);
    expect(hooks.map((h) => `${h.family} ${h.table}/${h.chain} ${h.in}>${h.out}`)).toEqual([
      "6 raw/PREROUTING a>",
      "6 mangle/PREROUTING a>",
      "6 mangle/FORWARD a>b",
      "6 filter/FORWARD a>b",
      "6 mangle/POSTROUTING a>b",
    ]);
  });

  test("devices are registered in the order of the World, whatever the cables ask for", async () => {
    // Crossed cables: no order of creating pairs suits both. The last resort of source selection shows the order.
    const a = stack(
      "a",
      "node",
      [
        device("x", "veth"),
        device("y", "veth"),
        device("z", "veth", ["10.9.0.1/32"]),
        device("w", "veth", ["10.9.0.2/32"]),
      ],
      [route("192.0.2.0/24", undefined, "x")],
    );
    const b = stack("b", "node", [
      device("x", "veth"),
      device("y", "veth"),
      device("z", "veth", ["10.9.0.3/32"]),
      device("w", "veth", ["10.9.0.4/32"]),
    ]);
    const w = world([a, b], [veth("a:x", "b:y"), veth("a:y", "b:x"), veth("a:z", "b:w"), veth("a:w", "b:z")]);
    const seen = await ask(w, [{ kind: "udp", stack: "a", to: ip("192.0.2.9"), port: 9 }]);
    expect(formatAddress(seen.stimuli[0]!.result.local!.address)).toBe("10.9.0.1");
  });

  const pinged = (devices: readonly Device[], tables: readonly IptablesTable[], sysctls: Record<string, string>) => {
    const evil = [device("eth0", "veth", ["10.0.0.1/24"]), ...devices];
    const stacks = [
      stack("evil", "node", evil, [], { netfilter: { nativeNft: [], tables }, sysctls }),
      stack("peer", "node", [device("eth0", "veth", ["10.0.0.2/24"])]),
    ];
    const stimuli: readonly Stimulus[] = [{ kind: "ping", stack: "peer", to: ip("10.0.0.1") }];
    return realise(world(stacks, [veth("evil:eth0", "peer:eth0")]), { stimuli }).plan;
  };
  const commented = (text: string) => rule({ matches: [{ kind: "comment", text }], target: { kind: "accept" } });

  test("text of a dump reaches no shell and no option: nothing of such a plan is run", async () => {
    const other = rule({
      matches: [{ kind: "other", name: "x", options: ["--modprobe=/bin/false"] }],
      target: { kind: "drop" },
    });
    const hostile = {
      'device "q': pinged([device('"q', "veth")], [], {}),
      "device a;touch x": pinged([device("a;touch x", "bridge")], [], {}),
      "a comment of two lines": pinged([], [table("filter", { INPUT: [commented("two\n-P INPUT DROP")] })], {}),
      "an option of another's": pinged([], [table("filter", { INPUT: [other] })], {}),
      "a chain": pinged([], [table("filter", { "-N\nx": [] })], {}),
      "a value": pinged([], [], { "net.ipv4.ip_forward": "0\n1" }),
    };
    for (const [name, plan] of Object.entries(hostile)) {
      await expect(lab.run(plan), name).rejects.toThrow(/is not .* nothing was run/);
    }
  });

  test("a comment may hold anything in one line, and its rule is loaded", async () => {
    const unknown = rule({
      matches: [{ kind: "unknown", name: "x", text: "--modprobe=/bin/false" }],
      target: { kind: "drop" },
    });
    const texts = ['"\\" $(touch x) `y` \\', "-j DROP", "'; #", "--- 好 ---", `"${"q".repeat(900)}`];
    const sysctls = { "net.ipv4.ip_forward": "0", "net.ipv4./../../kernel/hostname": "x", "kernel.hostname": "x" };
    const seen = await lab.run(pinged([], [table("filter", { INPUT: [unknown, ...texts.map(commented)] })], sysctls));
    expect(seen.problems.map((p) => p.what)).toEqual(["legacy filter/INPUT rule 1"]);
    expect(seen.stimuli[0]!.result.outcome).toBe("connected");
    // The second rule is not reached: the first accepts.
    const counts = seen.states[0]!.ruleCounts.filter((c) => c.table === "filter" && c.chain === "INPUT");
    expect(counts.filter((c) => c.rule > 0).map((c) => c.packets)).toEqual([1, 0, 0, 0, 0]);
  });

  test("named namespaces are there while a plan runs and gone after it", async () => {
    const { plan } = realise(chainOf([]), { stimuli: [{ kind: "wait", milliseconds: 300 }] });
    const running = lab.run(plan, { named: true });
    await new Promise((resolve) => setTimeout(resolve, 250));
    const mine = () => namespaces().filter((name) => name.startsWith(`hp${lab.pid}-`));
    const during = mine();
    await running;
    expect(during).toHaveLength(plan.stacks.length + 1);
    expect(mine()).toEqual([]);
  });
});

const namespaces = (): readonly string[] =>
  existsSync("/run/netns") ? readdirSync("/run/netns").filter((name) => /^hp\d+-w/.test(name)) : [];

describe.skipIf(!support.usable)("what the lab leaves behind", () => {
  const alive = (pid: number): boolean => {
    try {
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
      return false;
    }
  };
  const gone = async (pid: number): Promise<boolean> => {
    for (let i = 0; i < 60 && alive(pid); i++) await new Promise((resolve) => setTimeout(resolve, 50));
    return !alive(pid);
  };
  const start = async () => {
    const child = spawn(process.execPath, ["--import", "tsx", fileURLToPath(new URL("hold.ts", import.meta.url))], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const said = await new Promise<string>((resolve) =>
      child.stdout!.once("data", (d: Buffer) => resolve(d.toString())),
    );
    return { child, executor: Number(said) };
  };

  test.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("nothing after %s", async (signal) => {
    const { child, executor } = await start();
    expect(alive(executor)).toBe(true);
    expect(namespaces().length).toBeGreaterThan(0);
    child.kill(signal);
    expect(await gone(executor)).toBe(true);
    // The reaper that outlives a killed executor needs a moment.
    const own = (names: readonly string[]) => names.filter((n) => n.startsWith(`hp${executor}-`));
    await expect.poll(() => own(namespaces()), { timeout: 5000 }).toEqual([]);
    await expect.poll(() => own(readdirSync(tmpdir())), { timeout: 5000 }).toEqual([]);
  });

  test("what an executor that was itself killed leaves is found and removed", async () => {
    const { child, executor } = await start();
    process.kill(executor, "SIGKILL");
    await gone(executor);
    child.kill("SIGKILL");
    await gone(child.pid!);
    expect(namespaces().filter((n) => n.startsWith(`hp${executor}-`)).length).toBeGreaterThan(0);
    const cleaned = cleanLeftovers();
    expect(cleaned.namespaces.filter((n) => n.startsWith(`hp${executor}-`)).length).toBeGreaterThan(0);
    expect(namespaces().filter((n) => n.startsWith(`hp${executor}-`))).toEqual([]);
  });

  test("the machine's own rules, routes and switches are as before", async () => {
    const photo = () =>
      [
        ["ip", ["route", "show", "table", "all"]],
        ["ip", ["rule"]],
        ["iptables-legacy-save", []],
        ["nft", ["list", "ruleset"]],
        ["ip", ["-br", "link"]],
        ["sysctl", ["net.ipv4.ip_forward", "net.netfilter.nf_log_all_netns", "net.ipv4.conf.all.rp_filter"]],
      ].flatMap(([tool, args]) =>
        (spawnSync(tool as string, args as string[], { encoding: "utf8" }).stdout ?? "")
          .split("\n")
          .filter((line) => !line.startsWith("#"))
          // Counters move with whatever else the machine does.
          .map((line) => `${tool}: ${line.replace(/\[\d+:\d+\]|packets \d+ bytes \d+/g, "")}`),
      );
    const before = new Set(photo());
    const lab = await openNetns();
    const { plan } = realise(chainOf([table("nat", { POSTROUTING: [MASQUERADE] }, "nft")]), {
      stimuli: [connect("192.0.2.80", 8080)],
      observe: OBSERVE_ALL,
    });
    await lab.run(plan);
    await lab.close();
    // Tests beside this one make cables here for a moment: what stays is what counts.
    await expect
      .poll(() => photo().filter((line) => !before.has(line)), { timeout: 20_000, interval: 500 })
      .toEqual([]);
  });
});

test("without root it says why", () => {
  expect(netnsSupport(1000)).toMatchObject({ usable: false, reasons: [expect.stringContaining("root")] });
});
