import { type Nexthop, type Route, TABLE_MAIN } from "../../../model/index.ts";
import { familyOf, formatAddress, isHost, type Prefix } from "../../../net/index.ts";
import { dsfieldName, tableName } from "../names.ts";
import { METRICS } from "../vocabulary.ts";

const prefixText = (p: Prefix): string =>
  p.length === 0 ? "default" : isHost(p) ? formatAddress(p.address) : `${formatAddress(p.address)}/${p.length}`;

const viaText = (hop: Nexthop, route: Route): string => {
  if (hop.gateway === undefined) return "";
  const family = familyOf(hop.gateway);
  return `via ${family === route.family ? "" : family === 6 ? "inet6 " : "inet "}${formatAddress(hop.gateway)} `;
};

const flagsText = (flags: readonly string[]): string => flags.map((f) => `${f} `).join("");

/** Where print_route() prints a phrase, relative to the others after the flags. */
function rankOf(phrase: string): number {
  const word = phrase.split(" ", 1)[0]!;
  const metric = METRICS.get(word);
  if (metric !== undefined) return 10 + metric;
  const rank = ["mark", "realm", "realms", "uid", "expires", "error", "users", "used", "age", "ipid"].indexOf(word);
  if (rank >= 0) return rank;
  return word === "iif" ? 40 : word === "pref" ? 41 : 42;
}

function phrasesOf(route: Route): string[] {
  const phrases = route.extra.filter((p) => !p.startsWith("nexthop ") && !p.startsWith("as "));
  const lock = (name: string): string => (route.locked?.includes(name) ? "lock " : "");
  if (route.mtu !== undefined) phrases.push(`mtu ${lock("mtu")}${route.mtu}`);
  if (route.advmss !== undefined) phrases.push(`advmss ${lock("advmss")}${route.advmss}`);
  return phrases
    .map((phrase, i) => ({ phrase, rank: rankOf(phrase), i }))
    .sort((a, b) => a.rank - b.rank || a.i - b.i)
    .map((p) => p.phrase);
}

export interface RoutePrintOptions {
  /** As `ip route show table all`: every table but main is named. */
  readonly tables?: boolean;
  /** As `ip -d route`: type, proto boot and scope global are shown too. */
  readonly details?: boolean;
}

/** A route as `ip route show` prints it, with its trailing blank and without the last line end. */
export function printRoute(route: Route, options: RoutePrintOptions = {}): string {
  const multipath = route.nexthops.length > 1;
  const hop = multipath ? undefined : route.nexthops[0];
  let out = "";
  if (route.type !== "unicast" || options.details) out += `${route.type} `;
  out += `${prefixText(route.destination)} `;
  if (route.from !== undefined) out += `from ${prefixText(route.from)} `;
  if (route.nexthopId !== undefined) out += `nhid ${route.nexthopId} `;
  for (const phrase of route.extra) if (phrase.startsWith("as ")) out += `${phrase} `;
  if (hop?.encap !== undefined) out += encapText(hop.encap);
  if (route.tos !== undefined && route.tos !== 0) out += `tos ${dsfieldName(route.tos)} `;
  if (hop !== undefined) {
    out += viaText(hop, route);
    if (hop.device !== undefined) out += `dev ${hop.device} `;
  }
  if (options.tables && (route.table !== TABLE_MAIN || options.details)) out += `table ${tableName(route.table)} `;
  if (route.protocol !== undefined || options.details) out += `proto ${route.protocol ?? "boot"} `;
  if (route.scope !== undefined || options.details) out += `scope ${route.scope ?? "global"} `;
  if (route.prefSrc !== undefined) out += `src ${formatAddress(route.prefSrc)} `;
  if (route.metric !== undefined) out += `metric ${route.metric} `;
  if (hop !== undefined) out += flagsText(hop.flags);
  for (const phrase of phrasesOf(route)) out += phrase.startsWith("pref ") ? phrase : `${phrase} `;
  if (multipath) for (const [i, nexthop] of route.nexthops.entries()) out += `\n\t${printNexthop(nexthop, route, i)}`;
  return out;
}

/** lwt_print_encap() starts with a blank of its own, and MPLS labels with another. */
const encapText = (encap: string): string => ` encap ${encap.startsWith("mpls ") ? `mpls  ${encap.slice(5)}` : encap} `;

function printNexthop(hop: Nexthop, route: Route, index: number): string {
  let out = "nexthop ";
  if (hop.encap !== undefined) out += encapText(hop.encap);
  out += viaText(hop, route);
  const flow = `nexthop ${index + 1} `;
  for (const phrase of route.extra) if (phrase.startsWith(flow)) out += `${phrase.slice(flow.length)} `;
  if (hop.device !== undefined) out += `dev ${hop.device} `;
  return `${out}weight ${hop.weight} ${flagsText(hop.flags)}`;
}
