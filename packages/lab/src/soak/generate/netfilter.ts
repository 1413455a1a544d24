import {
  BUILT_IN_CHAINS,
  type IpSet,
  type IptablesTable,
  type IptablesTableName,
  type Match,
  type Rule,
  type Target,
} from "@hairpin/core/model/index.ts";
import { type Address, maskOf, PROTO } from "@hairpin/core/net/index.ts";
import type { Random } from "../random.ts";
import { ip, net, origin } from "../records.ts";
import { drawBesideRules, MET } from "./beside.ts";
import { DEEP_SETS, drawDeepRules } from "./deep.ts";
import { drawMatch } from "./matches.ts";
import { MARKS } from "./policy-routing.ts";
import * as r from "./rules.ts";
import type { Service } from "./services.ts";
import type { Host, Site } from "./site.ts";

const CLUSTER = net("10.244.0.0/16");

export interface Rules {
  readonly tables: readonly IptablesTable[];
  readonly ipsets: readonly IpSet[];
  readonly firstRegistered?: "legacy" | "nft";
}

/** The rules of a node: kube-proxy's, a CNI's, and some that nobody in particular wrote. */
export function drawRules(random: Random, site: Site, node: Host, services: readonly Service[], ipvs: boolean): Rules {
  const draft = new r.Draft();
  const sets = drawSets(random, site);
  const policies = new Map<string, "ACCEPT" | "DROP">();
  if (!ipvs && random.chance(0.9)) kubeProxy(draft, random, services, node);
  if (ipvs) kubeProxyIpvs(draft, random, sets);
  const cni = random.weighted([3, "flannel"], [3, "calico"], [2, "none"]);
  if (cni === "flannel") flannel(draft, random);
  if (cni === "calico") calico(draft, random, site, node);
  if (random.chance(0.6)) wild(draft, random, site, node, random.between(1, 5));
  if (draft.tables.size === 0) draft.add("filter", "FORWARD", r.rule({}, r.ACCEPT));
  if (random.chance(0.15)) {
    policies.set("filter/FORWARD", "DROP");
    draft.add("filter", "FORWARD", r.rule({ s: CLUSTER }, r.ACCEPT), r.rule({ d: CLUSTER }, r.ACCEPT));
  }
  drawBesideRules(random.fork("beside"), draft, site, node);
  drawDeepRules(random.fork("deep"), draft);
  const backend = random.pick(["legacy", "nft"] as const);
  const tables = draft.finish(backend, policies);
  if (random.chance(0.85)) return { tables, ipsets: used(tables, sets) };
  const other = backend === "legacy" ? "nft" : "legacy";
  const second = new r.Draft();
  wild(second, random, site, node, random.between(1, 3));
  const both = [...tables, ...second.finish(other, new Map())];
  return { tables: both, ipsets: used(both, sets), firstRegistered: random.pick(["legacy", "nft"] as const) };
}

function used(tables: readonly IptablesTable[], sets: readonly IpSet[]): readonly IpSet[] {
  const names = new Set(
    tables.flatMap((t) =>
      t.chains.flatMap((c) =>
        c.rules.flatMap(({ matches, target }) =>
          [...matches, target].flatMap((x) => (x.kind === "set" ? [x.name] : [])),
        ),
      ),
    ),
  );
  return sets.filter((s) => names.has(s.name));
}

