import { type IpSet, is, type Match, type RoutingRule, type Target } from "@hairpin/core/model/index.ts";
import { formatAddress, hostPrefix, PROTO, singlePort } from "@hairpin/core/net/index.ts";
import { confKey } from "../../compile/sysctls.ts";
import type { Random } from "../random.ts";
import { ip, origin, rule as routingRule } from "../records.ts";
import { MARKS } from "./policy-routing.ts";
import * as r from "./rules.ts";
import type { Host, Site } from "./site.ts";

/*
 * What stands beside the usual rules: counters that the flow itself moves, seldom tested headers, selectors of `ip rule`, neighbours by hand. Each is drawn
 * by a generator of its own, so that the rest of a seed's World stays as it was.
 */

/** A set that rules fill while packets pass. */
export const MET: IpSet = {
  name: "met",
  method: "hash",
  dimensions: ["ip"],
  family: 4,
  options: [],
  entries: [],
  extent: "whole",
  origin,
};

const echo: Match = { kind: "icmp", type: 8, code: { from: 0, to: 255 }, negated: false };
const syn: Match = { kind: "tcp", flags: is({ mask: 0x17, set: 2 }) };

/** What comes in certain numbers: not TCP's segments, which are sent again, nor what a tunnel says by itself. */
const counted = (random: Random, site: Site): r.Selector =>
  site.overlay === undefined && random.chance(0.6) ? { p: "udp" } : { p: "icmp", m: [echo] };

const and = (selector: r.Selector, ...m: readonly Match[]): r.Selector => ({
  ...selector,
  m: [...(selector.m ?? []), ...m],
});

/** Rules whose match depends on what passed before. */
function drawCounter(random: Random, draft: r.Draft, site: Site, n: number): void {
  const chain = random.pick(["INPUT", "FORWARD", "OUTPUT"]);
  const selector = counted(random, site);
  const ends = random.pick<Target>([r.DROP, r.ACCEPT, { kind: "reject", with: "icmp-admin-prohibited" }]);
  const side = random.pick(["source", "dest"] as const);
  const name = `seen${n}`;
  const recent = (command: "set" | "rcheck" | "update", hitcount?: number): Match => ({
    kind: "recent",
    command,
    negated: false,
    reap: false,
    rttl: false,
    name,
    mask: ip("255.255.255.255"),
    side,
    ...(hitcount === undefined ? {} : { hitcount }),
  });
  switch (random.pick(["limit", "hashlimit", "recent", "connlimit", "set"] as const)) {
    case "limit":
      draft.add(
        "filter",
        chain,
        r.rule(and(selector, { kind: "limit", rate: "1/hour", burst: random.between(1, 2) }), ends),
      );
      return;
    case "hashlimit": {
      const mode = random.pick(["srcip", "dstip", "srcip,dstip"]);
      const options = ["--hashlimit-burst", String(random.between(1, 2)), "--hashlimit-mode", mode];
      const test = random.pick(["upto", "above"] as const);
      draft.add(
        "filter",
        chain,
        r.rule(and(selector, { kind: "hashlimit", name: `h${n}`, test, rate: "1/hour", options }), ends),
      );
      return;
    }
    case "recent":
      draft.add("filter", chain, r.rule(and(selector, recent("set")), { kind: "none" }));
      draft.add("filter", chain, r.rule(and(selector, recent(random.pick(["rcheck", "update"] as const), 2)), ends));
      return;
    case "connlimit": {
      const match: Match = {
        kind: "connlimit",
        test: random.pick(["upto", "above"] as const),
        count: random.between(1, 2),
        mask: random.pick([32, 16, 0]),
        address: random.pick(["saddr", "daddr"] as const),
      };
      draft.add("filter", chain, r.rule({ p: "tcp", m: [syn, match] }, ends));
      return;
    }
    case "set": {
      const directions = [random.pick(["src", "dst"] as const)];
      const action = random.weighted<"add" | "del">([3, "add"], [1, "del"]);
      draft.add("filter", chain, r.rule(and(selector, r.setMatch(MET.name, directions, random.chance(0.3))), ends));
      draft.add(
        random.pick(["mangle", "filter"] as const),
        chain,
        r.rule(selector, { kind: "set", action, name: MET.name, directions, exist: false, options: [] }),
      );
    }
  }
}

