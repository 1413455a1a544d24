import { append, edit, host, pick, rule, rulesOf, vip, who } from "./edit.ts";
import type { Varied, Vary } from "./varied.ts";

const bits = ({ family }: Varied): number => (family === 6 ? 128 : 32);
const reject = ({ family }: Varied): string =>
  `REJECT --reject-with ${family === 6 ? "icmp6" : "icmp"}-port-unreachable`;
const FILTERS = ["INPUT", "FORWARD", "OUTPUT"] as const;

/** A filter's rule that looks at something, as a firewall or a policy has it. */
const filtered =
  (match: (given: Varied) => string, target: (given: Varied) => string = () => "DROP"): Vary =>
  (given) =>
    rule(given, "filter", pick(FILTERS, Math.floor(given.at / 3)), `${match(given)} -j ${target(given)}`);

/** Rules beside those of kube-proxy. */
export const RULES: Readonly<Record<string, Vary>> = {
  "drop-source": filtered((g) => `-s ${who(g)}`),
  "drop-destination": filtered((g) => `-d ${who(g)}`),
  "drop-pair": filtered((g) => `-s ${who(g)} -d ${who(g, 1)}`),
  "reject-not-source": filtered((g) => `! -s ${who(g)} -d ${who(g, 2)}`, reject),
  "drop-range": filtered(({ addresses: a, at, nodes }) => {
    const n = at % nodes;
    return `-m iprange --src-range ${a.pod(n, 0)}-${a.pod(n, at % 3)}`;
  }),
  "drop-ports": filtered(
    ({ at }) => `-p tcp -m multiport --dports ${pick(["80,8080", "8080", "10250,30001", "1:1024"], at)}`,
  ),
  "drop-client-ports": filtered(({ at }) => `-p tcp -m tcp --sport ${pick(["1024:40000", "8080", "40000:65535"], at)}`),
  "drop-in": filtered(({ at }) => `-i ${pick(["veth0", "veth1", "cni0", "eth0", "veth+"], at)}`),
  "drop-out": (g) =>
    rule(
      g,
      "filter",
      pick(["FORWARD", "OUTPUT"], g.at),
      `-o ${pick(["cni0", "eth0", "veth0"], g.at)} -d ${who(g)} -j DROP`,
    ),
  "drop-port-of-bridge": (g) =>
    rule(g, "filter", "FORWARD", `-m physdev --physdev-${pick(["in veth0", "out veth1", "is-bridged"], g.at)} -j DROP`),
  "drop-state": filtered(
    ({ at }) => `-m conntrack --ctstate ${pick(["INVALID", "NEW", "ESTABLISHED", "DNAT", "SNAT", "RELATED"], at)}`,
  ),
  "accept-known-then-drop": (g) =>
    rule(
      g,
      "filter",
      pick(FILTERS, g.at),
      "-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT",
      `-s ${who(g)} -j DROP`,
    ),
  "drop-original": filtered((g) => `-m conntrack --ctorigdst ${vip(g)}${g.at % 2 === 0 ? " --ctdir REPLY" : ""}`),
  "drop-type": filtered(
    ({ at }) =>
      `-m addrtype ${pick(["--src-type LOCAL", "--dst-type LOCAL", "! --src-type LOCAL", "--dst-type UNICAST --limit-iface-in"], at)}`,
  ),
  "drop-some": filtered(
    (g) =>
      `-s ${who(g)} -m statistic --mode ${pick(["random --probability 0.50000000000", "nth --every 2 --packet 0"], g.at)}`,
  ),
  "drop-too-many": filtered(
    (g) =>
      `-s ${who(g)} ${pick(["-m limit --limit 10/sec", "-m connlimit --connlimit-above 2", "-m recent --rcheck --seconds 60 --name seen --rsource", "-m hashlimit --hashlimit-above 1/sec --hashlimit-mode srcip --hashlimit-name x"], g.at)}`,
  ),
  "drop-unknown": filtered((g) => `-s ${who(g)} -m weather --is rain`),
  "drop-user": (g) =>
    rule(g, "filter", "OUTPUT", `-m owner --uid-owner ${pick(["0", "1000"], g.at)} -d ${who(g)} -j DROP`),
  "drop-mac": filtered((g) => `-m mac --mac-source 02:00:0${g.at % 3}:00:00:02`),
  "drop-mask": (g) => {
    if (g.family === 4) rule(g, "filter", "FORWARD", `-s 10.128.0.1${g.at % 3}/255.255.0.255 -j DROP`);
  },
  "drop-ttl": (g) => {
    if (g.family === 4) rule(g, "filter", "FORWARD", "-m ttl --ttl-lt 64 -j DROP");
  },
  "drop-marked": (g) => {
    rule(g, "mangle", "PREROUTING", `-s ${who(g)} -j MARK --set-xmark 0x200/0x200`);
    rule(g, "filter", pick(["FORWARD", "INPUT"], g.at), "-m mark --mark 0x200/0x200 -j DROP");
  },
  "mark-of-connections": (g) => {
    rule(g, "mangle", "PREROUTING", "-j CONNMARK --restore-mark --nfmask 0x200 --ctmask 0x200");
    rule(
      g,
      "mangle",
      "POSTROUTING",
      `-d ${who(g)} -j MARK --set-xmark 0x200/0x200`,
      "-j CONNMARK --save-mark --nfmask 0x200 --ctmask 0x200",
    );
    rule(g, "filter", "FORWARD", "-m mark --mark 0x200/0x200 -j DROP");
  },
  "chain-of-a-pod": (g) => {
    const pod = g.addresses.pod(g.n, g.at % g.pods);
    rule(
      g,
      "filter",
      "KUBE-POD-FW-ABCDEF",
      `-s ${who(g)} -j RETURN`,
      "-m conntrack --ctstate RELATED,ESTABLISHED -j RETURN",
      `-j ${reject(g)}`,
    );
    rule(g, "filter", "FORWARD", `-d ${pod}/${bits(g)} -j KUBE-POD-FW-ABCDEF`);
    rule(g, "filter", "OUTPUT", `-d ${pod}/${bits(g)} -j KUBE-POD-FW-ABCDEF`);
  },
  "set-of-hosts": (g) => {
    const set = pick(["hash:ip", "hash:net", "hash:ip,port", "hash:net,iface", "hash:mac"], g.at);
    const entry = pick(
      [host(g), who(g).replace(/\/(?:32|128)$/, ""), `${host(g)},tcp:8080`, `${who(g)},eth0`, "02:00:01:00:00:02"],
      g.at,
    );
    const dirs = pick(["src", "src", "dst,dst", "src,src", "src"], g.at);
    append(
      g,
      "ipset-save.txt",
      `create seen-${g.at} ${set} family ${g.family === 6 ? "inet6" : "inet"} hashsize 1024 maxelem 65536\nadd seen-${g.at} ${entry}\n`.replace(
        /(hash:mac) family inet6?/,
        "$1",
      ),
    );
    rule(g, "filter", pick(FILTERS, Math.floor(g.at / 5)), `-m set --match-set seen-${g.at} ${dirs} -j DROP`);
  },
  untracked: (g) => {
    rule(g, "raw", "PREROUTING", `-d ${pick([vip(g), host(g)], g.at)}/${bits(g)} -j CT --notrack`);
    if (g.at % 2 === 0) rule(g, "raw", "OUTPUT", `-d ${vip(g)}/${bits(g)} -j CT --notrack`);
  },
  spoofed: (g) =>
    rule(
      g,
      "raw",
      "PREROUTING",
      pick(
        [
          "-m rpfilter --invert -j DROP",
          "-m rpfilter --validmark --loose --invert -j DROP",
          "-i eth0 -m rpfilter --accept-local --invert -j DROP",
        ],
        g.at,
      ),
    ),
  "source-translated": (g) =>
    rule(
      g,
      "nat",
      "POSTROUTING",
      `-s ${who(g)} ${pick(["", "! -o cni0 ", `! -d ${g.addresses.clusterCidr} `], g.at)}-j SNAT --to-source ${pick([g.addresses.node(g.n), g.addresses.node((g.n + 1) % g.nodes)], Math.floor(g.at / 3))}`,
    ),
  masqueraded: (g) =>
    rule(
      g,
      "nat",
      "POSTROUTING",
      `${pick([`-s ${who(g)} ! -d ${g.addresses.clusterCidr}`, "-m conntrack --ctstate DNAT", "-o eth0", `-d ${who(g)}`], g.at)} -j MASQUERADE${g.at % 4 === 0 ? " --random-fully" : ""}`,
    ),
  "not-translated": (g) =>
    rule(g, "nat", "POSTROUTING", `-s ${who(g)} -d ${who(g, 3)} -j ${pick(["RETURN", "ACCEPT"], g.at)}`),
  "sent-elsewhere": (g) =>
    rule(
      g,
      "nat",
      pick(["PREROUTING", "OUTPUT"], g.at),
      `-s ${who(g)} -d ${vip(g)}/${bits(g)} -p tcp -j ${pick(["REDIRECT --to-ports 10250", `DNAT --to-destination ${g.family === 6 ? `[${g.addresses.pod(0, 0)}]` : g.addresses.pod(0, 0)}:8080`, "REDIRECT --to-ports 8080", `DNAT --to-destination ${g.addresses.pod(g.at % g.nodes, 0)}`], Math.floor(g.at / 2))}`,
    ),
  "host-port": (g) => {
    const to = g.addresses.pod(g.n, g.at % g.pods);
    const port = pick([30_001, 80, 31_999], g.at);
    rule(
      g,
      "nat",
      "CNI-DN-1f0ae",
      `-s ${g.addresses.podNetwork(g.n)} -p tcp -m tcp --dport ${port} -j CNI-HOSTPORT-SETMARK`,
      `-p tcp -m tcp --dport ${port} -j DNAT --to-destination ${g.family === 6 ? `[${to}]` : to}:8080`,
    );
    rule(
      g,
      "nat",
      "CNI-HOSTPORT-SETMARK",
      '-m comment --comment "CNI portfwd masquerade mark" -j MARK --set-xmark 0x2000/0x2000',
    );
    rule(g, "nat", "CNI-HOSTPORT-MASQ", "-m mark --mark 0x2000/0x2000 -j MASQUERADE");
    rule(
      g,
      "nat",
      "CNI-HOSTPORT-DNAT",
      `-p tcp -m comment --comment "dnat name: \\"cbr0\\" id: \\"4f\\"" -m multiport --dports ${port} -j CNI-DN-1f0ae`,
    );
    for (const chain of ["PREROUTING", "OUTPUT"])
      rule(g, "nat", chain, "-m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT");
    rule(g, "nat", "POSTROUTING", "-j CNI-HOSTPORT-MASQ");
  },
  "affinity-noted": (g) =>
    edit(g, rulesOf(g), (t) =>
      t.replace(
        /^(-A KUBE-SVC-\S+ .*)-j (KUBE-SEP-\S+)$/m,
        "$1-m recent --rcheck --seconds 10800 --reap --name $2 --rsource -j $2",
      ),
    ),
  "policy-drop": (g) => edit(g, rulesOf(g), (t) => t.replace(/^(\*filter[^*]*?):(INPUT|OUTPUT) ACCEPT/m, `$1:$2 DROP`)),
  "rule-lost": (g) =>
    edit(g, rulesOf(g), (t) => {
      const lines = t.split("\n");
      const rules = lines.flatMap((l, i) => (l.startsWith("-A KUBE-") ? [i] : []));
      if (rules.length > 0) lines.splice(rules[g.at % rules.length]!, 1);
      return lines.join("\n");
    }),
  "chain-lost": (g) =>
    edit(g, rulesOf(g), (t) => {
      const chains = [...new Set([...t.matchAll(/^:(KUBE-(?:SEP|SVC|EXT)-\S+)/gm)].map((m) => m[1]!))];
      const gone = chains[g.at % Math.max(1, chains.length)];
      return gone === undefined
        ? t
        : t
            .split("\n")
            .filter((l) => !l.startsWith(`:${gone} `) && !l.startsWith(`-A ${gone} `))
            .join("\n");
    }),
  "rule-doubled": (g) =>
    edit(g, rulesOf(g), (t) => {
      const lines = t.split("\n");
      const rules = lines.flatMap((l, i) => (l.startsWith("-A KUBE-S") ? [i] : []));
      const at = rules[g.at % Math.max(1, rules.length)];
      if (at !== undefined) lines.splice(at, 0, lines[at]!);
      return lines.join("\n");
    }),
  counted: (g) => edit(g, rulesOf(g), (t) => t.replace(/^-A /gm, `[${g.at}:${g.n}] -A `)),
};
