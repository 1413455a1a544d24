import { unread } from "@hairpin/core/model/index.ts";
import { formatAddress, PROTO } from "@hairpin/core/net/index.ts";
import { describe, expect, test } from "vitest";
import { chainOf, connect, openLab, SYN, support, whole } from "./chain.ts";
import { device, ip, listener, origin, route, rule, segment, stack, table, underlay, veth, world } from "./world.ts";

describe.skipIf(!support.usable)("networks in the lab on the running kernel", () => {
  const { ask } = openLab();

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
});
