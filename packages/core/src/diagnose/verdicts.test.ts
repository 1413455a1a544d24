import { createHash } from "node:crypto";
import { BRIDGED_NODE as ADDRESSES } from "@hairpin/testing/dumps.ts";
import { fc } from "@hairpin/testing/property.ts";
import { describe, expect, it } from "vitest";
import { readCase } from "../parse/index.ts";
import { AlikeQuestions } from "../trace/index.ts";
import { Askable } from "./askable.ts";
import { Verdicts } from "./verdicts.ts";

const ROUTES = `default via 192.168.0.1 dev eth0
10.200.0.0/24 dev cni0 proto kernel scope link src 10.200.0.1
10.200.1.0/24 via 192.168.0.3 dev eth0
192.168.0.0/24 dev eth0 proto kernel scope link src 192.168.0.2
blackhole 10.200.2.0/26
`;
const SYSCTLS = "net.ipv4.ip_forward = 1\nnet.ipv4.conf.all.rp_filter = 0\nnet.ipv4.conf.eth0.rp_filter = 0\n";
const NEIGHBOURS =
  "192.168.0.3 dev eth0 lladdr 52:54:00:00:00:33 REACHABLE\n10.200.0.7 dev cni0 lladdr 52:54:00:00:00:77 FAILED\n";

/** So many are more than 200 kB of rules: below that a dump is not kept as text. */
const SERVICES = 150;

interface Service {
  readonly port: number;
  readonly endpoints: readonly string[];
  readonly trait: "" | "affinity" | "node-port" | "local" | "external" | "no-mark" | "named" | "dead-port" | "to-node";
  readonly network: number;
}

const hashed = (kind: string, seed: string): string =>
  `KUBE-${kind}-${[...createHash("sha256").update(seed).digest().subarray(0, 16)].map((b) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[b & 31]).join("")}`;

const service: fc.Arbitrary<Service> = fc.record({
  port: fc.constantFrom(80, 80, 80, 443),
  endpoints: fc.array(
    fc
      .tuple(fc.constantFrom(0, 1, 2, 3, 9, 9, 9), fc.integer({ min: 2, max: 250 }))
      .map(([n, i]) => `10.200.${n}.${i}`),
    { maxLength: 3 },
  ),
  trait: fc.constantFrom(
    "",
    "",
    "",
    "",
    "affinity",
    "node-port",
    "local",
    "external",
    "no-mark",
    "named",
    "dead-port",
    "to-node",
  ),
  network: fc.constantFrom(96, 96, 96, 97),
});

/** A firewall's: some about networks and single addresses of Services and pods. */
const forward = fc.constantFrom(
  "-A FORWARD -d 10.200.9.0/25 -j DROP",
  "-A FORWARD -s 10.200.9.64/26 -j ACCEPT",
  "-A FORWARD -d 10.200.9.20/32 -p tcp -j REJECT --reject-with icmp-port-unreachable",
  "-A FORWARD -s 10.200.1.30/32 -j DROP",
  "-A OUTPUT -d 10.200.9.128/26 -p tcp -m tcp --dport 8080 -j DROP",
  "-A OUTPUT -d 10.200.9.77/32 -j REJECT --reject-with icmp-host-prohibited",
  "-A INPUT -p tcp -m conntrack --ctstate INVALID -j DROP",
  "-A OUTPUT -p tcp -m tcp --dport 443 -j DROP",
  "-A FORWARD -m set --match-set nets dst -j DROP",
  "-A OUTPUT -m set --match-set nets dst -j DROP",
);
const early = fc.constantFrom(
  "-A KUBE-SERVICES -d 10.96.0.0/26 -p tcp -m tcp --dport 80 -j RETURN",
  "-A KUBE-SERVICES -d 192.168.0.2/32 -p tcp -m tcp --dport 80 -j DNAT --to-destination 10.200.9.9:80",
  "-A KUBE-SERVICES -d 10.96.0.40/32 -p tcp -j RETURN",
  "-A KUBE-SERVICES -m mark --mark 0x8/0x8 -j ACCEPT",
);

