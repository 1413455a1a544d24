import { type Packet, type Stack, TABLE_MAIN, TCP, type World, whole } from "@hairpin/core/model/index.ts";
import { type Address, PROTO } from "@hairpin/core/net/index.ts";
import { playScript, type ScriptRun, type ScriptStep } from "@hairpin/core/trace/walk/script.ts";
import { predictedHook } from "@hairpin/lab/predict.ts";
import { dualStack } from "@hairpin/lab/soak/generate/dual-stack.ts";
import { six } from "@hairpin/lab/soak/generate/in-ipv6.ts";
import * as r from "@hairpin/lab/soak/generate/rules.ts";
import { Random } from "@hairpin/lab/soak/random.ts";
import { device, ip, listener, net, origin, route, segment, stack, veth, world } from "@hairpin/lab/soak/records.ts";
import { describe, expect, test } from "vitest";

/** What differential fuzzing found, each in the smallest World that shows it. The kernel said what is expected here. */
const kernel = "6.18.44";
const listeners = [listener("tcp", 8080), listener("udp", 8080)];
const NODE = "02:50:00:01:00:01";
const PEER = "02:50:00:02:00:01";

function node(
  draft: r.Draft,
  sysctls: Record<string, string> = {},
  rest: Partial<Stack> = {},
  backend: "legacy" | "nft" = "legacy",
) {
  return stack({
    name: "n",
    kind: "node",
    kernel,
    devices: [device("eth0", "ethernet", NODE, ["10.0.0.1/24"])],
    listeners,
    sysctls: { "net.ipv4.ip_forward": "1", ...sysctls },
    rest: { netfilter: { tables: draft.finish(backend, new Map()), nativeNft: [] }, ...rest },
  });
}
const peer = stack({
  name: "x",
  kind: "client",
  kernel,
  devices: [device("eth0", "ethernet", PEER, ["10.0.0.9/24"])],
  routes: [route(TABLE_MAIN, net("0.0.0.0/0"), [{ gateway: ip("10.0.0.1"), device: "eth0" }])],
  listeners,
});
const pair = (n: Stack): World =>
  world([n, peer], [veth({ stack: "n", device: "eth0" }, { stack: "x", device: "eth0" })]);

function play(w: World, ...steps: readonly ScriptStep[]): ScriptRun {
  const answer = playScript(w, steps, () => true);
  if (answer.kind !== "explained") throw new Error(answer.kind);
  return answer.run;
}
const lines = (run: ScriptRun, step = 0): readonly string[] =>
  run.sights[step]!.hooks.map((hook) => predictedHook(hook, true).text);

const packet = (tcpFlags: number, rest: Partial<Packet> = {}): Packet => ({
  src: ip("10.0.0.9"),
  dst: ip("10.0.0.1"),
  sport: 20_000,
  dport: 81,
  protocol: PROTO.tcp,
  tcpFlags,
  ttl: 64,
  tos: 0,
  length: 40,
  df: false,
  ...rest,
});
const inject = (p: Packet): ScriptStep => ({
  kind: "inject",
  stack: "x",
  device: "eth0",
  packet: p,
  sourceMac: PEER,
  destinationMac: NODE,
});
const connect: ScriptStep = { kind: "connect", id: "c", stack: "x", to: ip("10.0.0.1"), port: 81, sport: 40_000 };

const filter = (): r.Draft => {
  const draft = new r.Draft();
  draft.add("filter", "INPUT");
  return draft;
};
const tracking = (): r.Draft => {
  const draft = filter();
  draft.add("filter", "INPUT", r.rule({ m: [r.ctstate("INVALID")] }, r.DROP));
  return draft;
};

