import { type Comparison, compare, differs } from "@hairpin/core/compare/index.ts";
import { branchJson } from "@hairpin/core/diagnose/index.ts";
import type { World } from "@hairpin/core/model/index.ts";
import { resolveQuestion, trace } from "@hairpin/core/trace/index.ts";
import { type Files, nodeFiles, PLAIN, type Service, type Writing, worldOf } from "@hairpin/testing/compared-node.ts";
import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, it } from "vitest";

const RUNS = 30;
const NODES = [{ a: "n1", b: "n1" }];
const compared = (a: Files, b: Files): Comparison =>
  compare({ world: worldOf(a) }, { world: worldOf(b) }, NODES, { sameNode: true });

const PODS = ["10.244.1.5:8080", "10.244.1.6:8080", "10.244.2.7:8080", "10.244.2.8:9090", "10.244.3.3:53"];

const services: fc.Arbitrary<readonly Service[]> = fc
  .array(
    fc.record({
      protocol: fc.constantFrom("tcp" as const, "udp" as const),
      port: fc.constantFrom(80, 443, 53),
      nodePort: fc.option(fc.integer({ min: 30000, max: 30100 }), { nil: undefined }),
      local: fc.boolean(),
      affinity: fc.boolean(),
      endpoints: fc.uniqueArray(fc.constantFrom(...PODS), { minLength: 1, maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((list) =>
    list.map(({ nodePort, ...s }, i) => ({
      ...s,
      vip: `10.96.0.${10 + i}`,
      ...(nodePort !== undefined && { nodePort: nodePort + i * 101 }),
    })),
  );

/** An order by a seed: the same seed orders alike. */
const shuffled =
  (seed: number) =>
  <T>(items: readonly T[]): readonly T[] => {
    let state = seed || 1;
    const out = [...items];
    for (let i = out.length - 1; i > 0; i--) {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      const j = state % (i + 1);
      [out[i], out[j]] = [out[j]!, out[i]!];
    }
    return out;
  };

const writing: fc.Arbitrary<Writing> = fc
  .record({
    seed: fc.integer({ min: 1, max: 1e9 }),
    suffix: fc.constantFrom("", "-X", "-RENAMED"),
    packets: fc.nat(1e6),
    comment: fc.constantFrom("", " again", "drop"),
    extras: fc.subarray([
      ":UNUSED - [0:0]\n-A UNUSED -j DROP",
      "-A PREROUTING -m comment --comment seen",
      ":EMPTY - [0:0]\n-A PREROUTING -s 10.0.0.0/8 -j EMPTY",
      "-A KUBE-SERVICES -d 10.96.0.10/32 -j LOG --log-prefix x",
    ]),
  })
  .map(({ seed, suffix, packets, comment, extras }) => ({
    suffix,
    comment,
    order: shuffled(seed),
    counters: () => `[${packets}:${packets * 60}]`,
    extras,
  }));

interface Mutation {
  readonly what: string;
  /** Fewer where much is walked. */
  readonly runs?: number;
  readonly apply: (files: Files, services: readonly Service[]) => Files | undefined;
}

const rules = (files: Files, change: (text: string) => string): Files | undefined => {
  const text = change(files["iptables-save.txt"]!);
  return text === files["iptables-save.txt"] ? undefined : { ...files, "iptables-save.txt": text };
};
const MUTATIONS: readonly Mutation[] = [
  { what: "a portal is gone", apply: (f) => rules(f, (t) => t.replace(/-A KUBE-SERVICES -d .* -j KUBE-SVC-.*\n/, "")) },
  {
    what: "a portal's port",
    apply: (f) => rules(f, (t) => t.replace(/(-A KUBE-SERVICES -d .*--dport )(\d+)/, "$11$2")),
  },
  {
    what: "an endpoint's address",
    apply: (f) => rules(f, (t) => t.replace(/--to-destination 10\.244\.\d+\.\d+/, "--to-destination 10.244.9.9")),
  },
  { what: "an endpoint's port", apply: (f) => rules(f, (t) => t.replace(/(--to-destination [\d.]+:)\d+/, "$17777")) },
  {
    what: "the hairpin mark",
    apply: (f) => rules(f, (t) => t.replace(/-A KUBE-SEP-\S+ -s 10\.244\.1\..* -j KUBE-MARK-MASQ\n/, "")),
  },
  {
    what: "outside masquerade",
    apply: (f) => rules(f, (t) => t.replace(/-A KUBE-SVC-\S+ ! -s .* -j KUBE-MARK-MASQ\n/, "")),
  },
  {
    what: "masquerade for all",
    apply: (f) => rules(f, (t) => t.replace(/(-A KUBE-SVC-\S+) ! -s 10\.244\.0\.0\/16 /, "$1 ")),
  },
  { what: "no masquerade", apply: (f) => rules(f, (t) => t.replace("-A KUBE-POSTROUTING -j MASQUERADE\n", "")) },
  { what: "a policy", apply: (f) => rules(f, (t) => t.replace(":FORWARD ACCEPT", ":FORWARD DROP")) },
  { what: "the odds", apply: (f) => rules(f, (t) => t.replace(/--probability 0\.\d+/, "--probability 0.90000000000")) },
  {
    what: "a drop of one source",
    apply: (f) => rules(f, (t) => t.replace("-A FORWARD", "-A FORWARD -s 10.244.1.5/32 -j DROP\n-A FORWARD")),
  },
  {
    what: "a drop of one port behind what accepts",
    apply: (f) =>
      rules(f, (t) => t.replace("COMMIT\n*nat", "-A FORWARD -p tcp -m tcp --dport 8443 -j DROP\nCOMMIT\n*nat")),
  },
  {
    what: "a refusal",
    apply: (f) =>
      rules(f, (t) =>
        t.replace(
          "COMMIT\n*nat",
          "-A INPUT -p tcp -m tcp --dport 22 -j REJECT --reject-with icmp-port-unreachable\nCOMMIT\n*nat",
        ),
      ),
  },
  {
    what: "the default route",
    apply: (f) => ({ ...f, "ip-route.txt": f["ip-route.txt"]!.replace("192.0.2.1 dev", "192.0.2.2 dev") }),
  },
  {
    what: "a pod's route",
    apply: (f) => ({ ...f, "ip-route.txt": f["ip-route.txt"]!.replace("10.244.1.5 dev cali1 scope link\n", "") }),
  },
  { what: "a blackhole", apply: (f) => ({ ...f, "ip-route.txt": `${f["ip-route.txt"]}blackhole 10.244.7.0/24\n` }) },
  {
    what: "a routing rule",
    apply: (f) => ({
      ...f,
      "ip-rule.txt": f["ip-rule.txt"]!.replace("32766", "100:\tfrom 10.244.1.5 prohibit\n32766"),
    }),
  },
  {
    what: "forwarding",
    runs: 1,
    apply: (f) => ({
      ...f,
      "sysctl.txt": f["sysctl.txt"]!.replaceAll("forwarding = 1", "forwarding = 0").replace(
        "ip_forward = 1",
        "ip_forward = 0",
      ),
    }),
  },
];

/** The fate of a packet as the walk tells it, without the lines it came by. */
function toldFate(world: World, spec: Parameters<typeof resolveQuestion>[1]): string {
  const resolved = resolveQuestion(world, spec);
  if (resolved.ok !== true) throw new Error(`not asked: ${JSON.stringify(spec)}`);
  const { branches } = trace(resolved.world, resolved.question);
  const legs = (b: (typeof branches)[number]) => {
    const json = branchJson(b) as { request: Leg; reply: Leg | null; data: Leg[] };
    return [json.request, ...(json.reply === null ? [] : [json.reply]), ...json.data].map((l) => [
      l.disposition,
      l.drop,
      l.final,
      l.steps.filter((s) => s.kind === "route").map((s) => [s.device, s.gateway]),
    ]);
  };
  const shares = new Map<string, number>();
  for (const b of branches) {
    const key = JSON.stringify([legs(b), b.clientSees, [...b.hypothesis]]);
    shares.set(key, (shares.get(key) ?? 0) + b.share);
  }
  return JSON.stringify([...shares].map(([k, v]) => [k, v.toFixed(4)]).sort());
}
interface Leg {
  readonly disposition: string;
  readonly drop: string | null;
  readonly final: unknown;
  readonly steps: readonly { readonly kind: string; readonly device?: string; readonly gateway?: string }[];
}

describe("hairpin diff, any node", () => {
  it("is silent where the same Services are only written otherwise", () => {
    fc.assert(
      fc.property(services, writing, (list, other) => {
        const c = compared(nodeFiles(list), nodeFiles(list, other));
        expect(c.differences.map((d) => d.example.a)).toEqual([]);
        expect(c.undecided.map((u) => [u.why, u.element.where])).toEqual([]);
        expect(differs(c)).toBe(false);
      }),
      { numRuns: RUNS, seed: 7 },
    );
  });

  for (const mutation of MUTATIONS) {
    it(`shows what changed in meaning: ${mutation.what}`, () => {
      fc.assert(
        fc.property(services, writing, (list, other) => {
          const before = nodeFiles(list);
          const after = mutation.apply(nodeFiles(list, other), list);
          fc.pre(after !== undefined);
          const [a, b] = [worldOf(before), worldOf(after!)];
          const c = compare({ world: a }, { world: b }, NODES, { sameNode: true });
          const told = c.differences.map((d) => [toldFate(a, d.example.a), toldFate(b, d.example.b)] as const);
          // Every packet that is shown does fare otherwise …
          for (const [x, y] of told) expect(x).not.toBe(y);
          // … and the change is shown by one.
          expect(told.length).toBeGreaterThan(0);
        }),
        { numRuns: mutation.runs ?? 3, seed: 11 },
      );
    });
  }

  it("finds nothing between a node and itself", () => {
    const files = nodeFiles([{ vip: "10.96.0.10", port: 80, protocol: "tcp", endpoints: PODS.slice(0, 3) }], PLAIN);
    expect(differs(compared(files, files))).toBe(false);
  });
});
