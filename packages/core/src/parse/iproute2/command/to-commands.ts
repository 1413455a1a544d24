import {
  type Device,
  type DeviceAddress,
  type FdbEntry,
  type Neighbour,
  type Nexthop,
  type NexthopObject,
  type Route,
  type RoutingRule,
  TABLE_MAIN,
} from "../../../model/index.ts";
import { lookup } from "../../../model/lookup.ts";
import { append } from "../../../net/append.ts";
import { type Family, familyOf, formatAddress, formatPrefix, isHost, type Prefix } from "../../../net/index.ts";
import { dsfieldName, tableName } from "../names.ts";
import { rangeText } from "../rule/rule-print.ts";

/** Arguments for ip(8), without the `ip`. IPv6 rules and defaults need the -6 in front. */
export type Arguments = readonly string[];

const withFamily = (family: Family, words: readonly string[]): Arguments => (family === 6 ? ["-6", ...words] : words);
const prefixText = (p: Prefix): string => (isHost(p) ? formatAddress(p.address) : formatPrefix(p));

/** `ip rule add` for one rule. Words that were not understood cannot be given back: see `unknown`. */
export function ruleCommand(rule: RoutingRule): Arguments {
  const words = ["rule", "add", "pref", String(rule.preference)];
  const add = (key: string, value: string | number | undefined): void => {
    if (value !== undefined) words.push(key, String(value));
  };
  if (rule.not) words.push("not");
  add("from", rule.from === undefined ? undefined : prefixText(rule.from));
  add("to", rule.to === undefined ? undefined : prefixText(rule.to));
  add("tos", rule.tos === undefined ? undefined : dsfieldName(rule.tos));
  add("dscp", rule.dscp);
  if (rule.fwmark !== undefined)
    words.push("fwmark", rule.fwmask === undefined ? String(rule.fwmark) : `${rule.fwmark}/${rule.fwmask}`);
  add("iif", rule.iif);
  add("oif", rule.oif);
  add("uidrange", rule.uidRange === undefined ? undefined : `${rule.uidRange.from}-${rule.uidRange.to}`);
  add("ipproto", rule.ipProto);
  add("sport", rule.sport === undefined ? undefined : rangeText(rule.sport));
  add("dport", rule.dport === undefined ? undefined : rangeText(rule.dport));
  add("tun_id", rule.tunId);
  add("suppress_prefixlength", rule.suppressPrefixLength);
  add("suppress_ifgroup", rule.suppressGroup);
  add("realms", rule.realms);
  if (rule.protocol !== undefined && rule.protocol !== "unspec") add("protocol", rule.protocol);
  const action = rule.action;
  if (rule.l3mdev === true) words.push("l3mdev");
  else if (action.kind === "lookup") add("lookup", tableName(action.table));
  else if (action.kind === "goto") add("goto", action.target);
  else if (action.kind !== "unknown") words.push(action.kind);
  return withFamily(rule.family, words);
}

/** Commands that turn the rules of a fresh namespace into exactly these, in this order. */
export function rulesToCommands(rules: readonly RoutingRule[], family: Family): Arguments[] {
  const isKernels = (r: RoutingRule): boolean =>
    r.preference === 0 && !r.not && r.action.kind === "lookup" && r.action.table === 255 && r.from === undefined;
  const [first] = rules;
  const keeps = first !== undefined && isKernels(first);
  return [
    withFamily(family, ["rule", "flush"]),
    ...rules.slice(keeps ? 1 : 0).map(ruleCommand),
    // Last, so that no moment is without a way to local addresses.
    ...(keeps ? [] : [withFamily(family, ["rule", "del", "pref", "0", "lookup", "local"])]),
  ];
}

function hopWords(hop: Nexthop, family: Family): string[] {
  const words: string[] = [];
  if (hop.encap !== undefined) words.push("encap", ...hop.encap.split(" "));
  if (hop.gateway !== undefined) {
    const own = familyOf(hop.gateway);
    words.push("via", ...(own === family ? [] : [own === 6 ? "inet6" : "inet"]), formatAddress(hop.gateway));
  }
  if (hop.device !== undefined) words.push("dev", hop.device);
  return words;
}

/** What a listing shows of a route's state rather than of its settings. */
const SHOWN_ONLY: ReadonlySet<string> = new Set([
  "error",
  "users",
  "used",
  "age",
  "ipid",
  "uid",
  "mark",
  "iif",
  "nexthop",
]);

function extraWords(route: Route): string[] {
  return route.extra.flatMap((phrase) => {
    const [key, ...values] = phrase.split(" ");
    if (key === undefined || SHOWN_ONLY.has(key) || values.length === 0) return [];
    if (key === "realm") return ["realms", ...values];
    if (key === "expires") return ["expires", ...values.map((v) => v.replace(/sec$/, ""))];
    // rto_min is always locked, and `lock` is not taken there.
    if (key === "rto_min") return [key, ...values.filter((v) => v !== "lock")];
    return [key, ...values];
  });
}