describe("errors and resets", () => {
  test("an ICMP error has precedence internetwork control and confirms no connection that never got out", () => {
    const run = play(pair(node(tracking())), inject(packet(0, { protocol: PROTO.udp, dst: ip("192.0.2.1"), ttl: 1 })));
    expect(run.sights[0]!.steps.some((s) => s.kind === "error")).toBe(true);
    const errors = lines(run).filter((l) => l.includes("icmp type 3"));
    expect(errors.every((l) => l.includes("tos=0xc0"))).toBe(true);
    expect(errors.length).toBeGreaterThan(0);
    expect(run.conntrack.get("n")).toEqual([]);
  });
  test("a RST before any reply was seen ends the entry, whoever sends it", () => {
    const draft = tracking();
    draft.add("raw", "OUTPUT", r.rule({ p: "tcp" }, r.DROP));
    const syn = inject(packet(TCP.SYN, { dport: 8080 }));
    expect(play(pair(node(draft)), syn).conntrack.get("n")).toHaveLength(1);
    expect(play(pair(node(draft)), syn, inject(packet(TCP.RST, { dport: 8080 }))).conntrack.get("n")).toEqual([]);
  });
  test("a RST behind data that a one-way entry did not let in is outside of its window", () => {
    const draft = tracking();
    draft.add("raw", "OUTPUT", r.rule({ p: "tcp" }, r.DROP));
    const sent = (flags: number) => inject(packet(flags, { dport: 8080, length: flags & TCP.PSH ? 140 : 40 }));
    const left = (sysctls: Record<string, string>, ...flags: readonly number[]) =>
      play(pair(node(draft, sysctls)), ...flags.map(sent)).conntrack.get("n")?.length;
    expect(left({}, TCP.SYN, TCP.ACK, TCP.RST)).toBe(0);
    expect(left({}, TCP.SYN, TCP.ACK | TCP.PSH, TCP.RST)).toBe(1);
    const liberal = { "net.netfilter.nf_conntrack_tcp_be_liberal": "1" };
    expect(left(liberal, TCP.SYN, TCP.ACK | TCP.PSH, TCP.RST)).toBe(0);
  });
  test("what ::1 asks of another address of its own is not reset: no way leads to ::1 but by lo", () => {
    const both = dualStack({ world: pair(node(filter())), steps: [] }, new Random(1)).world;
    const [lo, card] = [six(ip("127.0.0.1")), six(ip("10.0.0.1"))];
    const heard = (bindAddress: Address, to: Address) =>
      play(both, { kind: "connect", id: "c", stack: "n", to, bindAddress, port: 81, sport: 40_000 }).sights[0]!.heard;
    expect(heard(card, card)).toBe("ECONNREFUSED");
    expect(heard(lo, lo)).toBe("ECONNREFUSED");
    expect(heard(lo, card)).toBe("timeout");
  });
  test("a stray ACK is reset without ACK, a SYN with it", () => {
    expect(lines(play(pair(node(filter())), inject(packet(TCP.ACK)))).at(-1)).toContain("tcp RST ttl=64");
    expect(lines(play(pair(node(filter())), inject(packet(TCP.SYN)))).at(-1)).toContain("tcp RST,ACK ttl=64");
  });
  test("a socket layer's RST keeps the tos", () => {
    expect(lines(play(pair(node(filter())), inject(packet(TCP.SYN, { tos: 0x28 })))).at(-1)).toContain("tos=0x28");
  });
  test("a RST reflects the mark with fwmark_reflect", () => {
    const draft = filter();
    draft.add("mangle", "PREROUTING", r.rule({}, r.mark(0x1)));
    const run = (value: string) => lines(play(pair(node(draft, { "net.ipv4.fwmark_reflect": value })), connect));
    expect(run("1").filter((l) => l.includes("filter/OUTPUT"))[0]).toContain("mark=0x1");
    expect(run("0").filter((l) => l.includes("filter/OUTPUT"))[0]).not.toContain("mark");
  });
  test("the RST of a closed port ends the connection it answers", () => {
    const run = play(pair(node(tracking())), connect);
    expect([run.sights[0]!.heard, run.conntrack.get("n")]).toEqual(["ECONNREFUSED", []]);
  });
});

test.each([
  ["6.18.44", "CLOSE"],
  ["6.1.81", "CLOSE"],
  ["6.1.0-54-cloud-amd64", "CLOSE"],
  ["6.1.80", "ESTABLISHED"],
  ["6.1.0-18-amd64", "ESTABLISHED"],
  ["6.2.16", "ESTABLISHED"],
])("%s: a connection that a rule resets is %s", (release, state) => {
  const draft = filter();
  const reset = { kind: "reject", with: "tcp-reset" } as const;
  draft.add("filter", "INPUT", r.rule({ p: "tcp", m: [r.ctstate("ESTABLISHED")] }, reset));
  const [major, minor, patch] = release.split(/[.-]/).map(Number);
  const n = node(draft);
  const at = { release, major: major!, minor: minor!, patch: patch!, origin };
  const run = play(pair({ ...n, machine: { ...n.machine, kernel: at } }), { ...connect, port: 8080 });
  expect(run.conntrack.get("n")!.map((c) => c.tcpState)).toEqual([state]);
});

