import { check, type StateDifference } from "@hairpin/core/check/index.ts";
import { parseVersion, programme, proxyConfigOf } from "@hairpin/core/kubernetes/index.ts";
import { say } from "@hairpin/core/messages/index.ts";
import { assumed } from "@hairpin/core/model/index.ts";
import { formatAddress } from "@hairpin/core/net/index.ts";
import { readCase } from "@hairpin/core/parse/index.ts";
import { printSave as printSets } from "@hairpin/core/parse/ipset/index.ts";
import { printTables } from "@hairpin/core/parse/iptables/index.ts";
import { printSave as printServers } from "@hairpin/core/parse/ipvs/index.ts";
import { describe, expect, it } from "vitest";

type Files = Record<string, string>;
type Mode = "iptables" | "ipvs";

const list = (items: readonly object[]): string =>
  JSON.stringify({ apiVersion: "v1", kind: "List", metadata: {}, items }, null, 2);

function objects(mode: Mode): Files {
  const service = (name: string, clusterIP: string, spec: object, ports: readonly object[]) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "shop" },
    spec: { type: "ClusterIP", clusterIP, clusterIPs: [clusterIP], ports, ...spec },
  });
  const slice = (name: string, port: object, endpoints: readonly (readonly [string, string])[]) => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: `${name}-x`, namespace: "shop", labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    ports: [port],
    endpoints: endpoints.map(([address, nodeName]) => ({
      addresses: [address],
      nodeName,
      conditions: { ready: true },
    })),
  });
  return {
    "services.json": list([
      service("web", "10.96.0.20", { type: "NodePort" }, [
        { name: "http", protocol: "TCP", port: 80, targetPort: 8080, nodePort: 30080 },
      ]),
      service("db", "10.96.0.30", { sessionAffinity: "ClientIP" }, [{ name: "sql", protocol: "TCP", port: 5432 }]),
      service("idle", "10.96.0.40", {}, [{ name: "http", protocol: "TCP", port: 80 }]),
    ]),
    "endpointslices.json": list([
      slice("web", { name: "http", protocol: "TCP", port: 8080 }, [
        ["10.244.1.5", "node-1"],
        ["10.244.2.7", "node-2"],
        ["10.244.3.3", "node-3"],
      ]),
      slice("db", { name: "sql", protocol: "TCP", port: 5432 }, [
        ["10.244.2.9", "node-2"],
        ["10.244.3.9", "node-3"],
      ]),
    ]),
    "nodes.json": list([
      {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: "node-1" },
        spec: { podCIDR: "10.244.1.0/24", podCIDRs: ["10.244.1.0/24"] },
        status: {
          addresses: [{ type: "InternalIP", address: "192.0.2.11" }],
          nodeInfo: { kubeProxyVersion: "v1.31.2", kubeletVersion: "v1.31.2" },
        },
      },
    ]),
    "kube-proxy.yaml": `apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: ${mode}\nclusterCIDR: 10.244.0.0/16\n`,
  };
}

const inputsOf = (files: Files) => Object.entries(files).map(([path, text]) => ({ path, text }));

/** What the model of kube-proxy writes, as a node would show it. */
function state(mode: Mode): Files {
  const facts = readCase(inputsOf(objects(mode))).dumps.flatMap((d) => d.reading.facts);
  const all = facts.flatMap((f) => (f.kind === "kubernetes" ? [f.objects] : []));
  const made = programme({
    services: all.flatMap((o) => o.services),
    endpoints: all.flatMap((o) => o.endpoints),
    node: { name: "node-1", labels: {}, addresses: [0xc000020b], podCidrs: ["10.244.1.0/24"], origin: assumed("test") },
    config: proxyConfigOf(all.flatMap((o) => o.kubeProxyConfigs)[0]),
    version: parseVersion("v1.31.2")!,
  });
  if (made.kind !== "programmed") throw new Error("not modelled");
  const v4 = made.families.find((f) => f.family === 4)!;
  if (mode === "iptables") return { "nodes/node-1/iptables-save.txt": printTables(v4.tables) };
  const bound = v4.addresses.map(
    (a) => `    inet ${formatAddress(a)}/32 scope global kube-ipvs0\n       valid_lft forever preferred_lft forever\n`,
  );
  return {
    "nodes/node-1/iptables-save.txt": printTables(v4.tables),
    "nodes/node-1/ipset-save.txt": printSets(v4.sets),
    "nodes/node-1/ipvsadm-Sn.txt": printServers(v4.virtualServers),
    "nodes/node-1/ip-addr.txt": `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP group default qlen 1000
    link/ether 02:00:00:00:00:11 brd ff:ff:ff:ff:ff:ff
    inet 192.0.2.11/24 brd 192.0.2.255 scope global eth0
       valid_lft forever preferred_lft forever
3: kube-ipvs0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN group default
    link/ether 02:00:00:00:00:12 brd ff:ff:ff:ff:ff:ff
${bound.join("")}`,
  };
}

