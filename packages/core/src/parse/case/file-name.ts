import type { IptablesBackend, IptablesTableName } from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import type { Family } from "../../net/index.ts";
import type { DumpContext, Learnt } from "../dialect.ts";
import { contextOf } from "../transcript/command-context.ts";

/** What a file's name says: `ip-route-table-1003.txt`, `iptables-nvL.raw.txt`, `tcpdump.eth0.txt`, `sysctl.before.txt`. */
export interface NameHint {
  /** The command the name stands for, where all of it was understood. */
  readonly words?: readonly string[];
  readonly context: DumpContext;
  /** What stands before the tool's name: `node1-iptables-save.txt`. */
  readonly prefix?: string;
}

const EXTENSIONS =
  /\.(?:txt|log|logs|out|output|dump|conf|cfg|md|markdown|json|ya?ml|list|sh|text|raw|stdout|html?|pcap(?:ng)?|cap)$/i;
const TABLES = new Set(["raw", "mangle", "nat", "filter", "security"]);
const DEVICE =
  /^(?:any|lo|(?:eth|ens|eno|enp|enx|em|p\d|bond|cni|cnio|flannel|docker|br|cbr|veth|cali|tunl|kube|tun|tap|vxlan|wg|wlan|team|dummy|vlan|lxc|cilium|weave|virbr|eni|gw|ovn|ovs|nodelocaldns|ip6?tnl|gre|sit|geneve|podman|lxdbr|macvlan|ipvlan|nk|lxd)[\w.@-]*)$/;
const GLUED: Readonly<Record<string, readonly string[]>> = lookup({
  iproute: ["ip", "route"],
  iproutes: ["ip", "route"],
  iprule: ["ip", "rule"],
  iprules: ["ip", "rule"],
  ipaddr: ["ip", "addr"],
  ipaddress: ["ip", "addr"],
  iplink: ["ip", "link"],
  ipneigh: ["ip", "neigh"],
  routes: ["ip", "route"],
});

type Words = readonly string[] | undefined;
type Arguments = (tokens: readonly string[]) => Words;

/** Flag letters as tokens: `ln` in `ipvsadm-ln`. */
const flags =
  (tool: string, allowed: RegExp): Arguments =>
  (tokens) =>
    tokens.every((t) => allowed.test(t))
      ? [
          tool,
          ...tokens.map((t) => (t.length === 1 || t === t.toLowerCase() || /^[a-zA-Z]{2,4}$/.test(t) ? `-${t}` : t)),
        ]
      : undefined;

const ip =
  (tool: "ip" | "bridge"): Arguments =>
  (tokens) => {
    const words: string[] = [tool];
    let i = 0;
    for (; i < tokens.length && /^(?:[46djosc]|br|json|brief|details?|v?[46]|ipv[46])$/.test(tokens[i]!); i++) {
      words.push(`-${tokens[i]!.replace(/^(?:ip)?v(?=[46])/, "").replace(/^json$/, "j")}`);
    }
    const object = tokens[i++];
    if (
      object === undefined ||
      !/^(?:a|addr|address|l|link|r|route|ru|rule|rules|routes|n|neigh|neighbou?r|nexthop|fdb|vlan)$/.test(object)
    )
      return undefined;
    words.push(object.replace(/^(rule|route)s$/, "$1"));
    const rest = tokens.slice(i);
    if (rest.length > 0 && !/^(?:show|list|ls|s|get)$/.test(rest[0]!)) words.push("show");
    for (let k = 0; k < rest.length; k++) {
      const token = rest[k]!;
      const previous = rest[k - 1];
      const known = /^(?:show|list|ls|s|get|table|all|main|local|default|dev|br|\d{1,10})$/.test(token);
      if (!known && previous !== "dev" && previous !== "table" && !DEVICE.test(token)) return undefined;
      if (/^\d+$/.test(token) && previous !== "table") return undefined;
      if (/^(?:all|main|local|default)$/.test(token) && previous !== "table") words.push("table");
      words.push(token);
    }
    return words;
  };

const iptables =
  (tool: string): Arguments =>
  (tokens) => {
    let name = tool;
    const options: string[] = [];
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i]!;
      if (token === "legacy" || token === "nft" || token === "save") name += `-${token}`;
      else if (TABLES.has(token)) options.push("-t", token);
      else if (/^(?:[nvx]{0,4}[LS][nvx]{0,4}|V|[nvx]{1,4})$/.test(token)) options.push(`-${token}`);
      else if (token === "t") continue;
      else if (/^[A-Z]{2,}/.test(token)) {
        options.push(tokens.slice(i).join("-"));
        break;
      } else return undefined;
    }
    return options.length === 0 && !name.endsWith("-save") ? undefined : [name, ...options];
  };

