import { worldOf } from "@hairpin/testing/world.ts";
import { describe, expect, test } from "vitest";
import { assumptionText, say } from "../../packages/core/src/messages/index.ts";
import type { CaseFile, World } from "../../packages/core/src/model/index.ts";
import { formatAddress } from "../../packages/core/src/net/index.ts";
import { printTables } from "../../packages/core/src/parse/iptables/index.ts";
import { judge, type QuestionSpec, resolveQuestion, trace } from "../../packages/core/src/trace/index.ts";
import { caseFolder, type FolderOptions } from "../kube-proxy/objects-harness.ts";
import { ownCase } from "../kube-proxy/own-cases.ts";

const folder = (options: FolderOptions = {}): Record<string, string> => ({
  ...caseFolder(ownCase("v1.31.4"), { peers: true, ...options }),
});
const without = (files: Record<string, string>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter(([path]) => path !== name));

function explored(world: World, spec: QuestionSpec, fixed: ReadonlyMap<string, string> = new Map()) {
  const resolved = resolveQuestion(world, spec);
  if (resolved.ok !== true) throw new Error(JSON.stringify(resolved));
  return trace(resolved.world, resolved.question, { fixed });
}

/** `delivered 10.244.1.10:8080 on pod-10.244.1.10`, sorted. */
const fates = (world: World, spec: QuestionSpec, fixed?: ReadonlyMap<string, string>): readonly string[] =>
  explored(world, spec, fixed)
    .branches.map(({ request: r }) => `${r.disposition} ${formatAddress(r.final.dst)}:${r.final.dport} on ${r.stack}`)
    .sort();

const caseOf = (nodes: CaseFile["nodes"]): CaseFile => ({
  file: "case.yaml",
  nodes,
  stacks: [],
  links: [],
  loadBalancers: [],
  listeners: [],
  assume: [],
  fixes: [],
});
const origin = { kind: "read", file: "case.yaml", line: 1 } as const;

describe("a World from kubectl's objects alone", () => {
  const world = worldOf(folder({ mode: "iptables" }));

  test("has the nodes that Node objects name, and says that nobody dumped them", () => {
    expect(world.stacks.map((s) => [s.name, s.fromObjects])).toEqual([
      ["worker-a", true],
      ["worker-b", true],
    ]);
    expect(world.assumptions.map((a) => say(assumptionText(a.why)))).toEqual(
      expect.arrayContaining([
        "worker-a, worker-b: no dump; what kube-proxy 1.31.4 in iptables mode would have programmed from the objects, and no other rules",
      ]),
    );
  });

  test("answers questions by name, across nodes", () => {
    const spec = { from: "pod/shop/client", to: "svc/shop/web:80" };
    expect(fates(world, spec)).toEqual([
      "delivered 10.244.1.10:8080 on pod-10.244.1.10",
      "delivered 10.244.2.10:8080 on pod-10.244.2.10",
    ]);
    expect(judge(explored(world, spec)).verdict).toBe("reachable");
    expect(fates(world, { from: "node/worker-b", to: "svc/shop/near:80", via: "loadbalancer" })).toEqual([
      "delivered 10.244.1.11:8080 on pod-10.244.1.11",
      "delivered 10.244.2.11:8080 on pod-10.244.2.11",
    ]);
    expect(fates(world, { from: "external", to: "svc/shop/far:80", via: "nodeport", node: "worker-b" })).toEqual([
      "delivered 10.244.2.12:8080 on pod-10.244.2.12",
    ]);
  });

  test("knows that kube-proxy itself answers health checks", () => {
    expect(fates(world, { from: "external", to: "192.0.2.11:31082" })).toEqual([
      "delivered 192.0.2.11:31082 on worker-a",
    ]);
  });

  test("leaves it open whether anything else listens on a node", () => {
    const { facts } = explored(world, { from: "external", to: "192.0.2.11:22" });
    expect(facts.map((f) => f.id)).toEqual(["worker-a/listen/tcp/22"]);
  });

  test("believes --node and --in", () => {
    const asked = { to: "svc/shop/far:80", via: "nodeport", node: "worker-a" };
    expect(fates(world, { ...asked, from: "10.244.77.1" })).toEqual(["delivered 10.244.2.12:8080 on pod-10.244.2.12"]);
    const { world: walked } = explored(world, { ...asked, from: "10.244.77.1", in: "cali7" });
    const node = walked.stacks.find((s) => s.name === "worker-a");
    expect(node?.devices.items.some((d) => d.name === "cali7")).toBe(true);
    const wrong = resolveQuestion(world, { ...asked, from: "192.0.2.11", in: "cali7" });
    expect(wrong).toMatchObject({
      ok: false,
      error: { kind: "no-device", option: "in", device: "cali7", stack: "worker-a" },
    });
  });

  test("a node that calls a VIP has it as its source in IPVS mode", () => {
    const ipvs = worldOf(folder({ mode: "ipvs" }));
    const bound = { from: "10.96.0.10", to: "10.96.0.10:80", node: "worker-a" };
    const [first] = explored(ipvs, bound).branches;
    expect([first?.request.masqueraded, first?.clientSees]).toEqual([true, "connected"]);
    expect(fates(ipvs, bound)).toEqual(fates(ipvs, { from: "node/worker-a", to: "svc/shop/web:80" }));
  });
});

