import {
  type Coverage,
  DEVICE_COVERAGE,
  MATCH_COVERAGE,
  SET_COVERAGE,
  TARGET_COVERAGE,
} from "@hairpin/core/datapath/kernel/coverage.ts";
import type { DropReason, Route, RoutingRule, Stack } from "@hairpin/core/model/index.ts";
import { describe, expect, test } from "vitest";
import { caseNames, type LoadedConformance, loadConformance, VM_ROOT, vmCaseNames } from "./cases.ts";

/** Nothing the walk simulates goes without a case that both engines are held to; what has none says why. */
const loaded: readonly LoadedConformance[] = [
  ...caseNames.map((name) => loadConformance(name)),
  ...vmCaseNames.map((name) => loadConformance(name, [], VM_ROOT)),
];
const stacks: readonly Stack[] = loaded.flatMap((c) => c.exploration.world.stacks);
const rules = stacks.flatMap((s) => s.netfilter.tables.flatMap((t) => t.chains.flatMap((c) => c.rules)));

function uncovered<K extends string>(
  known: Readonly<Record<K, Coverage>>,
  used: ReadonlySet<string>,
  exempt: Partial<Record<K, string>>,
): readonly string[] {
  return (Object.keys(known) as K[]).filter(
    (kind) => known[kind] !== "unknown" && !used.has(kind) && exempt[kind] === undefined,
  );
}

