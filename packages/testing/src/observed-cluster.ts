import { SWEPT_4 } from "./swept-addresses.ts";
import { nodeName, nodePortOf, type SweptCluster, sweptCluster } from "./swept-cluster.ts";

/** What `hairpin collect` brings of a node beside what it is set up as. */
export interface Observed {
  readonly kind: (typeof OBSERVED)[number];
  /** Numbers of nodes, pods and Services are taken as far as there are so many. */
  readonly node: number;
  readonly other: number;
  readonly pod: number;
  readonly service: number;
  /** The client's port; now and then a Service's own. */
  readonly port: number;
}

export const OBSERVED = [
  "talking",
  "closed",
  "unanswered",
  "half-open",
  "straight",
  "datagram",
  "stale-datagram",
  "of-nodes",
  "insert-failed",
  "port-taken",
  "log-names",
  "full-table",
  "martian",
  "policy-denied",
  "neighbour-failed",
  "neighbour-gone",
  "fdb-astray",
  "policy-differs",
  "capture",
] as const;

const byte = (n: number): string => n.toString(16).padStart(2, "0");
const macOf = (n: number, p: number): string => `0a:${byte(n)}:00:00:00:${byte(p)}`;
const cardOf = (n: number): string => `02:${byte(n >> 8)}:${byte(n & 255)}:00:00:02`;

const tuple = (src: string, dst: string, sport: number, dport: number): string =>
  `src=${src} dst=${dst} sport=${sport} dport=${dport}`;

/** The port of a pod that nobody knows. */
const strangersLink = (n: number, i: number): string =>
  `${i + 50}: veth${i + 50}@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue master cni0 state UP group default
    link/ether 02:${byte(n >> 8)}:${byte(n & 255)}:03:00:${byte(i)} brd ff:ff:ff:ff:ff:ff link-netnsid ${i + 50}
    inet6 fe80::${n + 1}:${i + 1}/64 scope link
`;
const strangersPort = (i: number): string =>
  `${i + 50}: veth${i + 50}@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 master cni0 state forwarding priority 32 cost 2
    hairpin on guard off root_block off fastleave off learning on flood on mcast_flood on
`;

