import type { Neighbour, Nexthop, Route, RoutingRule } from "@hairpin/core/model/index.ts";
import {
  addressWord,
  deviceWord,
  hexWord,
  joined,
  macWord,
  nameWord,
  numberWord,
  oneOf,
  prefixWord,
  type Word,
  words,
} from "@hairpin/core/model/word.ts";
import { familyOf } from "@hairpin/core/net/index.ts";
import { groupWord } from "./device-state.ts";
import { Unspeakable } from "./refusal.ts";

export const familyFlag = (family: 4 | 6): readonly Word[] => (family === 6 ? words`-6` : words`-4`);

const TYPES = ["unicast", "local", "broadcast", "anycast", "blackhole", "unreachable", "prohibit", "throw"] as const;
const SCOPES = ["global", "site", "link", "host", "nowhere"] as const;

const tableWord = (table: number | string): Word => (typeof table === "number" ? numberWord(table) : nameWord(table));
const scopeWord = (scope: NonNullable<Route["scope"]>): Word =>
  typeof scope === "number" ? numberWord(scope) : oneOf(scope, SCOPES);

/** ip(8) leaves `scope global` out when it prints, and takes link for it where no gateway is given. */
function scopeWords(route: Route): readonly Word[] {
  if (route.scope !== undefined) return words`scope ${scopeWord(route.scope)}`;
  const onLink = route.type === "unicast" && !route.nexthops.some((hop) => hop.gateway !== undefined);
  return onLink ? words`scope global` : [];
}

function hopWords(hop: Nexthop, route: Route, onlink: boolean): readonly Word[] {
  if (hop.encap !== undefined) throw new Unspeakable("encapsulating routes are not made real");
  const args: Word[] = [];
  if (hop.gateway !== undefined) {
    const family = familyOf(hop.gateway);
    const other = family === route.family ? [] : family === 6 ? words`inet6` : words`inet`;
    args.push(...words`via ${other} ${addressWord(hop.gateway)}`);
  }
  if (hop.device !== undefined) args.push(...words`dev ${deviceWord(hop.device)}`);
  // Without a gateway the kernel takes no such flag (fib_check_nh_nongw).
  if (hop.gateway !== undefined && (onlink || hop.flags.includes("onlink"))) args.push(...words`onlink`);
  return args;
}

/** The words after `ip route add|append|del`: only what decides where packets go. */
export function routeWords(route: Route, options: { readonly onlink?: boolean } = {}): readonly Word[] {
  if (route.nexthopId !== undefined && route.nexthops.length === 0) {
    throw new Unspeakable("a route by nexthop id without its nexthops");
  }
  const argv: Word[] = [oneOf(route.type, TYPES), prefixWord(route.destination)];
  if (route.from !== undefined) argv.push(...words`from ${prefixWord(route.from)}`);
  if (route.tos !== undefined && route.tos !== 0) argv.push(...words`tos ${hexWord(route.tos)}`);
  argv.push(...words`table ${tableWord(route.table)}`);
  if (route.metric !== undefined) argv.push(...words`metric ${numberWord(route.metric)}`);
  if (route.protocol !== undefined && /^(kernel|boot|static|[0-9]{1,3})$/.test(route.protocol)) {
    argv.push(...words`proto ${nameWord(route.protocol)}`);
  }
  if (route.prefSrc !== undefined) argv.push(...words`src ${addressWord(route.prefSrc)}`);
  if (route.family === 4) argv.push(...scopeWords(route));
  const hoplimit = route.extra.map((phrase) => /^hoplimit (\d{1,3})$/.exec(phrase)?.[1]).find((n) => n !== undefined);
  if (hoplimit !== undefined) argv.push(...words`hoplimit ${numberWord(Number(hoplimit))}`);
  if (route.mtu !== undefined) {
    const locked = route.locked?.includes("mtu") === true ? words`lock` : [];
    argv.push(...words`mtu ${locked} ${numberWord(route.mtu)}`);
  }
  if (route.advmss !== undefined) argv.push(...words`advmss ${numberWord(route.advmss)}`);
  const onlink = options.onlink === true;
  const [only, ...more] = route.nexthops;
  if (only !== undefined && more.length === 0)
    argv.push(...hopWords(only, route, onlink && only.gateway !== undefined));
  else
    for (const hop of route.nexthops) {
      const way = hopWords(hop, route, onlink && hop.gateway !== undefined);
      argv.push(...words`nexthop ${way} weight ${numberWord(hop.weight)}`);
    }
  return argv;
}