interface Made {
  readonly text: string;
  readonly to: readonly string[];
}

function made(services: readonly Service[], firewall: readonly string[], before: readonly string[], at: number): Made {
  const chains = new Set<string>();
  const rules: string[] = [];
  const portals: string[] = [];
  const nodePorts: string[] = [];
  const none: string[] = [];
  const to = services.map(({ network, port }, i) => `10.${network}.0.${10 + i}:${port}`);
  for (const [i, { port, endpoints, trait, network }] of services.entries()) {
    const name = `ns-${i % 7}/svc-${i}:http`;
    const vip = `10.${network}.0.${10 + i}`;
    const svc = hashed("SVC", name);
    chains.add(svc);
    const comment = `-m comment --comment "${name} cluster IP"`;
    const called = trait === "dead-port" ? port + 1 : port;
    const reached = trait === "to-node" ? ["192.168.0.2"] : endpoints;
    if (reached.length === 0)
      none.push(
        `-A KUBE-SERVICES -d ${vip}/32 -p tcp -m comment --comment "${name} has no endpoints" -m tcp --dport ${port} -j REJECT --reject-with icmp-port-unreachable`,
      );
    else portals.push(`-A KUBE-SERVICES -d ${vip}/32 -p tcp ${comment} -m tcp --dport ${called} -j ${svc}`);
    if (trait !== "no-mark")
      rules.push(
        `-A ${svc} ! -s 10.200.0.0/16 -d ${vip}/32 -p tcp ${comment} -m tcp --dport ${port} -j KUBE-MARK-MASQ`,
      );
    if (trait === "node-port" || trait === "external") {
      const ext = hashed("EXT", name);
      chains.add(ext);
      rules.push(
        `-A ${ext} -m comment --comment "masquerade traffic for ${name} external destinations" -j KUBE-MARK-MASQ`,
      );
      rules.push(`-A ${ext} -j ${svc}`);
      if (trait === "node-port")
        nodePorts.push(`-A KUBE-NODEPORTS -p tcp -m comment --comment "${name}" -m tcp --dport ${30000 + i} -j ${ext}`);
      else
        portals.push(
          `-A KUBE-SERVICES -d 198.18.0.${i}/32 -p tcp -m comment --comment "${name} external IP" -m tcp --dport ${port} -j ${ext}`,
        );
    }
    for (const [n, address] of reached.entries()) {
      const sep = hashed("SEP", `${name} ${n} ${address}`);
      chains.add(sep);
      const left = reached.length - n;
      const chance = left > 1 ? ` -m statistic --mode random --probability ${(1 / left).toFixed(11)}` : "";
      const recent = trait === "affinity" ? ` -m recent --set --name ${sep} --mask 255.255.255.255 --rsource` : "";
      if (trait === "affinity")
        rules.push(
          `-A ${svc} -m comment --comment "${name} -> ${address}:8080" -m recent --rcheck --seconds 10800 --reap --name ${sep} --mask 255.255.255.255 --rsource -j ${sep}`,
        );
      rules.push(`-A ${svc} -m comment --comment "${name} -> ${address}:8080"${chance} -j ${sep}`);
      rules.push(`-A ${sep} -s ${address}/32 -m comment --comment "${name}" -j KUBE-MARK-MASQ`);
      rules.push(
        `-A ${sep} -p tcp -m comment --comment "${name}"${recent} -m tcp -j DNAT --to-destination ${address}:8080`,
      );
    }
    if (trait === "named") firewall = [...firewall, `-A OUTPUT -d ${endpoints[0] ?? vip}/32 -p tcp -j DROP`];
    // So that it is long enough to be kept as text.
    const spare = hashed("SVL", name);
    chains.add(spare);
    for (let n = 0; n < 6; n++)
      rules.push(
        `-A ${spare} -s 10.200.0.0/16 -m comment --comment "pods to ${name}, of which nobody comes here" -j ${svc}`,
      );
  }
  const services_ = [...portals.slice(0, at), ...before, ...portals.slice(at)];
  const text = [
    "# Generated by iptables-save v1.8.9 on Mon Jan  6 12:00:00 2025",
    "*filter",
    ":INPUT ACCEPT [0:0]",
    ":FORWARD ACCEPT [0:0]",
    ":OUTPUT ACCEPT [0:0]",
    ":KUBE-SERVICES - [0:0]",
    ...firewall.filter((r) => r.startsWith("-A INPUT")),
    ...firewall.filter((r) => r.startsWith("-A FORWARD")),
    ...firewall.filter((r) => r.startsWith("-A OUTPUT")),
    "-A OUTPUT -m conntrack --ctstate NEW -j KUBE-SERVICES",
    ...none,
    "COMMIT",
    "# Completed on Mon Jan  6 12:00:00 2025",
    "# Generated by iptables-save v1.8.9 on Mon Jan  6 12:00:00 2025",
    "*nat",
    ":PREROUTING ACCEPT [0:0]",
    ":INPUT ACCEPT [0:0]",
    ":OUTPUT ACCEPT [0:0]",
    ":POSTROUTING ACCEPT [0:0]",
    ":KUBE-MARK-MASQ - [0:0]",
    ":KUBE-NODEPORTS - [0:0]",
    ":KUBE-POSTROUTING - [0:0]",
    ":KUBE-SERVICES - [0:0]",
    ...[...chains].sort().map((c) => `:${c} - [0:0]`),
    "-A PREROUTING -j KUBE-SERVICES",
    "-A OUTPUT -j KUBE-SERVICES",
    "-A POSTROUTING -j KUBE-POSTROUTING",
    "-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000",
    ...nodePorts,
    "-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN",
    "-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0",
    "-A KUBE-POSTROUTING -j MASQUERADE --random-fully",
    ...services_,
    "-A KUBE-SERVICES -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS",
    ...rules.sort(),
    "COMMIT",
    "# Completed on Mon Jan  6 12:00:00 2025",
    "",
  ].join("\n");
  return { text, to };
}

