import { TCP, type World } from "@hairpin/core/model/index.ts";
import { formatAddress, PROTO } from "@hairpin/core/net/index.ts";
import type { ScriptSight } from "@hairpin/core/trace/walk/script.ts";
import { type LabBackend, netnsSupport, openNetns } from "@hairpin/lab/index.ts";
import type { Change } from "@hairpin/lab/plan.ts";
import { listener } from "@hairpin/lab/soak/records.ts";
import type { SoakStep } from "@hairpin/lab/soak/scenario.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fate, type Injected, injected, ip, kernelDiffers, walkThrough, worldOf } from "./scripted.ts";

const support = netnsSupport();
if (!support.usable) console.warn(`SKIPPED: sequences on the running kernel: ${support.reasons.join("; ")}`);

interface Sequence {
  readonly what: string;
  readonly base: string;
  readonly commands?: readonly string[];
  /** A server of datagrams beside those of the case. */
  readonly serves?: { readonly stack: string; readonly port: number };
  readonly steps: (world: World) => readonly SoakStep[];
  /** What the walk says of it, for people to read; the kernel is held to every hook and every connection. */
  readonly expected: readonly string[];
  readonly shown: (sight: ScriptSight) => string;
}

const PODS = "masquerade-two-pods";
const fromA = (w: World, p: Omit<Injected, "src" | "dst"> & { dst?: string }) =>
  injected(w, "a:eth0", "n:va", { dst: "192.0.2.9", ...p, src: "10.1.0.2" });
const fromB = (w: World, p: Omit<Injected, "src" | "dst"> & { dst?: string }) =>
  injected(w, "b:eth0", "n:vb", { dst: "192.0.2.9", ...p, src: "10.2.0.2" });
const fromX = (w: World, p: Omit<Injected, "src">) => injected(w, "x:eth0", "n:eth0", { ...p, src: "192.0.2.9" });
const change = (stack: string, c: Change): SoakStep => ({ kind: "change", stack, change: c });

/** The packet as it leaves n by eth0: `192.0.2.1:5000 > 192.0.2.9:53`; a port drawn from a set is a star. */
function onTheWire(sight: ScriptSight): string {
  const sent = sight.steps.find((s) => s.kind === "transmit" && s.stack === "n" && s.device === "eth0");
  if (sent === undefined) return fate(sight, "n");
  const { packet: p } = sent;
  const port = (n: typeof p.sport) => (typeof n === "number" ? String(n) : `${n.from}-${n.to}`);
  return p.icmp === undefined ? `${formatAddress(p.src)}:${port(p.sport)} > ${port(p.dport)}` : `id ${port(p.icmp.id)}`;
}
const conntrackState = (sight: ScriptSight): string =>
  sight.steps.find((s) => s.kind === "conntrack" && s.stack === "n" && s.action === "attach")?.kind === "conntrack"
    ? sight.steps.flatMap((s) =>
        s.kind === "conntrack" && s.stack === "n" && s.action === "attach" ? [s.state] : [],
      )[0]!
    : "none";

/** Of IPv6 and of TCP with its timestamps. */
const HEADERS = 72;

