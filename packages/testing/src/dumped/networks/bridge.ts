import {
  all,
  type DumpCluster,
  hashOf,
  mac,
  network,
  nodeAddress,
  othersThan,
  podAddress,
  podMac,
  podsOn,
} from "../given.ts";
import { bridgeMac, bridgePorts, device, firstDevices, otherNodes, port, SOCKETS, sysctls } from "./dumps.ts";
import type { OwnRules, PodNetwork } from "./network.ts";

/** A bridge with a veth for each pod, and its address. */
export const bridgeOf = (given: DumpCluster, n: number, first: number, mtu: number): string =>
  [
    device(first, "cni0", mtu, bridgeMac(n), `${network(n)}.1/24 brd ${network(n)}.255`),
    ...all(podsOn(given, n)).map((p) => port(first + 1 + p, `veth${p}`, mtu, mac(n, 1, p), "master cni0 ")),
  ].join("");

export const ownNetwork = (n: number): string =>
  `${network(n)}.0/24 dev cni0 proto kernel scope link src ${network(n)}.1\n`;

export const podsOnBridge = (given: DumpCluster, n: number): string =>
  all(podsOn(given, n))
    .map((p) => `${podAddress(n, p)} dev cni0 lladdr ${podMac(n, p)} STALE\n`)
    .join("");

/** As `bridge fdb` prints it: whom a port has heard, and what each device is itself. */
export const forwarding = (given: DumpCluster, n: number): string =>
  `${all(podsOn(given, n))
    .map(
      (p) => `${podMac(n, p)} dev veth${p} master cni0
${mac(n, 1, p)} dev veth${p} master cni0 permanent
${mac(n, 1, p)} dev veth${p} vlan 1 master cni0 permanent
33:33:00:00:00:01 dev veth${p} self permanent
01:00:5e:00:00:01 dev veth${p} self permanent
`,
    )
    .join("")}${bridgeMac(n)} dev cni0 master cni0 permanent\n33:33:00:00:00:01 dev cni0 self permanent\n`;

/** As the bridge plugin's ipMasq writes them: chains are called after a hash, and so are containers. */
function podChains(given: DumpCluster, n: number): OwnRules {
  const pods = all(podsOn(given, n));
  const comment = (p: number): string => `-m comment --comment "name: \\"cbr0\\" id: \\"${hashOf(n, p, 64)}\\""`;
  return {
    last: [
      ...pods.map((p) => `-A POSTROUTING -s ${podAddress(n, p)}/32 ${comment(p)} -j CNI-${hashOf(n, p, 24)}\n`),
      ...pods.flatMap((p) => [
        `-A CNI-${hashOf(n, p, 24)} -d ${network(n)}.0/24 ${comment(p)} -j ACCEPT\n`,
        `-A CNI-${hashOf(n, p, 24)} ! -d 224.0.0.0/4 ${comment(p)} -j MASQUERADE\n`,
      ]),
    ].join(""),
  };
}

/** Pods on a bridge, and routes by the addresses of nodes. */
export const BRIDGE: PodNetwork = {
  dumps: (given, n) => ({
    "ip-addr": `${firstDevices(n)}${bridgeOf(given, n, 3, 1500)}`,
    "ip-route": [
      "default via 10.0.0.1 dev eth0\n",
      `10.0.0.0/16 dev eth0 proto kernel scope link src ${nodeAddress(n)}\n`,
      ownNetwork(n),
      ...othersThan(given, n).map((m) => `${network(m)}.0/24 via ${nodeAddress(m)} dev eth0\n`),
    ].join(""),
    "bridge-link": bridgePorts(podsOn(given, n), 1500),
    sysctl: sysctls(["cni0"]),
    "ss-lntp": SOCKETS,
  }),
  neighbours: (given, n) => ({
    "ip-neigh": `${otherNodes(given, n)}${podsOnBridge(given, n)}`,
    "bridge-fdb": forwarding(given, n),
  }),
  rules: (given, n) => (given.podChains === true ? { nat: podChains(given, n) } : {}),
};
