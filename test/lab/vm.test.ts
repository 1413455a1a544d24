import { formatAddress, PROTO } from "@hairpin/core/net/index.ts";
import {
  chooseBackend,
  type HookRecord,
  type LabBackend,
  openVm,
  realise,
  type Stimulus,
  vmSupport,
} from "@hairpin/lab/index.ts";
import { afterAll, describe, expect, test } from "vitest";
import { device, ip, listener, origin, route, rule, segment, stack, table, veth, world } from "./world.ts";

const whole = <T>(items: readonly T[]) => ({ items, extent: "whole" as const });

/** The VM, or why there is none: an image is made from packages, for which a registry must be reachable the first time. */
async function start(): Promise<{ readonly lab?: LabBackend; readonly reason: string }> {
  const support = vmSupport();
  if (!support.usable) return { reason: support.reasons.join("; ") };
  try {
    return { lab: await openVm({ onProgress: (text) => console.warn(`VM: ${text}`) }), reason: "" };
  } catch (problem) {
    return { reason: (problem as Error).message };
  }
}
const { lab, reason } = await start();
if (lab === undefined) console.warn(`SKIPPED: the lab in the VM: ${reason}`);

const connect = (id: string, from: string, to: string, port: number): Stimulus => ({
  kind: "connect",
  id,
  stack: from,
  to: ip(to),
  port,
});
const SYN = 2;
const shown = (h: HookRecord): string =>
  `${h.table}/${h.chain} ${h.in}>${h.out} ${formatAddress(h.packet.src)}>${formatAddress(h.packet.dst)}:${h.packet.dport} ttl=${h.packet.ttl}`;