/** kube-proxy's iptables mode. */
function kubeProxy(draft: r.Draft, random: Random, services: readonly Service[], node: Host): void {
  const randomFully = random.chance(0.4);
  draft.add("nat", "PREROUTING", r.rule({}, r.jump("KUBE-SERVICES")));
  draft.add("nat", "OUTPUT", r.rule({}, r.jump("KUBE-SERVICES")));
  draft.add("nat", "POSTROUTING", r.rule({}, r.jump("KUBE-POSTROUTING")));
  draft.add("nat", "KUBE-MARK-MASQ", r.rule({}, r.mark(0x4000, 0x4000)));
  draft.add(
    "nat",
    "KUBE-POSTROUTING",
    r.rule({ m: [r.marked(0x4000, true)] }, r.RETURN),
    r.rule({}, r.mark(0x4000, 0)),
    r.rule({}, r.masquerade(randomFully)),
  );
  for (const s of services) {
    const svc = `KUBE-SVC-${s.name}`;
    const here = { p: s.protocol, dport: s.port } as const;
    const addresses = [s.clusterIp, ...(s.loadBalancerIp === undefined ? [] : [s.loadBalancerIp])];
    if (s.endpoints.length === 0) {
      for (const d of addresses) {
        draft.add("filter", "KUBE-SERVICES", r.rule({ ...here, d }, { kind: "reject", with: "icmp-port-unreachable" }));
      }
      continue;
    }
    draft.add("nat", "KUBE-SERVICES", r.rule({ ...here, d: s.clusterIp }, r.jump(svc)));
    if (s.loadBalancerIp !== undefined) {
      draft.add("nat", "KUBE-SERVICES", r.rule({ ...here, d: s.loadBalancerIp }, r.jump(`KUBE-EXT-${s.name}`)));
    }
    if (s.loadBalancerIp !== undefined || s.nodePort !== undefined) {
      if (!s.local) draft.add("nat", `KUBE-EXT-${s.name}`, r.rule({}, r.jump("KUBE-MARK-MASQ")));
      else draft.add("nat", `KUBE-EXT-${s.name}`, r.rule({ s: CLUSTER }, r.jump(svc)));
      draft.add("nat", `KUBE-EXT-${s.name}`, r.rule({}, r.jump(s.local ? `KUBE-SVL-${s.name}` : svc)));
    }
    if (s.nodePort !== undefined) {
      draft.add("nat", "KUBE-NODEPORTS", r.rule({ p: s.protocol, dport: s.nodePort }, r.jump(`KUBE-EXT-${s.name}`)));
    }
    if (random.chance(0.8)) {
      draft.add("nat", svc, r.rule({ ...here, notS: CLUSTER, d: s.clusterIp }, r.jump("KUBE-MARK-MASQ")));
    }
    spread(draft, svc, s, s.endpoints);
    const own = s.endpoints.filter((e) => e.node === node.name);
    if (s.local) spread(draft, `KUBE-SVL-${s.name}`, s, own);
    for (const [i, e] of s.endpoints.entries()) {
      draft.add(
        "nat",
        `KUBE-SEP-${s.name}${i}`,
        r.rule({ s: e.address }, r.jump("KUBE-MARK-MASQ")),
        r.rule({ p: s.protocol }, r.dnat(e.address, e.port)),
      );
    }
  }
  draft.add("nat", "KUBE-SERVICES", r.rule({ m: [r.dstLocal] }, r.jump("KUBE-NODEPORTS")));
  draft.add("filter", "INPUT", r.rule({}, r.jump("KUBE-FIREWALL")));
  draft.add(
    "filter",
    "FORWARD",
    r.rule({}, r.jump("KUBE-FORWARD")),
    r.rule({ m: [r.ctstate("NEW")] }, r.jump("KUBE-SERVICES")),
  );
  draft.add(
    "filter",
    "OUTPUT",
    r.rule({ m: [r.ctstate("NEW")] }, r.jump("KUBE-SERVICES")),
    r.rule({}, r.jump("KUBE-FIREWALL")),
  );
  if (random.chance(0.7)) draft.add("filter", "KUBE-FORWARD", r.rule({ m: [r.ctstate("INVALID")] }, r.DROP));
  draft.add(
    "filter",
    "KUBE-FORWARD",
    r.rule({ m: [r.marked(0x4000)] }, r.ACCEPT),
    r.rule({ m: [r.ctstate("RELATED", "ESTABLISHED")] }, r.ACCEPT),
  );
  if (random.chance(0.5)) {
    const states: Match = {
      kind: "conntrack",
      states: { negated: true, value: ["RELATED", "ESTABLISHED", "DNAT"] },
    };
    draft.add(
      "filter",
      "KUBE-FIREWALL",
      r.rule({ notS: net("127.0.0.0/8"), d: net("127.0.0.0/8"), m: [states] }, r.DROP),
    );
  }
}

/** Endpoint chains by `statistic --mode random`, each with its share of what is left. */
function spread(draft: r.Draft, chain: string, s: Service, endpoints: Service["endpoints"]): void {
  draft.add("nat", chain);
  for (const [i, e] of endpoints.entries()) {
    const left = endpoints.length - i;
    const m: Match[] =
      left === 1
        ? []
        : [{ kind: "statistic", mode: "random", probability: Math.round(2147483648 / left), negated: false }];
    draft.add("nat", chain, r.rule({ m }, r.jump(`KUBE-SEP-${s.name}${s.endpoints.indexOf(e)}`)));
  }
}

