import { confKey, type Device, type Origin, parseFactId, type Stack } from "@hairpin/core/model/index.ts";
import { lookup } from "@hairpin/core/model/lookup.ts";
import { CONF_DEFAULTS, sysctlParts } from "../compile/sysctls.ts";
import type { SysctlSetting } from "../plan.ts";
import type { Remarks } from "./report.ts";

/**
 * Per-device switches that decide a packet's fate, and what holds where nobody shows them (as in datapath/kernel/sysctl.ts).
 * undefined: open; 0 is taken, and that is said.
 */
const CONF: Readonly<Record<string, string | undefined>> = lookup({
  rp_filter: undefined,
  forwarding: "1",
  accept_local: "0",
  src_valid_mark: "0",
  route_localnet: "0",
  send_redirects: "1",
  arp_ignore: "0",
  arp_announce: "0",
  arp_filter: "0",
  proxy_arp: "0",
  proxy_arp_pvlan: "0",
  ignore_routes_with_linkdown: "0",
  promote_secondaries: "0",
  shared_media: "1",
});

/** Others that matter. Logging and rate limits are the lab's own business. */
const PLAIN =
  /^net\.(?:ipv4\.(?:ip_forward|ip_default_ttl|ip_no_pmtu_disc|ip_forward_use_pmtu|tcp_mtu_probing|tcp_base_mss|tcp_reflect_tos|fib_multipath_use_neigh|ip_nonlocal_bind|fwmark_reflect|tcp_fwmark_accept|fib_multipath_hash_policy|icmp_echo_ignore_all|icmp_errors_use_inbound_ifaddr|ip_local_port_range)|ipv4\.vs\.(?:conntrack|conn_reuse_mode|expire_nodest_conn|expire_quiescent_template|snat_reroute|nat_icmp_send|sloppy_tcp)|bridge\.bridge-nf-\S+|netfilter\.nf_conntrack_(?:tcp_loose|tcp_be_liberal|tcp_timeout_\w+|udp_timeout\w*|icmp_timeout))$/;

const SIX =
  /^net\.ipv6\.(?:conf\.\S+\.(?:forwarding|force_forwarding|proxy_ndp|disable_ipv6|ignore_routes_with_linkdown|use_tempaddr|use_oif_addrs_only)|fwmark_reflect|icmp\.echo_ignore_all|anycast_src_echo_reply)$/;

/** Where IPVS serves and nobody shows them, these are as kube-proxy sets them. */
const KUBE_PROXY: readonly (readonly [string, string])[] = [
  ["net.ipv4.vs.conntrack", "1"],
  ["net.ipv4.vs.expire_nodest_conn", "1"],
  ["net.ipv4.vs.expire_quiescent_template", "1"],
];

/** A node or a router forwards where nobody says otherwise; any other host does not (datapath/kernel/sysctl.ts). */
const forwards = (stack: Stack): boolean =>
  stack.assumed === undefined && (stack.kind === "node" || stack.kind === "router");

/** Values chosen for facts the World leaves open, by the ids of `hypothesis`. */
export type ChosenFacts = ReadonlyMap<string, string>;

export function sysctlsOf(
  stack: Stack,
  devices: readonly Device[],
  ipv6: boolean,
  facts: ChosenFacts,
  remarks: Remarks,
): readonly SysctlSetting[] {
  const known = new Map<string, string>();
  const origins = new Map<string, Origin>();
  for (const { key, value, origin } of stack.sysctls.values()) {
    known.set(normal(key), value.replace(/\t/g, " "));
    origins.set(normal(key), origin);
  }
  for (const [id, value] of facts) {
    const fact = parseFactId(id);
    if (fact.kind === "sysctl" && fact.stack === stack.name) known.set(keyOfShown(fact.key, devices), value);
  }
  const present = (key: string): boolean => {
    const [, , , device] = sysctlParts(key);
    return (
      device === undefined || device === "all" || !key.includes(".conf.") || devices.some((d) => d.name === device)
    );
  };
  const found: (readonly [string, string])[] = [...known].filter(
    ([key]) => PLAIN.test(key) || (ipv6 && SIX.test(key) && present(key)),
  );
  if (ipv6 && stack.assumed === undefined && !known.has("net.ipv6.conf.all.forwarding")) {
    found.push(["net.ipv6.conf.all.forwarding", "1"]);
  }
  const assume = (key: string, value: string) => {
    found.push([key, value]);
    remarks.add("assumed", stack.name, `${key} = ${value}`);
  };
  const forward = known.get("net.ipv4.ip_forward") ?? (forwards(stack) ? "1" : "0");
  if (!known.has("net.ipv4.ip_forward")) found.push(["net.ipv4.ip_forward", forward]);
  if (stack.ipvs.services.length > 0) {
    for (const [key, value] of KUBE_PROXY) if (!known.has(key)) assume(key, value);
  }
  const bridged = devices.some((d) => d.kind === "bridge");
  if (bridged && !known.has("net.bridge.bridge-nf-call-iptables")) assume("net.bridge.bridge-nf-call-iptables", "1");
  for (const name of ["all", ...devices.map((d) => d.name)]) {
    for (const [conf, fallback] of Object.entries(CONF)) {
      const key = confKey(conf, name);
      const value = known.get(normal(key));
      // What a new namespace has from the start need not be written again.
      const start = conf === "forwarding" ? forward : CONF_DEFAULTS[conf];
      if (value !== undefined && value !== start) found.push([key, value]);
      if (value === undefined && fallback === undefined && name !== "all" && name !== "lo") {
        remarks.add("assumed", stack.name, `${key} = ${start}`);
      }
    }
  }
  return found.map(([key, value]) => {
    const origin = origins.get(normal(key));
    return origin === undefined ? [key, value] : [key, value, origin];
  });
}

const normal = (key: string): string =>
  sysctlParts(key)
    .map((part) => part.replace(/\./g, "/"))
    .join(".");

/** Ids of facts show a device's name with its dots: the devices tell where it ends. */
function keyOfShown(shown: string, devices: readonly Device[]): string {
  const conf = /^net\.ipv4\.conf\.(.+)\.(\w+)$/.exec(shown);
  if (conf === null) return shown;
  const device = devices.find((d) => d.name === conf[1]);
  return normal(confKey(conf[2]!, device?.name ?? conf[1]!));
}
