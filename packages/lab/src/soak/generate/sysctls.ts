import { confKey } from "../../compile/sysctls.ts";
import type { Random } from "../random.ts";
import type { Host } from "./site.ts";

/** The switches of a node, drawn so that most packets live and each switch kills some. */
export function drawSysctls(random: Random, host: Host): void {
  const { sysctls } = host;
  const names = host.devices.map((d) => d.name).filter((n) => n !== "lo");
  const set = (device: string, name: string, value: string) => {
    sysctls[confKey(4, device, name)] ??= value;
  };
  sysctls["net.ipv4.ip_forward"] = random.chance(0.95) ? "1" : "0";
  set("all", "rp_filter", random.weighted([5, "0"], [3, "1"], [2, "2"]));
  for (const name of names) {
    set(name, "rp_filter", random.weighted([5, "0"], [3, "1"], [2, "2"]));
    if (random.chance(0.05)) set(name, "accept_local", "1");
    if (random.chance(0.1)) set(name, "route_localnet", "1");
    if (random.chance(0.1)) set(name, "src_valid_mark", "1");
    if (random.chance(0.05)) set(name, "arp_ignore", random.pick(["1", "2"]));
    if (random.chance(0.05)) set(name, "arp_announce", random.pick(["1", "2"]));
    if (random.chance(0.03)) set(name, "proxy_arp", "1");
    if (random.chance(0.03)) set(name, "forwarding", random.pick(["0", "1"]));
    if (random.chance(0.05)) set(name, "send_redirects", "1");
    if (random.chance(0.03)) set(name, "arp_filter", "1");
    if (random.chance(0.02)) set(name, "proxy_arp_pvlan", "1");
  }
  if (random.chance(0.05)) set("all", "accept_local", "1");
  if (random.chance(0.1)) set("all", "route_localnet", "1");
  if (random.chance(0.1)) set("all", "src_valid_mark", "1");
  if (random.chance(0.05)) set("all", "arp_ignore", "1");
  if (random.chance(0.05)) sysctls["net.ipv4.fwmark_reflect"] = "1";
  if (random.chance(0.05)) sysctls["net.ipv4.icmp_errors_use_inbound_ifaddr"] = "1";
  if (random.chance(0.03)) sysctls["net.ipv4.icmp_echo_ignore_all"] = "1";
  if (random.chance(0.05)) sysctls["net.netfilter.nf_conntrack_tcp_loose"] = "0";
  if (host.devices.some((d) => d.kind === "bridge")) {
    sysctls["net.bridge.bridge-nf-call-iptables"] = random.chance(0.7) ? "1" : "0";
  }
}