const SEQUENCES: readonly Sequence[] = [
  {
    what: "SPEC 12, experiment 08 (1): dropped before it is confirmed, each try is new and draws a back end again",
    base: PODS,
    commands: [
      "n: iptables -t nat -A PREROUTING -p tcp --dport 81 -m statistic --mode nth --every 2 --packet 0 -j DNAT --to-destination 192.0.2.9:8001",
      "n: iptables -t nat -A PREROUTING -p tcp --dport 81 -j DNAT --to-destination 192.0.2.9:8002",
      "n: iptables -A FORWARD -p tcp --dport 8001:8002 -j DROP",
    ],
    steps: (w) => [1, 2, 3].map(() => fromA(w, { proto: "tcp", sport: 1000, dport: 81 })),
    shown: conntrackState,
    expected: ["NEW", "NEW", "NEW"],
  },
  {
    what: "SPEC 12, experiment 08 (2): a connection keeps its translation when the rules change",
    base: PODS,
    // Without a rule that asks for it there would be no conntrack any more.
    commands: ["n: iptables -A FORWARD -m conntrack --ctstate INVALID -j DROP"],
    steps: (w) => [
      fromA(w, { sport: 2000, dport: 53 }),
      change("n", {
        kind: "iptables",
        family: 4,
        backend: "legacy",
        table: "nat",
        edit: { kind: "flush", chain: "POSTROUTING" },
      }),
      fromA(w, { sport: 2000, dport: 53 }),
      fromA(w, { sport: 2001, dport: 53 }),
    ],
    shown: onTheWire,
    expected: ["192.0.2.1:2000 > 53", "nothing", "192.0.2.1:2000 > 53", "10.1.0.2:2001 > 53"],
  },
  ...(
    [
      [5000, "1024-65535"],
      [700, "600-1023"],
      [100, "1-511"],
    ] as const
  ).map(
    ([port, range]): Sequence => ({
      what: `SPEC 13.3, experiment 08 (3): port ${port} is taken, another of its class is drawn`,
      base: PODS,
      steps: (w) => [fromA(w, { sport: port, dport: 53 }), fromB(w, { sport: port, dport: 53 })],
      shown: onTheWire,
      expected: [`192.0.2.1:${port} > 53`, `192.0.2.1:${range} > 53`],
    }),
  ),
  {
    what: "SPEC 13.3, experiment 08 (3b): towards another port there is no clash",
    base: PODS,
    steps: (w) => [fromA(w, { sport: 5000, dport: 53 }), fromB(w, { sport: 5000, dport: 54 })],
    shown: onTheWire,
    expected: ["192.0.2.1:5000 > 53", "192.0.2.1:5000 > 54"],
  },
  {
    what: "SPEC 13.4, experiment 08 (4): a null binding moves the port of the node's own socket",
    base: PODS,
    steps: (w) => [
      fromA(w, { sport: 6000, dport: 53 }),
      { kind: "udp", stack: "n", to: ip("192.0.2.9"), port: 53, sport: 6000 },
    ],
    shown: onTheWire,
    expected: ["192.0.2.1:6000 > 53", "192.0.2.1:1024-65535 > 53"],
  },
  {
    what: "SPEC 13.3, experiment 08 (6): the same inner port towards elsewhere gets the port it has already",
    base: PODS,
    steps: (w) => [
      fromA(w, { sport: 7000, dport: 53 }),
      fromB(w, { sport: 7000, dport: 53 }),
      fromB(w, { sport: 7000, dport: 99 }),
    ],
    shown: onTheWire,
    expected: ["192.0.2.1:7000 > 53", "192.0.2.1:1024-65535 > 53", "192.0.2.1:1024-65535 > 99"],
  },
  {
    what: "SPEC 13.3, experiment 08 (7): no port left: dropped when it is to be confirmed",
    base: PODS,
    commands: ["n: iptables -t nat -I POSTROUTING -p udp -o eth0 -j MASQUERADE --to-ports 45000"],
    steps: (w) => [fromA(w, { sport: 5000, dport: 53 }), fromB(w, { sport: 5000, dport: 53 })],
    shown: (s) => (fate(s, "n") === "FORWARD" && onTheWire(s) === "FORWARD" ? "clash" : onTheWire(s)),
    expected: ["192.0.2.1:45000 > 53", "clash"],
  },
  {
    what: "SPEC 13.3, experiment 08 (8): the id of a ping is drawn again where it is taken",
    base: PODS,
    steps: (w) => [fromA(w, { proto: "icmp", icmp: [8, 0, 77] }), fromB(w, { proto: "icmp", icmp: [8, 0, 77] })],
    shown: onTheWire,
    expected: ["id 77", "id 0-65535"],
  },
  {
    what: "SPEC 12, experiment 09 (2): a SYN-ACK nobody asked for is INVALID and goes on",
    base: PODS,
    steps: (w) => [fromX(w, { dst: "10.1.0.2", proto: "tcp", sport: 80, dport: 999, flags: "SA" })],
    shown: (s) => `${conntrackState(s)} ${fate(s, "n")}`,
    expected: ["INVALID FORWARD"],
  },
  {
    what: "SPEC 12, experiment 09 (3): an ACK without an entry is NEW",
    base: PODS,
    steps: (w) => [fromX(w, { dst: "10.1.0.2", proto: "tcp", sport: 1234, dport: 80, flags: "A" })],
    shown: conntrackState,
    expected: ["NEW"],
  },
  {
    what: "SPEC 12, experiment 09 (3): and INVALID with nf_conntrack_tcp_loose 0",
    base: PODS,
    commands: ["n: sysctl -w net.netfilter.nf_conntrack_tcp_loose=0"],
    steps: (w) => [fromX(w, { dst: "10.1.0.2", proto: "tcp", sport: 1234, dport: 80, flags: "A" })],
    shown: conntrackState,
    expected: ["INVALID"],
  },
  ...["R", "F", "SF", "FA", "RA"].map(
    (flags): Sequence => ({
      what: `SPEC 12, experiment 09 (3b): flags ${flags} without an entry are INVALID`,
      base: PODS,
      steps: (w) => [fromX(w, { dst: "10.1.0.2", proto: "tcp", sport: 1234, dport: 80, flags })],
      shown: conntrackState,
      expected: ["INVALID"],
    }),
  ),
  {
    what: "a range of ports that are all taken: the next connection gets one of them and clashes",
    base: PODS,
    commands: ["n: iptables -t nat -I POSTROUTING -p udp -o eth0 -j MASQUERADE --to-ports 45000-45001"],
    steps: (w) => [1, 2, 3].map((i) => fromA(w, { proto: "udp", sport: 1000 + i, dport: 53 })),
    shown: (s) => (fate(s, "n") === "FORWARD" && onTheWire(s) === "FORWARD" ? "clash" : onTheWire(s)),
    expected: ["192.0.2.1:45000-45001 > 53", "192.0.2.1:45000-45001 > 53", "clash"],
  },
  {
    what: "SPEC 12, experiment 09 (5): an echo reply nobody asked for is INVALID, a request NEW",
    base: PODS,
    steps: (w) => [
      fromX(w, { dst: "10.1.0.2", proto: "icmp", icmp: [0, 0, 5] }),
      fromX(w, { dst: "10.1.0.2", proto: "icmp", icmp: [8, 0, 5] }),
    ],
    shown: conntrackState,
    expected: ["INVALID", "NEW"],
  },
  {
    what: "SPEC 12, experiment 09 (7): a RST as the only answer ends the entry, so the same ports are NEW again",
    base: PODS,
    steps: (w) => [
      fromA(w, { proto: "tcp", sport: 2222, dport: 81 }),
      fromA(w, { proto: "tcp", sport: 2222, dport: 81 }),
    ],
    shown: conntrackState,
    expected: ["NEW", "NEW"],
  },
  {
    what: "SPEC 12: an ICMP error that quotes no connection is INVALID",
    base: PODS,
    steps: (w) => [
      fromX(w, {
        dst: "10.1.0.2",
        proto: "icmp",
        icmp: [3, 1, 0],
        quotes: { src: "10.1.0.2", dst: "192.0.2.77", sport: 5, dport: 6 },
      }),
    ],
    shown: conntrackState,
    expected: ["INVALID"],
  },
  {
    what: "SPEC 14, experiment 22 (B): a masqueraded connection that leaves by another device is killed, the next packet is a new one",
    base: "two-uplinks",
    steps: (w) => {
      const table = w.stacks.find((s) => s.name === "n")!.routeTables.find((t) => t.id === 254)!;
      const old = table.routes.find((r) => r.destination.length === 24 && r.nexthops[0]!.gateway === ip("10.0.0.1"))!;
      const moved = { ...old, nexthops: [{ device: "eth1", gateway: ip("10.1.0.1"), weight: 1, flags: [] }] };
      const packet = () =>
        injected(w, "a:eth0", "n:va", { src: "10.9.0.2", dst: "198.51.100.9", sport: 700, dport: 53 });
      return [
        packet(),
        change("n", { kind: "route", action: "delete", route: old }),
        change("n", { kind: "route", action: "add", route: moved }),
        packet(),
        packet(),
      ];
    },
    shown: (s) =>
      s.steps.flatMap((x) => (x.kind === "drop" && x.stack === "n" ? [x.reason] : []))[0] ??
      s.steps.flatMap((x) =>
        x.kind === "transmit" && x.stack === "n" ? [`${x.device} ${formatAddress(x.packet.src)}`] : [],
      )[0] ??
      "nothing",
    expected: ["eth0 10.0.0.2", "nothing", "nothing", "MASQUERADE_DEVICE_CHANGED", "eth1 10.1.0.2"],
  },
  {
    what: "SPEC 10, experiment 06 (7): a socket's own mark routes it, and its source is the other card's",
    base: "reroute-of-the-answer",
    steps: () => [{ kind: "udp", stack: "n", to: ip("198.51.100.9"), port: 53, sport: 5353, mark: 1 }],
    shown: (s) =>
      s.steps.flatMap((x) =>
        x.kind === "transmit" && x.stack === "n" ? [`${x.device} ${formatAddress(x.packet.src)}`] : [],
      )[0] ?? "nothing",
    expected: ["eth1 10.1.0.2"],
  },
  {
    // nf_nat_used_tuple_harder(): if its sequence number is past the other's, which is chance. Found by npm run soak -- --ipv6, seed 18303, world 100.
    what: "the only port that is left is taken from a connection that is closed",
    base: PODS,
    commands: ["n: iptables -t nat -I POSTROUTING -p tcp -o eth0 -j MASQUERADE --to-ports 45000"],
    steps: (w) => [
      fromA(w, { proto: "tcp", sport: 1000, dport: 81 }),
      { kind: "connect", id: "c", stack: "b", to: ip("192.0.2.9"), port: 81, sport: 40_000 },
    ],
    shown: onTheWire,
    expected: ["192.0.2.1:45000 > 81", "192.0.2.1:45000 > 81"],
  },
  {
    // ndisc_send_redirect() goes first, from the link-local address, and so does the question whose MAC it is. Found by npm run soak -- --ipv6, seed 18201, world 876.
    what: "IPv6: who is sent back its own packet is asked for from the link-local address",
    base: "ipv6-dnat-and-masquerade",
    commands: [
      "r: ip6tables -t nat -I PREROUTING -d fd00:96::11/128 -p tcp -j DNAT --to-destination [fd00:1::2]:8080",
      "r: ip6tables -t nat -A POSTROUTING -o ra -j MASQUERADE",
      "r: ip6tables -A OUTPUT -s fd00:1::1/128 -p ipv6-icmp -m icmp6 --icmpv6-type 135 -j DROP",
    ],
    steps: (w) => {
      const syn = injected(w, "a:eth0", "r:ra", { src: "fd00:1::2", dst: "fd00:96::11", proto: "tcp", dport: 80 });
      return syn.kind === "inject" ? [{ ...syn, packet: { ...syn.packet, length: 60, df: true } }] : [];
    },
    shown: (s) =>
      s.steps.flatMap((x) =>
        x.kind === "transmit" && x.stack === "r" && x.packet.protocol === PROTO.tcp
          ? [`${x.device} ${x.packet.tcpFlags}`]
          : [],
      )[0] ?? "nothing",
    expected: [`ra ${TCP.SYN}`],
  },
  {
    // ip6_make_flowlabel(): the hash is of what the stack meant to send, by its type as well; IPv4's is of the addresses when it is wrapped. Found by npm run soak -- --ipv6,
    // seed 18301, world 565.
    what: "IPv6: a ping and an error between the same two are two flows to a VXLAN",
    base: "vxlan-carries-ipv6",
    commands: ["n1: iptables -t nat -A POSTROUTING -p tcp -j MASQUERADE"],
    steps: () => [
      { kind: "ping", stack: "pod1", to: ip("fd00:244:2::7"), ident: 77 },
      { kind: "ping", stack: "pod1", to: ip("fd00:244:2::7"), ident: 78 },
      { kind: "udp", stack: "pod2", to: ip("fd00:244:1::2"), port: 81, sport: 40_001 },
    ],
    shown: (s) => String(s.hooks.filter((h) => h.stack === "n1" && h.table === "nat" && h.hook === "OUTPUT").length),
    expected: ["1", "0", "1"],
  },
  {
    // A program takes it for a datagram, and answers. Found by npm run soak, seed 17011, world 66, and --ipv6, seed 18201, world 812.
    what: "a VXLAN's packet that a rule leads to a program's port",
    base: "vxlan-pod-to-pod",
    commands: ["n2: iptables -t nat -A PREROUTING -p udp --dport 8472 -j REDIRECT --to-ports 9000"],
    serves: { stack: "n2", port: 9000 },
    steps: () => [{ kind: "ping", stack: "pod1", to: ip("10.244.2.7"), ident: 77 }],
    shown: (s) =>
      s.hooks
        .filter((h) => h.stack === "n2" && h.table === "mangle" && h.hook === "OUTPUT")
        .map(({ packet: p }) => `${formatAddress(p.src)}:${p.sport}`)
        .join(" "),
    expected: ["192.0.2.2:9000"],
  },
  {
    // ip_do_fragment(), veth_xmit(): while the neighbour is asked for all of them wait and are sent. Found by npm run soak -- --ipv6, seed 18201, world 973.
    what: "behind a fragment that a veth does not take no other is sent, once the neighbour is known",
    base: "mtu-veth-other-end",
    steps: () =>
      [1, 2].map((i) => ({
        ...{ kind: "udp", stack: "a", to: ip("10.2.0.2"), port: 53, sport: 40_000 + i },
        size: 1501,
      })),
    shown: (s) => String(s.hooks.filter((h) => h.stack === "r" && h.hook === "PREROUTING").length),
    expected: ["1", "0"],
  },
  {
    // skb->len, tot_len: veth and VXLAN hand on what TCP left to the device to cut. Found by npm run soak, seed 172001, world 594.
    what: "segments that travel as one are as long as all of them to a rule that asks",
    base: "vxlan-pod-to-pod",
    commands: ["n2: iptables -t mangle -A PREROUTING -p udp -m length --length 1501:65535 -j MARK --set-mark 7"],
    steps: () =>
      [1000, 3000].map((size, i) => ({
        ...{ kind: "connect", id: `c${i}`, stack: "pod1", to: ip("10.244.2.7"), port: 80, sport: 40_000 + i },
        size,
      })),
    shown: (s) =>
      s.hooks.some((h) => h.stack === "n2" && h.table === "mangle" && h.hook === "INPUT" && h.mark === 7)
        ? "long"
        : "short",
    expected: ["short", "long"],
  },
  {
    // The owner answers at once and its proxy some time later (proxy_delay), within the second for which an entry stands (locktime). Found by npm run soak, seed 172001, world 2719.
    what: "who of several answers ARP first stays known, though later only another would answer",
    base: "redirect-not-sent",
    commands: ["r: sysctl -w net.ipv4.conf.eth0.proxy_arp_pvlan=1"],
    serves: { stack: "s", port: 53 },
    steps: () => [
      { kind: "udp", stack: "a", to: ip("10.1.0.254"), port: 53, sport: 40_000 },
      change("s", { kind: "sysctl", key: "net.ipv4.conf.eth0.arp_ignore", value: "8" }),
      { kind: "udp", stack: "a", to: ip("10.1.0.254"), port: 53, sport: 40_001 },
    ],
    shown: (s) =>
      s.steps.flatMap((x) => (x.kind === "transmit" && x.stack === "a" ? [x.destinationMac] : [])).join(" "),
    expected: ["02:00:00:00:02:02", "", "02:00:00:00:02:02"],
  },
  {
    // tcp_v4_early_demux(). SPEC 2, experiment 22. Found by npm run soak, seed 173001, world 3042.
    what: "a connection that is open keeps its route when rp_filter is turned on; a new one is refused",
    base: "nft-fib-of-an-open-connection",
    steps: () => {
      const call = { kind: "connect", stack: "x", to: ip("10.1.0.2"), port: 8080 } as const;
      return [
        { ...call, id: "c0", sport: 40_000, bindAddress: ip("203.0.113.1") },
        change("n", { kind: "sysctl", key: "net.ipv4.conf.all.rp_filter", value: "1" }),
        { kind: "send", id: "c0" },
        { ...call, id: "c1", sport: 40_001, bindAddress: ip("203.0.113.1") },
      ];
    },
    shown: (s) => s.heard ?? "nothing",
    expected: ["connected", "nothing", "connected", "timeout"],
  },
  {
    what: "IPv6: connlimit counts by the address under its mask",
    base: "ipv6-dnat-and-masquerade",
    commands: [
      "r: ip6tables -A FORWARD -p tcp --syn -m connlimit --connlimit-above 1 --connlimit-mask 64 --connlimit-daddr -j REJECT --reject-with tcp-reset",
      "b: ip -6 addr add fd00:2::22/64 dev eth0",
    ],
    steps: () =>
      ["fd00:2::2", "fd00:2::22"].map((to, i) => ({
        ...{ kind: "connect", id: `c${i}`, stack: "a", port: 8080, sport: 40_000 + i },
        to: ip(to),
      })),
    shown: (s) => s.heard ?? "nothing",
    expected: ["connected", "ECONNREFUSED"],
  },
  {
    // ip6_finish_output_gso_slowpath_drop(): the acknowledgement of that last segment makes TCP try again, by then with shorter ones. Where all are as long,
    // TCP has to wait for a timer, longer than the lab does. Found by npm run soak -- --ipv6, seed 18201, world 226.
    what: "IPv6: of segments that a translation leads to a narrower route the last gets out alone, where it is shorter",
    base: "ipv6-dnat-and-masquerade",
    commands: [
      "r: ip6tables -t nat -A OUTPUT -d fd00:96::/64 -p tcp --dport 80 -j DNAT --to-destination [fd00:2::2]:8080",
      "r: ip -6 route add fd00:96::/64 via fd00:1::2 dev ra",
      "r: ip -6 route add fd00:2::2/128 dev rb mtu 1450",
    ],
    steps: () =>
      [HEADERS + 2 * 1428, HEADERS + 2 * 1428 + 92].map((size, i) => ({
        ...{ kind: "connect", id: `c${i}`, stack: "r", port: 80, sport: 40_000 + i },
        // A path's MTU is learnt for each address.
        to: ip(`fd00:96::1${i}`),
        size,
      })),
    shown: (s) => s.heard ?? "nothing",
    expected: ["stalled", "connected"],
  },
];

const serving = ({ stacks, ...rest }: World, { stack, port }: { stack: string; port: number }): World => ({
  ...rest,
  stacks: stacks.map((s) =>
    s.name === stack
      ? { ...s, listeners: { ...s.listeners, items: [...s.listeners.items, listener("udp", port)] } }
      : s,
  ),
});

const scenario = (s: Sequence) => {
  const base = worldOf(s.base, s.commands);
  const world = s.serves === undefined ? base : serving(base, s.serves);
  return { world, steps: s.steps(world) };
};

describe("one thing after another", () => {
  test.each(SEQUENCES)("walk: $what", (s) => {
    expect(walkThrough(scenario(s)).map(s.shown)).toEqual(s.expected);
  });

  describe.skipIf(!support.usable)("the running kernel", () => {
    let lab: LabBackend;
    beforeAll(async () => {
      lab = await openNetns();
    });
    afterAll(async () => {
      await lab?.close();
    });
    test.each(SEQUENCES)("kernel: $what", async (s) => {
      expect(await kernelDiffers(lab, scenario(s))).toEqual([]);
    });
  });
});