const differences = (files: Files): readonly StateDifference[] => {
  const inputs = inputsOf(files);
  return check(readCase(inputs), inputs).differences;
};
const codes = (files: Files) => differences(files).map((d) => d.code);

describe("expectation against reality", () => {
  const healthy = (mode: Mode): Files => ({ ...objects(mode), ...state(mode) });
  const RULES = "nodes/node-1/iptables-save.txt";

  it.each(["iptables", "ipvs"] as const)("is silent on a healthy node in %s mode", (mode) => {
    expect(differences(healthy(mode))).toEqual([]);
  });

  it("does not mind what others write, names, comments and counters", () => {
    const files = healthy("iptables");
    const hash = (name: string) => name.replace(/[A-Z2-7]{16}$/, (h) => [...h].reverse().join(""));
    files[RULES] = files[RULES]!.replaceAll(/KUBE-(?:SVC|SEP|EXT)-[A-Z2-7]{16}/g, hash)
      .replaceAll(/--comment "[^"]*"/g, (c) => c.replace("kubernetes", "Kubernetes"))
      .replace("-A POSTROUTING", "-A POSTROUTING -s 10.244.0.0/16 ! -d 10.244.0.0/16 -j MASQUERADE\n-A POSTROUTING")
      .replace("-A FORWARD", "-A FORWARD -s 10.244.0.0/16 -j ACCEPT\n-A FORWARD");
    expect(codes(files)).toEqual([]);
  });

  it("says nothing of what was not shown, or shown in part", () => {
    const { [RULES]: rules, ...rest } = healthy("iptables");
    expect(codes(rest)).toEqual([]);
    const some = rules!
      .split("\n")
      .filter((l) => l.includes("shop/web"))
      .join("\n");
    expect(
      codes({
        ...rest,
        "nodes/node-1/transcript.txt": `root@node-1:~# iptables-save -t nat | grep shop/web\n${some}\n`,
      }),
    ).toEqual([]);
    const { "nodes.json": _, ...nameless } = healthy("iptables");
    nameless[RULES] = rules!.replace(/-A KUBE-SERVICES .*10\.96\.0\.20.*\n/, "");
    expect(codes(nameless)).toEqual([]);
  });

  const missing: readonly (readonly [string, Mode, string, RegExp, string, string, string])[] = [
    [
      "an endpoint",
      "iptables",
      RULES,
      /-A KUBE-SVC-\S+ .*10\.244\.2\.7:8080.* -j KUBE-SEP-.*\n/,
      "",
      "ENDPOINT_MISSING",
      "10.244.2.7:8080",
    ],
    [
      "a translation",
      "iptables",
      RULES,
      /10\.244\.3\.3:8080\n/,
      "10.244.3.4:8080\n",
      "ENDPOINT_CHANGED",
      "10.244.3.3:8080",
    ],
    [
      "an address",
      "iptables",
      RULES,
      /-A KUBE-SERVICES -d 10\.96\.0\.30.*\n/,
      "",
      "SERVICE_ADDRESS_MISSING",
      "10.96.0.30:5432",
    ],
    ["a node port", "iptables", RULES, /-A KUBE-NODEPORTS .*30080.*\n/, "", "NODE_PORT_MISSING", "30080"],
    [
      "a refusal",
      "iptables",
      RULES,
      /-A KUBE-SERVICES -d 10\.96\.0\.40.* -j REJECT.*\n/,
      "",
      "REFUSAL_MISSING",
      "shop/idle",
    ],
    ["the way to all of them", "iptables", RULES, /-A PREROUTING .*\n/, "", "RULE_MISSING", "PREROUTING"],
    [
      "who is masqueraded",
      "iptables",
      RULES,
      /(-A KUBE-SVC-\S+) ! -s 10\.244\.0\.0\/16 (-d 10\.96\.0\.30)/,
      "$1 $2",
      "MASQUERADE_CHANGED",
      "shop/db",
    ],
    [
      "a real server",
      "ipvs",
      "nodes/node-1/ipvsadm-Sn.txt",
      /-a -t 10\.96\.0\.20:80 -r 10\.244\.2\.7.*\n/,
      "",
      "REAL_SERVER_MISSING",
      "10.244.2.7:8080",
    ],
    [
      "a scheduler",
      "ipvs",
      "nodes/node-1/ipvsadm-Sn.txt",
      /(-A -t 10\.96\.0\.20:80) -s rr/,
      "$1 -s wrr",
      "VIRTUAL_SERVER_CHANGED",
      "wrr",
    ],
    [
      "a set entry",
      "ipvs",
      "nodes/node-1/ipset-save.txt",
      /add KUBE-CLUSTER-IP 10\.96\.0\.20.*\n/,
      "",
      "SET_ENTRY_MISSING",
      "10.96.0.20,tcp:80",
    ],
    [
      "a bound address",
      "ipvs",
      "nodes/node-1/ip-addr.txt",
      / {4}inet 10\.96\.0\.20.*\n.*\n/,
      "",
      "VIP_NOT_BOUND",
      "10.96.0.20",
    ],
    [
      "a rule of the IPVS mode",
      "ipvs",
      RULES,
      /-A KUBE-POSTROUTING .*KUBE-LOOP-BACK.*\n/,
      "",
      "RULE_MISSING",
      "KUBE-LOOP-BACK",
    ],
  ];
  it.each(missing)("names exactly that: %s", (_, mode, file, pattern, to, code, names) => {
    const files = healthy(mode);
    const changed = files[file]!.replace(pattern, to);
    expect(changed).not.toBe(files[file]);
    const found = differences({ ...files, [file]: changed });
    expect(found.map((d) => d.code)).toEqual([code]);
    expect(say(found[0]!.text)).toContain(names);
    expect(found[0]!.evidence.length).toBeGreaterThan(0);
  });

  it("names the one endpoint behind several differences", () => {
    const files = healthy("iptables");
    const slices = JSON.parse(files["endpointslices.json"]!) as {
      items: { metadata: { name: string }; endpoints: unknown[] }[];
    };
    slices.items.find((s) => s.metadata.name === "db-x")!.endpoints.splice(0, 1);
    expect(
      differences({ ...files, "endpointslices.json": JSON.stringify(slices, null, 2) }).map((d) => [
        d.code,
        d.endpoint,
      ]),
    ).toEqual([["ENDPOINT_STRAY", "10.244.2.9:5432"]]);
    const gone = slices.items.filter((s) => s.metadata.name !== "db-x");
    const none = {
      ...slices,
      items: [...gone, { ...slices.items.find((s) => s.metadata.name === "db-x")!, endpoints: [] }],
    };
    const found = differences({ ...files, "endpointslices.json": JSON.stringify(none, null, 2) });
    expect(found.map((d) => d.code).every((c) => c === "ENDPOINT_STRAY")).toBe(true);
  });

  it("holds nothing against a node that hangs on a configuration nobody showed", () => {
    const { "kube-proxy.yaml": _, ...files } = healthy("iptables");
    const inputs = inputsOf(files);
    const node = { name: "node-1", kubeProxy: { mode: "iptables" as const }, files: [] };
    const caseFile = {
      file: "case.yaml",
      nodes: [node],
      stacks: [],
      links: [],
      loadBalancers: [],
      listeners: [],
      assume: [],
      fixes: [],
    };
    const found = (changed: Files) =>
      check(readCase(inputsOf({ ...files, ...changed })), inputs, undefined, caseFile as never).differences;
    expect(found({})).toEqual([]);
    const gone = files[RULES]!.replace(/-A KUBE-SVC-\S+ .*10\.244\.2\.7:8080.* -j KUBE-SEP-.*\n/, "");
    expect(found({ [RULES]: gone }).map((d) => d.code)).toEqual(["ENDPOINT_MISSING"]);
  });

  it("tells leftovers of another mode and of another back end", () => {
    const [iptables, ipvs] = [healthy("iptables"), healthy("ipvs")];
    const servers = "nodes/node-1/ipvsadm-Sn.txt";
    expect(codes({ ...iptables, [servers]: ipvs[servers]! })).toEqual(["LEFTOVER_OF_MODE"]);
    const legacy = "nodes/node-1/iptables-legacy-save.txt";
    const half = iptables[RULES]!.replaceAll(/-A KUBE-SEP-.*\n/g, "");
    const { [RULES]: rules, ...rest } = iptables;
    expect(codes({ ...rest, "nodes/node-1/iptables-nft-save.txt": rules!, [legacy]: half })).toEqual([
      "LEFTOVER_OF_BACKEND",
    ]);
  });
});