/** kube-proxy's IPVS mode keeps only masquerading in iptables, by sets. */
function kubeProxyIpvs(draft: r.Draft, random: Random, sets: readonly IpSet[]): void {
  draft.add("nat", "PREROUTING", r.rule({}, r.jump("KUBE-SERVICES")));
  draft.add("nat", "OUTPUT", r.rule({}, r.jump("KUBE-SERVICES")));
  draft.add("nat", "POSTROUTING", r.rule({}, r.jump("KUBE-POSTROUTING")));
  draft.add("nat", "KUBE-MARK-MASQ", r.rule({}, r.mark(0x4000, 0x4000)));
  const loop = sets.find((s) => s.name === "KUBE-LOOP-BACK");
  const cluster = sets.find((s) => s.name === "KUBE-CLUSTER-IP");
  if (cluster !== undefined && random.chance(0.8)) {
    const match: Match = r.setMatch("KUBE-CLUSTER-IP", ["dst", "dst"]);
    const selector = random.chance(0.7) ? { notS: CLUSTER } : {};
    draft.add("nat", "KUBE-SERVICES", r.rule({ ...selector, m: [match] }, r.jump("KUBE-MARK-MASQ")));
  }
  draft.add("nat", "KUBE-POSTROUTING", r.rule({ m: [r.marked(0x4000)] }, r.masquerade()));
  if (loop !== undefined && random.chance(0.8)) {
    draft.add(
      "nat",
      "KUBE-POSTROUTING",
      r.rule({ m: [r.setMatch("KUBE-LOOP-BACK", ["dst", "dst", "src"])] }, r.masquerade()),
    );
  }
}

function flannel(draft: r.Draft, random: Random): void {
  draft.add("nat", "POSTROUTING", r.rule({}, r.jump("FLANNEL-POSTRTG")));
  if (random.chance(0.3)) draft.add("nat", "FLANNEL-POSTRTG", r.rule({ m: [r.marked(0x4000)] }, r.RETURN));
  draft.add(
    "nat",
    "FLANNEL-POSTRTG",
    r.rule({ s: CLUSTER, d: CLUSTER }, r.RETURN),
    r.rule({ s: CLUSTER, notD: net("224.0.0.0/4") }, r.masquerade(random.chance(0.5))),
    r.rule({ notS: CLUSTER, d: net(random.pick(["10.244.1.0/24", "10.244.2.0/24"])) }, r.RETURN),
    r.rule({ notS: CLUSTER, d: CLUSTER }, r.masquerade()),
  );
  draft.add("filter", "FORWARD", r.rule({}, r.jump("FLANNEL-FWD")));
  draft.add("filter", "FLANNEL-FWD", r.rule({ s: CLUSTER }, r.ACCEPT), r.rule({ d: CLUSTER }, r.ACCEPT));
}

