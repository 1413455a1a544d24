// How fast the lab is: `tsx test/lab/measure.ts [netns|vm] [worlds] [labs]`. Prints worlds and packets a minute.
import { is } from "@hairpin/core/model/index.ts";
import { maskOf, PROTO, singlePort } from "@hairpin/core/net/index.ts";
import {
  type LabBackend,
  type LabPlan,
  OBSERVE_ALL,
  openNetns,
  openVm,
  realise,
  type Stimulus,
} from "@hairpin/lab/index.ts";
import { device, ip, listener, route, rule, segment, stack, table, veth, world } from "./world.ts";

const [kind = "netns", count = "60", parallel = "1"] = process.argv.slice(2);

/** Two nodes with two pods each and 40 Services; ten connections from a pod. */
function plan(seed: number): LabPlan {
  const whole = <T>(items: readonly T[]) => ({ items, extent: "whole" as const });
  const service = (n: number) =>
    rule({
      destination: is({ address: ip(`10.96.0.${n}`), mask: maskOf(32) }),
      protocol: is(PROTO.tcp),
      matches: [{ kind: "tcp", dport: is(singlePort(80)) }],
      target: {
        kind: "dnat",
        to: {
          addresses: {
            from: ip(`10.244.${1 + (n % 2)}.${2 + (n % 3 ? 0 : 1)}`),
            to: ip(`10.244.${1 + (n % 2)}.${2 + (n % 3 ? 0 : 1)}`),
          },
          ports: singlePort(8080),
        },
        random: false,
        randomFully: false,
        persistent: false,
      },
    });
  const services = Array.from({ length: 40 }, (_, i) => service(i + 1));
  const node = (n: number) =>
    stack(
      `node${n}`,
      "node",
      [device("eth0", "ethernet", [`10.0.0.${n}/24`]), device("v2", "veth"), device("v3", "veth")],
      [
        route("0.0.0.0/0", "10.0.0.254", "eth0"),
        route(`10.244.${n}.2/32`, undefined, "v2"),
        route(`10.244.${n}.3/32`, undefined, "v3"),
        route(`10.244.${3 - n}.0/24`, `10.0.0.${3 - n}`, "eth0"),
      ],
      {
        netfilter: {
          nativeNft: [],
          tables: [
            table("nat", {
              PREROUTING: services,
              OUTPUT: services,
              POSTROUTING: [
                rule({ outInterface: is("eth0"), target: { kind: "masquerade", random: false, randomFully: false } }),
              ],
            }),
            table("filter", { FORWARD: [rule({ target: { kind: "accept" } })] }),
          ],
        },
        sysctls: {
          "net.ipv4.ip_forward": "1",
          "net.ipv4.conf.v2.proxy_arp": "1",
          "net.ipv4.conf.v3.proxy_arp": "1",
          "net.ipv4.conf.eth0.rp_filter": "1",
        },
      },
    );
  const pod = (n: number, m: number) =>
    stack(
      `pod${n}${m}`,
      "pod",
      [device("eth0", "veth", [`10.244.${n}.${m}/32`])],
      [route("169.254.1.1/32", undefined, "eth0"), route("0.0.0.0/0", "169.254.1.1", "eth0")],
      {
        listeners: whole([listener("tcp", 8080)]),
      },
    );
  const w = world(
    [node(1), node(2), pod(1, 2), pod(1, 3), pod(2, 2), pod(2, 3)],
    [
      segment("lan", "node1:eth0", "node2:eth0"),
      ...[1, 2].flatMap((n) => [2, 3].map((m) => veth(`node${n}:v${m}`, `pod${n}${m}:eth0`))),
    ],
  );
  const stimuli = Array.from(
    { length: 10 },
    (_, i): Stimulus => ({
      kind: "connect",
      id: `c${i}`,
      stack: "pod12",
      to: ip(`10.96.0.${1 + ((seed * 7 + i) % 40)}`),
      port: 80,
    }),
  );
  return realise(w, {
    stimuli,
    observe: { ...OBSERVE_ALL, conntrack: false, ruleCounts: false, hookStacks: ["node1", "node2"] },
  }).plan;
}

const t0 = performance.now();
const labs = await Promise.all(
  Array.from({ length: Number(parallel) }, (): Promise<LabBackend> => (kind === "vm" ? openVm() : openNetns())),
);
const t1 = performance.now();
console.log(`${kind}: open ${(t1 - t0).toFixed(0)} ms, kernel ${labs[0]!.profile.kernel}`);
let next = 0;
const sums = { build: 0, stimuli: 0, total: 0, packets: 0, hooks: 0, frames: 0, connected: 0, problems: 0 };
await Promise.all(
  labs.map(async (lab) => {
    while (next < Number(count)) {
      const seen = await lab.run(plan(next++));
      sums.build += seen.milliseconds.build;
      sums.stimuli += seen.milliseconds.stimuli;
      sums.total += seen.milliseconds.total;
      sums.problems += seen.problems.length;
      for (const s of seen.stimuli) {
        sums.packets++;
        sums.hooks += s.hooks.length;
        sums.frames += s.frames.length;
        if (s.result.outcome === "connected") sums.connected++;
      }
    }
  }),
);
const seconds = (performance.now() - t1) / 1000;
const n = Number(count);
console.log(
  `${n} worlds of 6 stacks in ${seconds.toFixed(1)} s: ${((n / seconds) * 60).toFixed(0)} worlds/min, ${((sums.packets / seconds) * 60).toFixed(0)} flows/min`,
);
console.log(
  `a world: build ${(sums.build / n).toFixed(1)} ms, stimuli ${(sums.stimuli / n).toFixed(1)} ms, total ${(sums.total / n).toFixed(1)} ms; ${sums.hooks} hooks, ${sums.frames} frames, ${sums.connected} connected, ${sums.problems} problems`,
);
await Promise.all(labs.map((lab) => lab.close()));