const ipvsadm: Arguments = (tokens) => {
  const words = ["ipvsadm"];
  for (const token of tokens) {
    if (token === "save") words.push("-Sn");
    else if (token === "stats" || token === "rate") words.push(`--${token}`);
    else if (/^(?:[lL]n?c?|n|Sn?|c)$/.test(token)) words.push(`-${token}`);
    else if (token !== "list") return undefined;
  }
  return words.some((w) => w.startsWith("--")) && !words.some((w) => /^-[lL]/.test(w)) ? [...words, "-ln"] : words;
};

const ipset: Arguments = (tokens) => {
  const [verb = "list", ...name] = tokens;
  if (!/^(?:list|save|l|L|S)$/.test(verb)) return undefined;
  return ["ipset", /^[LS]$/.test(verb) ? `-${verb}` : verb, ...(name.length > 0 ? [name.join("-")] : [])];
};

const always =
  (...words: readonly string[]): Arguments =>
  () =>
    words;

/** What `nft list …` was asked for: the ruleset, unless the name says `hooks`, `flowtables` and the like. */
const listed = (tokens: readonly string[]): readonly string[] => {
  const rest = tokens[0] === "list" ? tokens.slice(1) : tokens;
  return /^(?:hooks|flowtables|tables|chains|sets|maps|counters)$/.test(rest[0] ?? "") ? rest : ["ruleset"];
};

const TOOLS: Readonly<Record<string, Arguments>> = lookup({
  iptables: iptables("iptables"),
  ip6tables: iptables("ip6tables"),
  ipset,
  ipsets: ipset,
  ipvsadm,
  ipvs: ipvsadm,
  ip: ip("ip"),
  bridge: ip("bridge"),
  brctl: (tokens) => ["brctl", tokens[0] ?? "show"],
  sysctl: (tokens) =>
    tokens.length === 0 || (tokens.length === 1 && tokens[0] === "a") ? ["sysctl", "-a"] : ["sysctl"],
  route: flags("route", /^(?:n|6|A|e|inet6)$/),
  arp: flags("arp", /^[ane]{1,3}$/),
  ifconfig: (tokens) => (tokens.length <= 1 ? ["ifconfig", ...tokens.map((t) => (t === "a" ? "-a" : t))] : undefined),
  netstat: flags("netstat", /^[a-zA-Z]{1,6}$/),
  ss: flags("ss", /^[a-zA-Z]{1,6}$/),
  uname: flags("uname", /^[a-z]{1,3}$/),
  lsmod: always("lsmod"),
  hostname: always("hostname"),
  conntrack: flags("conntrack", /^[LS]$/),
  nft: (tokens) => (tokens[0] === "monitor" ? ["nft", "monitor", "trace"] : ["nft", "list", ...listed(tokens)]),
  nstat: flags("nstat", /^[a-z]{1,3}$/),
  ethtool: always("ethtool"),
  dmesg: always("dmesg"),
  kubectl: (tokens) => (tokens[0] === "get" || tokens[0] === "describe" ? ["kubectl", ...tokens] : undefined),
  ping: always("ping"),
  curl: always("curl"),
});

const PATHS: readonly [RegExp, readonly string[]][] = [
  [/^hairpin[-_]mode/i, ["cat", "/sys/class/net/*/brport/hairpin_mode"]],
  [/^proc[-_]sys/i, ["grep", "-r", ".", "/proc/sys/"]],
  [/^(?:kernel|kern)[-_.]?log|^kmsg/i, ["dmesg"]],
  [/^subnet\.env/i, ["cat", "/run/flannel/subnet.env"]],
  [/^rules\.v4$/i, ["iptables-save"]],
  [/^rules\.v6$/i, ["ip6tables-save"]],
  [/^(?:proc[-_]net[-_])?ip_vs_conn$/i, ["cat", "/proc/net/ip_vs_conn"]],
  [/^(?:proc[-_]net[-_])?ip_vs$/i, ["cat", "/proc/net/ip_vs"]],
  [/^(?:proc[-_]net[-_])?nf_conntrack$/i, ["cat", "/proc/net/nf_conntrack"]],
  [/^os[-_]release/i, ["cat", "/etc/os-release"]],
];

