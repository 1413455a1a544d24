import { assumed, type CaseStack, type Route, type Stack, type SysctlEntry, TABLE_MAIN } from "../model/index.ts";

const OFF = [
  "accept_local",
  "src_valid_mark",
  "route_localnet",
  "arp_ignore",
  "arp_announce",
  "arp_filter",
  "proxy_arp",
  "proxy_arp_pvlan",
  "ignore_routes_with_linkdown",
  "rp_filter",
];

/**
 * A stack that case.yaml names and no dump is of: a plain host with the addresses and the gateway stated, kernel defaults and no
 * rules. A node without a dump stays as open as any node.
 */
export function asStatedHost(stack: Stack, stated: CaseStack | undefined): Stack {
  if (stated === undefined) return stack;
  const routed = stated.gateway === undefined ? stack : withGatewayRoute(stack, stated);
  if (stack.kind === "node") return routed;
  const origin = assumed("kernel defaults on a host without a dump");
  const sysctls = new Map<string, SysctlEntry>(stack.sysctls);
  const set = (key: string, value: string): void => {
    if (!sysctls.has(key)) sysctls.set(key, { key, value, origin });
  };
  const forwards = stack.kind === "router" ? "1" : "0";
  set("net.ipv4.ip_forward", forwards);
  for (const device of ["all", ...stack.devices.items.map((d) => d.name.replaceAll(".", "/"))]) {
    for (const name of OFF) set(`net.ipv4.conf.${device}.${name}`, "0");
    set(`net.ipv4.conf.${device}.forwarding`, forwards);
    set(`net.ipv4.conf.${device}.send_redirects`, "1");
  }
  for (const name of ["icmp_echo_ignore_all", "fwmark_reflect", "icmp_errors_use_inbound_ifaddr"])
    set(`net.ipv4.${name}`, "0");
  return { ...routed, sysctls, assumed: stack.kind === "client" ? "outside" : "endpoint" };
}

function withGatewayRoute(stack: Stack, { gateway, origin }: CaseStack): Stack {
  const tables = stack.routeTables.map((table) => {
    if (table.id !== TABLE_MAIN || table.family !== 4) return table;
    const routes = table.routes.map((r): Route => {
      if (r.destination.length > 0 || r.origin.kind !== "assumed") return r;
      const device = r.nexthops[0]?.device;
      const hop = { ...(gateway === undefined ? {} : { gateway }), ...(device === undefined ? {} : { device }) };
      return { ...r, scope: "global", nexthops: [{ ...hop, weight: 1, flags: ["onlink"] }], origin };
    });
    return { ...table, routes };
  });
  return { ...stack, routeTables: tables };
}
