import { cpuMilliseconds } from "@hairpin/testing/cpu.ts";
import { describe, expect, test } from "vitest";
import { observationsOf } from "../assemble/index.ts";
import { linesOf } from "../model/index.ts";
import { type Address, ipv4Of, PROTO } from "../net/index.ts";
import { readCase } from "../parse/index.ts";
import { connectionsOf, derivedFacts, testimonies } from "./index.ts";

const seen = (path: string, text: string) => {
  const { dumps } = readCase([{ path, text }]);
  return { dumps, observations: observationsOf(dumps) };
};

const PROXY = `$ kubectl -n kube-system logs kube-proxy-7x2lp
I0612 10:20:30.123456       1 server_others.go:170] Using ipvs Proxier.
W0612 10:20:30.200000       1 proxier.go:380] clusterCIDR not specified, unable to distinguish between internal and external traffic
W0612 10:20:30.300000       1 proxier.go:420] can't set sysctl net/ipv4/vs/conn_reuse_mode, kernel version must be at least 4.1
I0612 10:20:31.000000       1 config.go:317] Starting service config controller
E0612 10:21:00.000000       1 proxier.go:1200] can't open "nodePort for shop/web:http" (:30080/tcp), skipping this nodePort: listen tcp4 :30080: bind: address already in use
E0612 10:21:05.000000       1 proxier.go:1200] can't open "nodePort for shop/web:http" (:30080/tcp), skipping this nodePort: listen tcp4 :30080: bind: address already in use
E0612 10:22:00.000000       1 proxier.go:900] "Failed to add destination" err="10.244.1.10:8080: no such device"
`;

describe("logs of services", () => {
  test("klog: severity, time and line; what says nothing is counted", () => {
    const { dumps, observations } = seen("proxy.txt", PROXY);
    expect(dumps.map((d) => [d.dialect.id, d.reading.counts])).toEqual([
      ["service-log", { "log lines": 6, "other lines": 1 }],
    ]);
    expect(
      observations.serviceLines.map((l) => [l.origin.line, l.severity, l.event?.what, l.service, l.time?.base]),
    ).toEqual([
      [2, "info", "proxy-mode", "kube-proxy-7x2lp", "date"],
      [3, "warning", "no-cluster-cidr", "kube-proxy-7x2lp", "date"],
      [4, "warning", "sysctl-refused", "kube-proxy-7x2lp", "date"],
      [6, "error", "port-taken", "kube-proxy-7x2lp", "date"],
      [7, "error", "port-taken", "kube-proxy-7x2lp", "date"],
      [8, "error", undefined, "kube-proxy-7x2lp", "date"],
    ]);
  });
  test.each([
    ["Jun 12 10:20:30 n1 kube-proxy[812]: E0612 10:20:30.1 812 server.go:1] x failed", "n1", "kube-proxy", "error"],
    ["2024-06-12T10:20:30+0000 n1 kubelet[812]: W0612 10:20:30.123456 812 a.go:1] x", "n1", "kubelet", "warning"],
    ['time="2024-01-02T03:04:05Z" level=warning msg="slow"', "node", undefined, "warning"],
    ["2024-06-12T10:20:30.123456789Z stderr F E0612 10:20:30.1 1 a.go:1] x", "node", undefined, "error"],
    ['{"log":"E0612 10:20:30.1 1 a.go:1] \\"x\\"\\n","stream":"stderr"}', "node", undefined, "error"],
    ['{"level":"error","ts":"2024-01-02T03:04:05Z","msg":"boom"}', "node", undefined, "error"],
    ["2024-06-12 10:20:30.123 [ERROR][45] felix/int_dataplane.go 1: Failed to write", "node", undefined, "error"],
  ])("%s", (line, node, service, severity) => {
    const [only] = seen("log.txt", `${line}\n`).observations.serviceLines;
    expect([only?.place.node, only?.service, only?.severity]).toEqual([node, service, severity]);
  });
  test.each([
    ["Using iptables Proxier", { what: "proxy-mode", value: "iptables" }],
    ['"Using nftables Proxier"', { what: "proxy-mode", value: "nftables" }],
    ["Can't use ipvs proxier, trying iptables proxier", { what: "fell-back", value: "another mode" }],
    ["falling back to iptables proxy", { what: "fell-back", value: "iptables" }],
    ['FLAG: --ipvs-strict-arp="true"', { what: "strict-arp", value: "true" }],
    ["Failed to execute iptables-restore: exit status 4", { what: "rules-not-written", value: "iptables-restore" }],
    [
      'can\'t open port, skipping it: "listen udp6 [::]:5353: bind: address already in use"',
      {
        what: "port-taken",
        port: 5353,
        protocol: "udp",
      },
    ],
    ["Can't determine this node's IP, assuming 127.0.0.1", { what: "node-unknown" }],
  ])("%s", (message, event) => {
    const [only] = seen("log.txt", `I0612 10:20:30.123456       1 server.go:1] ${message}\n`).observations.serviceLines;
    expect(only?.event).toEqual(event);
  });
  test("become facts, each once", () => {
    const { observations } = seen("nodes/a/proxy.txt", PROXY);
    const facts = derivedFacts(observations, connectionsOf([]));
    expect(facts.map((f) => [f.code, f.origins[0]?.line])).toEqual([
      ["PROXY_MODE", 2],
      ["NO_CLUSTER_CIDR", 3],
      ["SYSCTL_REFUSED", 4],
      ["PORT_TAKEN", 6],
      ["LOGGED_ERROR", 8],
    ]);
    expect(facts.at(-2)?.text).toMatch(/tcp\/30080.*\(2 times\)$/);
  });
  test("speak against the asked flow only where they name it", () => {
    const { observations } = seen("nodes/a/proxy.txt", PROXY);
    const about = (to: Address, port: number) =>
      testimonies({ to, port, protocol: PROTO.tcp }, observations, []).flatMap((t) =>
        linesOf(t.origin).map((l) => l.line),
      );
    expect(about(ipv4Of(0xc0000201), 30080)).toEqual([7]);
    expect(about(ipv4Of(0xc0000201), 30081)).toEqual([]);
    expect(about(ipv4Of(0x0af4010a), 8080)).toEqual([8]);
    // 10.244.1.1 is not 10.244.1.10.
    expect(about(ipv4Of(0x0af40101), 8080)).toEqual([]);
  });
  test("a megabyte of anything is read in no time", () => {
    const texts = ["E0612 ".repeat(200_000), "listen tcp4 ".repeat(90_000), `{"msg":"${"\\".repeat(1_000_000)}`];
    const read = () => {
      for (const text of texts) seen("log.txt", `I0612 10:20:30.123456       1 a.go:1] x\n${text}\n`);
    };
    expect(cpuMilliseconds(read)).toBeLessThan(4000);
  });
});
