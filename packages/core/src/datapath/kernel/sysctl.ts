import {
  type Assumed,
  type Fact,
  IPV4_CONF_COMBINATION,
  isUnwalked,
  type Origin,
  type Stack,
  unwalkedDefault,
} from "../../model/index.ts";
import { lookup } from "../../model/lookup.ts";
import { largest } from "../../net/append.ts";
import type { Kernel } from "./kernel.ts";
import { memo } from "./memo.ts";

/**
 * What to do about a sysctl that is not in the dumps: assume a value and list it,
 * or leave it open, so that every value becomes a hypothesis.
 */
/** By which an assumed value is told. */
type Why = "default" | "forwards" | "forwards-not" | "kube-proxy" | "unwalked";
type Gap =
  | { readonly assume: string; readonly why: Why }
  | { readonly open: readonly string[] }
  /** What every kernel starts with; it decides too rarely to be listed wherever it is asked. */
  | { readonly usual: string };

const GAPS: Readonly<Record<string, Gap>> = lookup({
  "conf.rp_filter": { open: ["0", "1", "2"] },
  "conf.forwarding": { assume: "1", why: "forwards" },
  "conf.accept_local": { assume: "0", why: "default" },
  "conf.src_valid_mark": { assume: "0", why: "default" },
  "conf.route_localnet": { assume: "0", why: "default" },
  "conf.send_redirects": { assume: "1", why: "default" },
  "conf.accept_redirects": { usual: "1" },
  "conf.shared_media": { usual: "1" },
  "conf.secure_redirects": { usual: "1" },
  "conf.arp_ignore": { assume: "0", why: "default" },
  "conf.arp_announce": { assume: "0", why: "default" },
  "conf.arp_filter": { assume: "0", why: "default" },
  "conf.proxy_arp": { assume: "0", why: "default" },
  "conf.proxy_arp_pvlan": { assume: "0", why: "default" },
  "conf.ignore_routes_with_linkdown": { assume: "0", why: "default" },
  "net.ipv4.vs.conntrack": { assume: "1", why: "kube-proxy" },
  "net.ipv4.vs.snat_reroute": { assume: "1", why: "default" },
  "net.ipv4.vs.expire_nodest_conn": { assume: "1", why: "kube-proxy" },
  "net.ipv4.vs.conn_reuse_mode": { assume: "1", why: "default" },
  "net.ipv4.vs.expire_quiescent_template": { assume: "1", why: "kube-proxy" },
  "net.ipv4.vs.sloppy_tcp": { assume: "0", why: "default" },
  "net.ipv4.ip_early_demux": { usual: "1" },
  "net.ipv4.tcp_early_demux": { usual: "1" },
  "net.bridge.bridge-nf-call-iptables": { open: ["0", "1"] },
  "net.bridge.bridge-nf-call-ip6tables": { open: ["0", "1"] },
  "net.bridge.bridge-nf-filter-vlan-tagged": { assume: "0", why: "default" },
  "net.ipv4.ip_nonlocal_bind": { assume: "0", why: "default" },
  "net.ipv4.ip_no_pmtu_disc": { assume: "0", why: "default" },
  "net.ipv4.ip_forward_use_pmtu": { assume: "0", why: "default" },
  "net.ipv4.tcp_mtu_probing": { assume: "0", why: "default" },
  "net.ipv4.tcp_base_mss": { assume: "1024", why: "default" },
  "net.ipv4.route.min_adv_mss": { usual: "256" },
  "net.ipv6.route.min_adv_mss": { usual: "1220" },
  "net.ipv4.route.min_pmtu": { usual: "552" },
  "net.ipv4.ip_default_ttl": { usual: "64" },
  "net.ipv4.ip_local_port_range": { usual: "32768\t60999" },
  "net.ipv4.tcp_fwmark_accept": { assume: "0", why: "default" },
  "net.ipv4.tcp_reflect_tos": { assume: "0", why: "default" },
  "net.ipv4.fwmark_reflect": { assume: "0", why: "default" },
  "net.ipv4.icmp_echo_ignore_all": { assume: "0", why: "default" },
  "net.ipv6.icmp.echo_ignore_all": { assume: "0", why: "default" },
  "net.ipv6.anycast_src_echo_reply": { assume: "0", why: "default" },
  "net.ipv6.fwmark_reflect": { assume: "0", why: "default" },
  "net.ipv4.icmp_errors_use_inbound_ifaddr": { assume: "0", why: "default" },
  "net.ipv4.fib_multipath_hash_policy": { assume: "0", why: "default" },
  "net.ipv4.fib_multipath_hash_fields": { assume: "7", why: "default" },
  "net.ipv4.fib_multipath_use_neigh": { assume: "0", why: "default" },
  "net.netfilter.nf_conntrack_checksum": { assume: "1", why: "default" },
  "net.netfilter.nf_conntrack_tcp_loose": { assume: "1", why: "default" },
  "net.netfilter.nf_conntrack_tcp_be_liberal": { assume: "0", why: "default" },
});

