import { type Route, type RouteType, type RoutingRule, TABLE_MAIN } from "@hairpin/core/model/index.ts";
import { hostPrefix } from "@hairpin/core/net/index.ts";
import type { Random } from "../random.ts";
import { net, route, rule } from "../records.ts";
import { type Host, isCard, type Site } from "./site.ts";

const DEFAULT = net("0.0.0.0/0");
/** Marks that rules of the netfilter grammar set, too. */
export const MARKS = [0x1, 0x4000, 0x10000];

/** `ip rule`s and tables of their own, as CNIs, VPNs and multi-card nodes have them. */
export function drawPolicy(
  random: Random,
  site: Site,
  host: Host,
): { readonly rules: readonly RoutingRule[]; readonly routes: readonly Route[] } {
  if (random.chance(0.45)) return { rules: [], routes: [] };
  const rules: RoutingRule[] = [];
  const routes: Route[] = [];
  const cards = host.devices.filter(isCard);
  const count = random.between(1, 3);
  for (let i = 0; i < count; i++) {
    const table = 100 + i;
    const preference = 100 + i * 10 + random.below(5);
    rules.push(drawRule(random, site, host, preference, table));
    routes.push(...drawTable(random, site, host, table, cards));
  }
  if (random.chance(0.12)) {
    rules.push(rule(90, { kind: "lookup", table: TABLE_MAIN }, { suppressPrefixLength: 0 }));
  }
  return { rules, routes };
}

function drawRule(random: Random, site: Site, host: Host, preference: number, table: number): RoutingRule {
  const pods = site.pods.filter((p) => p.node === host);
  const addresses = host.devices.flatMap((d) => d.addresses.map((a) => a.prefix.address));
  const others = site.hosts.flatMap((h) => h.devices.flatMap((d) => d.addresses.map((a) => a.prefix.address)));
  const mark = random.pick(MARKS);
  const selector = random.weighted<Partial<RoutingRule>>(
    [3, { from: hostPrefix(random.pick(pods.length > 0 ? pods.map((p) => p.address) : addresses)) }],
    [2, { from: hostPrefix(random.pick(addresses)) }],
    [1, { from: net("10.244.0.0/16") }],
    [1, { to: hostPrefix(random.pick(others)) }],
    [1, { to: net("10.96.0.0/16") }],
    [2, { fwmark: mark, fwmask: random.chance(0.7) ? mark : 0xffffffff }],
    [2, { iif: random.pick(host.devices).name }],
    [1, { iif: "lo" }],
  );
  const action = random.weighted<RoutingRule["action"]>(
    [12, { kind: "lookup", table }],
    [1, { kind: "unreachable" }],
    [1, { kind: "prohibit" }],
    [1, { kind: "blackhole" }],
  );
  const not = random.chance(0.06);
  return rule(preference, action, { ...selector, not });
}

function drawTable(random: Random, site: Site, host: Host, table: number, cards: Host["devices"]): readonly Route[] {
  const routes: Route[] = [];
  const card = random.pick(cards);
  const gateway = site.router?.devices.find((d) => d.name === card.name)?.addresses[0]?.prefix.address;
  const reaches = card.addresses.length > 0 && gateway !== undefined;
  if (random.chance(0.75)) {
    const hop = { device: card.name, ...(reaches ? { gateway } : {}) };
    const own = card.addresses[0]?.prefix.address;
    const src = own !== undefined && random.chance(0.2) ? { prefSrc: own } : {};
    routes.push(route(table, DEFAULT, [hop], src));
  }
  const special = random.weighted<RouteType | undefined>(
    [6, undefined],
    [2, "throw"],
    [1, "unreachable"],
    [1, "blackhole"],
    [1, "prohibit"],
  );
  if (special !== undefined) {
    const to = random.pick(["10.244.0.0/16", "10.0.0.0/8", "10.96.0.0/16", "203.0.113.0/24", "10.0.0.0/24"]);
    routes.push(route(table, net(to), [], { type: special }));
  }
  const pod = site.pods.find((p) => p.node === host);
  if (pod !== undefined && random.chance(0.3)) {
    routes.push(route(table, hostPrefix(pod.address), [{ device: pod.bridge ?? pod.port }]));
  }
  return routes;
}