/** Matches and targets that few rule sets have. */
function drawSeldom(random: Random, draft: r.Draft, site: Site, node: Host): void {
  const value = random.pick(MARKS);
  const marks = r.mark(value, value);
  const pods = site.pods.map((p) => p.address);
  const flags = { random: false, randomFully: false, persistent: random.chance(0.3) };
  const through = random.pick(["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"]);
  switch (
    random.pick(["length", "dscp", "owner", "tcpmss", "TCPMSS", "LOG", "zone", "dnat range", "snat range"] as const)
  ) {
    case "length": {
      const range = random.pick([
        { from: 0, to: 59 },
        { from: 60, to: 60 },
        { from: 61, to: 1500 },
      ]);
      const p = random.pick(["udp", "icmp"] as const);
      draft.add(
        "mangle",
        through,
        r.rule({ p, m: [{ kind: "length", range, negated: random.chance(0.2) }] }, random.pick([marks, r.DROP])),
      );
      return;
    }
    case "dscp":
      draft.add("mangle", random.pick(["PREROUTING", "OUTPUT"]), r.rule({ p: "udp" }, { kind: "dscp", value: 10 }));
      draft.add(
        "mangle",
        random.pick(["FORWARD", "POSTROUTING", "INPUT"]),
        r.rule({ m: [{ kind: "dscp", value: 10, negated: random.chance(0.3) }] }, marks),
      );
      return;
    case "owner": {
      const negated = random.chance(0.4);
      const match: Match = random.chance(0.5)
        ? { kind: "owner", uid: { value: singlePort(0), negated }, supplementaryGroups: false }
        : { kind: "owner", socketExists: { negated }, supplementaryGroups: false };
      draft.add("mangle", random.pick(["OUTPUT", "POSTROUTING"]), r.rule({ m: [match] }, marks));
      return;
    }
    case "tcpmss": {
      const range = random.pick([
        { from: 1300, to: 1400 },
        { from: 1401, to: 1460 },
        { from: 1461, to: 65535 },
      ]);
      draft.add(
        "mangle",
        through,
        r.rule({ p: "tcp", m: [syn, { kind: "tcpmss", range, negated: random.chance(0.2) }] }, marks),
      );
      return;
    }
    case "TCPMSS": {
      const to = random.pick([{}, { mss: 1000 }, { mss: 1360 }]);
      const range = { from: 900, to: 1400 };
      draft.add(
        "mangle",
        random.pick(["FORWARD", "POSTROUTING"]),
        r.rule({ p: "tcp", m: [syn] }, { kind: "tcpmss", ...to }),
      );
      draft.add(
        "mangle",
        "POSTROUTING",
        r.rule({ p: "tcp", m: [syn, { kind: "tcpmss", range, negated: false }] }, marks),
      );
      return;
    }
    case "LOG":
      draft.add(
        "filter",
        random.pick(["INPUT", "FORWARD", "OUTPUT"]),
        r.rule(
          {},
          { kind: "log", tcpSequence: false, tcpOptions: false, ipOptions: false, uid: false, macDecode: false },
        ),
      );
      return;
    case "zone":
      draft.add("raw", "PREROUTING", r.rule({ i: random.pick(node.devices).name }, r.mark(1)));
      draft.add("raw", "PREROUTING", r.rule({}, { kind: "ct", notrack: false, zone: "mark", options: [] }));
      return;
    case "dnat range": {
      const [from, to] = [pods[0], pods[pods.length - 1]];
      if (from === undefined || to === undefined) return;
      const ports = random.chance(0.5) ? { ports: singlePort(8080) } : {};
      draft.add(
        "nat",
        random.pick(["PREROUTING", "OUTPUT"]),
        r.rule(
          { p: random.pick(["tcp", "udp"] as const), d: ip("10.96.0.9"), dport: 80 },
          { kind: "dnat", to: { addresses: { from, to }, ...ports }, ...flags },
        ),
      );
      return;
    }
    case "snat range": {
      draft.add(
        "nat",
        "POSTROUTING",
        r.rule(
          { p: random.pick(["tcp", "udp", "icmp"] as const), s: ip("10.244.1.2") },
          { kind: "snat", to: { addresses: { from: ip("10.0.0.1"), to: ip("10.0.0.2") } }, ...flags },
        ),
      );
    }
  }
}

