import { is, isNot, type Match } from "@hairpin/core/model/index.ts";
import { singlePort } from "@hairpin/core/net/index.ts";
import type { Random } from "../random.ts";
import { ip, net } from "../records.ts";
import { MARKS } from "./policy-routing.ts";
import { masked, type Selector, setMatch, type Where } from "./rules.ts";
import type { Host, Site } from "./site.ts";

/** A selector that some of the site's packets fit. `anywhere`: only what every chain may use. */
export function drawMatch(random: Random, site: Site, node: Host, chain: string, anywhere = false): Selector {
  const addresses = site.hosts.flatMap((h) => h.devices.flatMap((d) => d.addresses.map((a) => a.prefix.address)));
  const devices = node.devices.map((d) => d.name);
  const input = chain !== "OUTPUT" && chain !== "POSTROUTING" && !anywhere;
  const output = chain !== "PREROUTING" && chain !== "INPUT" && !anywhere;
  const selector: { -readonly [K in keyof Selector]: Selector[K] } = {};
  if (random.chance(0.35)) {
    const where = random.weighted<Where>(
      [2, random.pick(addresses)],
      [1, net("10.244.0.0/16")],
      [1, net("10.0.0.0/24")],
    );
    if (random.chance(0.2)) selector.notS = where;
    else selector.s = where;
  }
  if (random.chance(0.35)) {
    const where = random.weighted<Where>(
      [2, random.pick(addresses)],
      [1, net("10.244.0.0/16")],
      [1, net("10.96.0.0/16")],
    );
    if (random.chance(0.2)) selector.notD = where;
    else selector.d = where;
  }
  if (input && random.chance(0.25)) {
    const name = random.chance(0.2) ? "eth+" : random.pick(devices);
    if (random.chance(0.2)) selector.notI = name;
    else selector.i = name;
  }
  if (output && random.chance(0.25)) {
    const name = random.chance(0.2) ? "v+" : random.pick(devices);
    if (random.chance(0.2)) selector.notO = name;
    else selector.o = name;
  }
  if (random.chance(0.35)) selector.p = random.pick(["tcp", "udp", "icmp"] as const);
  if ((selector.p === "tcp" || selector.p === "udp") && random.chance(0.5))
    selector.dport = random.pick([80, 8080, 30080, selector.p === "udp" ? (site.overlay?.port ?? 53) : 53]);
  const m: Match[] = [];
  if (random.chance(0.5)) m.push(drawExtension(random, node, chain, selector.p));
  if (m.length > 0) selector.m = m;
  if (m.some((x) => x.kind === "statistic" && x.mode === "nth")) countable(selector, site);
  return selector;
}

/**
 * Every second packet is asked for only of what comes in certain numbers: how many acknowledgements and retransmissions TCP
 * sends, by itself or in a tunnel, is a matter of time.
 */
function countable(selector: { -readonly [K in keyof Selector]: Selector[K] }, site: Site): void {
  if (selector.p === "udp" && site.overlay === undefined) return;
  selector.p = site.overlay === undefined && selector.p === "tcp" ? "udp" : "icmp";
  if (selector.p === "udp") return;
  delete selector.dport;
  const echo: Match = { kind: "icmp", type: 8, code: { from: 0, to: 255 }, negated: false };
  selector.m = [echo, ...(selector.m ?? [])];
}

function drawExtension(random: Random, node: Host, chain: string, protocol: Selector["p"]): Match {
  const value = random.pick(MARKS);
  const negated = random.chance(0.25);
  const bridged = node.devices.filter((d) => d.master !== undefined).map((d) => d.name);
  const macs = node.devices.flatMap((d) => (d.mac === undefined ? [] : [d.mac]));
  const options: (readonly [number, Match])[] = [
    [2, { kind: "mark", value, mask: random.chance(0.7) ? value : 0xffffffff, negated }],
    [1, { kind: "connmark", value, mask: value, negated }],
    [
      2,
      {
        kind: "conntrack",
        states: negated ? isNot(["NEW"]) : is([random.pick(["NEW", "ESTABLISHED", "RELATED", "INVALID"] as const)]),
      },
    ],
    [1, { kind: "conntrack", states: is([random.pick(["DNAT", "SNAT", "UNTRACKED"] as const)]) }],
    [1, { kind: "state", states: ["ESTABLISHED", "RELATED"], negated }],
    [1, { kind: "conntrack", direction: random.pick(["ORIGINAL", "REPLY"] as const) }],
    [
      1,
      {
        kind: "addrtype",
        destination: is([random.pick(["LOCAL", "UNICAST"] as const)]),
        limitIn: false,
        limitOut: false,
      },
    ],
    [1, { kind: "addrtype", source: negated ? isNot(["LOCAL"]) : is(["LOCAL"]), limitIn: false, limitOut: false }],
    [1, setMatch("some", [random.pick(["src", "dst"] as const)], negated)],
    [1, { kind: "ttl", operator: random.pick(["lt", "gt", "eq"] as const), value: random.pick([62, 63, 64]) }],
    [0.5, { kind: "iprange", source: is({ from: ip("10.244.1.2"), to: ip("10.244.1.3") }) }],
    [0.3, { kind: "pkttype", type: "unicast", negated }],
    [0.5, { kind: "statistic", mode: "nth", every: 2, packet: random.pick([0, 1]), negated: false }],
    [0.3, { kind: "statistic", mode: "random", probability: 0x40000000, negated: false }],
    [0.5, { kind: "tos", value: 0x10, mask: 0x1c, negated }],
    [0.4, { kind: "conntrack", status: is([random.pick(["SEEN_REPLY", "ASSURED", "CONFIRMED"] as const)]) }],
    [0.4, { kind: "conntrack", originalDestination: is(masked(ip("10.96.0.1"))) }],
    [0.3, { kind: "conntrack", replySource: is(masked(ip("10.244.1.2"))) }],
  ];
  if (bridged.length > 0) options.push([1, { kind: "physdev", in: is(random.pick(bridged)) }]);
  if (bridged.length > 0 && chain === "FORWARD") options.push([1, { kind: "physdev", isBridged: { negated } }]);
  if (chain === "PREROUTING" || chain === "INPUT" || chain === "FORWARD")
    options.push([0.5, { kind: "mac", source: random.pick(macs), negated }]);
  if (protocol === "tcp") {
    options.push(
      [1, { kind: "tcp", flags: is({ mask: 0x17, set: 2 }) }],
      [1, { kind: "multiport", direction: "destination", ports: [singlePort(80), { from: 8000, to: 9000 }], negated }],
    );
  }
  if (protocol === "icmp") options.push([1, { kind: "icmp", type: 8, code: { from: 0, to: 255 }, negated: false }]);
  return random.weighted(...options);
}