describe("connection tracking", () => {
  const raw = () => {
    const draft = filter();
    draft.add("raw", "PREROUTING", r.rule({ p: "tcp" }, { kind: "ct", notrack: true, options: [] }));
    return draft;
  };
  test("rules that only say NOTRACK ask for none", () => {
    const run = play(pair(node(raw())), { kind: "ping", stack: "x", to: ip("10.0.0.1"), ident: 7 });
    expect(run.sights[0]!.heard).toBe("connected");
    expect(run.conntrack.get("n")).toEqual([]);
  });
  test("NOTRACK leaves what came by lo tracked", () => {
    const draft = raw();
    draft.add("filter", "OUTPUT", r.rule({ m: [r.ctstate("INVALID")] }, r.DROP));
    const run = play(pair(node(draft)), {
      kind: "connect",
      id: "c",
      stack: "n",
      to: ip("10.0.0.1"),
      port: 8080,
      sport: 40_000,
    });
    expect(lines(run).find((l) => l.includes("filter/INPUT in=lo"))).toContain("ct=NEW");
  });
});

test("iptables-nft's security table stands behind nat, the legacy one before it", () => {
  const order = (backend: "legacy" | "nft") => {
    const draft = tracking();
    draft.add("nat", "INPUT", r.rule({}, r.RETURN));
    draft.add("security", "INPUT", r.rule({}, r.RETURN));
    const run = play(pair(node(draft, {}, {}, backend)), connect);
    return lines(run)
      .filter((l) => / SYN ttl|INPUT/.test(l) && l.includes("INPUT"))
      .map((l) => l.replace(/^nft /, "").split("/")[0]);
  };
  expect(order("legacy").slice(0, 3)).toEqual(["filter", "security", "nat"]);
  expect(order("nft").slice(0, 3)).toEqual(["filter", "nat", "security"]);
});

describe("neighbours", () => {
  test("a segment that is described has nobody on it but those it names", () => {
    const w = world([node(filter())], [segment("lan", [{ stack: "n", device: "eth0" }])]);
    const run = play(w, { kind: "connect", id: "c", stack: "n", to: ip("10.0.0.9"), port: 80, sport: 40_000 });
    expect(run.sights[0]!.heard).toBe("EHOSTUNREACH");
  });
  test("who was asked for his address learns the asker's and need not ask", () => {
    const silent = pair(node(filter(), { "net.ipv4.conf.eth0.arp_ignore": "8" }));
    const ping: ScriptStep = { kind: "ping", stack: "n", to: ip("10.0.0.9"), ident: 9 };
    expect(play(silent, connect).sights[0]!.heard).toBe("EHOSTUNREACH");
    expect(play(silent, ping, connect).sights.map((s) => s.heard)).toEqual(["connected", "ECONNREFUSED"]);
  });
  test("arp_filter keeps an address from devices by which the asker is not reached", () => {
    const away = route(TABLE_MAIN, net("10.0.0.9/32"), [], { type: "unreachable" });
    const deaf = (value: string) => {
      const n = node(filter(), { "net.ipv4.conf.eth0.arp_filter": value });
      const routeTables = n.routeTables.map((t) => (t.id === TABLE_MAIN ? { ...t, routes: [...t.routes, away] } : t));
      return play(pair({ ...n, routeTables }), connect).sights[0]!.heard;
    };
    expect([deaf("1"), deaf("0")]).toEqual(["EHOSTUNREACH", "timeout"]);
  });
  test("isolated ports of a bridge do not hear each other", () => {
    const heard = (isolated: boolean) => {
      const port = (name: string, mac: string) =>
        device(name, "veth", mac, [], { master: "br0", port: { hairpin: false, isolated } });
      const bridge = stack({
        name: "n",
        kind: "router",
        kernel,
        devices: [device("br0", "bridge", NODE, []), port("v1", "02:50:00:01:00:02"), port("v2", "02:50:00:01:00:03")],
      });
      const host = (name: string, mac: string, address: string) =>
        stack({ name, kind: "pod", kernel, devices: [device("eth0", "veth", mac, [address])], listeners });
      const w = world(
        [bridge, host("a", PEER, "10.0.0.2/24"), host("b", "02:50:00:03:00:01", "10.0.0.3/24")],
        [
          veth({ stack: "n", device: "v1" }, { stack: "a", device: "eth0" }),
          veth({ stack: "n", device: "v2" }, { stack: "b", device: "eth0" }),
        ],
      );
      return play(w, { kind: "connect", id: "c", stack: "a", to: ip("10.0.0.3"), port: 8080, sport: 40_000 }).sights[0]!
        .heard;
    };
    expect([heard(true), heard(false)]).toEqual(["EHOSTUNREACH", "connected"]);
  });
});