/** The shape of Calico's chains: marks, gotos, sets, dispatch by interface. */
function calico(draft: r.Draft, random: Random, site: Site, node: Host): void {
  const pods = site.pods.filter((p) => p.node === node);
  draft.add("raw", "PREROUTING", r.rule({}, r.jump("cali-PREROUTING")));
  draft.add("raw", "cali-PREROUTING", r.rule({}, r.mark(0, 0xffff0000)));
  draft.add("raw", "cali-PREROUTING", r.rule({ i: "v+" }, r.mark(0x40000, 0x40000)));
  if (random.chance(0.35)) {
    const rpf: Match = {
      kind: "rpfilter",
      loose: random.chance(0.3),
      validMark: true,
      acceptLocal: random.chance(0.5),
      invert: true,
    };
    draft.add("raw", "cali-PREROUTING", r.rule({ m: [r.marked(0x40000), rpf] }, r.DROP));
  }
  if (random.chance(0.15))
    draft.add("raw", "cali-PREROUTING", r.rule({ p: "udp" }, { kind: "ct", notrack: true, options: [] }));
  draft.add("filter", "FORWARD", r.rule({}, r.jump("cali-FORWARD")));
  draft.add(
    "filter",
    "cali-FORWARD",
    r.rule({}, r.mark(0, 0xe0000)),
    r.rule({ i: "v+" }, r.jump("cali-from-wl")),
    r.rule({ o: "v+" }, r.jump("cali-to-wl")),
    r.rule({ m: [r.marked(0x10000)] }, r.ACCEPT),
  );
  for (const p of pods) {
    draft.add("filter", "cali-from-wl", r.rule({ i: p.port }, r.goto(`cali-fw-${p.port}`)));
    draft.add("filter", "cali-to-wl", r.rule({ o: p.port }, r.goto(`cali-tw-${p.port}`)));
    for (const chain of [`cali-fw-${p.port}`, `cali-tw-${p.port}`]) {
      draft.add("filter", chain, r.rule({ m: [r.ctstate("RELATED", "ESTABLISHED")] }, r.ACCEPT));
      if (random.chance(0.8)) draft.add("filter", chain, r.rule({ m: [r.ctstate("INVALID")] }, r.DROP));
      draft.add("filter", chain, r.rule({}, r.mark(0x10000, random.chance(0.2) ? 0xffffffff : 0x10000)));
      draft.add("filter", chain, r.rule({ m: [r.marked(0x10000)] }, r.RETURN));
      draft.add("filter", chain, r.rule({}, r.DROP));
    }
  }
  if (random.chance(0.6)) {
    draft.add("filter", "cali-from-wl", r.rule({}, r.DROP));
    draft.add("filter", "cali-to-wl", r.rule({}, random.chance(0.5) ? r.DROP : r.RETURN));
  }
  draft.add("nat", "POSTROUTING", r.rule({}, r.jump("cali-POSTROUTING")));
  draft.add(
    "nat",
    "cali-POSTROUTING",
    r.rule(
      { m: [r.setMatch("cali40masq", ["src"]), r.setMatch("cali40all", ["dst"], true)] },
      r.masquerade(random.chance(0.5)),
    ),
  );
  if (random.chance(0.4)) {
    draft.add("mangle", "PREROUTING", r.rule({}, r.jump("cali-PREROUTING")));
    draft.add("mangle", "cali-PREROUTING", r.rule({ m: [r.ctstate("RELATED", "ESTABLISHED")] }, r.ACCEPT));
    draft.add("mangle", "cali-PREROUTING", r.rule({ m: [r.marked(0x10000)] }, r.ACCEPT));
  }
}

/** Rules that could stand anywhere: marks that policy routing sees, connmarks, verdicts, jumps and gotos. */
function wild(draft: r.Draft, random: Random, site: Site, node: Host, count: number): void {
  for (let n = 0; n < count; n++) {
    const table = random.weighted<IptablesTableName>(
      [3, "mangle"],
      [3, "filter"],
      [3, "nat"],
      [1, "raw"],
      [0.5, "security"],
    );
    const chain = random.pick(BUILT_IN_CHAINS[table]);
    const selector = drawMatch(random, site, node, chain);
    const target = drawTarget(random, site, node, table, chain, selector.p);
    if (random.chance(0.2)) {
      const own = `WILD-${n}`;
      draft.add(table, chain, r.rule(selector, random.chance(0.5) ? r.goto(own) : r.jump(own)));
      draft.add(table, own, ...inner(random, site, node, chain, selector, target));
    } else {
      const chains = [
        chain,
        ...draft.chains(table).filter((c) => !c.startsWith("WILD") && random.chance(0.2) && !isBuiltIn(c)),
      ];
      const at = random.chance(0.2) ? chains[chains.length - 1]! : chain;
      if (at !== chain && isNat(target)) continue;
      draft.add(table, at, r.rule(at === chain ? selector : plain(random, site, node), target));
    }
  }
}

const isBuiltIn = (c: string): boolean => /^(PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING)$/.test(c);
const isNat = (t: Target): boolean =>
  ["dnat", "snat", "masquerade", "redirect", "netmap", "ct", "reject"].includes(t.kind);
const plain = (random: Random, site: Site, node: Host) => drawMatch(random, site, node, "FORWARD", true);

function inner(
  random: Random,
  site: Site,
  node: Host,
  chain: string,
  selector: r.Selector,
  target: Target,
): readonly Rule[] {
  const own = selector.p === undefined ? {} : { p: selector.p };
  return [
    ...(random.chance(0.5) ? [r.rule(drawMatch(random, site, node, chain), r.RETURN)] : []),
    r.rule(isNat(target) ? own : random.chance(0.5) ? {} : drawMatch(random, site, node, chain), target),
    ...(random.chance(0.3) ? [r.rule({}, r.mark(random.pick(MARKS), random.pick(MARKS)))] : []),
  ];
}

