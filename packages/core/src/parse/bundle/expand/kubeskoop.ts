import type { CaseInput } from "../../case/input.ts";
import { iptablesSaveOf } from "./iptables-xml.ts";
import { type Json, list, members, num, str } from "./json.ts";

/** Numbers of rtnetlink, as the kernel's headers have them. */
const ROUTE_TYPES = [
  "unspec",
  "unicast",
  "local",
  "broadcast",
  "anycast",
  "multicast",
  "blackhole",
  "unreachable",
  "prohibit",
  "throw",
];
const SCOPES: ReadonlyMap<number, string> = new Map([
  [253, "link"],
  [254, "host"],
]);
const TABLES: ReadonlyMap<number, string> = new Map([
  [253, "default"],
  [254, "main"],
  [255, "local"],
]);
const PROTOCOLS: ReadonlyMap<number, string> = new Map([
  [2, "kernel"],
  [3, "boot"],
  [4, "static"],
]);
const STATES: readonly (readonly [number, string])[] = [
  [1, "INCOMPLETE"],
  [2, "REACHABLE"],
  [4, "STALE"],
  [8, "DELAY"],
  [16, "PROBE"],
  [32, "FAILED"],
  [64, "NOARP"],
  [128, "PERMANENT"],
];
const INET = 2;

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Go writes bytes as base64. */
function bytesOf(text: string): readonly number[] {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const c of text.replace(/=+$/, "")) {
    held = ((held << 6) | Math.max(0, BASE64.indexOf(c))) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 255);
    }
  }
  return bytes;
}

const lengthOf = (mask: string): number =>
  bytesOf(mask).reduce((n, byte) => n + byte.toString(2).replace(/0/g, "").length, 0);
const macOf = (address: string): string =>
  bytesOf(address)
    .map((b) => b.toString(16).padStart(2, "0"))
    .join(":");

const prefixOf = (value: Json | undefined): string | undefined => {
  const { IP, Mask } = members(value);
  return str(IP) === "" ? undefined : `${str(IP)}/${lengthOf(str(Mask))}`;
};

function routeLine(route: Json): string | undefined {
  const { f, o, sc, d, s, g, p, pr, tb, t } = members(route);
  if (num(f) !== INET) return undefined;
  const to = prefixOf(d) ?? "0.0.0.0/0";
  const type = ROUTE_TYPES[num(t) ?? 1] ?? "unicast";
  const scope = SCOPES.get(num(sc) ?? 0);
  return [
    type === "unicast" ? "" : type,
    to === "0.0.0.0/0" ? "default" : to.replace(/\/32$/, ""),
    str(g) === "" ? "" : `via ${str(g)}`,
    str(o) === "" ? "" : `dev ${str(o)}`,
    num(tb) === 254 ? "" : `table ${TABLES.get(num(tb) ?? 0) ?? num(tb)}`,
    PROTOCOLS.has(num(p) ?? 0) ? `proto ${PROTOCOLS.get(num(p)!)}` : "",
    scope === undefined ? "" : `scope ${scope}`,
    str(s) === "" ? "" : `src ${str(s)}`,
    (num(pr) ?? 0) > 0 ? `metric ${num(pr)}` : "",
  ]
    .filter((w) => w !== "")
    .join(" ");
}

function ruleLine(rule: Json): string | undefined {
  const { p, f, tb, m, ma, s, d, i, o } = members(rule);
  if (num(f) !== INET) return undefined;
  const mark = num(m) ?? -1;
  const mask = num(ma) ?? -1;
  const hex = (n: number): string => `0x${n.toString(16)}`;
  return [
    `${num(p)}:\tfrom ${prefixOf(s)?.replace(/\/32$/, "") ?? "all"}`,
    prefixOf(d) === undefined ? "" : `to ${prefixOf(d)!.replace(/\/32$/, "")}`,
    mark < 0 ? "" : `fwmark ${hex(mark)}${mask < 0 || mask === 0xffffffff ? "" : `/${hex(mask)}`}`,
    str(i) === "" ? "" : `iif ${str(i)}`,
    str(o) === "" ? "" : `oif ${str(o)}`,
    `lookup ${TABLES.get(num(tb) ?? 0) ?? num(tb)}`,
  ]
    .filter((w) => w !== "")
    .join(" ");
}

/** As `ip -j -d addr` prints it: indices say which card is whose peer and master. */
function devicesJson(interfaces: readonly Json[]): string {
  const names = new Map(interfaces.map((one) => [num(members(one).i), str(members(one).n)]));
  const devices = interfaces.map((one) => {
    const { n, i, m, d, a, st, p, mi } = members(one);
    const kind = str(d);
    const up = num(st) === 1;
    return {
      ifindex: num(i),
      ifname: str(n),
      flags: [...(str(n) === "lo" ? ["LOOPBACK"] : ["BROADCAST", "MULTICAST"]), ...(up ? ["UP", "LOWER_UP"] : [])],
      mtu: num(m),
      operstate: up ? "UP" : "DOWN",
      link_type: str(n) === "lo" ? "loopback" : "ether",
      ...(kind === "veth" ? { link_index: num(p), link_netnsid: 0 } : {}),
      ...(num(mi) ? { master: names.get(num(mi)) } : {}),
      ...(kind === "device" || kind === "" ? {} : { linkinfo: { info_kind: kind } }),
      addr_info: list(a).map((one) => {
        const { IP, Mask } = members(one);
        const six = str(IP).includes(":");
        return {
          family: six ? "inet6" : "inet",
          local: str(IP),
          prefixlen: lengthOf(str(Mask)),
          scope: "global",
          label: str(n),
        };
      }),
    };
  });
  return `${JSON.stringify(devices, null, 1)}\n`;
}