test("a frame for a bridge that is not in its VLAN is flooded, also back by a port that hairpins", () => {
  const seen = (hairpin: boolean, own: number): readonly string[] => {
    const vlan = (name: string, id: number) => ({
      device: name,
      from: id,
      to: id,
      pvid: true,
      untagged: true,
      origin,
    });
    const bridge = stack({
      name: "n",
      kind: "node",
      kernel,
      devices: [
        device("br0", "bridge", NODE, ["10.0.0.1/24"], { bridge: { vlanFiltering: true } }),
        device("v1", "veth", "02:50:00:01:00:02", [], { master: "br0", port: { hairpin, isolated: false } }),
      ],
      sysctls: { "net.bridge.bridge-nf-call-iptables": "1", "net.ipv4.ip_forward": "1" },
      rest: {
        netfilter: { tables: filter().finish("legacy", new Map()), nativeNft: [] },
        bridgeVlans: whole([vlan("br0", own), vlan("v1", 1)]),
      },
    });
    const w = world([bridge, peer], [veth({ stack: "n", device: "v1" }, { stack: "x", device: "eth0" })]);
    return lines(play(w, inject(packet(TCP.SYN))));
  };
  expect(seen(true, 2).filter((l) => l.includes("filter/FORWARD in=br0 out=br0 physin=v1 physout=v1"))).toHaveLength(1);
  expect(seen(false, 2).filter((l) => l.includes("FORWARD"))).toEqual([]);
  expect(seen(true, 1).filter((l) => l.includes("filter/INPUT"))).toHaveLength(1);
});

test("a tunnel without a way to its far end tells nobody", () => {
  const heard = (to: readonly ReturnType<typeof route>[]): unknown => {
    const n = stack({
      name: "n",
      kind: "node",
      kernel,
      devices: [
        device("eth0", "ethernet", NODE, ["10.0.0.1/24"]),
        device("gre1", "gre", undefined, ["10.244.1.0/32"], {
          mtu: 1476,
          tunnel: { local: ip("10.0.0.1"), remote: ip("192.0.2.2") },
        }),
      ],
      routes: [route(TABLE_MAIN, net("10.244.2.0/24"), [{ device: "gre1" }]), ...to],
      rest: { netfilter: { tables: tracking().finish("legacy", new Map()), nativeNft: [] } },
    });
    const run = play(pair(n), { kind: "connect", id: "c", stack: "n", to: ip("10.244.2.2"), port: 80, sport: 40_000 });
    return [run.sights[0]!.heard, run.sights[0]!.steps.filter((s) => s.kind === "error").length];
  };
  expect(heard([])).toEqual(["timeout", 0]);
  expect(heard([route(TABLE_MAIN, net("192.0.2.0/24"), [], { type: "blackhole" })])).toEqual(["timeout", 0]);
});

test("a random port is for what has ports: GRE keeps its tuple", () => {
  const draft = new r.Draft();
  draft.add("nat", "POSTROUTING", r.rule({}, r.masquerade(true)));
  const ports = (protocol: number, sport: number) =>
    play(pair(node(draft)), inject(packet(TCP.SYN, { protocol, dst: ip("10.0.0.77"), sport, dport: sport })))
      .conntrack.get("n")!
      .map((ct) => ct.tuple.reply.dport);
  expect(ports(47, 0)).toEqual([0]);
  expect(ports(PROTO.tcp, 20_000)).not.toEqual([20_000]);
});

