import { readCaseFile } from "@hairpin/case/index.ts";
import { Askable, diagnose, type QuestionOptions } from "@hairpin/core/diagnose/index.ts";
import { say } from "@hairpin/core/messages/index.ts";
import { linesOf } from "@hairpin/core/model/index.ts";
import { readCase } from "@hairpin/core/parse/index.ts";

export type Files = Readonly<Record<string, string>>;

/** A small cluster's worth of dumps: node a with pods on a bridge, a Service, an endpoint on node b of which nothing is shown. */
export const ADDRESSES = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP group default qlen 1000
    link/ether 52:54:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    inet 10.0.0.1/24 brd 10.0.0.255 scope global eth0
       valid_lft forever preferred_lft forever
3: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UP group default qlen 1000
    link/ether 52:54:00:00:01:01 brd ff:ff:ff:ff:ff:ff
    inet 10.244.1.1/24 brd 10.244.1.255 scope global cni0
       valid_lft forever preferred_lft forever
`;

export const ROUTES = `default via 10.0.0.254 dev eth0
10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.1
10.244.1.0/24 dev cni0 proto kernel scope link src 10.244.1.1
10.244.2.0/24 via 10.0.0.2 dev eth0
`;

export const SYSCTLS = `net.ipv4.ip_forward = 1
net.ipv4.conf.all.rp_filter = 0
net.ipv4.conf.eth0.rp_filter = 0
net.ipv4.conf.cni0.rp_filter = 0
net.bridge.bridge-nf-call-iptables = 1
`;

/** kube-proxy's nat table for default/web, 10.96.0.20:80, with this endpoint. */
export const nat = (endpoint = "10.244.2.7", more = ""): string => `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:KUBE-MARK-MASQ - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-SEP-AAAAAAAAAAAAAAAA - [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-SVC-AAAAAAAAAAAAAAAA - [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A OUTPUT -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A POSTROUTING -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING
-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0
-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE
-A KUBE-SEP-AAAAAAAAAAAAAAAA -s ${endpoint}/32 -m comment --comment "default/web" -j KUBE-MARK-MASQ
-A KUBE-SEP-AAAAAAAAAAAAAAAA -p tcp -m comment --comment "default/web" -m tcp -j DNAT --to-destination ${endpoint}:8080
-A KUBE-SERVICES -d 10.96.0.20/32 -p tcp -m comment --comment "default/web cluster IP" -m tcp --dport 80 -j KUBE-SVC-AAAAAAAAAAAAAAAA
${more}-A KUBE-SERVICES -m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
-A KUBE-SVC-AAAAAAAAAAAAAAAA -m comment --comment "default/web" -j KUBE-SEP-AAAAAAAAAAAAAAAA
COMMIT
`;

export const filter = (rules = "", forward = "ACCEPT"): string => `*filter
:INPUT ACCEPT [0:0]
:FORWARD ${forward} [0:0]
:OUTPUT ACCEPT [0:0]
${rules}COMMIT
`;

export const NODE: Files = {
  "nodes/a/ip-addr.txt": ADDRESSES,
  "nodes/a/ip-rule.txt": "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n",
  "nodes/a/ip-route.txt": ROUTES,
  "nodes/a/sysctl.txt": SYSCTLS,
  "nodes/a/iptables-save.txt": nat() + filter(),
};

export const POD = "10.244.1.5";
export const SERVICE = "10.96.0.20:80";

export const toService = (from = POD): QuestionOptions => ({ from, to: SERVICE });

/** The diagnosis of these dumps, shortened to what the tests of causes look at. */
export function ask(files: Files, question: QuestionOptions, caseYaml?: string) {
  const inputs = Object.entries(files).map(([path, text]) => ({ path, text }));
  const caseFile = caseYaml === undefined ? undefined : readCaseFile("case.yaml", caseYaml);
  const reading = readCase(inputs, caseFile);
  const askable = new Askable({ inputs, reading, notes: [], ...(caseFile !== undefined && { caseFile }) }, []);
  const { judgement, causes, settled, contradictions } = diagnose(askable, question);
  return {
    verdict: judgement.verdict,
    /** Endpoints and clients of these dumps are known by name only: a walk that delivers rests on them. */
    leaning: judgement.leaning,
    claims: causes.map((c) => `${c.code} ${c.certainty}`),
    codes: causes.map((c) => c.code),
    causes: causes.map((c) => ({
      ...c,
      said: say(c.summary),
      lines: c.evidence.flatMap(linesOf).map((o) => askable.quote(o.file, o.line)?.trim() ?? ""),
    })),
    settled,
    contradictions: contradictions.map((t) => say(t)),
  };
}

/** `ip addr` of a node with a card and the bridge of its pods. */
export const BRIDGED_NODE = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP
    link/ether 52:54:00:00:00:02 brd ff:ff:ff:ff:ff:ff
    inet 192.168.0.2/24 brd 192.168.0.255 scope global eth0
3: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP
    link/ether 52:54:00:00:00:03 brd ff:ff:ff:ff:ff:ff
    inet 10.200.0.1/24 brd 10.200.0.255 scope global cni0
`;