function drawTarget(
  random: Random,
  site: Site,
  node: Host,
  table: IptablesTableName,
  chain: string,
  protocol: r.Selector["p"],
): Target {
  const value = random.pick(MARKS);
  const ports = protocol === "tcp" || protocol === "udp";
  const setMark = r.mark(value, random.chance(0.6) ? value : 0xffffffff);
  const general: (readonly [number, Target])[] = [
    [4, setMark],
    [2, r.ACCEPT],
    [1, r.RETURN],
    [1, { kind: "connmark", action: "set", value, mask: 0xffffffff }],
    [1, { kind: "connmark", action: "save", nfMask: 0xffffffff, ctMask: 0xffffffff }],
    [1, { kind: "connmark", action: "restore", nfMask: 0xffffffff, ctMask: 0xffffffff }],
    [1, { kind: "none" }],
  ];
  if (table === "filter") {
    const how = random.pick([
      "icmp-port-unreachable",
      "icmp-host-unreachable",
      "icmp-admin-prohibited",
      "icmp-net-unreachable",
    ]);
    general.push([1, r.DROP], [2, { kind: "reject", with: how }]);
    if (protocol === "tcp") general.push([2, { kind: "reject", with: "tcp-reset" }]);
  }
  if (table === "mangle") {
    general.push(
      [0.5, r.DROP],
      [0.7, { kind: "ttl", action: random.pick(["set", "dec", "inc"] as const), value: random.pick([1, 2, 10]) }],
      [0.7, { kind: "tos", value: 0x10, mask: 0xff }],
      [0.5, { kind: "dscp", value: 10 }],
    );
  }
  if (table === "raw") {
    general.push([2, { kind: "ct", notrack: true, options: [] }], [0.5, r.DROP]);
    general.push([1, { kind: "ct", notrack: false, zone: random.pick(["1", "2"]), options: [] }]);
  }
  if (table === "nat") {
    const pod = site.pods.length > 0 ? random.pick(site.pods).address : ip("10.0.0.1");
    const addresses = node.devices.flatMap((d) => d.addresses.map((a) => a.prefix.address));
    if (chain === "PREROUTING" || chain === "OUTPUT") {
      general.push(
        [2, r.dnat(pod, ports && random.chance(0.5) ? 8080 : undefined)],
        [1, { kind: "redirect", ...(ports ? { ports: { from: 8080, to: 8080 } } : {}), random: false }],
      );
    }
    if (chain === "POSTROUTING") {
      general.push([2, r.masquerade(random.chance(0.3))]);
      if (ports) {
        const range = random.pick([
          { from: 50_000, to: 50_003 },
          { from: 50_000, to: 50_000 },
        ]);
        general.push([1, { kind: "masquerade", ports: range, random: false, randomFully: false }]);
      }
    }
    if (chain === "PREROUTING" || chain === "POSTROUTING") {
      const address = chain === "PREROUTING" ? ip("10.244.1.0") : ip("10.0.0.0");
      general.push([0.4, { kind: "netmap", address, mask: maskOf(24) }]);
    }
    if (chain !== "PREROUTING" && chain !== "OUTPUT") general.push([2, r.snat(random.pick(addresses))]);
  }
  return random.weighted(...general);
}

/** The sets rules refer to. */
function drawSets(random: Random, site: Site): readonly IpSet[] {
  const entry = (parts: IpSet["entries"][number]["parts"]) => ({ parts, nomatch: false, origin });
  const address = (a: Address, length = 32) => ({ kind: "address" as const, from: a, length });
  const port = (p: number) => ({ kind: "port" as const, protocol: PROTO.tcp, from: p, to: p });
  const set = (name: string, dimensions: IpSet["dimensions"], entries: IpSet["entries"]): IpSet => ({
    name,
    method: "hash",
    dimensions,
    family: 4,
    options: [],
    entries,
    extent: "whole",
    origin,
  });
  const pool = entry([address(ip("10.244.0.0"), 16)]);
  const own = site.pods.map((p) => entry([address(p.address), port(8080), address(p.address)]));
  const vips = ["10.96.0.1", "10.96.0.2"].map((v) => entry([address(ip(v)), port(80)]));
  const some = site.pods.filter(() => random.chance(0.5)).map((p) => entry([address(p.address)]));
  return [
    set("cali40masq", ["net"], [pool]),
    set("cali40all", ["net"], random.chance(0.5) ? [pool] : [pool, entry([address(ip("10.0.0.0"), 24)])]),
    set("KUBE-LOOP-BACK", ["ip", "port", "ip"], own),
    set("KUBE-CLUSTER-IP", ["ip", "port"], vips),
    set("some", ["ip"], some),
    MET,
    ...DEEP_SETS,
  ];
}
