import { CLUSTER, mac, network, nodeAddress, othersThan, podsOn } from "../given.ts";
import { bridgeOf, forwarding, ownNetwork, podsOnBridge } from "./bridge.ts";
import { bridgePorts, device, firstDevices, otherNodes, SOCKETS, sysctls } from "./dumps.ts";
import type { PodNetwork } from "./network.ts";

const MTU = 1450;
const endMac = (n: number): string => mac(n, 3, 1);

/** Pods on a bridge, and a VXLAN of which every node knows all ends. */
export const OVERLAY: PodNetwork = {
  dumps: (given, n) => ({
    "ip-addr": `${firstDevices(n)}${device(3, "flannel.1", MTU, endMac(n), `${network(n)}.0/32`)}${bridgeOf(given, n, 4, MTU)}`,
    "ip-d-link": `3: flannel.1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu ${MTU} qdisc noqueue state UNKNOWN mode DEFAULT group default
    link/ether ${endMac(n)} brd ff:ff:ff:ff:ff:ff promiscuity 0
    vxlan id 1 local ${nodeAddress(n)} dev eth0 srcport 0 0 dstport 8472 nolearning ttl auto ageing 300 udpcsum noudp6zerocsumtx noudp6zerocsumrx
`,
    "ip-route": [
      "default via 10.0.0.1 dev eth0\n",
      `10.0.0.0/16 dev eth0 proto kernel scope link src ${nodeAddress(n)}\n`,
      ownNetwork(n),
      ...othersThan(given, n).map((m) => `${network(m)}.0/24 via ${network(m)}.0 dev flannel.1 onlink\n`),
    ].join(""),
    "bridge-link": bridgePorts(podsOn(given, n), MTU),
    // Without them the far ends of the VXLAN are not known.
    "ip-neigh": [
      given.neighbours === true ? otherNodes(given, n) + podsOnBridge(given, n) : "",
      ...othersThan(given, n).map((m) => `${network(m)}.0 dev flannel.1 lladdr ${endMac(m)} PERMANENT\n`),
    ].join(""),
    "bridge-fdb": [
      given.neighbours === true ? forwarding(given, n) : "",
      ...othersThan(given, n).map((m) => `${endMac(m)} dev flannel.1 dst ${nodeAddress(m)} self permanent\n`),
    ].join(""),
    sysctl: sysctls(["cni0", "flannel/1"]),
    "ss-lntp": SOCKETS,
  }),
  neighbours: () => ({}),
  rules: (_, n) => ({
    nat: {
      last: `-A POSTROUTING -m comment --comment "flanneld masq" -j FLANNEL-POSTRTG
-A FLANNEL-POSTRTG -m mark --mark 0x4000/0x4000 -m comment --comment "flanneld masq" -j RETURN
-A FLANNEL-POSTRTG -s ${network(n)}.0/24 -d ${CLUSTER} -m comment --comment "flanneld masq" -j RETURN
-A FLANNEL-POSTRTG -s ${CLUSTER} -d ${network(n)}.0/24 -m comment --comment "flanneld masq" -j RETURN
-A FLANNEL-POSTRTG ! -s ${CLUSTER} -d ${network(n)}.0/24 -m comment --comment "flanneld masq" -j RETURN
-A FLANNEL-POSTRTG -s ${CLUSTER} ! -d 224.0.0.0/4 -m comment --comment "flanneld masq" -j MASQUERADE --random-fully
-A FLANNEL-POSTRTG ! -s ${CLUSTER} -d ${CLUSTER} -m comment --comment "flanneld masq" -j MASQUERADE --random-fully
`,
    },
    filter: {
      last: `-A FORWARD -m comment --comment "flanneld forward" -j FLANNEL-FWD
-A FLANNEL-FWD -s ${CLUSTER} -m comment --comment "flanneld forward" -j ACCEPT
-A FLANNEL-FWD -d ${CLUSTER} -m comment --comment "flanneld forward" -j ACCEPT
`,
    },
  }),
};