export function drawBesideRules(random: Random, draft: r.Draft, site: Site, node: Host): void {
  if (random.chance(0.5)) return;
  const count = random.between(1, 3);
  for (let n = 0; n < count; n++) {
    if (random.chance(0.5)) drawCounter(random, draft, site, n);
    else drawSeldom(random, draft, site, node);
  }
}

/** Rules of `ip rule` by what is in the packet, by the socket, or by the way out. */
export function drawBesidePolicy(random: Random, site: Site, host: Host): readonly RoutingRule[] {
  if (random.chance(0.7)) return [];
  const selector = random.weighted<Partial<RoutingRule>>(
    [2, { ipProto: random.pick([PROTO.tcp, PROTO.udp, PROTO.icmp]) }],
    [2, { ipProto: random.pick([PROTO.tcp, PROTO.udp]), dport: singlePort(random.pick([80, 8080])) }],
    [1, { ipProto: PROTO.tcp, sport: random.pick([singlePort(8080), { from: 40_000, to: 40_005 }]) }],
    [1, { oif: random.pick(host.devices).name }],
    [1, { tos: 0x10 }],
    [1, { uidRange: random.pick([singlePort(0), { from: 1, to: 1000 }]) }],
    [1, { from: hostPrefix(random.pick(site.pods).address), to: hostPrefix(random.pick(site.pods).address) }],
  );
  const action = random.weighted<RoutingRule["action"]>(
    [2, { kind: "prohibit" }],
    [1, { kind: "blackhole" }],
    [1, { kind: "unreachable" }],
    // Past the rules that were drawn, to the table main.
    [2, { kind: "goto", target: 32766 }],
    [1, { kind: "nop" }],
  );
  return [routingRule(80, action, { ...selector, not: random.chance(0.1) })];
}

/** Entries by hand for hosts of the first LAN, some of them with somebody else's MAC; and switches that are seldom turned. */
export function drawBesideFacts(random: Random, site: Site, host: Host): void {
  const there = site.hosts.flatMap((h) => h.devices.filter((d) => h !== host && d.name === "eth0" && h.kind !== "pod"));
  if (there.length > 0 && random.chance(0.2)) {
    const of = random.pick(there);
    const address = of.addresses[0]?.prefix.address;
    const mac = random.chance(0.6) ? of.mac : random.pick(there).mac;
    if (
      address !== undefined &&
      mac !== undefined &&
      host.devices.some((d) => d.name === "eth0") &&
      /^10\.0\.0\./.test(formatAddress(address))
    )
      host.neighbours.push({
        address,
        device: "eth0",
        mac,
        states: ["PERMANENT"],
        router: false,
        proxy: false,
        origin,
      });
  }
  const { sysctls } = host;
  if (random.chance(0.1)) sysctls["net.ipv4.ip_default_ttl"] = random.pick(["63", "128", "2"]);
  if (random.chance(0.1)) sysctls["net.netfilter.nf_conntrack_tcp_be_liberal"] = "1";
  if (random.chance(0.1)) sysctls[confKey(4, "all", "arp_announce")] = random.pick(["1", "2"]);
}