/** A cluster with dumps of what was seen in it: IPv4 alone. */
export function observedCluster(given: SweptCluster, seen: readonly Observed[]): Record<string, string> {
  const files = sweptCluster(given);
  const { node: nodeAddress, pod: podAddress, service: serviceAddress } = SWEPT_4;
  const add = (n: number, name: string, text: string): void => {
    const path = `nodes/${nodeName(n)}/${name}`;
    files[path] = `${files[path] ?? ""}${text}`;
  };
  for (let n = 0; n < given.nodes; n++) {
    // No two nodes have as many pods.
    for (let i = 0; i < n; i++) {
      add(n, "ip-addr.txt", strangersLink(n, i));
      add(n, "bridge-link.txt", strangersPort(i));
    }
    add(n, "sysctl.txt", `net.netfilter.nf_conntrack_count = ${100 + n}\nnet.netfilter.nf_conntrack_max = 131072\n`);
    add(
      n,
      "conntrack-S.txt",
      `cpu=0   \tfound=1 invalid=${n} insert=0 insert_failed=0 drop=0 early_drop=0 error=0 search_restart=0\n`,
    );
    add(n, "nstat-az.txt", `#kernel\nIpInReceives                    ${3000 + n}               0.0\n`);
    add(
      n,
      "kube-proxy-log.txt",
      `I1115 11:23:52.541740       1 server_linux.go:144] "Using ${given.mode ?? "iptables"} Proxier"\n`,
    );
    add(
      n,
      "conntrack-L.txt",
      `tcp      6 86390 ESTABLISHED ${tuple("127.0.0.1", "127.0.0.1", 40000 + n, 2379)} ${tuple("127.0.0.1", "127.0.0.1", 2379, 40000 + n)} [ASSURED] mark=0 use=1\n`,
    );
    for (let m = 0; m < given.nodes; m++)
      if (m !== n)
        add(
          n,
          "ip-neigh.txt",
          `${nodeAddress(m)} dev eth0 lladdr ${cardOf(m)} ${(m + n) % 2 === 0 ? "STALE" : "REACHABLE"}\n`,
        );
    for (let p = 0; p < given.pods; p++) {
      if (!has(seen, "neighbour-gone", n, p, given))
        add(
          n,
          "ip-neigh.txt",
          `${podAddress(n, p)} dev cni0 ${has(seen, "neighbour-failed", n, p, given) ? "FAILED" : `lladdr ${macOf(n, p)} REACHABLE`}\n`,
        );
      const port = has(seen, "fdb-astray", n, p, given) ? (p + 1) % given.pods : p;
      add(n, "bridge-fdb.txt", `${macOf(n, p)} dev veth${port} master cni0\n`);
    }
  }
  for (const { kind, node, other, pod, service, port } of seen) {
    const [n, m, p, s] = [node % given.nodes, other % given.nodes, pod % given.pods, service % given.services];
    const [client, end, vip] = [podAddress(n, p), podAddress(m, s % given.pods), serviceAddress(s)];
    const asked = s === 0 ? 53 : 80;
    const proto = s === 0 ? "udp      17 29" : "tcp      6 110";
    const there = tuple(client, vip, port, asked);
    const back = tuple(end, client, 8080, port);
    switch (kind) {
      case "talking":
        add(n, "conntrack-L.txt", `tcp      6 86000 ESTABLISHED ${there} ${back} [ASSURED] mark=0 use=1\n`);
        break;
      case "closed":
        add(
          n,
          "conntrack-L.txt",
          `tcp      6 100 TIME_WAIT ${there} ${tuple(end, nodeAddress(n), 8080, port)} [ASSURED] mark=0 use=1\n`,
        );
        break;
      case "unanswered":
        add(n, "conntrack-L.txt", `${proto} ${s === 0 ? "" : "SYN_SENT "}${there} [UNREPLIED] ${back} mark=0 use=1\n`);
        break;
      case "half-open":
        add(m, "conntrack-L.txt", `tcp      6 50 SYN_RECV ${tuple(client, end, port, 8080)} ${back} mark=0 use=1\n`);
        break;
      case "straight":
        add(
          m,
          "conntrack-L.txt",
          `tcp      6 110 SYN_SENT ${tuple(nodeAddress(n), end, port, 8080)} [UNREPLIED] ${tuple(end, nodeAddress(n), 8080, port)} mark=0 use=1\n`,
        );
        break;
      case "datagram":
        add(
          n,
          "conntrack-L.txt",
          `udp      17 29 ${tuple(client, serviceAddress(0), port, 53)} ${tuple(end, client, 8080, port)} mark=0 use=1\n`,
        );
        break;
      case "stale-datagram":
        add(
          n,
          "conntrack-L.txt",
          `udp      17 29 ${tuple(client, serviceAddress(0), port, 53)} ${tuple(podAddress(m, 150), client, 8080, port)} mark=0 use=1\n`,
        );
        break;
      case "of-nodes":
        add(
          m,
          "conntrack-L.txt",
          `tcp      6 110 SYN_SENT ${tuple(nodeAddress(n), nodeAddress(m), port, s === 0 ? 10250 : nodePortOf(s))} [UNREPLIED] ${tuple(nodeAddress(m), nodeAddress(n), s === 0 ? 10250 : nodePortOf(s), port)} mark=0 use=1\n`,
        );
        break;
      case "insert-failed":
        add(
          n,
          "conntrack-S.txt",
          `cpu=1   \tfound=1 invalid=0 insert=0 insert_failed=3 drop=3 early_drop=0 error=0 search_restart=0\n`,
        );
        break;
      case "port-taken":
        add(
          n,
          "kube-proxy-log.txt",
          `E1115 11:24:00.000000       1 proxier.go:1200] can't open "nodePort for shop/x" (:${nodePortOf(s)}/tcp), skipping this nodePort: listen tcp4 :${nodePortOf(s)}: bind: address already in use\n`,
        );
        break;
      case "log-names":
        add(
          n,
          "kube-proxy-log.txt",
          `E1115 11:25:00.000000       1 proxier.go:900] "Failed to add destination" err="${[vip, end, client][port % 3]}:8080: no such device"\n`,
        );
        break;
      case "full-table":
        add(n, "dmesg.txt", "[  100.000000] nf_conntrack: nf_conntrack: table full, dropping packet\n");
        break;
      case "martian":
        add(m, "dmesg.txt", `[  123.456789] IPv4: martian source ${end} from ${client}, on dev eth0\n`);
        break;
      case "policy-denied":
        add(
          m,
          "weave-npc-log.txt",
          `WARN: 2026/11/15 11:26:00.000000 TCP connection from ${client}:${port} to ${end}:8080 blocked by Weave NPC.\n`,
        );
        break;
      case "policy-differs":
        add(n, "iptables-S.filter.txt", "-P INPUT ACCEPT\n-P FORWARD DROP\n-P OUTPUT DROP\n");
        break;
      case "capture":
        add(
          n,
          "tcpdump.txt",
          `11:00:00.000000 eth0 Out IP ${client}.${port} > ${end}.8080: Flags [S], seq 1001, win 64240, length 0\n11:00:01.000000 eth0 Out IP ${client}.${port} > ${end}.8080: Flags [S], seq 1001, win 64240, length 0\n`,
        );
        break;
      default:
    }
  }
  return files;
}

const has = (seen: readonly Observed[], kind: Observed["kind"], n: number, p: number, given: SweptCluster): boolean =>
  seen.some((o) => o.kind === kind && o.node % given.nodes === n && o.pod % given.pods === p);
