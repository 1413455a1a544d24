import { all, type DumpCluster, hashOf, mac, nodeAddress, podAddress, podMac, podsOn } from "../given.ts";
import { device, firstDevices, otherNodes, port, SOCKETS, sysctls } from "./dumps.ts";
import type { PodNetwork } from "./network.ts";

const MTU = 9001;
/** Addresses of a card: pods beyond have those of the next one. */
const OF_A_CARD = 9;
const portOf = (n: number, p: number): string => `eni${hashOf(n, p, 11)}`;
const secondAddress = (n: number): string => nodeAddress(n).replace(/^10\.0\./, "10.64.");

/** Everybody has an address of the cloud's network; pods of a second card answer by that. */
export const ENI: PodNetwork = {
  dumps: (given, n) => ({
    "ip-addr": [
      firstDevices(n, 8),
      device(3, "eth1", MTU, mac(n, 0, 9), `${secondAddress(n)}/8 brd 10.255.255.255`),
      ...all(podsOn(given, n)).map((p) => port(4 + p, portOf(n, p), MTU, mac(n, 1, p))),
    ].join(""),
    "ip-route": [
      "default via 10.0.0.1 dev eth0\n",
      `10.0.0.0/8 dev eth0 proto kernel scope link src ${nodeAddress(n)}\n`,
      ...all(podsOn(given, n)).map((p) => `${podAddress(n, p)} dev ${portOf(n, p)} scope link\n`),
    ].join(""),
    "ip-route-table-2": "default via 10.0.0.1 dev eth1\n10.0.0.1 dev eth1 scope link\n",
    "ip-rule": [
      "0:\tfrom all lookup local\n",
      ...all(podsOn(given, n)).map((p) => `512:\tfrom all to ${podAddress(n, p)} lookup main\n`),
      "1024:\tfrom all fwmark 0x80/0x80 lookup main\n",
      ...all(podsOn(given, n))
        .filter((p) => p >= OF_A_CARD)
        .map((p) => `1536:\tfrom ${podAddress(n, p)} lookup 2\n`),
      "32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
    ].join(""),
    sysctl: sysctls(["eth1", ...all(podsOn(given, n)).map((p) => portOf(n, p))]),
    "ss-lntp": SOCKETS,
  }),
  neighbours: (given, n) => ({
    "ip-neigh": [
      otherNodes(given, n),
      ...all(podsOn(given, n)).map((p) => `${podAddress(n, p)} dev ${portOf(n, p)} lladdr ${podMac(n, p)} STALE\n`),
    ].join(""),
  }),
  rules: (_: DumpCluster, n) => ({
    nat: {
      last: `-A PREROUTING -i eni+ -m comment --comment "AWS, outbound connections" -j AWS-CONNMARK-CHAIN-0
-A PREROUTING -m comment --comment "AWS, CONNMARK" -j CONNMARK --restore-mark --nfmask 0x80 --ctmask 0x80
-A POSTROUTING -m comment --comment "AWS SNAT CHAIN" -j AWS-SNAT-CHAIN-0
-A AWS-CONNMARK-CHAIN-0 -d 10.0.0.0/8 -m comment --comment "AWS CONNMARK CHAIN, VPC CIDR" -j RETURN
-A AWS-CONNMARK-CHAIN-0 -m comment --comment "AWS, CONNMARK" -j CONNMARK --set-xmark 0x80/0x80
-A AWS-SNAT-CHAIN-0 -d 10.0.0.0/8 -m comment --comment "AWS SNAT CHAIN" -j RETURN
-A AWS-SNAT-CHAIN-0 ! -o vlan+ -m comment --comment "AWS, SNAT" -m addrtype ! --dst-type LOCAL -j SNAT --to-source ${nodeAddress(n)} --random-fully
`,
    },
    mangle: {
      last: `-A PREROUTING -i eth0 -m comment --comment "AWS, primary ENI" -m addrtype --dst-type LOCAL --limit-iface-in -j CONNMARK --set-xmark 0x80/0x80
-A PREROUTING -i eni+ -m comment --comment "AWS, primary ENI" -j CONNMARK --restore-mark --nfmask 0x80 --ctmask 0x80
`,
    },
  }),
};
