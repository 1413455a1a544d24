import { applyPatch } from "@hairpin/core/assemble/index.ts";
import { assumed, type RealServer, type VirtualServiceKey, type World } from "@hairpin/core/model/index.ts";
import { formatAddress, PROTO } from "@hairpin/core/net/index.ts";
import type { ScriptSight } from "@hairpin/core/trace/walk/script.ts";
import { type LabBackend, openVm, vmSupport } from "@hairpin/lab/index.ts";
import type { SoakStep } from "@hairpin/lab/soak/scenario.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConformance, VM_ROOT } from "./cases.ts";
import { injected, ip, kernelDiffers, walkThrough } from "./scripted.ts";

const support = vmSupport();
if (!support.usable) console.warn(`SKIPPED: sequences with IPVS in the VM: ${support.reasons.join("; ")}`);

const SERVICE: VirtualServiceKey = { kind: "address", protocol: PROTO.tcp, address: ip("10.96.0.10"), port: 80 };
const server = (port: number, weight = 1): RealServer => ({
  address: ip("10.244.1.5"),
  port,
  method: "masq",
  weight,
  origin: assumed("a test"),
});
const connect = (id: string, sport: number, stack = "pod", port = 80): SoakStep => ({
  kind: "connect",
  id,
  stack,
  to: ip("10.96.0.10"),
  port,
  sport,
});
const send = (id: string): SoakStep => ({ kind: "send", id });
const close = (id: string): SoakStep => ({ kind: "close", id, how: "fin" });
const ipvs = (action: "add" | "edit" | "delete", s: RealServer): SoakStep => ({
  kind: "change",
  stack: "node",
  change: { kind: "ipvs", action, service: SERVICE, server: s },
});

/** The node of experiment 30 with one virtual service; `sysctls` are those of net.ipv4.vs. */
function node(sysctls: Readonly<Record<string, number>>, ...commands: readonly string[]): World {
  const { world } = loadConformance("ipvs-pod-to-cluster-ip", [], VM_ROOT);
  const settings = Object.entries(sysctls).map(([k, v]) => `node: sysctl -w net.ipv4.vs.${k}=${v}`);
  const { world: patched, problems } = applyPatch(world, [...settings, ...commands]);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  const open = (s: World["stacks"][number]) =>
    s.name === "n2" ? { ...s, listeners: { ...s.listeners, items: [8080, 8081].map((port) => listener(port)) } } : s;
  return { ...patched, stacks: patched.stacks.map(open) };
}
const listener = (port: number) => ({
  protocol: PROTO.tcp,
  address: ip("10.244.1.5"),
  port,
  origin: assumed("a test"),
});

/** Where the node's IPVS sent the first packet of a step, or why it was dropped there; else what the client was told. */
function shown(sight: ScriptSight): string {
  const here = sight.steps.filter((s) => s.stack === "node");
  const drop = here.find((s) => s.kind === "drop");
  const sent = here.find((s) => s.kind === "ipvs" && s.packet !== s.before);
  const heard = sight.heard === undefined ? "" : `, ${sight.heard}`;
  if (drop?.kind === "drop") return `${drop.reason}${heard}`;
  return sent === undefined ? (sight.heard ?? "-") : `${formatAddress(sent.packet.dst)}:${sent.packet.dport}${heard}`;
}

interface Sequence {
  readonly what: string;
  readonly world: () => World;
  readonly steps: (world: World) => readonly SoakStep[];
  readonly expected: readonly string[];
}

const KEPT = { conntrack: 1, expire_nodest_conn: 0, conn_reuse_mode: 1 };