const askableOf = (text: string, more: Readonly<Record<string, string>> = {}): Askable => {
  const inputs = Object.entries({
    ...more,
    "iptables-save.txt": text,
    "ip-addr.txt": ADDRESSES,
    "ip-route.txt": ROUTES,
    "ip-neigh.txt": NEIGHBOURS,
    "sysctl.txt": SYSCTLS,
    "ipset-save.txt": "create nets hash:net family inet\nadd nets 10.200.9.32/27\nadd nets 10.200.1.96/28\n",
  }).map(([path, content]) => ({ path, text: content }));
  return new Askable({ inputs, reading: readCase(inputs), notes: [] }, []);
};

const cluster = fc
  .tuple(
    fc.array(service, { minLength: 6, maxLength: 12 }),
    fc.array(fc.nat(11), { minLength: SERVICES, maxLength: SERVICES }),
    fc.array(forward, { maxLength: 3 }),
    fc.array(early, { maxLength: 1 }),
    fc.nat(SERVICES),
  )
  .map(([kinds, of, firewall, before, at]) =>
    made(
      of.map((k, i) => {
        const kind = kinds[k % kinds.length]!;
        // Most of one kind differ in names alone, pods of one network.
        const move = (a: string, n: number) => a.replace(/\d+$/, (last) => String(2 + ((Number(last) + i + n) % 250)));
        return { ...kind, endpoints: kind.endpoints.map(move) };
      }),
      firewall,
      before,
      at,
    ),
  );

