import { describe, expect, test } from "vitest";
import { assumed, type KubeProxyConfig } from "../model/index.ts";
import { formatAddress, parseAddress } from "../net/index.ts";
import { DEFAULT_CONFIG, detectorOf, proxyConfigOf } from "./config.ts";
import { isEnabled } from "./feature-gates.ts";
import { nodePortAddressesOf, nodePortIpsOf } from "./node.ts";
import { parseVersion } from "./version.ts";

const origin = assumed("test");
const config = (rest: Partial<KubeProxyConfig>): KubeProxyConfig => ({
  clusterCidrs: [],
  nodePortAddresses: [],
  excludeCidrs: [],
  origin,
  ...rest,
});

describe("releases", () => {
  test.each([
    ["v1.27.3", 27, 3],
    ["1.27", 27, 0],
    ["v1.27.3-eks-a5565ad", 27, 3],
    ["v1.21.5-gke.1302", 21, 5],
    ["v1.37.0-rc.1", 37, 0],
    ["v1.28.2+k3s1", 28, 2],
  ])("%s", (text, minor, patch) => expect(parseVersion(text)).toEqual({ minor, patch }));

  test.each(["", "v2.1.0", "1", "v1.x", "1.2.3.4", "latest"])("%s is none", (text) =>
    expect(parseVersion(text)).toBeUndefined(),
  );
});

describe("gates", () => {
  const at = (minor: number) => ({ minor, patch: 0 });

  test("off before they exist, by default afterwards, fixed at last", () => {
    const gate = "ProxyTerminatingEndpoints";
    expect([21, 22, 25, 26, 28].map((m) => isEnabled(gate, at(m), {}))).toEqual([false, false, false, true, true]);
    expect([21, 22, 27, 28].map((m) => isEnabled(gate, at(m), { [gate]: true }))).toEqual([false, true, true, true]);
    expect([26, 27, 28].map((m) => isEnabled(gate, at(m), { [gate]: false }))).toEqual([false, false, true]);
  });
});

describe("configuration", () => {
  test("nothing said is kube-proxy's default", () => {
    expect(proxyConfigOf(undefined)).toEqual(DEFAULT_CONFIG);
    expect(proxyConfigOf(config({}))).toEqual({ ...DEFAULT_CONFIG, origin });
    expect(DEFAULT_CONFIG).toMatchObject({ mode: "iptables", masqueradeMark: 0x4000, localhostNodePorts: true });
  });

  test("what is said holds", () => {
    const made = proxyConfigOf(
      config({ mode: "IPVS", masqueradeBit: 31, strictArp: true, ipvsScheduler: "sh", featureGates: { X: true } }),
    );
    expect(made).toMatchObject({ mode: "ipvs", masqueradeMark: 0x80000000, strictArp: true, ipvsScheduler: "sh" });
  });

  test("each way to tell pods", () => {
    const pods = ["10.244.1.0/24", "fd00:1::/64"];
    const of = (rest: Partial<KubeProxyConfig>, family: 4 | 6 = 4) =>
      detectorOf(proxyConfigOf(config(rest)).detectLocal, pods, family);
    expect(of({})).toEqual({ kind: "none" });
    expect(of({ clusterCidrs: ["10.0.0.0/8"] })).toMatchObject({ kind: "cidr", prefix: { length: 8 } });
    expect(of({ clusterCidrs: ["10.0.0.0/8"] }, 6)).toEqual({ kind: "none" });
    expect(of({ detectLocalMode: "NodeCIDR" }, 6)).toMatchObject({ kind: "cidr", prefix: { length: 64 } });
    expect(of({ detectLocalMode: "BridgeInterface", bridgeInterface: "cni0" })).toEqual({
      kind: "interface",
      name: "cni0",
    });
    expect(of({ detectLocalMode: "InterfaceNamePrefix", interfaceNamePrefix: "cali" })).toEqual({
      kind: "interface",
      name: "cali+",
    });
    expect(of({ detectLocalMode: "BridgeInterface", clusterCidrs: ["10.0.0.0/8"] })).toEqual({ kind: "none" });
  });
});

describe("addresses for NodePorts", () => {
  const addresses = ["127.0.0.1", "192.0.2.11", "172.16.0.5", "::1", "2001:db8::11"].map((a) => parseAddress(a)!);
  const node = { name: "n", labels: {}, addresses: [addresses[1]!, addresses[4]!], podCidrs: [], origin };
  const of = (given: readonly string[], family: 4 | 6, seen: boolean) => {
    const one = seen ? { ...node, interfaceAddresses: addresses } : node;
    const made = nodePortAddressesOf(given, one, family);
    return { ...made, ips: nodePortIpsOf(made, one).map(formatAddress) };
  };

  test("all, unless CIDRs of the family are given", () => {
    expect(of([], 4, true)).toMatchObject({ matchAll: true, containsLoopback: true });
    expect(of(["2001:db8::/32"], 4, true)).toMatchObject({ matchAll: true });
    expect(of(["172.16.0.0/12"], 4, true)).toMatchObject({
      matchAll: false,
      containsLoopback: false,
      ips: ["172.16.0.5"],
    });
    expect(of(["172.16.0.0/12", "0.0.0.0/0"], 4, true)).toMatchObject({ matchAll: true });
    expect(of(["127.0.0.1/32"], 4, true)).toMatchObject({ containsLoopback: true, ips: ["127.0.0.1"] });
  });

  test("the primary ones", () => {
    expect(of(["primary"], 4, true).ips).toEqual(["192.0.2.11"]);
    expect(of(["primary"], 6, true).ips).toEqual(["2001:db8::11"]);
  });

  test("where devices were not shown, the node's own and loopback", () => {
    expect(of(["192.0.2.0/24"], 4, false).ips).toEqual(["192.0.2.11"]);
    expect(of(["172.16.0.0/12"], 4, false).ips).toEqual([]);
  });
});
