import { parseAddress, parsePrefix } from "../../net/index.ts";
import type { Claim } from "../dialect.ts";
import { isKindName } from "./device/link-kind.ts";
import { isRouteType, ROUTE_WORDS } from "./vocabulary.ts";
import { plain, wordsOf } from "./words.ts";

/** Longer lines are no routes or rules: a claim must not cost more than a glance. */
const GLANCE = 2000;

const words = (line: string): string[] => wordsOf(plain(line.slice(0, GLANCE))).map((w) => w.text);

/** Colours of `ip -c` may stand anywhere. */
const C = String.raw`(?:\u001b\[[0-9;]{0,16}m)?`;
/** Most lines of most files are not ours: these say so at a glance, before a line is split. */
const RULE_START = /^\s{0,40}\d{1,10}:\s{1,40}(?:not\s|from\s)/;
const ADDRESS = String.raw`(?:[0-9a-fA-F:.]{2,45}(?:\/\d{1,3})?|<[^<>]{1,40}>)`;
const ROUTE_START = new RegExp(
  String.raw`^\s{0,40}${C}(?:cache(?:\s|$)|(?:(?:unicast|local|broadcast|anycast|multicast|blackhole|unreachable|prohibit|throw|nat|xresolve)\s{1,9}${C})?(?:default|${ADDRESS})${C}(?:\s|$))`,
);
const NEIGHBOUR_START = new RegExp(String.raw`^\s{0,40}${C}${ADDRESS}${C}\s`);
const NEXTHOP_START = /^\s{0,40}id\s{1,4}\d/;

