import type { Kernel } from "../kernel/kernel.ts";
import { kernelAtLeast } from "../kernel/kernel-version.ts";
import { sysctl } from "../kernel/sysctl.ts";
import type { IpvsConn } from "./ip-vs-conn.ts";
import { serviceWith } from "./ip-vs-services.ts";

/**
 * Follows ip_vs_expire_nodest_conn_flush() (5.9 and later): with expire_nodest_conn, connections end as soon as their
 * server is taken away, and their conntrack entries with them (ip_vs_conn_drop_conntrack). For a World that changes.
 */
export function ipVsExpireNodest(kernel: Kernel): void {
  if (!kernelAtLeast(kernel, 5, 9) || kernel.ipvsConns.length === 0) return;
  if (sysctl(kernel, "net.ipv4.vs.expire_nodest_conn").value === "0") return;
  const tracked = sysctl(kernel, "net.ipv4.vs.conntrack").value !== "0";
  for (const conn of kernel.ipvsConns.filter((c) => !isAvailable(kernel, c))) {
    kernel.ipvsConns.splice(kernel.ipvsConns.indexOf(conn), 1);
    const { client: src, clientPort: sport, virtual: dst, virtualPort: dport, protocol } = conn;
    const found = tracked ? kernel.conntrack.find({ src, sport, dst, dport, protocol }, { id: 0 }) : undefined;
    if (found?.direction === "original") kernel.conntrack.remove(found.ct);
  }
}

/** IP_VS_DEST_F_AVAILABLE: the server is still one of its service's. */
function isAvailable(kernel: Kernel, conn: IpvsConn): boolean {
  const service = serviceWith(kernel.stack.ipvs.services, conn.service.key);
  return service?.realServers.some((s) => s.address === conn.real && s.port === conn.realPort) === true;
}