function neighbourLines(interfaces: readonly Json[]): string {
  return interfaces
    .flatMap((one) =>
      list(members(one).ne).flatMap((neighbour) => {
        const { Family, IP, HardwareAddr, State } = members(neighbour);
        const mac = macOf(str(HardwareAddr));
        const state = STATES.find(([bit]) => ((num(State) ?? 0) & bit) !== 0)?.[1] ?? "STALE";
        if (num(Family) !== INET || state === "NOARP") return [];
        return [`${str(IP)} dev ${str(members(one).n)}${mac === "" ? "" : ` lladdr ${mac}`} ${state}\n`];
      }),
    )
    .join("");
}

function fdbLines(interfaces: readonly Json[]): string {
  const names = new Map(interfaces.map((one) => [num(members(one).i), str(members(one).n)]));
  return interfaces
    .flatMap((one) =>
      list(members(one).f).map((entry) => {
        const { n, mi } = members(one);
        const { HardwareAddr, State, Flags, IP } = members(entry);
        const master = num(mi) ? ` master ${names.get(num(mi))}` : "";
        const self = ((num(Flags) ?? 0) & 2) !== 0;
        const dst = str(IP) === "" ? "" : ` dst ${str(IP)}`;
        const permanent = ((num(State) ?? 0) & 128) !== 0 ? " permanent" : "";
        return `${macOf(str(HardwareAddr))} dev ${str(n)}${dst}${self ? " self" : master}${permanent}\n`;
      }),
    )
    .join("");
}

function sysctlLines(namespace: Json): string {
  const { s, if: interfaces } = members(namespace);
  const all = [members(s), ...list(interfaces).map((one) => members(members(one).s))];
  return all
    .flatMap((entries) => Object.entries(entries))
    .filter(([key]) => key.startsWith("net."))
    .map(([key, value]) => `${key} = ${str(value)}\n`)
    .join("");
}

/** State 0 is a socket that waits: LISTEN, or UDP without a peer. */
function socketLines(sockets: readonly Json[]): string {
  const rows = sockets.flatMap((socket) => {
    const { l, lp, r, rp, p, st } = members(socket);
    if (num(st) !== 0 || num(rp) !== 0 || !/^(?:0\.0\.0\.0|::|)$/.test(str(r))) return [];
    const state = str(p) === "udp" ? "UNCONN" : "LISTEN";
    const local = str(l).includes(":") ? `[${str(l)}]` : str(l);
    return [`${str(p)} ${state} 0 0 ${local}:${num(lp)} ${str(l).includes(":") ? "[::]" : "0.0.0.0"}:*\n`];
  });
  return `Netid State Recv-Q Send-Q Local Address:Port Peer Address:Port\n${rows.join("")}`;
}

const lines = (all: readonly (string | undefined)[]): string =>
  all.flatMap((line) => (line === undefined ? [] : [`${line}\n`])).join("");

/** KubeSkoop's collector writes all namespaces of a node into one JSON text; each becomes what the tools would have printed. */
export function kubeskoop(input: CaseInput): readonly CaseInput[] | undefined {
  if (input.text === undefined || !/^\s*\{\s*"[pn]"\s*:/.test(input.text.slice(0, 100))) return undefined;
  let document: Json;
  try {
    document = JSON.parse(input.text) as Json;
  } catch {
    return undefined;
  }
  const namespaces = list(members(document).n);
  if (namespaces.length === 0 || !namespaces.every((n) => "if" in members(n) && "ru" in members(n))) return undefined;
  return namespaces.flatMap((namespace) => {
    const { k, if: interfaces, r, ru, it, c } = members(namespace);
    const devices = list(interfaces);
    const save = iptablesSaveOf(str(it));
    const texts: Readonly<Record<string, string | undefined>> = {
      "ip-addr.json": devicesJson(devices),
      "ip-route": lines(list(r).map(routeLine)),
      "ip-rule": lines(list(ru).map(ruleLine)),
      "iptables-save": save,
      "ip-neigh": neighbourLines(devices),
      "bridge-fdb": fdbLines(devices),
      "sysctl-a": sysctlLines(namespace),
      ss: socketLines(list(c)),
    };
    const under = str(k) === "" ? "kubeskoop/node" : `kubeskoop/pods/${str(k)}`;
    return Object.entries(texts).flatMap(([name, text]): CaseInput[] =>
      text === undefined
        ? []
        : [{ path: `${input.path}/${under}/${name}`, within: `${input.within ?? input.path}/${under}/${name}`, text }],
    );
  });
}
