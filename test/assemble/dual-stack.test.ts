import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ask, type Files } from "@hairpin/testing/dumps.ts";
import { worldOf } from "@hairpin/testing/world.ts";
import { describe, expect, test } from "vitest";
import { assumptionText, say } from "../../packages/core/src/messages/index.ts";
import type { Stack } from "../../packages/core/src/model/index.ts";
import { formatAddress } from "../../packages/core/src/net/index.ts";
import { printTables } from "../../packages/core/src/parse/iptables/index.ts";

const ROOT = "cases/dual-stack-firewall";
const CASE = readFileSync(join(ROOT, "case.yaml"), "utf8");
/** Two nodes of a dual-stack cluster: the host firewall of depot-2 is taken off. */
const FILES: Files = Object.fromEntries(
  readdirSync(ROOT, { recursive: true, withFileTypes: true })
    .filter((f) => f.isFile() && !/README|case\.yaml/.test(f.name))
    .map((f) => join(f.parentPath, f.name))
    .map((path) => [path.slice(ROOT.length + 1), readFileSync(path, "utf8")]),
);
const OPEN: Files = { ...FILES, "nodes/depot-2/ip6tables-save.txt": FILES["nodes/depot-1/ip6tables-save.txt"]! };
const without = (files: Files, ...names: readonly string[]): Files =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !names.some((n) => path.endsWith(n))));
const inMode = (mode: string): Files => ({
  ...without(OPEN, "depot-1/ip6tables-save.txt", "depot-1/iptables-save.txt"),
  "kube-proxy-config.yaml": FILES["kube-proxy-config.yaml"]!.replace("mode: iptables", `mode: ${mode}`),
});

const QUESTION = { from: "pod/depot/orders-0", to: "svc/depot/stock:http", proto: "tcp", family: 6 } as const;
const depot1 = (files: Files): Stack => worldOf(files).stacks.find((s) => s.name === "depot-1")!;
const tables6 = (stack: Stack): readonly string[] =>
  stack.netfilter.tables
    .filter((t) => t.family === 6)
    .map((t) => `${t.name} ${t.extent} ${t.origin.kind}`)
    .sort();

describe("what nobody dumped of a dual-stack node is filled in for IPv6, too", () => {
  test("where all was shown, nothing is", () => {
    expect(ask(OPEN, QUESTION, CASE).verdict).toBe("reachable");
    expect(tables6(depot1(OPEN)).every((t) => t.endsWith(" read"))).toBe(true);
  });

  test("ip6tables, beside iptables that were shown: listed, and the answer leans", () => {
    const files = without(OPEN, "depot-1/ip6tables-save.txt");
    const world = worldOf(files);
    expect(tables6(world.stacks.find((s) => s.name === "depot-1")!)).toEqual([
      "filter partial assumed",
      "mangle partial assumed",
      "nat partial assumed",
    ]);
    const programme = world.assumptions.find((a) => a.id === "depot-1/kube-proxy/programme")!;
    expect(say(assumptionText(programme.why))).toMatch(/^depot-1: no dump of its ip6tables; assumed/);
    const { verdict, leaning } = ask(files, QUESTION, CASE);
    expect([verdict, leaning]).toEqual(["undetermined", "reachable"]);
    expect(ask(files, { ...QUESTION, family: 4 }, CASE).verdict).toBe("reachable");
  });

  test("table by table, and the chain that an excerpt calls", () => {
    const nat = printTables(depot1(OPEN).netfilter.tables.filter((t) => t.family === 6 && t.name === "nat"));
    const files = { ...without(OPEN, "depot-1/ip6tables-save.txt"), "nodes/depot-1/ip6tables-save-t-nat.txt": nat };
    expect(tables6(depot1(files))).toEqual(["filter partial assumed", "nat whole read"]);
    const cut = nat
      .split("\n")
      .filter((l) => !l.includes("-A KUBE-SEP") && !l.startsWith(":KUBE-SEP"))
      .join("\n");
    const excerpt = {
      ...without(OPEN, "depot-1/ip6tables-save.txt"),
      "nodes/depot-1/ip6tables-save-t-nat-grep-KUBE.txt": `$ ip6tables-save -t nat | grep KUBE\n${cut}`,
    };
    const { verdict, leaning } = ask(excerpt, QUESTION, CASE);
    expect([verdict, leaning]).toEqual(["undetermined", "reachable"]);
  });

  test("not where a table of either family was shown whole and kube-proxy wrote nothing into it", () => {
    const filter = "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n";
    const bare = without(OPEN, "depot-1/ip6tables-save.txt", "depot-1/iptables-save.txt");
    expect(tables6(depot1({ ...bare, "nodes/depot-1/iptables-save-t-filter.txt": filter }))).toEqual([]);
    expect(tables6(depot1({ ...bare, "nodes/depot-1/ip6tables-save-t-filter.txt": filter }))).toEqual([
      "filter whole read",
    ]);
  });

  test.each(["ipvs", "nftables"])("in %s mode", (mode) => {
    const files = inMode(mode);
    const { verdict, leaning } = ask(files, QUESTION, CASE);
    expect([verdict, leaning]).toEqual(["undetermined", "reachable"]);
    const stack = depot1(files);
    if (mode === "nftables") expect(stack.netfilter.nft?.map((t) => t.family).sort()).toEqual(["ip", "ip6"]);
    else
      expect(
        stack.devices.items.find((d) => d.name === "kube-ipvs0")?.addresses.map((a) => formatAddress(a.prefix.address)),
      ).toContain("fd96::4009");
  });

  test("the node's own IPv6 address, from its object", () => {
    const files = without(OPEN, "depot-1/ip-addr.txt", "depot-1/ip-6-route.txt", "depot-1/ip-route.txt");
    const own = depot1(files).devices.items.flatMap((d) => d.addresses.map((a) => formatAddress(a.prefix.address)));
    expect(own).toContain("fd60::11");
  });

  test("sets of IPVS that nobody dumped, and addresses, follow from its servers", () => {
    const rules = `*nat
:PREROUTING ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:KUBE-MARK-MASQ - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-SERVICES - [0:0]
-A PREROUTING -j KUBE-SERVICES
-A POSTROUTING -j KUBE-POSTROUTING
-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000
-A KUBE-POSTROUTING -m set --match-set KUBE-6-LOOP-BACK dst,dst,src -j MASQUERADE
-A KUBE-SERVICES ! -s fd61::/48 -m set --match-set KUBE-6-CLUSTER-IP dst,dst -j KUBE-MARK-MASQ
COMMIT
`;
    const ipvsadm = `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
TCP  [fd96::4009]:80 rr
  -> [fd61:0:0:2::7]:8080         Masq    1      0          0
`;
    const stack = worldOf({ "ip6tables-save.txt": rules, "ipvsadm-ln.txt": ipvsadm }).stacks[0]!;
    const set = (name: string) => stack.ipsets.items.find((s) => s.name === name);
    expect(set("KUBE-6-LOOP-BACK")).toMatchObject({ family: 6, entries: [{ parts: [{ length: 128 }, {}, {}] }] });
    // Nothing else is served, and no other set is asked for: every cluster IP is in it.
    expect(set("KUBE-6-CLUSTER-IP")).toMatchObject({ family: 6, extent: "whole", entries: [{ nomatch: false }] });
    const vips = stack.devices.items.find((d) => d.name === "kube-ipvs0")?.addresses;
    expect(vips?.map((a) => formatAddress(a.prefix.address)) ?? []).toEqual(["fd96::4009"]);
  });
});

