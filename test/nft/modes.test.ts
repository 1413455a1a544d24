import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { printRuleset } from "@hairpin/core/parse/nft/index.ts";
import { assembled, stackOf } from "@hairpin/testing/case.ts";
import { afterAll, describe, expect, test } from "vitest";
import { hairpin } from "../check/surface.ts";

const OBJECTS = `apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Node
    metadata: { name: a }
    spec: { podCIDR: 10.244.1.0/24 }
    status:
      addresses: [{ type: InternalIP, address: 10.0.0.1 }]
      nodeInfo: { kubeProxyVersion: v1.34.0, kubeletVersion: v1.34.0 }
  - apiVersion: v1
    kind: Service
    metadata: { name: web, namespace: shop }
    spec: { type: NodePort, clusterIP: 10.96.0.20, clusterIPs: [10.96.0.20], ports: [{ port: 80, targetPort: 8080, nodePort: 30080, protocol: TCP }] }
  - apiVersion: v1
    kind: Service
    metadata: { name: empty, namespace: shop }
    spec: { type: ClusterIP, clusterIP: 10.96.0.30, clusterIPs: [10.96.0.30], ports: [{ port: 80, targetPort: 8080, protocol: TCP }] }
  - apiVersion: discovery.k8s.io/v1
    kind: EndpointSlice
    metadata: { name: web-1, namespace: shop, labels: { kubernetes.io/service-name: web } }
    addressType: IPv4
    ports: [{ port: 8080, protocol: TCP, name: "" }]
    endpoints:
      - { addresses: [10.244.1.7], conditions: { ready: true }, nodeName: a }
  - apiVersion: discovery.k8s.io/v1
    kind: EndpointSlice
    metadata: { name: empty-1, namespace: shop, labels: { kubernetes.io/service-name: empty } }
    addressType: IPv4
    ports: []
    endpoints: []
`;
const proxy = (mode: string) =>
  `apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: ${mode}\nclusterCIDR: 10.244.0.0/16\n`;
const NODE = {
  "nodes/a/ip-addr.txt": `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    inet 127.0.0.1/8 scope host lo
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP group default qlen 1000
    link/ether 02:00:00:00:01:02 brd ff:ff:ff:ff:ff:ff
    inet 10.0.0.1/24 scope global eth0
3: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether 02:00:00:00:01:03 brd ff:ff:ff:ff:ff:ff
    inet 10.244.1.1/24 scope global cni0
`,
  "nodes/a/ip-route.txt": `default via 10.0.0.254 dev eth0
10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.1
10.244.1.0/24 dev cni0 proto kernel scope link src 10.244.1.1
`,
  "nodes/a/sysctl.txt": `net.ipv4.ip_forward = 1
net.ipv4.conf.all.rp_filter = 0
net.ipv4.conf.eth0.rp_filter = 0
net.ipv4.conf.cni0.rp_filter = 0
net.bridge.bridge-nf-call-iptables = 1
`,
};

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "hairpin-nft-modes-"));
  made.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const objects = (mode: string) => ({ "objects.yaml": OBJECTS, "kube-proxy.yaml": proxy(mode), ...NODE });
/** What kube-proxy writes for them in nftables mode, as nft lists it. */
const written = (): string =>
  printRuleset(stackOf(assembled(objects("nftables")).world, "a").netfilter.nft!.filter((t) => t.family === "ip"));
const RULESET = "nodes/a/nft-list-ruleset.txt";

describe("a node in nftables mode", () => {
  const ruleset = written();

  test("is as expected, and a map that lacks an element is not", async () => {
    const same = await hairpin("diff", folderOf({ ...objects("nftables"), [RULESET]: ruleset }), "--expected");
    expect([same.status, same.out]).toEqual([0, expect.stringContaining("mean the same")]);
    const lacking = ruleset.replace(/10\.96\.0\.20 \. (?:tcp|6) \. 80[^,}]*(?:,\s*)?/, "");
    expect(lacking).not.toBe(ruleset);
    const folder = folderOf({ ...objects("nftables"), [RULESET]: lacking });
    const other = await hairpin("diff", folder, "--expected");
    expect([other.status, other.out]).toEqual([1, expect.stringContaining("10.96.0.20:80")]);
    const check = await hairpin("check", folder, "--json");
    const { differences } = JSON.parse(check.out) as { readonly differences: readonly { readonly code: string }[] };
    expect(differences.map((d) => d.code)).toEqual(["SERVICE_ADDRESS_MISSING"]);
  });

  test("refuses what has no endpoint, and the cause is named", async () => {
    const folder = folderOf({ ...objects("nftables"), [RULESET]: ruleset });
    for (const from of [
      ["--from", "node/a"],
      ["--from", "external", "--in", "eth0"],
    ]) {
      const { out } = await hairpin("diagnose", folder, ...from, "--to", "svc/shop/empty:80", "--json");
      expect(JSON.parse(out)).toMatchObject({
        verdict: "unreachable",
        clientSees: "refused",
        causes: [{ code: "NO_ENDPOINTS" }],
      });
    }
  });

  test("differs from iptables mode where the documents say so: an unserved port of a ClusterIP is refused", async () => {
    const { status, out } = await hairpin("diff", folderOf(objects("iptables")), "--mode", "nftables");
    expect(status).toBe(1);
    expect(out).toMatch(
      /10\.96\.0\.20:30080 tcp[\s\S]*A {2}the client sees: timed out[\s\S]*B {2}the client sees: connection refused/,
    );
    const same = await hairpin("diff", folderOf(objects("nftables")), "--mode", "nftables");
    expect([same.status, same.err]).toEqual([64, expect.stringContaining("iptables or IPVS mode")]);
  });

  test("diff --mode tells which node addresses and which localhost lose a NodePort, each by itself", async () => {
    const two = OBJECTS.replace(
      "addresses: [{ type: InternalIP, address: 10.0.0.1 }]",
      "addresses: [{ type: InternalIP, address: 10.0.0.1 }, { type: InternalIP, address: 172.20.0.1 }]",
    );
    const told = async (mode: string) => {
      const folder = folderOf({ "objects.yaml": two, "kube-proxy.yaml": proxy(mode) });
      const { out } = await hairpin("diff", folder, "--mode", "nftables", "--json");
      const { differences } = JSON.parse(out) as {
        readonly differences: readonly {
          readonly flow: { readonly from: string; readonly to: string };
          readonly a: { readonly ends: readonly { readonly clientSees: string | null }[] };
        }[];
      };
      return differences
        .filter((d) => d.a.ends.every((e) => e.clientSees === "connected"))
        .map((d) => `${d.flow.from} ${d.flow.to}`);
    };
    expect(await told("iptables")).toEqual(["node loopback:30080", "external 172.20.0.1:30080"]);
    // IPVS serves no localhost either, and every address of the node.
    expect(await told("ipvs")).toContain("external 172.20.0.1:30080");
    expect(await told("ipvs")).not.toContain("node loopback:30080");
  });
});
