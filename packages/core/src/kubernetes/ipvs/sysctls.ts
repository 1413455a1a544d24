import { derived, type SysctlEntry } from "../../model/index.ts";
import { isSince } from "../version.ts";
import type { ProxyView } from "../view.ts";

/**
 * What NewProxier() of the IPVS mode sets on the host. conn_reuse_mode depends on the kernel (0 up to 5.8) and is left to
 * whoever knows it.
 */
export function sysctlsOf({ config, version }: ProxyView): readonly SysctlEntry[] {
  const origin = derived("kube-proxy sets it in IPVS mode", ...(config.origin === undefined ? [] : [config.origin]));
  const values: readonly (readonly [string, string])[] = [
    ...(isSince(version, 21) ? [] : [["net.ipv4.conf.all.route_localnet", "1"] as const]),
    ["net.ipv4.vs.conntrack", "1"],
    ["net.ipv4.vs.expire_nodest_conn", "1"],
    ["net.ipv4.vs.expire_quiescent_template", "1"],
    ["net.ipv4.ip_forward", "1"],
    ...(config.strictArp
      ? ([
          ["net.ipv4.conf.all.arp_ignore", "1"],
          ["net.ipv4.conf.all.arp_announce", "2"],
        ] as const)
      : []),
  ];
  return values.map(([key, value]) => ({ key, value, origin }));
}
