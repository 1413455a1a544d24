import type { Chain, IptablesTable, Target } from "@hairpin/core/model/index.ts";
import { afterEach, describe, expect, test, vi } from "vitest";

/** A wrong implementation of one file of the datapath, and cases whose expectation it must miss. */
interface Fault<Module = Record<string, unknown>> {
  readonly what: string;
  readonly file: string;
  readonly wrong: (right: Module) => Partial<Module>;
  readonly caughtBy: readonly string[];
}
const fault = <Module>(f: Fault<Module>): Fault => f as unknown as Fault;

const withTargets = (table: IptablesTable, change: (target: Target, chain: Chain) => Target): IptablesTable => ({
  ...table,
  chains: table.chains.map((chain) => ({
    ...chain,
    rules: chain.rules.map((rule) => ({ ...rule, target: change(rule.target, chain) })),
  })),
});

const FAULTS: readonly Fault[] = [
  fault<typeof import("@hairpin/core/datapath/route/fib-validate-source.ts")>({
    what: "rp_filter is asked with the addresses before de-NAT",
    file: "route/fib-validate-source.ts",
    wrong: (right) => ({
      fibValidateSource: (kernel, skb, device, src, dst, forwardTo) =>
        skb.ct === undefined || skb.ctDirection === "original"
          ? right.fibValidateSource(kernel, skb, device, src, dst, forwardTo)
          : right.fibValidateSource(kernel, skb, device, src, skb.ct.tuple.reply.dst, undefined),
    }),
    caughtBy: ["rp-filter-after-de-nat"],
  }),
  fault<typeof import("@hairpin/core/datapath/conntrack/nf-nat-masquerade.ts")>({
    what: "MASQUERADE takes the source that routing selects",
    file: "conntrack/nf-nat-masquerade.ts",
    wrong: (right) => ({
      masquerade: (kernel, skb, state, target) => {
        const route = skb.route!;
        return right.masquerade(kernel, { ...skb, route: { ...route, gateway: route.source! } }, state, target);
      },
    }),
    caughtBy: ["masquerade-ignores-route-src"],
  }),
  fault<typeof import("@hairpin/core/datapath/iptables/ipt-do-table.ts")>({
    what: "goto returns like a jump",
    file: "iptables/ipt-do-table.ts",
    wrong: (right) => ({
      iptDoTable: (kernel, table, skb, state) =>
        right.iptDoTable(
          kernel,
          withTargets(table, (t) => (t.kind === "jump" ? { ...t, goto: false } : t)),
          skb,
          state,
        ),
    }),
    caughtBy: ["chain-goto", "chain-goto-from-base", "chain-goto-from-base-policy-drop"],
  }),
  fault<typeof import("@hairpin/core/datapath/iptables/ipt-do-table.ts")>({
    what: "RETURN in a base chain accepts",
    file: "iptables/ipt-do-table.ts",
    wrong: (right) => ({
      iptDoTable: (kernel, table, skb, state) =>
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
  }),
  fault<typeof import("@hairpin/core/datapath/conntrack/nf-nat.ts")>({
    what: "nat decides again what it has decided",
    file: "conntrack/nf-nat.ts",
    wrong: () => ({ natInitialised: () => false }),
    caughtBy: ["hooks-loopback", "dnat-output-to-own-address"],
  }),
  fault<typeof import("@hairpin/core/datapath/route/ip-route-me-harder.ts")>({
    what: "a packet is not routed again after DNAT in OUTPUT",
    file: "route/ip-route-me-harder.ts",
    wrong: (right) => ({
      ipRouteMeHarder: (kernel, skb, where) => where === "nat OUTPUT" || right.ipRouteMeHarder(kernel, skb, where),
    }),
    caughtBy: ["dnat-output", "reroute-dnat-other-address", "localhost-nodeport-no-route-localnet"],
  }),
  fault<typeof import("@hairpin/core/datapath/kernel/sysctl.ts")>({
    what: "the smaller of all and the device's rp_filter counts",
    file: "kernel/sysctl.ts",
    wrong: (right) => ({
      possibleConf: (kernel, name, device) => {
        const values = ["all", device].map((d) => kernel.stack.sysctls.get(right.confKey(name, d))?.value);
        if (name !== "rp_filter" || values.includes(undefined)) return right.possibleConf(kernel, name, device);
        return { values: [String(Math.min(...values.map(Number)))], origins: [] };
      },
    }),
    caughtBy: ["rp-filter-larger-of-all", "rp-filter-strict-drops"],
  }),
  fault<typeof import("@hairpin/core/datapath/route/fib-validate-source.ts")>({
    what: "a source of one's own is no martian",
    file: "route/fib-validate-source.ts",
    wrong: (right) => ({
      fibValidateSource: (...args) => {
        const result = right.fibValidateSource(...args);
        return result === "martian source" ? "ok" : result;
      },
    }),
    caughtBy: ["martian-own-address", "martian-own-vip-on-down-device", "lb-loop-node-client"],
  }),
  fault<typeof import("@hairpin/core/datapath/netfilter/nf-hooks.ts")>({
    what: "bridged DNAT takes the TTL down",
    file: "netfilter/nf-hooks.ts",
    wrong: (right) => ({
      nfHook: (kernel, skb, state) => {
        const forwarded = skb.nfBridge?.bridgedDnat === true && state.hook === "FORWARD";
        if (forwarded) skb.packet = { ...skb.packet, ttl: skb.packet.ttl - 1 };
        return right.nfHook(kernel, skb, state);
      },
    }),
    caughtBy: ["bridged-dnat"],
  }),
  fault<typeof import("@hairpin/core/datapath/conntrack/nf-conntrack-in.ts")>({
    what: "conntrack confirms a connection as soon as it sees it",
    file: "conntrack/nf-conntrack-in.ts",
    wrong: (right) => ({
      nfConntrackIn: (kernel, skb) => {
        right.nfConntrackIn(kernel, skb);
        if (skb.ct !== undefined && !skb.ct.confirmed) kernel.conntrack.insert(skb.ct);
      },
    }),
    caughtBy: ["conntrack-dropped-not-confirmed"],
  }),
  fault<typeof import("@hairpin/core/datapath/route/inet-select-addr.ts")>({
    what: "a device without an address has nothing to masquerade with",
    file: "route/inet-select-addr.ts",
    wrong: (right) => ({
      inetSelectAddr: (kernel, device, nexthop, scope) => {
        const found = right.inetSelectAddr(kernel, device, nexthop, scope);
        return found?.device === device ? found : undefined;
      },
    }),
    caughtBy: ["masquerade-device-without-address"],
  }),
  fault<typeof import("@hairpin/core/datapath/conntrack/nf-nat.ts")>({
    what: "an ICMP error is not translated with what it quotes",
    file: "conntrack/nf-nat.ts",
    wrong: () => ({ natIcmpError: () => {} }),
    caughtBy: ["closed-port-behind-service-udp", "closed-port-behind-masquerade-udp"],
  }),
  fault<typeof import("@hairpin/core/datapath/route/fib-validate-source.ts")>({
    what: "ARP answers whoever asks",
    file: "route/fib-validate-source.ts",
    wrong: (right) => ({
      fibValidateSource: (...args) => (args[1].leg < 0 ? "ok" : right.fibValidateSource(...args)),
    }),
    caughtBy: ["arp-sender-is-own-address", "arp-sender-strict"],
  }),
  fault<typeof import("@hairpin/core/datapath/ipset/ip-set-test.ts")>({
    what: "a set's extra direction spoils the match",
    file: "ipset/ip-set-test.ts",
    wrong: (right) => ({
      ipSetTest: (kernel, name, set, skb, state, directions) =>
        directions.length === (set?.set.dimensions.length ?? 0) &&
        right.ipSetTest(kernel, name, set, skb, state, directions),
    }),
    caughtBy: ["match-set-tcp-80"],
  }),
];

/** Issue 4: a deliberately broken simulator is caught by the suite. Each fault runs in modules of its own. */
describe("a broken walk is caught", () => {
  afterEach(() => {
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