const RULE_ACTION = /^(lookup|goto|unreachable|prohibit|blackhole|nop|realms|table|map-to|masquerade|\[?l3mdev.*)$/;

/** `1000:   from all to 10.0.0.1 lookup main`. */
export function claimRule(line: string): Claim {
  if (!RULE_START.test(line)) return "no";
  const w = words(line);
  const from = w[1] === "not" ? 2 : 1;
  if (!/^\d{1,10}:$/.test(w[0] ?? "") || w[from] !== "from") return "no";
  const source = w[from + 1];
  if (source === undefined) return "maybe";
  if (source !== "all" && source !== "0/0" && !looksLikePrefix(source)) return "no";
  return w.slice(from + 2).some((word) => RULE_ACTION.test(word)) ? "line" : "maybe";
}

const looksLikePrefix = (text: string): boolean => parsePrefix(text) !== undefined || /^<[^<>]{1,40}>$/.test(text);
const looksLikeAddress = (text: string | undefined): boolean =>
  text !== undefined && (parseAddress(text) !== undefined || /^<[^<>]{1,40}>$/.test(text));

interface RouteShape {
  readonly typed: boolean;
  readonly destination: string;
  readonly rest: readonly string[];
}

function routeShape(w: readonly string[]): RouteShape | undefined {
  const typed = isRouteType(w[0] ?? "");
  const destination = w[typed ? 1 : 0];
  if (destination === undefined) return undefined;
  if (destination !== "default" && !looksLikePrefix(destination)) return undefined;
  return { typed, destination, rest: w.slice(typed ? 2 : 1) };
}

const NEXTHOP = /^\s{1,40}nexthop\s{1,4}(via|dev|encap)\s/;

/** `10.0.0.0/8 via 10.1.1.1 dev eth0 …`, `blackhole 10.1.0.0/26 …`, a tab and `nexthop via …`. */
export function claimRoute(line: string): Claim {
  if (NEXTHOP.test(line)) return "line";
  if (!ROUTE_START.test(line)) return "no";
  const w = words(line);
  if (w[0] === "cache") return claimRouteGet(line) === "no" ? "no" : "maybe";
  const shape = routeShape(w);
  if (shape === undefined) return "no";
  const next = shape.rest[0];
  if (shape.rest.includes("uid") || shape.rest.includes("lladdr")) return "no";
  if (claimNeighbour(line) !== "no") return "no";
  if (next === undefined) return shape.typed || shape.destination.includes("/") ? "maybe" : "no";
  if (!ROUTE_WORDS.has(next)) return "no";
  return shape.rest.length >= 2 ? "line" : "maybe";
}

/** `10.1.0.0 via 10.1.0.0 dev flannel.1 src 10.1.0.1 uid 0` and the line `    cache <local>` after it. */
export function claimRouteGet(line: string): Claim {
  if (!ROUTE_START.test(line)) return "no";
  const w = words(line);
  if (w[0] === "cache") {
    const next = w[1];
    return next === undefined ||
      (/^(<[a-z0-9,-]{1,80}>|expires|users|used|mtu|iif|ipid|advmss|hoplimit|rtt|age)$/.test(next) && /^\s/.test(line))
      ? "line"
      : "no";
  }
  const shape = routeShape(w);
  if (shape === undefined || !looksLikeAddress(shape.destination)) return "no";
  const uid = shape.rest.indexOf("uid");
  if (uid >= 0 && /^\d+$/.test(shape.rest[uid + 1] ?? "") && shape.rest.includes("dev")) return "line";
  return shape.rest.includes("src") && shape.rest.includes("dev") ? "maybe" : "no";
}

const NEIGHBOUR_STATE =
  /^(REACHABLE|STALE|DELAY|PROBE|FAILED|INCOMPLETE|PERMANENT|NOARP|NONE|0x[0-9a-f]{1,4})(,(REACHABLE|STALE|DELAY|PROBE|FAILED|INCOMPLETE|PERMANENT|NOARP)){0,7}$/;

/** `10.0.0.1 dev eth0 lladdr 02:00:00:00:00:01 REACHABLE`, `10.0.0.9 dev eth0  FAILED`, `… dev eth0 proxy`. */
export function claimNeighbour(line: string): Claim {
  if (!NEIGHBOUR_START.test(line)) return "no";
  const w = words(line);
  if (!looksLikeAddress(w[0])) return "no";
  // `ip neigh show dev eth0` leaves the device out.
  const rest = w[1] === "dev" ? w.slice(3) : w.slice(1);
  if (w[1] === "dev" && w[2] === undefined) return "maybe";
  if (rest.includes("lladdr")) return "line";
  if (rest.some((x) => NEIGHBOUR_STATE.test(x))) return w[1] === "dev" ? "line" : "maybe";
  return w[1] === "dev" && rest.length === 1 && rest[0] === "proxy" ? "line" : "no";
}

/** `2: eth0@if3: <BROADCAST,UP> mtu 1500 …`. */
const HEADER = /^\s{0,16}(?:Deleted )?\d{1,10}: [^\s:]\S{0,63}: <[A-Za-z0-9_,-]{0,400}> mtu \d/;
const LINK_LINE = /^\s+link\/[a-z0-9./\\[\]-]{1,40}(\s|$)/;
const INET_LINE = /^\s+inet6? [0-9a-fA-F.:]{2,45}(\/\d{1,3}(\s|$)| (peer|brd|scope|metric) |\s*$)/;
const LIFETIME_LINE = /^\s+valid_lft \S{1,24} preferred_lft /;
const DETAIL_LINE =
  /^\s+(altname |alias |vf \d|RX: |TX: |RX errors: |TX errors: |promiscuity |prog\/xdp|(in|e)gress-qos-map \{)/;
const KIND_LINE = /^ {4}([a-z][a-z0-9_]{1,19})( |$)/;
const NUMBERS_LINE = /^\s+\d[\d.kMGTPKi]*(\s+\d[\d.kMGTPKi]*){3,12}\s*$/;
const ONELINE_ADDRESS = /^\d{1,10}: \S{1,64}\s+inet6? [0-9a-fA-F.:]{2,45}(\/\d{1,3})?(\s|\\)/;
const BRIEF = /^\S{1,64}\s+(UNKNOWN|NOTPRESENT|DOWN|LOWERLAYERDOWN|TESTING|DORMANT|UP)(\s|$)/;
const FLAGS_END = /<[A-Z0-9_,-]{1,400}>\s*$/;

/** `    vxlan id 1 …` of `ip -d link`; a kind nobody knows yet shows by the words that end its line. */
function isKindLine(head: string): boolean {
  const kind = KIND_LINE.exec(head)?.[1];
  if (kind === undefined) return false;
  return isKindName(kind.replace(/_slave$/, "")) || / (addrgenmode|numtxqueues) /.test(head);
}

const deviceContinuation = (head: string): boolean =>
  LINK_LINE.test(head) || DETAIL_LINE.test(head) || NUMBERS_LINE.test(head) || isKindLine(head);

/** `ip addr`; a header that says `mode …` is from `ip link`, a `master … state forwarding` one from `bridge link`. */
export function claimAddr(line: string): Claim {
  const head = plain(line.slice(0, GLANCE));
  if (HEADER.test(head)) {
    if (/\smode (DEFAULT|DORMANT)(\s|$)/.test(head)) return "no";
    return isBridgeHeader(head) ? "no" : "head";
  }
  if (INET_LINE.test(head) || LIFETIME_LINE.test(head) || ONELINE_ADDRESS.test(head)) return "line";
  if (deviceContinuation(head)) return "line";
  const brief = BRIEF.test(head) ? words(head) : undefined;
  if (brief === undefined) return "no";
  if (brief.length === 2) return "maybe";
  return looksLikePrefix(brief[2]!) ? "line" : "no";
}

/** `bridge link` prints no qdisc; `ip -o -d link` prints both, the port's state among its details. */
const isBridgeHeader = (head: string): boolean =>
  !head.includes(" qdisc ") && / state (disabled|listening|learning|forwarding|blocking)(\s|$)/.test(head);

/** `ip link`, plain, -d, -s, -o, -br. */
export function claimLink(line: string): Claim {
  const head = plain(line.slice(0, GLANCE));
  if (HEADER.test(head)) {
    if (/\smode (DEFAULT|DORMANT)(\s|$)/.test(head)) return "head";
    return isBridgeHeader(head) ? "no" : "maybe";
  }
  if (deviceContinuation(head)) return "line";
  if (!BRIEF.test(head)) return "no";
  const w = words(head);
  if (w.length === 2) return "maybe";
  return FLAGS_END.test(head) ? "line" : "no";
}

/** `id 7 via 10.0.0.1 dev eth0 scope link`, `id 9 group 7/8`. */
export function claimNexthop(line: string): Claim {
  if (!NEXTHOP_START.test(line)) return "no";
  const w = words(line);
  if (w[0] !== "id" || !/^\d{1,10}$/.test(w[1] ?? "")) return "no";
  return /^(via|dev|group|blackhole|encap|scope|proto|type)$/.test(w[2] ?? "") ? "line" : "no";
}

/** What the keys of the first elements prove; other tools print JSON with a `dst` or an `id` too. */
const JSON_KEYS: readonly RegExp[] = [
  /"ifname"\s*:.{0,800}"(flags|operstate|addr_info|vlans|tunnels|mtu)"\s*:/,
  /"priority"\s*:\s*\d+\s*,\s*("not"\s*:\s*null\s*,\s*)?"src"\s*:/,
  /"dst"\s*:\s*"[^"]{1,60}"\s*,.{0,400}"(dev|gateway|flags|lladdr|nexthops|via)"\s*:/,
  /"mac"\s*:\s*"[0-9a-f:]{17}"\s*,.{0,80}"(ifname|flags|dst)"\s*:/,
  /"id"\s*:\s*\d+\s*,\s*"(gateway|group|blackhole|dev|scope|encap)"\s*:/,
];

/** The first lines of `ip -j …` and `bridge -j …`, and everything JSON can go on with. */
export function claimJson(line: string): Claim {
  const head = line.slice(0, GLANCE).trimStart();
  const opens = /^\[\s*(\{|$|\])/.test(head);
  if (opens || /^\{\s*"(ifname|ifindex|dst|priority|mac)"/.test(head)) {
    if (JSON_KEYS.some((keys) => keys.test(head))) return "head";
    return opens && /^\[\s*(\{\s*\}?,?\s*|\])?$/.test(head) ? "maybe" : "no";
  }
  return /^("[a-z0-9_.-]{1,40}"\s*:|"[^"]{0,60}"\s*[,\]}]|[}\],]+\s*[{[]?,?$|\{$)/i.test(head) ? "maybe" : "no";
}
