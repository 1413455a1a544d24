import { IPV4_CONF_COMBINATION, type Origin } from "../model/index.ts";
import { lookup } from "../model/lookup.ts";
import { largest } from "../net/append.ts";
import type { Kernel } from "./kernel.ts";

/**
 * What to do about a sysctl nobody showed (DESIGN.md, "Gaps are filled in a fixed order"): assume a value and list it,
 * or leave it open, so that every value becomes a hypothesis.
 */
/** By which an assumed value is told. */
type Why = "default" | "forwards" | "forwards-not" | "kube-proxy";
type Gap = { readonly assume: string; readonly why: Why } | { readonly open: readonly string[] };

const GAPS: Readonly<Record<string, Gap>> = lookup({
  "conf.rp_filter": { open: ["0", "1", "2"] },
  "conf.forwarding": { assume: "1", why: "forwards" },
  "conf.accept_local": { assume: "0", why: "default" },
  "conf.src_valid_mark": { assume: "0", why: "default" },
  "conf.route_localnet": { assume: "0", why: "default" },
  "conf.send_redirects": { assume: "1", why: "default" },
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
  "net.bridge.bridge-nf-call-iptables": { open: ["0", "1"] },
  "net.ipv4.ip_nonlocal_bind": { assume: "0", why: "default" },
  "net.ipv4.fwmark_reflect": { assume: "0", why: "default" },
  "net.ipv4.icmp_echo_ignore_all": { assume: "0", why: "default" },
  "net.ipv4.icmp_errors_use_inbound_ifaddr": { assume: "0", why: "default" },
  "net.ipv4.fib_multipath_hash_policy": { assume: "0", why: "default" },
  "net.netfilter.nf_conntrack_tcp_loose": { assume: "1", why: "default" },
  "net.netfilter.nf_conntrack_tcp_be_liberal": { assume: "0", why: "default" },
});

/** Sysctls the walk consults; everything else a dump shows has no effect on it. */
export const CONSULTED_SYSCTLS: readonly string[] = Object.keys(GAPS);

export interface SysctlValue {
  readonly value: string;
  readonly origins: readonly Origin[];
}

/** A plain key, e.g. net.ipv4.vs.conntrack. */
export function sysctl(kernel: Kernel, key: string): SysctlValue {
  const entry = kernel.stack.sysctls.get(key);
  if (entry !== undefined) return { value: entry.value, origins: [entry.origin] };
  const gap = GAPS[key];
  if (gap === undefined) return { value: "0", origins: [] };
  return fill(kernel, key, gap, undefined);
}

/** The effective net.ipv4.conf value of a device: `all` and the device's own, combined as the kernel does. */
export function devConf(kernel: Kernel, name: string, device: string): SysctlValue {
  const possible = possibleConf(kernel, name, device);
  if (possible.values.length === 1) return { value: possible.values[0]!, origins: possible.origins };
  const key = confKey(name, device);
  const gap = GAPS[`conf.${name}`]!;
  return fill(kernel, key, gap, possible.values);
}

export const confKey = (name: string, device: string): string => `net.ipv4.conf.${device.replace(/\./g, "/")}.${name}`;

export function devConfFlag(kernel: Kernel, name: string, device: string): boolean {
  return Number(devConf(kernel, name, device).value) !== 0;
}

/** All values the dumps leave possible, without deciding between them: callers fork only if it makes a difference. */
export function possibleConf(
  kernel: Kernel,
  name: string,
  device: string,
): { readonly values: readonly string[]; readonly origins: readonly Origin[] } {
  const { sysctls } = kernel.stack;
  const own = sysctls.get(confKey(name, device));
  const all = sysctls.get(confKey(name, "all"));
  const origins = [own, all].flatMap((e) => (e === undefined ? [] : [e.origin]));
  const gap = GAPS[`conf.${name}`];
  const domain: readonly string[] = gap !== undefined && "open" in gap ? gap.open : ["0", "1"];
  switch (IPV4_CONF_COMBINATION[name] ?? "interface-only") {
    case "interface-only": {
      if (own !== undefined) return { values: [own.value], origins };
      // ip_forward writes the flag of every device that exists and of all that will.
      const global = name === "forwarding" ? (sysctls.get("net.ipv4.ip_forward") ?? all) : undefined;
      if (global !== undefined) return { values: [global.value], origins: [global.origin] };
      break;
    }
    case "max": {
      const known = [own, all].filter((e) => e !== undefined).map((e) => Number(e.value));
      const top = largest(0, known);
      if (known.length === 2) return { values: [String(top)], origins };
      if (known.length === 0) break;
      if (gap !== undefined && "assume" in gap) {
        assume(kernel, confKey(name, own === undefined ? device : "all"), gap);
        return { values: [String(Math.max(top, Number(gap.assume)))], origins };
      }
      const values = domain.filter((v) => Number(v) >= top);
      return { values: values.length > 0 ? values : [String(top)], origins };
    }
    case "or": {
      const set = [own, all].find((e) => e !== undefined && e.value !== "0");
      if (set !== undefined) return { values: [set.value], origins: [set.origin] };
      if (own !== undefined && all !== undefined) return { values: ["0"], origins };
      break;
    }
    case "and": {
      const clear = [own, all].find((e) => e !== undefined && e.value === "0");
      if (clear !== undefined) return { values: ["0"], origins: [clear.origin] };
      if (own !== undefined && all !== undefined) return { values: [own.value], origins };
      break;
    }
  }
  if (name === "forwarding" && kernel.stack.kind !== "node" && kernel.stack.kind !== "router") {
    assume(kernel, confKey(name, device), { assume: "0", why: "forwards-not" });
    return { values: ["0"], origins };
  }
  const settled = kernel.oracle.settled?.(sysctlFact(kernel, confKey(name, device)));
  if (settled !== undefined) return { values: [settled], origins };
  if (gap !== undefined && "assume" in gap) {
    // One of the two is known to be off and the other assumed: still an assumption.
    assume(kernel, confKey(name, device), gap);
    return { values: [gap.assume], origins };
  }
  return { values: domain, origins };
}

/** Ids of facts write the dots of a device's name as dots. */
const sysctlFact = (kernel: Kernel, key: string) =>
  ({ kind: "sysctl", stack: kernel.name, key: key.replace(/\//g, ".") }) as const;

function fill(kernel: Kernel, key: string, gap: Gap, among: readonly string[] | undefined): SysctlValue {
  if ("assume" in gap && among === undefined) {
    const settled = kernel.oracle.settled?.(sysctlFact(kernel, key));
    if (settled !== undefined) return { value: settled, origins: [] };
    assume(kernel, key, gap);
    return { value: gap.assume, origins: [] };
  }
  const values = among ?? ("open" in gap ? gap.open : []);
  return { value: kernel.oracle.fact(sysctlFact(kernel, key), values), origins: [] };
}

function assume(kernel: Kernel, key: string, gap: { readonly assume: string; readonly why: Why }): void {
  const fact = sysctlFact(kernel, key);
  kernel.oracle.assume(fact, gap.assume, { ...fact, by: gap.why, value: gap.assume });
}