/** `ip route append`, which makes the route and keeps equal ones in order. */
export function routeCommand(route: Route, verb: "add" | "append" | "replace" = "append"): Arguments {
  const words: string[] = ["route", verb];
  if (route.type !== "unicast") words.push(route.type);
  words.push(route.destination.length === 0 ? "default" : prefixText(route.destination));
  if (route.from !== undefined) words.push("from", formatPrefix(route.from));
  if (route.tos !== undefined && route.tos !== 0) words.push("tos", dsfieldName(route.tos));
  const single = route.nexthops.length === 1 ? route.nexthops[0] : undefined;
  if (route.nexthopId !== undefined) words.push("nhid", String(route.nexthopId));
  else if (single !== undefined) append(words, hopWords(single, route.family));
  if (route.table !== TABLE_MAIN) words.push("table", tableName(route.table));
  if (route.protocol !== undefined) words.push("proto", route.protocol);
  // ip(8) would choose link scope for what has no gateway.
  if (route.family === 4) words.push("scope", String(route.scope ?? "global"));
  if (route.prefSrc !== undefined) words.push("src", formatAddress(route.prefSrc));
  if (route.metric !== undefined) words.push("metric", String(route.metric));
  if (route.nexthopId === undefined && single?.flags.includes("onlink")) words.push("onlink");
  const lock = (name: string): string[] => (route.locked?.includes(name) ? ["lock"] : []);
  if (route.mtu !== undefined) words.push("mtu", ...lock("mtu"), String(route.mtu));
  if (route.advmss !== undefined) words.push("advmss", ...lock("advmss"), String(route.advmss));
  append(words, extraWords(route));
  if (route.nexthops.length > 1 && route.nexthopId === undefined) {
    for (const [i, hop] of route.nexthops.entries()) {
      const realm = route.extra
        .find((p) => p.startsWith(`nexthop ${i + 1} realm`))
        ?.split(" ")
        .pop();
      words.push("nexthop", ...hopWords(hop, route.family), "weight", String(hop.weight));
      if (realm !== undefined) words.push("realms", realm);
      if (hop.flags.includes("onlink")) words.push("onlink");
    }
  }
  return withFamily(route.family, words);
}

const ORDER: Readonly<Record<string, number>> = lookup({ host: 0, link: 1, site: 2 });

/** Routes in an order the kernel accepts: what is on a link before what needs a gateway there. */
export function routesToCommands(routes: readonly Route[]): Arguments[] {
  const rank = (r: Route): number =>
    r.nexthops.some((h) => h.gateway !== undefined) ? 4 : r.scope === undefined ? 3 : (ORDER[String(r.scope)] ?? 3);
  return routes
    .map((route, i) => ({ route, i, rank: rank(route) }))
    .sort((a, b) => a.rank - b.rank || a.i - b.i)
    .map(({ route }) => routeCommand(route));
}

/** Flags that a command may set; the others are the kernel's to set. */
const SETTABLE: ReadonlySet<string> = new Set([
  "nodad",
  "home",
  "mngtmpaddr",
  "noprefixroute",
  "autojoin",
  "optimistic",
]);

export function addressCommand(device: string, address: DeviceAddress): Arguments {
  const words = ["addr", "add"];
  if (address.peer === undefined) words.push(formatPrefix(address.prefix));
  else words.push(formatAddress(address.prefix.address), "peer", formatPrefix(address.peer));
  if (address.broadcast !== undefined) words.push("brd", formatAddress(address.broadcast));
  words.push("dev", device);
  if (familyOf(address.prefix.address) === 4) {
    words.push("scope", String(address.scope));
    if (address.label !== undefined && address.label !== device) words.push("label", address.label);
  }
  if (address.metric !== undefined) words.push("metric", String(address.metric));
  const { validLifetime: valid, preferredLifetime: preferred } = address;
  if (typeof valid === "number") words.push("valid_lft", String(valid));
  if (typeof preferred === "number") words.push("preferred_lft", String(preferred));
  append(
    words,
    address.flags.filter((f) => SETTABLE.has(f)),
  );
  return words;
}

/** All addresses of a device. IPv6 lists the newest of a scope first: made in reverse, they come out in this order. */
export function addressesToCommands(device: Device): Arguments[] {
  const four = device.addresses.filter((a) => familyOf(a.prefix.address) === 4);
  const six = device.addresses.filter((a) => familyOf(a.prefix.address) === 6).reverse();
  return [...four, ...six].map((a) => addressCommand(device.name, a));
}

/** A neighbour that stays as it is: what the kernel had learnt is made permanent. */
export function neighbourCommand(n: Neighbour): Arguments | undefined {
  const address = formatAddress(n.address);
  if (n.proxy) return ["neigh", "add", "proxy", address, "dev", n.device];
  if (n.mac === undefined) return undefined;
  const router = n.router ? ["router"] : [];
  return ["neigh", "replace", address, "lladdr", n.mac, "dev", n.device, "nud", "permanent", ...router];
}

export function nexthopCommand(n: NexthopObject): Arguments {
  const words = ["nexthop", "add", "id", String(n.id)];
  if (n.group !== undefined) words.push("group", n.group.map((m) => `${m.id},${m.weight}`).join("/"));
  if (n.groupType !== undefined) words.push("type", n.groupType);
  if (n.blackhole) words.push("blackhole");
  if (n.nexthop !== undefined) {
    const own = n.nexthop.gateway === undefined ? 4 : familyOf(n.nexthop.gateway);
    append(words, hopWords(n.nexthop, own));
    if (n.nexthop.flags.includes("onlink")) words.push("onlink");
  }
  if (n.fdb) words.push("fdb");
  if (n.protocol !== undefined) words.push("proto", n.protocol);
  return words;
}

/** Arguments for bridge(8). */
export function fdbCommand(e: FdbEntry): Arguments {
  const words = ["fdb", "append", e.mac, "dev", e.device];
  if (e.destination !== undefined) words.push("dst", formatAddress(e.destination));
  if (e.vlan !== undefined) words.push("vlan", String(e.vlan));
  if (e.port !== undefined) words.push("port", String(e.port));
  if (e.vni !== undefined) words.push("vni", String(e.vni));
  if (e.via !== undefined) words.push("via", e.via);
  words.push(e.flags.includes("self") ? "self" : "master");
  return [...words, e.flags.includes("static") ? "static" : "permanent"];
}
