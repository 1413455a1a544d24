import { all, type DumpCluster, mac, nodeAddress, nodeMac, othersThan } from "../given.ts";

/** `lo` and the node's card. */
export const firstDevices = (n: number, length = 16): string =>
  `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
${device(2, "eth0", 1500, nodeMac(n), `${nodeAddress(n)}/${length} brd 10.0.255.255`)}`;

/** As `ip addr` prints it. */
export const device = (index: number, name: string, mtu: number, own: string, inet: string): string =>
  `${index}: ${name}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu ${mtu} qdisc noqueue state UP group default qlen 1000
    link/ether ${own} brd ff:ff:ff:ff:ff:ff
    inet ${inet} scope global ${name}
`;

/** The port of a pod. */
export const port = (index: number, name: string, mtu: number, own: string, master = ""): string =>
  `${index}: ${name}@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu ${mtu} qdisc noqueue ${master}state UP group default
    link/ether ${own} brd ff:ff:ff:ff:ff:ff link-netnsid ${index}
`;

export const sysctls = (devices: readonly string[], others = ""): string =>
  `net.ipv4.ip_forward = 1
${["all", "default", "lo", "eth0", ...devices].map((d) => `net.ipv4.conf.${d}.rp_filter = 0\nnet.ipv4.conf.${d}.accept_local = 0\nnet.ipv4.conf.${d}.route_localnet = 1\nnet.ipv4.conf.${d}.forwarding = 1\n`).join("")}net.bridge.bridge-nf-call-iptables = 1
net.netfilter.nf_conntrack_tcp_be_liberal = 0
${others}`;

export const SOCKETS = `State    Recv-Q   Send-Q     Local Address:Port      Peer Address:Port   Process
LISTEN   0        4096                   *:10250                *:*       users:(("kubelet",pid=801,fd=14))
`;

/** All other nodes, on the card. */
export const otherNodes = (given: DumpCluster, n: number): string =>
  othersThan(given, n)
    .map((m) => `${nodeAddress(m)} dev eth0 lladdr ${nodeMac(m)} REACHABLE\n`)
    .join("");

/** Ports of pods on a bridge, as `bridge -d link` prints them. */
export const bridgePorts = (pods: number, mtu: number): string =>
  all(pods)
    .map(
      (
        p,
      ) => `${p + 5}: veth${p}@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu ${mtu} master cni0 state forwarding priority 32 cost 2
    hairpin on guard off root_block off fastleave off learning on flood on mcast_flood on
`,
    )
    .join("");

export const bridgeMac = (n: number): string => mac(n, 0, 3);
