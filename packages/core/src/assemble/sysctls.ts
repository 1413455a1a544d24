import { text } from "../messages/index.ts";
import { assumed, derived, factId, type Machine, type SysctlEntry } from "../model/index.ts";
import type { Dumped } from "./dumped.ts";
import type { KubeProxy } from "./kube-proxy/mode.ts";
import type { Ledger } from "./ledger.ts";

const BRIDGE_CALLS = ["iptables", "ip6tables", "arptables"].map((t) => `net.bridge.bridge-nf-call-${t}`);

/**
 * Switches by key. What is assumed or open about a switch is decided where the walk consults it; here stand only those that
 * were shown, those that are another name of one shown, and the one that kube-proxy itself sets.
 */
export function mergeSysctls(
  listings: readonly Dumped<"sysctls">[],
  machine: Machine,
  kubeProxy: KubeProxy | undefined,
  stack: string,
  ledger: Ledger,
): ReadonlyMap<string, SysctlEntry> {
  const sysctls = new Map<string, SysctlEntry>();
  // What /etc/sysctl.d says is what somebody wants; what the kernel says is what is.
  const entries = listings.flatMap((l) => l.fact.entries);
  for (const entry of [...entries.filter((e) => !e.configured), ...entries.filter((e) => e.configured)]) {
    if (!sysctls.has(entry.key)) sysctls.set(entry.key, entry);
  }
  for (const { key, origin } of listings.flatMap((l) => l.fact.missing ?? [])) {
    // Without br_netfilter there is no such switch, and no bridged packet sees iptables.
    if (!BRIDGE_CALLS.includes(key) || sysctls.has(key)) continue;
    sysctls.set(key, { key, value: "0", origin: derived("br_netfilter is not loaded", origin) });
  }
  if (withoutBrNetfilter(machine)) {
    for (const key of BRIDGE_CALLS) {
      if (!sysctls.has(key)) sysctls.set(key, { key, value: "0", origin: derived("lsmod lacks br_netfilter") });
    }
  }
  sameSwitch(sysctls, "net.ipv4.ip_forward", "net.ipv4.conf.all.forwarding");
  localnet(sysctls, kubeProxy, stack, ledger);
  return sysctls;
}

/** Where bridge is a module, br_netfilter cannot be built in: if it is not loaded either, it is not there. */
const withoutBrNetfilter = ({ modules, modulesExtent }: Machine): boolean =>
  modulesExtent === "whole" && modules?.includes("bridge") === true && !modules.includes("br_netfilter");

/** Two names of one variable (devinet_init_net()). */
function sameSwitch(sysctls: Map<string, SysctlEntry>, a: string, b: string): void {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    const entry = sysctls.get(from);
    if (entry === undefined || sysctls.has(to)) continue;
    sysctls.set(to, { key: to, value: entry.value, origin: derived(`another name of ${from}`, entry.origin) });
  }
}

/** kube-proxy in iptables mode sets it so that node ports answer on 127.0.0.1; the other modes do not. */
function localnet(
  sysctls: Map<string, SysctlEntry>,
  kubeProxy: KubeProxy | undefined,
  stack: string,
  ledger: Ledger,
): void {
  const key = "net.ipv4.conf.all.route_localnet";
  if (kubeProxy?.mode !== "iptables" || sysctls.has(key)) return;
  sysctls.set(key, { key, value: "1", origin: assumed("route_localnet as kube-proxy's iptables mode sets it") });
  ledger.assume(factId({ kind: "sysctl", stack, key }), "1", text("assume.sysctl-iptables-mode", { key, stack }));
}
