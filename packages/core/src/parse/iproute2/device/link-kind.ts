import type {
  BridgeParameters,
  BridgePort,
  Device,
  DeviceKind,
  TunnelParameters,
  VlanParameters,
} from "../../../model/index.ts";
import { lookup } from "../../../model/lookup.ts";
import { parseAddress } from "../../../net/index.ts";
import type { Mutable } from "../lines.ts";
import { numberOf } from "../words.ts";

/** Kinds as IFLA_INFO_KIND names them, to the model's; `tun` says itself whether it is a tap. */
const KINDS: Readonly<Record<string, DeviceKind>> = lookup({
  veth: "veth",
  bridge: "bridge",
  dummy: "dummy",
  vlan: "vlan",
  vxlan: "vxlan",
  geneve: "geneve",
  ipip: "ipip",
  sit: "sit",
  gre: "gre",
  gretap: "gre",
  ip6tnl: "ip6tnl",
  ip6gre: "ip6gre",
  ip6gretap: "gre",
  erspan: "gre",
  ip6erspan: "gre",
  tun: "tun",
  macvlan: "macvlan",
  macvtap: "macvtap",
  ipvlan: "ipvlan",
  ipvtap: "ipvlan",
  bond: "bond",
  team: "team",
  vrf: "vrf",
  wireguard: "wireguard",
  ifb: "ifb",
  nlmon: "nlmon",
  xfrm: "xfrm",
  openvswitch: "openvswitch",
});
/** Kinds that the model does not tell apart from unknown ones, but which a line may well start with. */
const OTHERS: ReadonlySet<string> = new Set([
  "amt",
  "bareudp",
  "batadv",
  "can",
  "dsa",
  "gtp",
  "hsr",
  "ipoib",
  "lowpan",
  "macsec",
  "netdevsim",
  "netkit",
  "ovpn",
  "pfcp",
  "ppp",
  "rmnet",
  "vcan",
  "virt_wifi",
  "vti",
  "vti6",
  "vxcan",
  "wwan",
]);

export const kindOf = (name: string): DeviceKind => KINDS[name] ?? "unknown";
export const isKindName = (name: string): boolean => KINDS[name] !== undefined || OTHERS.has(name);

/** The parameters of a kind, from words (`hairpin on`, `nolearning`) or from JSON, by the words' names. */
export interface Parameters {
  value(name: string): string | undefined;
  /** `name on`, `name 1`, bare `name`; false for `off`, `0`, `noNAME`. */
  flag(name: string): boolean | undefined;
}

export function parametersOfWords(words: readonly string[]): Parameters {
  const at = (name: string): number => words.indexOf(name);
  return {
    value: (name) => (at(name) < 0 ? undefined : words[at(name) + 1]),
    flag: (name) => {
      if (at(`no${name}`) >= 0) return false;
      if (at(name) < 0) return undefined;
      const next = words[at(name) + 1];
      return next !== "off" && next !== "0";
    },
  };
}

/** JSON says `port` where the text says `dstport`, and so on. */
const JSON_NAMES: Readonly<Record<string, readonly string[]>> = lookup({
  dstport: ["port"],
  dev: ["link"],
  local: ["local", "local6"],
  remote: ["remote", "remote6"],
  group: ["group", "group6"],
  udpcsum: ["udp_csum"],
  encaplimit: ["encap_limit", "encaplimit"],
  proxy_arp: ["proxy_arp"],
});

export function parametersOfJson(data: Readonly<Record<string, unknown>>): Parameters {
  const raw = (name: string): unknown => {
    for (const key of JSON_NAMES[name] ?? [name]) if (data[key] !== undefined) return data[key];
    return undefined;
  };
  return {
    value: (name) => {
      const value = raw(name);
      return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
    },
    flag: (name) => {
      const value = raw(name);
      if (value === null) return true;
      if (typeof value === "boolean") return value;
      return value === undefined ? undefined : value !== 0 && value !== "off" && value !== "0";
    },
  };
}

type Draft = Omit<Mutable<Device>, "addresses" | "addressesKnown" | "origin" | "programs" | "altnames">;

const present = <T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T => {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) result[key] = value;
  return result as T;
};

const addressIn = (p: Parameters, name: string) => {
  const text = p.value(name);
  return text === undefined ? undefined : parseAddress(text);
};

const DF = ["set", "inherit"] as const;
/** What an ip6tnl carries: IPv6, IPv4, or both. */
const MODES6 = ["ip6ip6", "ipip6", "any"] as const;