describe("what objects do not say about kube-proxy", () => {
  const CONFIG = "kube-proxy-config.yaml";

  test("an unknown mode is a hypothesis where the modes differ, and only there", () => {
    const world = worldOf(without(folder(), CONFIG));
    const cluster = explored(world, { from: "pod/shop/client", to: "svc/shop/web:80" });
    expect(cluster.facts).toEqual([]);
    const asked = { from: "external", to: "svc/shop/far:80", via: "nodeport", node: "worker-a" };
    expect(explored(world, asked).facts.map((f) => [f.id, f.values])).toEqual([
      ["kube-proxy/mode", ["iptables", "ipvs"]],
    ]);
    expect(fates(world, asked, new Map([["kube-proxy/mode", "iptables"]]))).toEqual([
      "dropped 192.0.2.11:30082 on worker-a",
    ]);
    expect(fates(world, asked, new Map([["kube-proxy/mode", "ipvs"]]))).toEqual([
      "delivered 10.244.2.12:8080 on pod-10.244.2.12",
    ]);
  });

  test("case.yaml decides", () => {
    const nodes = ["worker-a", "worker-b"].map((name) => ({
      name,
      files: [],
      kubeProxy: { mode: "ipvs" as const, version: "1.22" },
      origin,
    }));
    const world = worldOf(without(folder(), CONFIG), caseOf(nodes));
    expect(world.undecidedMode).toBeUndefined();
    const asked = { from: "external", to: "svc/shop/far:80", via: "nodeport", node: "worker-a" };
    expect(fates(world, asked)).toEqual(["rejected 192.0.2.11:30082 on worker-a"]);
  });

  test("a mode that is not modelled makes the answer undetermined", () => {
    const files = folder();
    files[CONFIG] = files[CONFIG]!.replace(/mode: \w+/, "mode: userspace");
    const exploration = explored(worldOf(files), { from: "pod/shop/client", to: "svc/shop/web:80" });
    expect(judge(exploration).verdict).toBe("undetermined");
  });

  test("an unknown release is the newest, and listed", () => {
    const files = folder();
    files["nodes.json"] = files["nodes.json"]!.replaceAll("v1.31.4", "");
    const { assumptions } = worldOf(files);
    expect(assumptions.find((a) => a.id === "worker-a/kube-proxy/version")?.value).toBe("1.37.0");
  });
});

