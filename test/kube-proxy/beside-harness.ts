import type { ObjectsCase } from "./objects-harness.ts";

const isIpv4 = (address: string): boolean => !address.includes(":");

/**
 * What somebody dumps who looks at a node's network but not at its rules: its addresses, routes and sysctls. The node is the one of
 * the recording: its addresses on eth0, pods behind pod0, all else by the default route.
 */
export function shownNode(c: ObjectsCase): Readonly<Record<string, string>> {
  const own = c.nodeIPs.filter(isIpv4);
  const probed = c.recorded as { readonly kernelProbes?: { readonly routeLocalnet?: boolean | string } };
  const localnet = Number(probed.kernelProbes?.routeLocalnet ?? c.config.localhostNodePorts ?? true);
  const dir = `nodes/${c.nodeName}`;
  const device = (n: number, name: string, mac: string, addresses: readonly string[]): string =>
    [
      `${n}: ${name}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP group default qlen 1000`,
      `    link/ether ${mac} brd ff:ff:ff:ff:ff:ff`,
      ...addresses.flatMap((a) => [
        `    inet ${a} scope global ${name}`,
        "       valid_lft forever preferred_lft forever",
      ]),
    ].join("\n");
  const lo = [
    "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000",
    "    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00",
    "    inet 127.0.0.1/8 scope host lo",
    "       valid_lft forever preferred_lft forever",
  ].join("\n");
  return {
    [`${dir}/ip-addr.txt`]: `${lo}\n${device(
      2,
      "eth0",
      "02:00:00:00:00:02",
      own.map((a) => `${a}/32`),
    )}\n${device(3, "pod0", "02:00:00:00:00:03", ["10.255.255.254/32"])}\n`,
    [`${dir}/ip-route.txt`]: "default dev eth0 scope link\n10.0.0.0/8 dev pod0 scope link\n",
    [`${dir}/sysctl.txt`]: [
      "net.ipv4.ip_forward = 1",
      ...["all", "default", "eth0", "lo", "pod0"].map((d) => `net.ipv4.conf.${d}.rp_filter = 0`),
      `net.ipv4.conf.all.route_localnet = ${localnet}`,
      "",
    ].join("\n"),
  };
}
