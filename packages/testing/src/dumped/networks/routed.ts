import {
  all,
  CLUSTER,
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
import { firstDevices, otherNodes, port, SOCKETS, sysctls } from "./dumps.ts";
import type { PodNetwork } from "./network.ts";

const portOf = (n: number, p: number): string => `veth${hashOf(n, p, 8)}`;

/** What each port has for itself. */
const portSysctls = (given: DumpCluster, n: number): readonly string[] =>
  all(podsOn(given, n)).map((p) => portOf(n, p));

/** A route to each pod, and routes by the addresses of nodes. */
export const ROUTED: PodNetwork = {
  dumps: (given, n) => ({
    "ip-addr": [
      firstDevices(n),
      ...all(podsOn(given, n)).map(
        (p) =>
          `${port(3 + p, portOf(n, p), 1500, mac(n, 1, p))}    inet ${network(n)}.1/32 scope global ${portOf(n, p)}\n`,
      ),
    ].join(""),
    "ip-route": [
      "default via 10.0.0.1 dev eth0\n",
      `10.0.0.0/16 dev eth0 proto kernel scope link src ${nodeAddress(n)}\n`,
      ...all(podsOn(given, n)).map((p) => `${podAddress(n, p)} dev ${portOf(n, p)} scope host\n`),
      ...othersThan(given, n).map((m) => `${network(m)}.0/24 via ${nodeAddress(m)} dev eth0\n`),
    ].join(""),
    sysctl: sysctls(portSysctls(given, n)),
    "ss-lntp": SOCKETS,
  }),
  neighbours: (given, n) => ({
    "ip-neigh": [
      otherNodes(given, n),
      ...all(podsOn(given, n)).map((p) => `${podAddress(n, p)} dev ${portOf(n, p)} lladdr ${podMac(n, p)} REACHABLE\n`),
    ].join(""),
  }),
  rules: () => ({
    nat: {
      last: `-A POSTROUTING -m addrtype ! --dst-type LOCAL -m comment --comment "kind-masq-agent: ensure nat POSTROUTING directs all non-LOCAL destination traffic to our custom KIND-MASQ-AGENT chain" -j KIND-MASQ-AGENT
-A KIND-MASQ-AGENT -d ${CLUSTER} -m comment --comment "kind-masq-agent: local traffic is not subject to MASQUERADE" -j RETURN
-A KIND-MASQ-AGENT -m comment --comment "kind-masq-agent: outbound traffic is subject to MASQUERADE (must be last in chain)" -j MASQUERADE
`,
    },
  }),
};
