import { existsSync } from "node:fs";
import { formatAddress, PROTO } from "@hairpin/core/net/index.ts";
import { frameBytes, realise } from "@hairpin/lab/index.ts";
import { describe, expect, test } from "vitest";
import { chainOf, connect, dnat, host, MASQUERADE, openLab, SYN, support, syns, whole } from "./chain.ts";
import { device, ip, listener, route, rule, stack, table, veth, world } from "./world.ts";

if (!support.usable) console.warn(`SKIPPED: the lab on the running kernel: ${support.reasons.join("; ")}`);

describe.skipIf(!support.usable)("the lab on the running kernel", () => {
  const { ask } = openLab();

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
});