describe.skipIf(lab === undefined)("the lab in the VM", () => {
  afterAll(async () => {
    await lab?.close();
  });

  test("an IPVS service: the packet comes by LOCAL_OUT a second time, and both real servers are used", async () => {
    const masquerade = rule({ target: { kind: "masquerade", random: false, randomFully: false } });
    const node = stack(
      "node",
      "node",
      [
        device("eth0", "ethernet", ["10.0.0.10/24"]),
        device("veth2", "veth", ["10.244.2.1/24"]),
        device("veth3", "veth", ["10.244.3.1/24"]),
        device("kube-ipvs0", "dummy", ["10.96.0.10/32"], { up: false }),
      ],
      [],
      {
        ipvs: {
          connections: [],
          extent: "whole",
          services: [
            {
              key: { kind: "address", protocol: PROTO.tcp, address: ip("10.96.0.10"), port: 80 },
              scheduler: "rr",
              onePacket: false,
              extent: "whole",
              origin,
              realServers: ["10.244.2.2", "10.244.3.2"].map((a) => ({
                address: ip(a),
                port: 8080,
                method: "masq" as const,
                weight: 1,
                origin,
              })),
            },
          ],
        },
        netfilter: { tables: [table("nat", { POSTROUTING: [masquerade] })], nativeNft: [] },
        sysctls: { "net.ipv4.ip_forward": "1", "net.ipv4.vs.conntrack": "1" },
      },
    );
    const pod = (n: number) =>
      stack(
        `pod${n}`,
        "pod",
        [device("eth0", "veth", [`10.244.${n}.2/24`])],
        [route("0.0.0.0/0", `10.244.${n}.1`, "eth0")],
        { listeners: whole([listener("tcp", 8080)]) },
      );
    const client = stack(
      "client",
      "client",
      [device("eth0", "ethernet", ["10.0.0.1/24"])],
      [route("0.0.0.0/0", "10.0.0.10", "eth0")],
    );
    const w = world(
      [client, node, pod(2), pod(3)],
      [segment("lan", "client:eth0", "node:eth0"), veth("node:veth2", "pod2:eth0"), veth("node:veth3", "pod3:eth0")],
    );
    const { plan, needs } = realise(w, {
      stimuli: [
        connect("a", "client", "10.96.0.10", 80),
        connect("b", "client", "10.96.0.10", 80),
        connect("c", "node", "10.96.0.10", 80),
      ],
    });
    expect(needs).toEqual(["ip_vs", "ipvsadm"]);
    const seen = await lab!.run(plan);
    expect(seen.problems).toEqual([]);
    expect(seen.stimuli.map((s) => s.result.outcome)).toEqual(["connected", "connected", "connected"]);
    const servers = seen.stimuli.slice(0, 2).map((s) => s.served[0]!.listener);
    expect(new Set(servers)).toEqual(new Set(["pod2 tcp/8080", "pod3 tcp/8080"]));

    const n = servers[0] === "pod2 tcp/8080" ? 2 : 3;
    const before = "10.0.0.1>10.96.0.10:80";
    const after = `10.0.0.1>10.244.${n}.2:8080`;
    const syns = seen.stimuli[0]!.hooks.filter((h) => h.stack === "node" && h.packet.flags === SYN);
    expect(syns.map(shown)).toEqual([
      `raw/PREROUTING eth0> ${before} ttl=64`,
      `mangle/PREROUTING eth0> ${before} ttl=64`,
      `nat/PREROUTING eth0> ${before} ttl=64`,
      `mangle/INPUT eth0> ${before} ttl=64`,
      `filter/INPUT eth0> ${before} ttl=64`,
      `raw/OUTPUT >veth${n} ${after} ttl=63`,
      `mangle/OUTPUT >veth${n} ${after} ttl=63`,
      `filter/OUTPUT >veth${n} ${after} ttl=63`,
      `mangle/POSTROUTING eth0>veth${n} ${after} ttl=63`,
      `nat/POSTROUTING eth0>veth${n} ${after} ttl=63`,
    ]);
    const state = seen.states.find((s) => s.stack === "node")!;
    expect(state.ipvsConnections).toHaveLength(3);
    expect(state.ipvsConnections.every((c) => c.state === "ESTABLISHED")).toBe(true);
    const local = seen.stimuli[2]!.hooks.filter((h) => h.stack === "node" && h.packet.flags === SYN).map(
      (h) => `${h.table}/${h.chain}`,
    );
    expect(local.slice(0, 6)).toEqual([
      "raw/OUTPUT",
      "mangle/OUTPUT",
      "nat/OUTPUT",
      "raw/OUTPUT",
      "mangle/OUTPUT",
      "filter/OUTPUT",
    ]);
  });

  test("VLANs, IPIP and dummies are made as such", async () => {
    const node = (n: number) =>
      stack(
        `node${n}`,
        "node",
        [
          device("eth0", "ethernet", []),
          device("eth0.7", "vlan", [`10.7.0.${n}/24`], { lower: "eth0", vlan: { id: 7, protocol: "802.1Q" } }),
          device("tunl0", "ipip", [`10.244.${n}.0/32`]),
          device("blocks", "dummy", [`10.244.${n}.9/32`]),
        ],
        [
          route(`10.244.${3 - n}.0/26`, `10.7.0.${3 - n}`, "tunl0", {
            nexthops: [{ device: "tunl0", gateway: ip(`10.7.0.${3 - n}`), weight: 1, flags: ["onlink"] }],
          }),
        ],
        { listeners: whole([listener("tcp", 80)]) },
      );
    const w = world([node(1), node(2)], [segment("lan", "node1:eth0", "node2:eth0")]);
    const { plan, needs } = realise(w, {
      stimuli: [connect("vlan", "node1", "10.7.0.2", 80), connect("ipip", "node1", "10.244.2.9", 80)],
    });
    expect([...needs].sort()).toEqual(["8021q", "ipip"]);
    const seen = await lab!.run(plan);
    expect(seen.problems).toEqual([]);
    expect(seen.stimuli.map((s) => s.result.outcome)).toEqual(["connected", "connected"]);
    const frames = seen.stimuli.map((s) => s.frames.filter((f) => f.stack === "node2" && f.device === "eth0"));
    expect(frames[0]!.some((f) => f.vlan === 7 && f.packet?.dport === 80)).toBe(true);
    const outer = frames[1]!.find((f) => f.packet?.protocol === PROTO.ipip)!.packet!;
    expect(formatAddress(outer.dst)).toBe("10.7.0.2");
    expect(formatAddress(outer.inner!.dst)).toBe("10.244.2.9");
    expect(formatAddress(seen.stimuli[1]!.result.local!.address)).toBe("10.244.1.0");
  });

  test("what the running kernel lacks is sent to the VM", () => {
    expect(chooseBackend([], "vm")).toMatchObject({ backend: "vm" });
  });
});
