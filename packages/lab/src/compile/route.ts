import type { Neighbour, Nexthop, Route, RoutingRule } from "@hairpin/core/model/index.ts";
import { familyOf } from "@hairpin/core/net/index.ts";
import { addressWord, nameWord, numberWord, oneOf, prefixWord, Unspeakable } from "./words.ts";

export const familyFlag = (family: 4 | 6): string => (family === 6 ? "-6" : "-4");

const TYPES = ["unicast", "local", "broadcast", "anycast", "blackhole", "unreachable", "prohibit", "throw"] as const;
const SCOPES = ["global", "site", "link", "host", "nowhere"] as const;

const tableWord = (table: number | string): string =>
  typeof table === "number" ? numberWord(table) : nameWord(table, 64);
const scopeWord = (scope: NonNullable<Route["scope"]>): string =>
  typeof scope === "number" ? numberWord(scope) : oneOf(scope, SCOPES);

/** ip(8) leaves `scope global` out when it prints, and takes link for it where no gateway is given. */
function scopeWords(route: Route): string[] {
  if (route.scope !== undefined) return ["scope", scopeWord(route.scope)];
  const onLink = route.type === "unicast" && !route.nexthops.some((hop) => hop.gateway !== undefined);
  return onLink ? ["scope", "global"] : [];
}

function hopWords(hop: Nexthop, route: Route, onlink: boolean): string[] {
  if (hop.encap !== undefined) throw new Unspeakable("encapsulating routes are not made real");
  const words: string[] = [];
  if (hop.gateway !== undefined) {
    const other = familyOf(hop.gateway) !== route.family;
    words.push("via", ...(other ? [familyOf(hop.gateway) === 6 ? "inet6" : "inet"] : []), addressWord(hop.gateway));
  }
  if (hop.device !== undefined) words.push("dev", nameWord(hop.device));
  // Without a gateway the kernel takes no such flag (fib_check_nh_nongw).
  if (hop.gateway !== undefined && (onlink || hop.flags.includes("onlink"))) words.push("onlink");
  return words;
}

/** The words after `ip route add|append|del`: only what decides where packets go. */
export function routeWords(route: Route, options: { readonly onlink?: boolean } = {}): string[] {
  if (route.nexthopId !== undefined && route.nexthops.length === 0) {
    throw new Unspeakable("a route by nexthop id without its nexthops");
  }
  const words: string[] = [oneOf(route.type, TYPES), prefixWord(route.destination)];
  if (route.from !== undefined) words.push("from", prefixWord(route.from));
  if (route.tos !== undefined && route.tos !== 0) words.push("tos", `0x${route.tos.toString(16)}`);
  words.push("table", tableWord(route.table));
  if (route.metric !== undefined) words.push("metric", numberWord(route.metric));
  if (route.protocol !== undefined && /^(kernel|boot|static|\d{1,3})$/.test(route.protocol)) {
    words.push("proto", route.protocol);
  }
  if (route.prefSrc !== undefined) words.push("src", addressWord(route.prefSrc));
  if (route.family === 4) words.push(...scopeWords(route));
  if (route.mtu !== undefined) words.push("mtu", numberWord(route.mtu));
  if (route.advmss !== undefined) words.push("advmss", numberWord(route.advmss));
  const onlink = options.onlink === true;
  const [only, ...more] = route.nexthops;
  if (only !== undefined && more.length === 0)
    words.push(...hopWords(only, route, onlink && only.gateway !== undefined));
  else
    for (const hop of route.nexthops) {
      words.push(
        "nexthop",
        ...hopWords(hop, route, onlink && hop.gateway !== undefined),
        "weight",
        numberWord(hop.weight),
      );
    }
  return words;
}

const range = (r: { readonly from: number; readonly to: number }): string =>
  r.from === r.to ? numberWord(r.from) : `${numberWord(r.from)}-${numberWord(r.to)}`;

/** The words after `ip rule add|del`. */
export function ruleWords(rule: RoutingRule): string[] {
  if (rule.unknown.length > 0) throw new Unspeakable(`words that were not understood: ${rule.unknown.join(" ")}`);
  const words: string[] = ["pref", numberWord(rule.preference)];
  if (rule.not) words.push("not");
  words.push("from", rule.from === undefined ? "all" : prefixWord(rule.from));
  if (rule.to !== undefined) words.push("to", prefixWord(rule.to));
  if (rule.tos !== undefined && rule.tos !== 0) words.push("tos", `0x${rule.tos.toString(16)}`);
  if (rule.dscp !== undefined) words.push("dscp", numberWord(rule.dscp));
  if (rule.fwmark !== undefined) {
    words.push("fwmark", `0x${rule.fwmark.toString(16)}/0x${(rule.fwmask ?? 0xffffffff).toString(16)}`);
  }
  if (rule.iif !== undefined) words.push("iif", nameWord(rule.iif));
  if (rule.oif !== undefined) words.push("oif", nameWord(rule.oif));
  if (rule.uidRange !== undefined) words.push("uidrange", `${rule.uidRange.from}-${rule.uidRange.to}`);
  if (rule.ipProto !== undefined) words.push("ipproto", numberWord(rule.ipProto));
  if (rule.sport !== undefined) words.push("sport", range(rule.sport));
  if (rule.dport !== undefined) words.push("dport", range(rule.dport));
  if (rule.tunId !== undefined) words.push("tun_id", numberWord(rule.tunId));
  if (rule.l3mdev === true) return [...words, "l3mdev"];
  const action = rule.action;
  switch (action.kind) {
    case "lookup":
      words.push("lookup", tableWord(action.table));
      if (rule.suppressPrefixLength !== undefined) {
        words.push("suppress_prefixlength", numberWord(rule.suppressPrefixLength));
      }
      return words;
    case "goto":
      return [...words, "goto", numberWord(action.target)];
    case "unknown":
      throw new Unspeakable(`an action that was not understood: ${action.text}`);
    default:
      return [...words, "type", action.kind];
  }
}

/** The words after `ip neigh replace|del`. */
export function neighbourWords(neighbour: Neighbour): string[] {
  const words = [neighbour.proxy ? "proxy" : "to", addressWord(neighbour.address)];
  if (neighbour.mac !== undefined) words.push("lladdr", neighbour.mac);
  words.push("dev", nameWord(neighbour.device));
  return neighbour.proxy ? words : [...words, "nud", neighbour.states.includes("NOARP") ? "noarp" : "permanent"];
}
