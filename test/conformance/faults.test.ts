import type { Chain, IptablesTable, Target } from "@hairpin/core/model/index.ts";
import { afterEach, describe, expect, test, vi } from "vitest";

/** A wrong implementation of one file of the datapath, and cases whose expectation it must miss. */
interface Fault {
  readonly what: string;
  readonly file: string;
  // biome-ignore lint/suspicious/noExplicitAny: a fault replaces any export of any file.
  readonly wrong: (right: any) => Record<string, unknown>;
  readonly caughtBy: readonly string[];
}

const withTargets = (table: IptablesTable, change: (target: Target, chain: Chain) => Target): IptablesTable => ({
  ...table,
  chains: table.chains.map((chain) => ({
    ...chain,
    rules: chain.rules.map((rule) => ({ ...rule, target: change(rule.target, chain) })),
  })),
});

const FAULTS: readonly Fault[] = [
  {
    what: "rp_filter is asked with the addresses before de-NAT",
    file: "fib-validate-source.ts",
    wrong: (right) => ({
      fibValidateSource: (...[kernel, skb, device, src, dst, forwardTo]: readonly [never, any, any, any, any, any]) =>
        skb.ct === undefined || skb.ctDirection === "original"
          ? right.fibValidateSource(kernel, skb, device, src, dst, forwardTo)
          : right.fibValidateSource(kernel, skb, device, src, skb.ct.tuple.reply.dst, undefined),
    }),
    caughtBy: ["rp-filter-after-de-nat"],
  },
  {
    what: "MASQUERADE takes the source that routing selects",
    file: "nf-nat-masquerade.ts",
    wrong: (right) => ({
      masquerade: (kernel: any, skb: any, state: any, target: any) =>
        right.masquerade(kernel, { ...skb, route: { ...skb.route, gateway: skb.route.source } }, state, target),
    }),
    caughtBy: ["masquerade-ignores-route-src"],
  },
  {
    what: "goto returns like a jump",
    file: "ipt-do-table.ts",
    wrong: (right) => ({
      iptDoTable: (kernel: any, table: IptablesTable, skb: any, state: any) =>
        right.iptDoTable(
          kernel,
          withTargets(table, (t) => (t.kind === "jump" ? { ...t, goto: false } : t)),
          skb,
          state,
        ),
    }),
    caughtBy: ["chain-goto", "chain-goto-from-base", "chain-goto-from-base-policy-drop"],
  },
  {
    what: "RETURN in a base chain accepts",
    file: "ipt-do-table.ts",
    wrong: (right) => ({
      iptDoTable: (kernel: any, table: IptablesTable, skb: any, state: any) =>
        right.iptDoTable(
          kernel,
          withTargets(table, (t, chain) =>
            t.kind === "return" && chain.policy !== undefined ? { kind: "accept" } : t,
          ),
          skb,
          state,
        ),
    }),
    caughtBy: ["chain-return-in-base-policy-drop"],
  },
  {
    what: "nat decides again what it has decided",
    file: "nf-nat.ts",
    wrong: () => ({ natInitialised: () => false }),
    caughtBy: ["hooks-loopback", "dnat-output-to-own-address"],
  },
  {
    what: "a packet is not routed again after DNAT in OUTPUT",
    file: "ip-route-me-harder.ts",
    wrong: (right) => ({
      ipRouteMeHarder: (kernel: any, skb: any, where: string) =>
        where === "nat OUTPUT" || right.ipRouteMeHarder(kernel, skb, where),
    }),
    caughtBy: ["dnat-output", "reroute-dnat-other-address", "localhost-nodeport-no-route-localnet"],
  },
  {
    what: "the smaller of all and the device's rp_filter counts",
    file: "sysctl.ts",
    wrong: (right) => ({
      possibleConf: (kernel: any, name: string, device: string) => {
        const values = ["all", device].map((d) => kernel.stack.sysctls.get(right.confKey(name, d))?.value);
        if (name !== "rp_filter" || values.includes(undefined)) return right.possibleConf(kernel, name, device);
        return { values: [String(Math.min(...values.map(Number)))], origins: [] };
      },
    }),
    caughtBy: ["rp-filter-larger-of-all", "rp-filter-strict-drops"],
  },
  {
    what: "a source of one's own is no martian",
    file: "fib-validate-source.ts",
    wrong: (right) => ({
      fibValidateSource: (...args: readonly unknown[]) => {
        const result = right.fibValidateSource(...args);
        return result === "martian source" ? "ok" : result;
      },
    }),
    caughtBy: ["martian-own-address", "martian-own-vip-on-down-device", "lb-loop-node-client"],
  },
  {
    what: "bridged DNAT takes the TTL down",
    file: "br-netfilter.ts",
    wrong: (right) => ({
      brNfForward: (kernel: any, bridge: any, port: any, out: any, skb: any, go: any) => {
        if (skb.nfBridge?.bridgedDnat) skb.packet = { ...skb.packet, ttl: skb.packet.ttl - 1 };
        right.brNfForward(kernel, bridge, port, out, skb, go);
      },
    }),
    caughtBy: ["bridged-dnat"],
  },
  {
    what: "conntrack confirms a connection as soon as it sees it",
    file: "nf-conntrack-in.ts",
    wrong: (right) => ({
      nfConntrackIn: (kernel: any, skb: any) => {
        right.nfConntrackIn(kernel, skb);
        if (skb.ct !== undefined && !skb.ct.confirmed) kernel.conntrack.insert(skb.ct);
      },
    }),
    caughtBy: ["conntrack-dropped-not-confirmed"],
  },
  {
    what: "a device without an address has nothing to masquerade with",
    file: "inet-select-addr.ts",
    wrong: (right) => ({
      inetSelectAddr: (kernel: any, device: any, ...rest: readonly unknown[]) => {
        const found = right.inetSelectAddr(kernel, device, ...rest);
        return found?.device === device ? found : undefined;
      },
    }),
    caughtBy: ["masquerade-device-without-address"],
  },
  {
    what: "an ICMP error is not translated with what it quotes",
    file: "nf-nat.ts",
    wrong: () => ({ natIcmpError: () => {} }),
    caughtBy: ["closed-port-behind-service-udp", "closed-port-behind-masquerade-udp"],
  },
  {
    what: "ARP answers whoever asks",
    file: "fib-validate-source.ts",
    wrong: (right) => ({
      fibValidateSource: (...args: readonly any[]) => (args[1].leg < 0 ? "ok" : right.fibValidateSource(...args)),
    }),
    caughtBy: ["arp-sender-is-own-address", "arp-sender-strict"],
  },
  {
    what: "a set's extra direction spoils the match",
    file: "ip-set-test.ts",
    wrong: (right) => ({
      ipSetTest: (kernel: any, name: string, set: any, skb: any, state: any, directions: readonly string[]) =>
        directions.length === (set?.set.dimensions.length ?? 0) &&
        right.ipSetTest(kernel, name, set, skb, state, directions),
    }),
    caughtBy: ["match-set-tcp-80"],
  },
];

/** Issue 4: a deliberately broken simulator is caught by the suite. Each fault runs in modules of its own. */
describe("a broken walk is caught", () => {
  afterEach(() => {
    vi.doUnmock;
    vi.resetModules();
  });

  test("the unbroken walk passes all of these cases", async () => {
    const { loadConformance, walked } = await import("./cases.ts");
    for (const name of new Set(FAULTS.flatMap((f) => f.caughtBy))) {
      const loaded = loadConformance(name);
      expect(walked(loaded).text, name).toBe(loaded.expected);
    }
  });

  test.each(FAULTS)("$what", async ({ file, wrong, caughtBy }) => {
    const path = `../../packages/core/src/datapath/${file}`;
    vi.resetModules();
    vi.doMock(path, async (importOriginal) => {
      const right = await importOriginal<Record<string, unknown>>();
      return { ...right, ...wrong(right) };
    });
    try {
      const { loadConformance, walked } = await import("./cases.ts");
      for (const name of caughtBy) {
        const loaded = loadConformance(name);
        expect(walked(loaded).text, `${name} does not catch it`).not.toBe(loaded.expected);
      }
    } finally {
      vi.doUnmock(path);
    }
  });
});