describe("objects beside dumps", () => {
  const addresses = (address: string): string => `2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 state UP
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    inet ${address}/24 brd 192.0.2.255 scope global eth0
`;
  const RULES = "*nat\n:PREROUTING ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n";
  const made = (world: World): readonly string[] =>
    world.stacks.filter((s) => s.fromObjects === true).map((s) => s.name);

  test("a node that was dumped is not made up again: known by its name, or by its address", () => {
    expect(made(worldOf({ ...folder(), "nodes/worker-a/ip-addr.txt": addresses("192.0.2.11") }))).toEqual(["worker-b"]);
    expect(made(worldOf({ ...folder(), "ip-addr.txt": addresses("192.0.2.11") }))).toEqual(["worker-b"]);
  });

  test("rules of a node without name and address may be any node's: none is made up", () => {
    expect(made(worldOf({ ...folder(), "iptables-save.txt": RULES }))).toEqual([]);
  });

  test("without Services as objects there is nothing to programme", () => {
    const files = without(folder(), "services.json");
    expect(made(worldOf(files))).toEqual([]);
    const answer = resolveQuestion(worldOf(files), { from: "10.244.1.99", to: "10.96.0.10:80" });
    expect(answer.ok).toBe("unsupported");
  });

  test("a mode seen on a dumped node holds for the others", () => {
    const ipvsadm =
      "IP Virtual Server version 1.2.1 (size=4096)\nProt LocalAddress:Port Scheduler Flags\n  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn\nTCP  10.96.0.10:80 rr\n  -> 10.244.1.10:8080             Masq    1      0          0\n";
    const files = {
      ...without(folder(), "kube-proxy-config.yaml"),
      "nodes/worker-a/ip-addr.txt": addresses("192.0.2.11"),
      "nodes/worker-a/ipvsadm-ln.txt": ipvsadm,
      "nodes/worker-a/ipset-list.txt":
        "Name: KUBE-CLUSTER-IP\nType: hash:ip,port\nHeader: family inet hashsize 1024 maxelem 65536\nMembers:\n10.96.0.10,tcp:80\n",
    };
    const world = worldOf(files);
    expect(world.undecidedMode).toBeUndefined();
    expect(world.stacks.find((s) => s.name === "worker-b")?.ipvs.services.length).toBeGreaterThan(5);
  });
});