test("a tunnel whose far end was not found tells who sends next that the host cannot be reached", () => {
  const far = ip("10.0.0.2");
  const tunnelled = (remote?: Address): readonly number[] => {
    const ipip = { local: ip("10.0.0.1"), ...(remote !== undefined && { remote }) };
    const n = stack({
      name: "n",
      kind: "node",
      kernel,
      devices: [
        device("eth0", "ethernet", NODE, ["10.0.0.1/24"]),
        device("ipip1", "ipip", undefined, [], { mtu: 1480, tunnel: ipip }),
      ],
      routes: [
        route(TABLE_MAIN, net("10.244.2.0/24"), [
          remote === undefined ? { device: "ipip1", gateway: far, flags: ["onlink"] } : { device: "ipip1" },
        ]),
      ],
      sysctls: { "net.ipv4.ip_forward": "1" },
      rest: { netfilter: { tables: tracking().finish("legacy", new Map()), nativeNft: [] } },
    });
    const syn = (sport: number) => inject(packet(TCP.SYN, { dst: ip("10.244.2.2"), sport }));
    const run = play(pair(n), syn(20_000), syn(20_001), syn(20_002));
    const told = (sight: ScriptRun["sights"][number]) =>
      sight.steps.filter((s) => s.kind === "error" && s.decision.kind === "tunnel-error").length;
    return run.sights.map(told);
  };
  // Each SYN's own outer packet is answered by the node itself, which counts for the next.
  expect(tunnelled(far)).toEqual([0, 1, 1]);
  // tunl0 has no far end of its own, and counts none.
  expect(tunnelled()).toEqual([0, 0, 0]);
});

describe("IPVS", () => {
  const key = { kind: "address", protocol: PROTO.tcp, address: ip("10.96.0.1"), port: 80 } as const;
  const balanced = (servers: readonly Address[], sysctls: Record<string, string> = {}, rules = filter()) => {
    const realServers = servers.map((address) => ({ address, port: 8080, method: "masq" as const, weight: 1, origin }));
    const services = [{ key, scheduler: "rr", onePacket: false, realServers, extent: "whole" as const, origin }];
    const n = stack({
      name: "n",
      kind: "node",
      kernel,
      devices: [
        device("eth0", "ethernet", NODE, ["10.0.0.1/24"]),
        device("kube-ipvs0", "dummy", "02:50:00:01:00:09", ["10.96.0.1/32"], { up: false, carrier: false }),
      ],
      listeners,
      sysctls: {
        "net.ipv4.ip_forward": "1",
        "net.ipv4.vs.conntrack": "1",
        "net.ipv4.vs.expire_nodest_conn": "1",
        ...sysctls,
      },
      rest: {
        netfilter: { tables: rules.finish("legacy", new Map()), nativeNft: [] },
        ipvs: { services, connections: [], extent: "whole" },
        ipsets: whole([]),
      },
    });
    return pair(n);
  };
  test("a SYN with ACK is scheduled, too", () => {
    const run = play(balanced([]), inject(packet(TCP.SYN | TCP.ACK, { dst: ip("10.96.0.1"), dport: 80 })));
    expect(lines(run).some((l) => l.includes("icmp type 3 code 3"))).toBe(true);
  });
  test("with expire_nodest_conn a connection ends with its server, and its conntrack entry with it", () => {
    const steps = (value: string) => {
      const sysctls = { "net.ipv4.vs.expire_nodest_conn": value };
      const gone = balanced([], sysctls, tracking());
      return play(
        balanced([ip("10.0.0.1")], sysctls, tracking()),
        { kind: "connect", id: "c", stack: "x", to: ip("10.96.0.1"), port: 80, sport: 40_000 },
        { kind: "change", world: gone },
      );
    };
    expect(steps("0").sights[0]!.heard).toBe("connected");
    expect(steps("0").conntrack.get("n")!.length).toBe(1);
    expect(steps("1").conntrack.get("n")).toEqual([]);
  });
  test("IPVS alone asks for no conntrack, whatever vs.conntrack says", () => {
    const tracked = (rules: r.Draft) =>
      play(balanced([ip("10.0.0.1")], {}, rules), {
        kind: "connect",
        id: "c",
        stack: "x",
        to: ip("10.96.0.1"),
        port: 80,
        sport: 40_000,
      });
    for (const [rules, entries] of [
      [tracking(), 1],
      [filter(), 0],
    ] as const) {
      expect(tracked(rules).sights[0]!.heard).toBe("connected");
      expect(tracked(rules).conntrack.get("n")).toHaveLength(entries);
    }
  });
});