/** net.ipv6.conf.DEV.*: the device's own value counts, `all` where it is all that was shown. */
const GAPS6: Readonly<Record<string, Exclude<Gap, { readonly open: unknown }>>> = lookup({
  forwarding: { assume: "1", why: "forwards" },
  force_forwarding: { assume: "0", why: "default" },
  disable_ipv6: { assume: "0", why: "default" },
  proxy_ndp: { assume: "0", why: "default" },
  use_oif_addrs_only: { usual: "0" },
  use_tempaddr: { usual: "0" },
  use_optimistic: { usual: "0" },
  ignore_routes_with_linkdown: { assume: "0", why: "default" },
});
export const CONSULTED_CONF6: readonly string[] = Object.keys(GAPS6);

/** Sysctls the walk consults; everything else a dump shows has no effect on it. */
export const CONSULTED_SYSCTLS: readonly string[] = Object.keys(GAPS);

export interface SysctlValue {
  readonly value: string;
  readonly origins: readonly Origin[];
}

/** What follows from the dumps of a stack about one setting: the same in every walk, so it is worked out once. */
interface Setting {
  readonly values: readonly string[];
  readonly origins: readonly Origin[];
  /** The value, where there is but one. */
  readonly known?: SysctlValue;
  /** What the value rests on, where nobody showed it. */
  readonly assumed?: Assumed & { readonly kind: "sysctl" };
  /** What the user may have settled instead. */
  readonly settleable?: SysctlFact;
}

type SysctlFact = Fact & { readonly kind: "sysctl" };

const settings = new WeakMap<Stack, { readonly plain: Map<string, Setting>; readonly conf: Map<string, ByDevice> }>();
type ByDevice = Map<string, Setting>;
const settingsOf = (stack: Stack) => memo(settings, stack, () => ({ plain: new Map(), conf: new Map() }));

/** A plain key, e.g. net.ipv4.vs.conntrack. */
export function sysctl(kernel: Kernel, key: string): SysctlValue {
  const { stack } = kernel;
  const setting = memo(settingsOf(stack).plain, key, () => plainSetting(stack, key));
  return decided(kernel, settle(kernel, setting), () => factOf(stack, key));
}

function plainSetting(stack: Stack, key: string): Setting {
  const entry = stack.sysctls.get(key);
  if (entry !== undefined) return one(entry.value, [entry.origin]);
  const gap = GAPS[key];
  if (gap === undefined) return one("0", []);
  if ("usual" in gap) return one(gap.usual, []);
  return "assume" in gap ? taken(stack, key, gap, []) : { values: gap.open, origins: [] };
}

/** The effective net.ipv4.conf value of a device: `all` and the device's own, combined as the kernel does. */
export function devConf(kernel: Kernel, name: string, device: string): SysctlValue {
  return decided(kernel, possibleConf(kernel, name, device), () => factOf(kernel.stack, confKey(name, device)));
}

/** The value of net.ipv6.conf.DEV.NAME. */
export function conf6Setting(kernel: Kernel, name: string, device: string): SysctlValue {
  const { stack } = kernel;
  const key = conf6Key(name, device);
  const setting = memo(settingsOf(stack).plain, key, () => {
    const entry = stack.sysctls.get(key) ?? stack.sysctls.get(conf6Key(name, "all"));
    if (entry !== undefined) return one(entry.value, [entry.origin]);
    const gap = GAPS6[name];
    if (gap === undefined) return one("0", []);
    if ("usual" in gap) return one(gap.usual, []);
    const host = name === "forwarding" && stack.kind !== "node" && stack.kind !== "router";
    return taken(stack, key, host ? NO_ROUTER : gap, []);
  });
  return decided(kernel, settle(kernel, setting), () => factOf(stack, key));
}

const conf6Key = (name: string, device: string): string => `net.ipv6.conf.${device.replace(/\./g, "/")}.${name}`;

/** A switch with a usual value, asked where both values are as likely: open, if nobody showed it of a node. */
export function openConf(kernel: Kernel, name: string, device: string): SysctlValue {
  const { stack } = kernel;
  const shown = [device, "all"].some((d) => stack.sysctls.has(confKey(name, d)));
  if (shown || stack.kind !== "node" || stack.assumed !== undefined || stack.fromObjects === true)
    return devConf(kernel, name, device);
  return { value: kernel.oracle.fact(factOf(stack, confKey(name, device)), ["0", "1"]), origins: [] };
}

export const confKey = (name: string, device: string): string => `net.ipv4.conf.${device.replace(/\./g, "/")}.${name}`;

export function devConfFlag(kernel: Kernel, name: string, device: string): boolean {
  return Number(devConf(kernel, name, device).value) !== 0;
}