function stemOf(path: string): { readonly stem: string; readonly json: boolean } {
  let stem = path.slice(path.lastIndexOf("/") + 1);
  const json = /\.json$/i.test(stem);
  for (let i = 0; i < 3 && EXTENSIONS.test(stem) && stem.replace(EXTENSIONS, "") !== ""; i++) {
    // `iptables-nvL.raw.txt` names a table; only a last `.raw` on its own is an extension.
    if (/\.raw$/i.test(stem)) break;
    stem = stem.replace(EXTENSIONS, "");
  }
  return { stem, json };
}

/** Qualifiers after a dot, or between dashes: table, back end, family, moment. */
function qualify(tokens: readonly string[], by: "file name"): DumpContext {
  const learn = <T>(value: T): Learnt<T> => ({ value, by });
  const context: { -readonly [K in keyof DumpContext]?: DumpContext[K] } = {};
  for (const token of tokens) {
    if (TABLES.has(token)) context.iptablesTable = learn(token as IptablesTableName);
    else if (token === "legacy" || token === "nft") context.iptablesBackend = learn(token as IptablesBackend);
    else if (/^(?:ip)?v6$|^ip6$/i.test(token)) context.family = learn<Family>(6);
    else if (/^(?:ip)?v4$|^ip4$/i.test(token)) context.family = learn<Family>(4);
    else if (token === "before" || token === "after") context.moment = learn(token);
  }
  return context;
}

const isTool = (token: string): boolean => Object.hasOwn(TOOLS, token) || Object.hasOwn(GLUED, token);

function commandFrom(first: string): {
  readonly words: Words;
  readonly prefix?: string;
  readonly device?: readonly string[];
} {
  const special = PATHS.find(([pattern]) => pattern.test(first));
  if (special !== undefined) return { words: special[1] };
  const tokens = first.split(/[-_ ]+/).filter((t) => t !== "");
  const at = tokens.findIndex((t) => isTool(t) || t === "tcpdump");
  if (at < 0 || at > 6) return { words: undefined };
  const prefix = at > 0 ? { prefix: first.slice(0, first.indexOf(tokens[at]!)).replace(/[-_ ]+$/, "") } : {};
  const rest = tokens.slice(at + 1);
  if (tokens[at] === "tcpdump") return { words: ["tcpdump"], device: rest, ...prefix };
  const glued = GLUED[tokens[at]!];
  const [tool, ...extra] = glued ?? [tokens[at]!];
  return { words: TOOLS[tool!]!([...extra, ...rest]), ...prefix };
}

export function nameHint(path: string): NameHint {
  const { stem, json } = stemOf(path.slice(-300));
  const special = PATHS.find(([pattern]) => pattern.test(stem));
  const parts = stem.split(".");
  const first = special === undefined ? parts[0]! : stem;
  // `node1.iptables-save`: the tool's name may stand in a later part.
  const later = parts.findIndex((p) => isTool(p.split(/[-_ ]+/)[0]!) || p.startsWith("tcpdump"));
  const command = commandFrom(later > 0 && commandFrom(first).words === undefined ? parts[later]! : first);
  const rest = special !== undefined ? [] : parts.slice(Math.max(1, later + 1));
  const qualifiers = [...first.split(/[-_ ]+/), ...rest.flatMap((p) => p.split(/[-_ ]+/))];
  const context = qualify(qualifiers, "file name");
  let words = command.words;
  if (words?.[0] === "tcpdump") {
    const device = [...(command.device ?? []), ...rest.join(".").split("-")].find((t) => DEVICE.test(t));
    words = device === undefined ? words : ["tcpdump", "-i", device];
  }
  if (words !== undefined && json && words[0] === "ip" && !words.includes("-j"))
    words = ["ip", "-j", ...words.slice(1)];
  if (words === undefined) return { context, ...(command.prefix === undefined ? {} : { prefix: command.prefix }) };
  const simple = { words, filters: [], redirected: false };
  const inferred = contextOf(simple, words, "file name");
  // iptables(8) without -t means the filter table; a file name without one means nothing.
  const { iptablesTable, ...others } = inferred;
  const table = words.includes("-t") && iptablesTable !== undefined ? { iptablesTable } : {};
  return {
    words,
    context: { ...others, ...table, ...context },
    ...(command.prefix === undefined || later > 0 ? {} : { prefix: command.prefix }),
    ...(later > 0 ? { prefix: parts.slice(0, later).join(".") } : {}),
  };
}