describe("every part of the walk has its case", () => {
  test("matches", () => {
    const used = new Set<string>(rules.flatMap((r) => r.matches.map((m) => m.kind)));
    expect(
      uncovered(MATCH_COVERAGE, used, {
        icmp6: "IPv6",
        hl: "IPv6",
        sctp: "the kernels at hand lack SCTP sockets",
      }),
    ).toEqual([]);
  });

  test("targets", () => {
    const used = new Set<string>(rules.map((r) => r.target.kind));
    expect(
      uncovered(TARGET_COVERAGE, used, {
        hl: "IPv6",
        notrack: "iptables prints it as CT --notrack",
        trace: "changes nothing but what is told of a packet",
      }),
    ).toEqual([]);
  });

  test("kinds of sets", () => {
    const used = new Set<string>(stacks.flatMap((s) => s.ipsets.items.flatMap((set) => set.dimensions)));
    expect(uncovered(SET_COVERAGE, used, {})).toEqual([]);
  });

  test("kinds of devices", () => {
    const used = new Set<string>(stacks.flatMap((s) => s.devices.items.map((d) => d.kind)));
    const opaque = "walked as an opaque link to whoever has the address";
    expect(
      uncovered(DEVICE_COVERAGE, used, {
        tap: "a bridge port like a veth",
        bond: "stands as a single card",
        team: "stands as a single card",
        geneve: opaque,
        sit: opaque,
        wireguard: opaque,
        macvlan: "the lab joins no stacks by it: trace/hosts/own-cards.test.ts",
        ipvlan: "the lab joins no stacks by it: trace/hosts/own-cards.test.ts",
        ethernet: "the lab's cards are veth pairs",
        unknown: "a card of which no dump tells the kind",
      }),
    ).toEqual([]);
  });

  test("types of routes", () => {
    const types: Readonly<Record<Route["type"], true>> = {
      unicast: true,
      local: true,
      broadcast: true,
      multicast: true,
      anycast: true,
      unreachable: true,
      blackhole: true,
      prohibit: true,
      throw: true,
      nat: true,
      xresolve: true,
    };
    const used = new Set<string>(stacks.flatMap((s) => s.routeTables.flatMap((t) => t.routes.map((r) => r.type))));
    const exempt = ["multicast", "anycast", "nat", "xresolve"];
    expect(Object.keys(types).filter((t) => !used.has(t) && !exempt.includes(t))).toEqual([]);
  });

  test("selectors and actions of rules", () => {
    const all = stacks.flatMap((s) => s.routingRules.items);
    const selectors: readonly (keyof RoutingRule)[] = [
      "from",
      "to",
      "iif",
      "oif",
      "fwmark",
      "fwmask",
      "tos",
      "ipProto",
      "sport",
      "dport",
      "uidRange",
      "suppressPrefixLength",
    ];
    expect(selectors.filter((key) => !all.some((r) => r[key] !== undefined))).toEqual([]);
    expect(all.some((r) => r.not)).toBe(true);
    const actions: readonly RoutingRule["action"]["kind"][] = [
      "lookup",
      "goto",
      "nop",
      "unreachable",
      "prohibit",
      "blackhole",
    ];
    expect(actions.filter((kind) => !all.some((r) => r.action.kind === kind))).toEqual([]);
  });

  test("reasons to drop", () => {
    /** null: some expected.txt has it; else why none does. */
    const reasons: Readonly<Record<DropReason, string | null>> = {
      NETFILTER_DROP: null,
      IP_RPFILTER: null,
      IP_LOCAL_SOURCE: null,
      IP_INVALID_SOURCE: null,
      IP_LOCALNET: null,
      IP_INVALID_DEST: "only injected packets are for 0.0.0.0",
      IP_INNOROUTES: null,
      IP_OUTNOROUTES: null,
      IP_INADDRERRORS: null,
      IPV6DISABLED: "a device with disable_ipv6 has no address and no route to be reached by: test/ipv6",
      OTHERHOST: null,
      NO_SOCKET: null,
      NEIGH_FAILED: null,
      NEIGH_QUEUED: "proxies of the lab answer at once: test/ipv6",
      PKT_TOO_BIG: null,
      FRAG_REASM_TIMEOUT: null,
      TTL_EXPIRED: null,
      TPROXY_NOT_LOCAL: "servers of the lab are not transparent: test/adversary/found",
      CONNTRACK_CLASH: "needs a second connection: test/conformance/sequences.test.ts",
      IPVS_NO_DESTINATION: null,
      IPVS_DROP: null,
      IPVS_SERVER_REMOVED: "needs a server that goes: test/conformance/ipvs-sequences.test.ts",
      IPVS_STALE_CONNECTION: "needs a server that goes: test/conformance/ipvs-sequences.test.ts",
      DEV_DOWN: null,
      UNHANDLED_PROTO: "a packet sent into a dummy device",
      BRIDGE_INGRESS_PORT: null,
      BRIDGE_NO_PORT: "nobody has the MAC that a static neighbour entry names",
      VLAN_FILTER: "a tag nobody has hides the neighbour before any packet is sent",
      ICMP_REJECTED_ROUTE: "not used",
      MASQUERADE_NO_ADDRESS: null,
      MASQUERADE_DEVICE_CHANGED: "needs a route that moves: test/conformance/sequences.test.ts",
      TCP_UNEXPECTED: null,
      ICMP_ECHO_IGNORED: null,
      NO_TX_TARGET: null,
      VXLAN_VNI_NOT_FOUND: null,
      VXLAN_ENTRY_EXISTS: "found by the soak: seed 1702, world 37",
      UDP_CSUM: null,
      LOCAL_MAC: null,
      TUNNEL_TO_ITSELF: null,
      TUNNEL_NO_DEVICE: null,
      HOST_NOT_THERE: "of what nobody showed, and no kernel has",
      GATEWAY_DROPS: "of what nobody showed, and no kernel has",
      FABRIC_DENY: "the fabric is no kernel",
      FABRIC_SRC_DST_CHECK: "the fabric is no kernel",
      FABRIC_NO_OWNER: "the fabric is no kernel",
      LOOP: "ends a walk that would not end",
    };
    const texts = loaded.map((c) => c.expected).join("\n");
    const wrong = Object.entries(reasons).filter(([reason, why]) => {
      const seen = new RegExp(`: ${reason}$`, "m").test(texts);
      return why === null ? !seen : false;
    });
    expect(wrong.map(([reason]) => reason)).toEqual([]);
  });
});