/** All values the dumps leave possible, without deciding between them: callers fork only if it makes a difference. */
export function possibleConf(kernel: Kernel, name: string, device: string): Setting {
  const { stack } = kernel;
  const devices = memo(settingsOf(stack).conf, name, (): ByDevice => new Map());
  return settle(
    kernel,
    memo(devices, device, () => confSetting(stack, name, device)),
  );
}

const unwalked = new WeakMap<Stack, readonly (Assumed & { readonly kind: "sysctl" })[]>();

/** Notes what this stack was shown to be set to and the walk does not ask for. */
export function noteUnwalked({ stack, name, oracle }: Kernel): void {
  const all = memo(unwalked, stack, () =>
    [...stack.sysctls.values()]
      .filter((e) => isUnwalked(e.key, e.value))
      .map(({ key }) => ({
        kind: "sysctl" as const,
        stack: name,
        key,
        value: unwalkedDefault(key) ?? "",
        by: "unwalked" as const,
      })),
  );
  for (const assumed of all) oracle.assume(assumed, assumed.value, assumed);
}

/** What the walk relies on is noted, and what the user says comes before what is assumed. */
function settle(kernel: Kernel, setting: Setting): Setting {
  const { assumed, settleable, origins } = setting;
  if (settleable !== undefined) {
    const settled = kernel.oracle.settled?.(settleable);
    if (settled !== undefined) return one(settled, origins);
  }
  if (assumed !== undefined) kernel.oracle.assume(assumed, assumed.value, assumed);
  return setting;
}

/** Decides between the values that are left. */
const decided = (kernel: Kernel, { known, values }: Setting, fact: () => SysctlFact): SysctlValue =>
  known ?? { value: kernel.oracle.fact(fact(), values), origins: [] };

const one = (value: string, origins: readonly Origin[]): Setting => ({
  values: [value],
  origins,
  known: { value, origins },
});

/** Ids of facts write the dots of a device's name as dots. */
const factOf = (stack: Stack, key: string): SysctlFact => ({
  kind: "sysctl",
  stack: stack.name,
  key: key.replace(/\//g, "."),
});

function taken(
  stack: Stack,
  key: string,
  gap: { readonly assume: string; readonly why: Why },
  origins: readonly Origin[],
): Setting {
  const fact = factOf(stack, key);
  return {
    ...one(gap.assume, origins),
    assumed: { ...fact, value: gap.assume, by: gap.why },
    settleable: fact,
  };
}

function confSetting(stack: Stack, name: string, device: string): Setting {
  const { sysctls } = stack;
  const own = sysctls.get(confKey(name, device));
  const all = sysctls.get(confKey(name, "all"));
  const origins = [own, all].flatMap((e) => (e === undefined ? [] : [e.origin]));
  const gap = GAPS[`conf.${name}`];
  const domain: readonly string[] = gap !== undefined && "open" in gap ? gap.open : ["0", "1"];
  switch (IPV4_CONF_COMBINATION[name] ?? "interface-only") {
    case "interface-only": {
      if (own !== undefined) return one(own.value, origins);
      // ip_forward writes the flag of every device that exists and of all that will.
      const global = name === "forwarding" ? (sysctls.get("net.ipv4.ip_forward") ?? all) : undefined;
      if (global !== undefined) return one(global.value, [global.origin]);
      break;
    }
    case "max": {
      const shown = [own, all].filter((e) => e !== undefined).map((e) => Number(e.value));
      const top = largest(0, shown);
      if (shown.length === 2) return one(String(top), origins);
      if (shown.length === 0) break;
      if (gap !== undefined && "assume" in gap) {
        const { settleable: _, ...half } = taken(
          stack,
          confKey(name, own === undefined ? device : "all"),
          gap,
          origins,
        );
        return { ...half, ...one(String(Math.max(top, Number(gap.assume))), origins) };
      }
      const values = domain.filter((v) => Number(v) >= top);
      return values.length > 1 ? { values, origins } : one(values[0] ?? String(top), origins);
    }
    case "or": {
      const set = [own, all].find((e) => e !== undefined && e.value !== "0");
      if (set !== undefined) return one(set.value, [set.origin]);
      if (own !== undefined && all !== undefined) return one("0", origins);
      break;
    }
    case "and": {
      const clear = [own, all].find((e) => e !== undefined && e.value === "0");
      if (clear !== undefined) return one("0", [clear.origin]);
      if (own !== undefined && all !== undefined) return one(own.value, origins);
      break;
    }
  }
  if (name === "forwarding" && stack.kind !== "node" && stack.kind !== "router") {
    const { settleable: _, ...still } = taken(stack, confKey(name, device), NO_ROUTER, origins);
    return still;
  }
  // One of the two is known to be off and the other assumed: still an assumption.
  if (gap !== undefined && "assume" in gap) return taken(stack, confKey(name, device), gap, origins);
  return { values: domain, origins, settleable: factOf(stack, confKey(name, device)) };
}

const NO_ROUTER = { assume: "0", why: "forwards-not" } as const;