const SEQUENCES: readonly Sequence[] = [
  {
    what: "experiment 32 (6): a first packet that is no SYN is not scheduled; the local stack resets it",
    world: () => node(KEPT),
    steps: (w) => [
      injected(w, "pod:eth0", "node:veth1", {
        src: "10.244.0.2",
        dst: "10.96.0.10",
        proto: "tcp",
        sport: 5555,
        dport: 80,
        flags: "A",
      }),
    ],
    expected: ["-"],
  },
  {
    what: "experiment 35 (REMOVED): with expire_nodest_conn 0 a connection to a removed server is dropped in silence",
    world: () => node(KEPT),
    steps: () => [connect("c", 4001), ipvs("delete", server(8080)), send("c")],
    expected: ["10.244.1.5:8080, connected", "-", "IPVS_SERVER_REMOVED, stalled"],
  },
  {
    what: "experiment 35 (REMOVED): with expire_nodest_conn 1 it ends, and what comes after is reset",
    world: () => node({ ...KEPT, expire_nodest_conn: 1 }),
    steps: () => [connect("c", 4001), ipvs("delete", server(8080)), send("c")],
    expected: ["10.244.1.5:8080, connected", "-", "ECONNRESET"],
  },
  {
    what: "SPEC 15.8: a server of weight 0 keeps its connections and gets no new one",
    world: () => node(KEPT),
    steps: () => [connect("c", 4002), ipvs("edit", server(8080, 0)), send("c"), connect("d", 4003)],
    expected: ["10.244.1.5:8080, connected", "-", "10.244.1.5:8080, connected", "IPVS_NO_DESTINATION, ECONNREFUSED"],
  },
  {
    what: "experiment 35 (conn_reuse_mode 1): a SYN on a connection that is over is scheduled anew",
    world: () => node(KEPT),
    steps: () => [
      connect("c", 4100),
      close("c"),
      ipvs("edit", server(8080, 0)),
      ipvs("add", server(8081)),
      connect("d", 4100),
    ],
    expected: ["10.244.1.5:8080, connected", "10.244.1.5:8080", "-", "-", "10.244.1.5:8081, connected"],
  },
  {
    what: "SPEC 15.8 (conn_reuse_mode 0): it goes to the old server, whatever its weight",
    world: () => node({ ...KEPT, conn_reuse_mode: 0 }),
    steps: () => [
      connect("c", 4101),
      close("c"),
      ipvs("edit", server(8080, 0)),
      ipvs("add", server(8081)),
      connect("d", 4101),
    ],
    expected: ["10.244.1.5:8080, connected", "10.244.1.5:8080", "-", "-", "10.244.1.5:8080, connected"],
  },
  {
    what: "SPEC 15.8: a SYN whose server has weight 0 is scheduled anew with expire_nodest_conn 1, even in mid-handshake",
    world: () => node({ ...KEPT, expire_nodest_conn: 1, conn_reuse_mode: 0 }),
    steps: () => [
      connect("c", 4102),
      close("c"),
      ipvs("edit", server(8080, 0)),
      ipvs("add", server(8081)),
      connect("d", 4102),
    ],
    expected: ["10.244.1.5:8080, connected", "10.244.1.5:8080", "-", "-", "10.244.1.5:8081, connected"],
  },
  {
    what: "SPEC 15.8: a persistent service sends a client's next connection to the same server",
    world: () =>
      node(
        KEPT,
        "node: ipvsadm -E -t 10.96.0.10:80 -s rr -p 10800",
        "node: ipvsadm -a -t 10.96.0.10:80 -r 10.244.1.5:8081 -m",
      ),
    steps: () => [connect("c", 4200), connect("d", 4201), connect("e", 4202)],
    expected: ["10.244.1.5:8080, connected", "10.244.1.5:8080, connected", "10.244.1.5:8080, connected"],
  },
  {
    what: "SPEC 15.8: its template keeps a server of weight 0 while expire_quiescent_template is 0",
    world: () => node({ ...KEPT, expire_quiescent_template: 0 }, "node: ipvsadm -E -t 10.96.0.10:80 -s rr -p 10800"),
    steps: () => [connect("c", 4210), ipvs("edit", server(8080, 0)), ipvs("add", server(8081)), connect("d", 4211)],
    expected: ["10.244.1.5:8080, connected", "-", "-", "10.244.1.5:8080, connected"],
  },
  {
    what: "SPEC 15.8: and lets go of it while that is 1",
    world: () => node({ ...KEPT, expire_quiescent_template: 1 }, "node: ipvsadm -E -t 10.96.0.10:80 -s rr -p 10800"),
    steps: () => [connect("c", 4220), ipvs("edit", server(8080, 0)), ipvs("add", server(8081)), connect("d", 4221)],
    expected: ["10.244.1.5:8080, connected", "-", "-", "10.244.1.5:8081, connected"],
  },
  {
    what: "SPEC 15.5: a client's ICMP error about an answer is turned to the real server",
    world: () => node(KEPT),
    steps: (w) => [
      connect("c", 4300),
      injected(w, "pod:eth0", "node:veth1", {
        src: "10.244.0.2",
        dst: "10.96.0.10",
        proto: "icmp",
        icmp: [3, 13, 0],
        quotes: { src: "10.96.0.10", dst: "10.244.0.2", proto: "tcp", sport: 80, dport: 4300, flags: "A" },
      }),
    ],
    expected: ["10.244.1.5:8080, connected", "10.244.1.5:0"],
  },
  {
    what: "SPEC 15.6: without conntrack a connection goes on all the same",
    world: () => node({ ...KEPT, conntrack: 0 }),
    steps: () => [connect("c", 4400), send("c"), close("c")],
    expected: ["10.244.1.5:8080, connected", "10.244.1.5:8080, connected", "10.244.1.5:8080"],
  },
];

describe("the walk plays sequences with IPVS", () => {
  test.each(SEQUENCES.map((s) => [s.what, s] as const))("%s", (_what, { world, steps, expected }) => {
    const base = world();
    expect(walkThrough({ world: base, steps: steps(base) }).map(shown)).toEqual(expected);
  });
});

describe.skipIf(!support.usable)("the VM's kernel plays them alike", () => {
  let lab: LabBackend | undefined;
  let reason = "";
  beforeAll(async () => {
    try {
      lab = await openVm({ onProgress: (text) => console.warn(`VM: ${text}`) });
    } catch (problem) {
      reason = (problem as Error).message;
      console.warn(`SKIPPED: sequences with IPVS in the VM: ${reason}`);
    }
  }, 300_000);
  afterAll(async () => {
    await lab?.close();
  });

  test.for(SEQUENCES.map((s) => [s.what, s] as const))("%s", async ([, s], { skip }) => {
    if (lab === undefined) return skip(reason);
    const world = s.world();
    expect(await kernelDiffers(lab, { world, steps: s.steps(world) })).toEqual([]);
  });
});