export const rangeWord = (r: { readonly from: number; readonly to: number }): Word =>
  r.from === r.to ? numberWord(r.from) : joined("-", numberWord(r.from), numberWord(r.to));

/** The words after `ip rule add|del`. */
export function ruleWords(rule: RoutingRule): readonly Word[] {
  if (rule.unknown.length > 0) throw new Unspeakable(`words that were not understood: ${rule.unknown.join(" ")}`);
  const said: Word[] = [...words`pref ${numberWord(rule.preference)}`];
  if (rule.not) said.push(...words`not`);
  said.push(...words`from ${rule.from === undefined ? words`all` : prefixWord(rule.from)}`);
  if (rule.to !== undefined) said.push(...words`to ${prefixWord(rule.to)}`);
  if (rule.tos !== undefined && rule.tos !== 0) said.push(...words`tos ${hexWord(rule.tos)}`);
  if (rule.dscp !== undefined) said.push(...words`dscp ${numberWord(rule.dscp)}`);
  if (rule.fwmark !== undefined) {
    said.push(...words`fwmark ${joined("/", hexWord(rule.fwmark), hexWord(rule.fwmask ?? 0xffffffff))}`);
  }
  if (rule.iif !== undefined) said.push(...words`iif ${deviceWord(rule.iif)}`);
  if (rule.oif !== undefined) said.push(...words`oif ${deviceWord(rule.oif)}`);
  if (rule.uidRange !== undefined) {
    said.push(...words`uidrange ${joined("-", numberWord(rule.uidRange.from), numberWord(rule.uidRange.to))}`);
  }
  if (rule.ipProto !== undefined) said.push(...words`ipproto ${numberWord(rule.ipProto)}`);
  if (rule.sport !== undefined) said.push(...words`sport ${rangeWord(rule.sport)}`);
  if (rule.dport !== undefined) said.push(...words`dport ${rangeWord(rule.dport)}`);
  if (rule.tunId !== undefined) said.push(...words`tun_id ${numberWord(rule.tunId)}`);
  if (rule.l3mdev === true) return [...said, ...words`l3mdev`];
  const action = rule.action;
  switch (action.kind) {
    case "lookup":
      said.push(...words`lookup ${tableWord(action.table)}`);
      if (rule.suppressPrefixLength !== undefined) {
        said.push(...words`suppress_prefixlength ${numberWord(rule.suppressPrefixLength)}`);
      }
      if (rule.suppressGroup !== undefined) said.push(...words`suppress_ifgroup ${groupWord(rule.suppressGroup)}`);
      return said;
    case "goto":
      return [...said, ...words`goto ${numberWord(action.target)}`];
    case "unknown":
      throw new Unspeakable(`an action that was not understood: ${action.text}`);
    default:
      return [...said, ...words`type ${oneOf(action.kind, ["blackhole", "unreachable", "prohibit", "nop"])}`];
  }
}

/** The words after `ip neigh replace|del`. */
export function neighbourWords(neighbour: Neighbour): readonly Word[] {
  // ip(8) ends at such a line, and the rest of the batch with it.
  if (!neighbour.proxy && neighbour.mac === undefined) throw new Unspeakable("a neighbour whose MAC is not known");
  const said: Word[] = [...(neighbour.proxy ? words`proxy` : words`to`), addressWord(neighbour.address)];
  if (neighbour.mac !== undefined) said.push(...words`lladdr ${macWord(neighbour.mac)}`);
  said.push(...words`dev ${deviceWord(neighbour.device)}`);
  if (neighbour.proxy) return said;
  return [...said, ...(neighbour.states.includes("NOARP") ? words`nud noarp` : words`nud permanent`)];
}