const walkedAlone = (askable: Askable, from: string, to: string): unknown => {
  const { verdict, leaning = null, reachableShare, clientSees, restsOn, ends } = askable.walked({ from, to });
  return { verdict, leaning, reachableShare, clientSees, restsOn, ends };
};

describe("many verdicts", () => {
  const sound = (runs: number): void => {
    let shared = 0;
    fc.assert(
      fc.property(cluster, fc.constantFrom("node/node", "external", "10.200.0.9", "10.200.9.33"), (input, from) => {
        const askable = askableOf(input.text);
        const verdicts = new Verdicts(askable, askable.world);
        const alike = new AlikeQuestions(askable.world, new Map());
        const keys = new Set<string>();
        for (const to of input.to) {
          const told: unknown = JSON.parse(verdicts.of({ from, to }));
          expect({ to, told }).toEqual({ to, told: walkedAlone(askable, from, to) });
          const key = alike.of(askable.spec({ from, to }))?.key;
          if (key !== undefined && keys.has(key)) shared++;
          if (key !== undefined) keys.add(key);
        }
      }),
      { numRuns: runs, ...(runs < 10 && { seed: 19 }) },
    );
    expect(shared).toBeGreaterThan(runs * 5);
  };

  it("are those that each question gets by itself", () => sound(Number(process.env.HAIRPIN_RUNS ?? 3)), 600_000);

  it("tell apart what only the order of rules does", () => {
    const one: Service = { port: 80, endpoints: ["10.200.3.2"], trait: "", network: 96 };
    const services = Array.from({ length: SERVICES }, (_, i) => ({ ...one, endpoints: [`10.200.3.${2 + i}`] }));
    const { text, to } = made(services, [], ["-A KUBE-SERVICES -d 10.96.0.0/16 -p tcp -j RETURN"], 70);
    const askable = askableOf(text);
    const verdicts = new Verdicts(askable, askable.world);
    const alike = new AlikeQuestions(askable.world, new Map());
    const keys = to.map((t) => alike.of(askable.spec({ from: "node/node", to: t }))?.key);
    expect(new Set(keys.slice(0, 70)).size).toBe(1);
    expect(new Set(keys.slice(70)).size).toBe(1);
    expect(keys[69]).not.toBe(keys[70]);
    const told = to.map(
      (t) => (JSON.parse(verdicts.of({ from: "node/node", to: t })) as { restsOn: string[] }).restsOn,
    );
    expect(told[69]).toContain("endpoint/10.200.3.71");
    expect(told[70]).not.toContain("endpoint/10.200.3.72");
  });

  it.each([
    [
      "native nftables",
      {
        "nft.txt":
          "table inet f {\n\tchain c {\n\t\ttype filter hook output priority 0; policy accept;\n\t\tip daddr 10.200.9.9 drop\n\t}\n}\n",
      },
      "",
    ],
    ["a rule that reckons", {}, "-A PREROUTING -d 10.97.0.0/16 -j NETMAP --to 10.200.0.0/16"],
    ["a range to draw from", {}, "-A POSTROUTING -d 10.99.0.0/16 -j SNAT --to-source 192.168.0.2-192.168.0.4"],
  ])("are walked one by one beside %s", (_, files, rule) => {
    const one: Service = { port: 80, endpoints: [], trait: "", network: 96 };
    const { text, to } = made(
      Array.from({ length: SERVICES }, (_, i) => ({ ...one, endpoints: [`10.200.9.${2 + i}`] })),
      [],
      [],
      0,
    );
    const { world } = askableOf(
      text.replace("-A OUTPUT -j KUBE-SERVICES", (first) => `${rule}\n${first}`.trim()),
      files,
    );
    expect(new AlikeQuestions(world, new Map()).of({ from: "node/node", to: to[0] })).toBeUndefined();
    expect(new AlikeQuestions(askableOf(text).world, new Map()).of({ from: "node/node", to: to[0] })).toBeDefined();
  });
});