describe("load balancers of IPv6", () => {
  const balanced = (more: string, ingress = '{ ip: "2001:db8:9::9" }'): Files => ({
    ...OPEN,
    "kubectl-get-all.yaml": FILES["kubectl-get-all.yaml"]!.replace("type: ClusterIP", "type: LoadBalancer")
      .replace("name: stock, namespace: depot }", `name: stock, namespace: depot, annotations: { ${more} } }`)
      .replace("targetPort: http, protocol", "targetPort: http, nodePort: 30080, protocol")
      .replace(
        "- apiVersion: discovery",
        `  status: { loadBalancer: { ingress: [${ingress}] } }\n- apiVersion: discovery`,
      ),
  });
  const targetsOf = (files: Files) =>
    worldOf(files).loadBalancers.map((b) => ({
      address: formatAddress(b.address),
      targets: b.targets,
      pods: b.pods?.map((p) => formatAddress(p.address)),
      source: b.source === undefined ? undefined : formatAddress(b.source),
    }));

  test("one that sends to pods sends to those of its family", () => {
    const files = balanced(
      '"service.beta.kubernetes.io/aws-load-balancer-type": nlb-ip',
      '{ ip: "2001:db8:9::9" }, { ip: "198.51.100.9" }',
    );
    expect(targetsOf(files)).toMatchObject([
      { address: "2001:db8:9::9", pods: ["fd61:0:0:2::7"] },
      { address: "198.51.100.9", pods: ["10.61.2.7"] },
    ]);
  });

  test("one that is a proxy asks from an IPv6 address beside the nodes", () => {
    const [one] = targetsOf(balanced('"service.beta.kubernetes.io/do-loadbalancer-name": stock'));
    expect(one).toEqual({
      address: "2001:db8:9::9",
      targets: ["depot-1", "depot-2"],
      source: "fd60::ffff:ffff:ffff:fffe",
    });
  });

  test("a client outside is led to the nodes' IPv6 addresses, and the answer back", () => {
    const files = without(balanced('"metallb.universe.tf/address-pool": six'), "tables-save.txt");
    const out = { from: "external", to: "[2001:db8:9::9]:80", proto: "tcp" } as const;
    const listens = CASE.slice(CASE.indexOf("listeners:"), CASE.indexOf("fixes:"));
    const { verdict, leaning, claims } = ask(files, out, listens);
    expect([verdict, leaning, claims]).toEqual(["undetermined", "reachable", []]);
  });
});

test("a pod's unique local address that goes out to the Internet untranslated is suspected, and no more", () => {
  const listens = CASE.slice(CASE.indexOf("listeners:"), CASE.indexOf("fixes:"));
  const out = (to: string) => ask(OPEN, { from: "pod/depot/orders-0", to, proto: "tcp" }, listens);
  const { verdict, claims } = out("[2001:db8:1::9]:80");
  expect([verdict, claims]).toEqual(["undetermined", ["MASQ_MISSING_NAT_OUTGOING possible"]]);
  // Within a site such addresses may be routed.
  expect(out("[fd99::9]:80").claims).toEqual([]);
  const masquerade = "-A POSTROUTING -s fd61::/48 ! -d fd61::/48 -j MASQUERADE";
  const nat = OPEN["nodes/depot-1/ip6tables-save.txt"]!.replace("-A PREROUTING", `${masquerade}\n-A PREROUTING`);
  const translated = { ...OPEN, "nodes/depot-1/ip6tables-save.txt": nat };
  expect(
    ask(translated, { from: "pod/depot/orders-0", to: "[2001:db8:1::9]:80", proto: "tcp" }, listens).claims,
  ).toEqual([]);
});