describe("what nobody dumped of a node", () => {
  const ADDRESSES = `2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 state UP
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    inet 192.0.2.11/24 brd 192.0.2.255 scope global eth0
`;
  const KUBERNETES = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "kubernetes", namespace: "default" },
    spec: { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443 }] },
  };
  /** All Services of the cluster, as `kubectl get services -A` shows them. */
  function listing(options: FolderOptions, dumps: Record<string, string>): Record<string, string> {
    const c = ownCase("v1.31.4");
    return { ...caseFolder({ ...c, services: [...c.services, KUBERNETES] }, { peers: true, ...options }), ...dumps };
  }
  const nodeA = (world: World) => world.stacks.find((s) => s.name === "worker-a")!;
  const ends = (world: World): readonly string[] => [
    ...new Set(fates(world, asked).map((f) => f.split(" ").slice(0, 2).join(" "))),
  ];
  const tablesOf = (world: World): readonly string[] =>
    nodeA(world)
      .netfilter.tables.filter((t) => t.family === 4)
      .map((t) => `${t.name} ${t.extent} ${t.origin.kind}`)
      .sort();
  const asked = { from: "external", to: "svc/shop/web:80", via: "nodeport", node: "worker-a" };

  test("rules are filled in, and that is listed", () => {
    const world = worldOf(listing({ mode: "iptables" }, { "nodes/worker-a/ip-addr.txt": ADDRESSES }));
    expect(nodeA(world).fromObjects).toBeUndefined();
    expect(ends(world)).toEqual(["delivered 10.244.1.10:8080", "delivered 10.244.2.10:8080"]);
    const programme = world.assumptions.find((a) => a.id === "worker-a/kube-proxy/programme")!;
    expect(say(assumptionText(programme.why))).toBe(
      "worker-a: no dump of its iptables; assumed to be what kube-proxy 1.31.4 in iptables mode would have programmed from the objects",
    );
  });

  test("sets and virtual servers are filled in beside rules that were dumped", () => {
    const whole = nodeA(worldOf(listing({ mode: "ipvs" }, { "nodes/worker-a/ip-addr.txt": ADDRESSES })));
    expect(whole.ipvs.services.length).toBeGreaterThan(10);
    const rules = printTables(whole.netfilter.tables.filter((t) => t.family === 4));
    const dumps = { "nodes/worker-a/ip-addr.txt": ADDRESSES, "nodes/worker-a/iptables-save.txt": rules };
    const world = worldOf(listing({ mode: "ipvs" }, dumps));
    expect(nodeA(world).netfilter.tables.every((t) => t.family === 6 || t.origin.kind === "read")).toBe(true);
    expect(nodeA(world).ipsets.items.map((s) => s.name)).toEqual(expect.arrayContaining(["KUBE-LOOP-BACK"]));
    expect(ends(world)).toEqual(["delivered 10.244.1.10:8080", "delivered 10.244.2.10:8080"]);
  });

  test("what was dumped stays, though the objects say otherwise", () => {
    const ipvsadm = `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
TCP  192.0.2.11:30080 rr
  -> 10.244.1.10:8080             Masq    1      0          0
`;
    const dumps = { "nodes/worker-a/ip-addr.txt": ADDRESSES, "nodes/worker-a/ipvsadm-ln.txt": ipvsadm };
    const world = worldOf(listing({ mode: "ipvs" }, dumps));
    expect(nodeA(world).ipvs.services).toHaveLength(1);
    expect(ends(world)).toEqual(["delivered 10.244.1.10:8080"]);
  });

  test("from some of the Services only, what is filled in is a part", () => {
    const files = { ...folder({ mode: "iptables" }), "nodes/worker-a/ip-addr.txt": ADDRESSES };
    expect(tablesOf(worldOf(files))).toEqual([
      "filter partial assumed",
      "mangle partial assumed",
      "nat partial assumed",
    ]);
  });

  test("table by table: what was dumped stays, the other is filled in", () => {
    const own = nodeA(worldOf(listing({ mode: "iptables" }, { "nodes/worker-a/ip-addr.txt": ADDRESSES })));
    const nat = printTables(own.netfilter.tables.filter((t) => t.name === "nat" && t.family === 4));
    const dumps = { "nodes/worker-a/ip-addr.txt": ADDRESSES, "nodes/worker-a/iptables-save-t-nat.txt": nat };
    const world = worldOf(listing({ mode: "iptables" }, dumps));
    expect(tablesOf(world)).toEqual(["filter whole assumed", "nat whole read"]);
    expect(ends(world)).toEqual(["delivered 10.244.1.10:8080", "delivered 10.244.2.10:8080"]);
  });

  test("where one table was shown whole and kube-proxy wrote nothing into it, the other is not made up", () => {
    const filter = "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n";
    const dumps = { "nodes/worker-a/ip-addr.txt": ADDRESSES, "nodes/worker-a/iptables-save-t-filter.txt": filter };
    expect(tablesOf(worldOf(listing({ mode: "iptables" }, dumps)))).toEqual(["filter whole read"]);
  });

  test("a mode that nobody said is the likely one, and that is listed", () => {
    const files = listing({}, { "nodes/worker-a/ip-addr.txt": ADDRESSES });
    const world = worldOf(without(files, "kube-proxy-config.yaml"));
    expect(world.assumptions.find((a) => a.id === "worker-a/kube-proxy/mode")?.value).toBe("iptables");
    expect(world.undecidedMode).toBeUndefined();
    expect(ends(world)).toEqual(["delivered 10.244.1.10:8080", "delivered 10.244.2.10:8080"]);
  });

  test("without a Node object the node's own addresses and name stand for it", () => {
    const files = listing({ mode: "iptables" }, { "nodes/worker-a/ip-addr.txt": ADDRESSES });
    const world = worldOf(without(files, "nodes.json"));
    expect(tablesOf(world)).toEqual(["filter whole assumed", "mangle whole assumed", "nat whole assumed"]);
    expect(fates(world, { ...asked, to: "10.96.0.10:80", via: undefined }).length).toBeGreaterThan(0);
  });
});
