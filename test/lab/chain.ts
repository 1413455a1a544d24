import { type IptablesTable, is, type World } from "@hairpin/core/model/index.ts";
import { formatAddress, maskFor, PROTO, singlePort } from "@hairpin/core/net/index.ts";
import {
  type HookRecord,
  type LabBackend,
  netnsSupport,
  type Observations,
  openNetns,
  realise,
  type Stimulus,
} from "@hairpin/lab/index.ts";
import { afterAll, beforeAll, expect } from "vitest";
import { device, ip, listener, route, rule, segment, stack, veth, world } from "./world.ts";

/** What tests of the lab on the running kernel share: whether it can be had, a chain of machines, and questions put to it. */
export const support = netnsSupport();

/** A lab for the tests of one file; a question to it, of which nothing may be missing. */
export function openLab(): {
  readonly lab: () => LabBackend;
  readonly ask: (w: World, stimuli: readonly Stimulus[]) => Promise<Observations>;
} {
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
  return { lab: () => lab, ask };
}

export const MASQUERADE = rule({
  outInterface: is("eth0"),
  target: { kind: "masquerade", random: false, randomFully: false },
});
export const host = (address: string) => is({ address: ip(address), mask: maskFor(ip(address), 32) });

export const dnat = (address: string, port: number, to: string, toPort: number) =>
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
export const chainOf = (tables: readonly IptablesTable[], sysctls: Readonly<Record<string, string>> = {}): World =>
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
export const whole = <T>(items: readonly T[]) => ({ items, extent: "whole" as const });

export const connect = (
  to: string,
  port: number,
  rest: Partial<Extract<Stimulus, { kind: "connect" }>> = {},
): Stimulus => ({
  kind: "connect",
  id: `${to}:${port}`,
  stack: "pod",
  to: ip(to),
  port,
  ...rest,
});

/** `raw/PREROUTING eth0>veth1 a:1>b:2 SYN ttl` for what a test compares. */
export const SYN = 2;
const shown = (h: HookRecord): string =>
  `${h.table}/${h.chain} ${h.in}>${h.out} ${formatAddress(h.packet.src)}>${formatAddress(h.packet.dst)}:${h.packet.dport} ttl=${h.packet.ttl}`;
export const syns = (o: Observations, name: string, n = 0): readonly string[] =>
  o.stimuli[n]!.hooks.filter((h) => h.stack === name && h.packet.flags === SYN).map(shown);