function tunnelOf(kind: DeviceKind, p: Parameters): TunnelParameters {
  const ttl = p.value("ttl") ?? p.value("hoplimit");
  const port = numberOf(p.value("dstport"));
  const key = (name: string): number | undefined => numberOf(p.value(name)) ?? parseKey(p.value(name));
  return present<TunnelParameters>({
    id: kind === "vxlan" || kind === "geneve" ? numberOf(p.value("id")) : undefined,
    local: addressIn(p, "local"),
    remote: addressIn(p, "remote"),
    group: kind === "vxlan" ? addressIn(p, "group") : undefined,
    port,
    // 0 is `auto`: the text says the word, JSON the number.
    ttl: ttl === "inherit" || ttl === "auto" ? ttl : ttl === "0" ? "auto" : numberOf(ttl),
    // Only `nolearning` is printed; with it missing from a line that has its port, the device learns.
    learning: kind === "vxlan" ? (p.flag("learning") ?? (port === undefined ? undefined : true)) : undefined,
    external: p.flag("external") === true ? true : undefined,
    udpChecksum: p.flag("udpcsum"),
    // Text leaves out what is the default, JSON does not.
    df: DF.find((word) => word === p.value("df")),
    pathMtuDiscovery: p.flag("pmtudisc") === false ? false : undefined,
    sourcePorts: undefined,
    inputKey: key("ikey"),
    outputKey: key("okey"),
    encapLimit: encapLimitOf(p),
  });
}

/** Text says `encaplimit none` or a number, JSON has the number alone or, where there is none, a flag. */
function encapLimitOf(p: Parameters): number | "none" | undefined {
  if (p.value("encaplimit") === "none" || p.flag("ip6_tnl_f_ign_encap_limit") === true) return "none";
  return numberOf(p.value("encaplimit"));
}

/** Tunnel keys print as dotted quads. */
function parseKey(text: string | undefined): number | undefined {
  const key = text === undefined ? undefined : parseAddress(text);
  return typeof key === "number" ? key : undefined;
}

/** Puts what the kind and its parameters say on the device. */
export function applyKind(device: Draft, name: string, p: Parameters): void {
  device.kind = kindOf(name);
  if (device.kind === "tun" && p.value("type") === "tap") device.kind = "tap";
  if (device.kind !== name && device.kind !== "tap") device.kindName = name;
  switch (device.kind) {
    case "vlan": {
      const id = numberOf(p.value("id"));
      const protocol = p.value("protocol")?.toLowerCase() === "802.1ad" ? "802.1ad" : "802.1Q";
      if (id !== undefined) device.vlan = { id, protocol } satisfies VlanParameters;
      break;
    }
    case "vxlan":
    case "geneve":
    case "ipip":
    case "sit":
    case "gre":
    case "ip6tnl":
    case "ip6gre": {
      device.tunnel = tunnelOf(device.kind, p);
      const mode =
        device.kind === "ip6tnl"
          ? MODES6.find((word) => p.flag(word) === true || p.value("proto") === word)
          : undefined;
      if (mode !== undefined) device.mode = mode;
      const lower = p.value("dev");
      if (lower !== undefined) device.lower = lower;
      break;
    }
    case "bridge":
      device.bridge = present<BridgeParameters>({
        stp: p.flag("stp_state"),
        vlanFiltering: p.flag("vlan_filtering"),
        nfCallIptables: p.flag("nf_call_iptables"),
        nfCallIp6tables: p.flag("nf_call_ip6tables"),
        id: p.value("bridge_id"),
      });
      break;
    case "macvlan":
    case "macvtap":
    case "ipvlan":
    case "bond": {
      const mode = p.value("mode");
      if (mode !== undefined) device.mode = mode;
      break;
    }
    case "vrf": {
      const table = numberOf(p.value("table"));
      if (table !== undefined) device.vrfTable = table;
      break;
    }
  }
}

const PORT_STATES: Readonly<Record<string, string>> = lookup({
  "0": "disabled",
  "1": "listening",
  "2": "learning",
  "3": "forwarding",
  "4": "blocking",
});

/** `bridge_slave …` of `ip -d link` and the flags of `bridge -d link` use the same names. */
export function portOf(p: Parameters): BridgePort {
  const state = p.value("state");
  return present<BridgePort>({
    state: state === undefined ? undefined : (PORT_STATES[state] ?? state),
    hairpin: p.flag("hairpin"),
    isolated: p.flag("isolated"),
    learning: p.flag("learning"),
    flood: p.flag("flood"),
    proxyArp: p.flag("proxy_arp"),
    pathCost: numberOf(p.value("cost")),
    priority: numberOf(p.value("priority")),
    neighbourSuppression: p.flag("neigh_suppress"),
    multicastFlood: p.flag("mcast_flood"),
    broadcastFlood: p.flag("bcast_flood"),
    locked: p.flag("locked"),
  });
}
