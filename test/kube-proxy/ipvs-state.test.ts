import { haveReference } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { type Programmed, parseVersion, proxyConfigOf, viewOf } from "../../packages/core/src/kubernetes/index.ts";
import { programmeIpvs } from "../../packages/core/src/kubernetes/ipvs/index.ts";
import { assumed, type Chain, type IptablesTable } from "../../packages/core/src/model/index.ts";
import { formatAddress, parseAddress } from "../../packages/core/src/net/index.ts";
import { printSave as printSets } from "../../packages/core/src/parse/ipset/index.ts";
import { printRuleSpec, readSave } from "../../packages/core/src/parse/iptables/index.ts";
import { printSave as printServers } from "../../packages/core/src/parse/ipvs/index.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";
import { type ObjectsCase, objectCases, worldOfCase } from "./objects-harness.ts";

interface Recorded {
  readonly virtualServers: readonly { readonly address: string; readonly port: number }[];
  readonly services: readonly { readonly spec: { readonly ports: readonly { readonly nodePort?: number }[] } }[];
  readonly kubeIpvs0Addresses: readonly string[];
}

/** The addresses of devices that the recorded kube-proxy saw (a fake of its tests): those on which it opened node ports. */
function seenAddresses(c: ObjectsCase) {
  const { virtualServers, services, kubeIpvs0Addresses } = c.recorded as unknown as Recorded;
  const nodePorts = new Set(services.flatMap((s) => s.spec.ports.flatMap((p) => p.nodePort ?? [])));
  return virtualServers
    .filter((v) => nodePorts.has(v.port) && !kubeIpvs0Addresses.includes(v.address))
    .map((v) => parseAddress(v.address)!);
}

/** What the model makes of the recorded objects, for a kube-proxy that sees just what the recorded one saw. */
function programmed(c: ObjectsCase, version: string): Programmed {
  const { kubernetes } = worldOfCase(c);
  const family = c.ipFamily === "IPv6" ? 6 : 4;
  const node = {
    name: c.nodeName,
    labels: {},
    addresses: [],
    podCidrs: [],
    interfaceAddresses: seenAddresses(c),
    origin: assumed("test"),
  };
  const config = { ...proxyConfigOf(kubernetes.kubeProxyConfigs[0]), randomFully: false };
  return programmeIpvs(viewOf({ ...kubernetes, node, config, version: parseVersion(version)! }, family));
}

const sorted = (text: string): readonly string[] =>
  text
    .split("\n")
    .filter((l) => l !== "")
    .sort();

/** The recorded sets of IPv6 lack the prefix that their names have on a node, for which two are cut to 31 letters. */
const withoutPrefix = (text: string): string =>
  text
    .replaceAll("KUBE-6-", "KUBE-")
    .replaceAll(/LOAD-BALANCER-SOURCE-CID\b/g, "LOAD-BALANCER-SOURCE-CIDR")
    .replaceAll(/NODE-PORT-LOCAL-SCTP-HAS\b/g, "NODE-PORT-LOCAL-SCTP-HASH");

const chainsOf = (tables: readonly IptablesTable[]): ReadonlyMap<string, readonly string[]> =>
  new Map(
    tables.flatMap((t) =>
      t.chains
        .filter((c: Chain) => c.policy === undefined || c.rules.length > 0)
        .map((c: Chain) => [`${t.name} ${c.name}`, c.rules.map((r) => withoutPrefix(printRuleSpec(r, t.family)))]),
    ),
  );

/** Recorded with what kubelet of that age writes; here only kube-proxy's own is compared. */
const isKubelets = (chain: string, rule: string): boolean =>
  (chain === "nat KUBE-MARK-DROP" && rule.startsWith("-j MARK")) ||
  chain === "filter KUBE-FIREWALL" ||
  (chain.startsWith("filter ") && rule === "-j KUBE-FIREWALL");

function withoutKubelet(chains: ReadonlyMap<string, readonly string[]>) {
  const own = [...chains].map(([chain, rules]) => [chain, rules.filter((r) => !isKubelets(chain, r))] as const);
  const hook = /^\w+ (?:INPUT|OUTPUT|KUBE-FIREWALL)$/;
  return Object.fromEntries(own.filter(([chain, rules]) => rules.length > 0 || !hook.test(chain)));
}

const recordedTables = (c: ObjectsCase): readonly IptablesTable[] =>
  readSave(sourceOf("recorded", c.recorded.rules as string), {
    family: { value: c.ipFamily === "IPv6" ? 6 : 4, by: "file name" },
  }).document.parts.flatMap((p) => (p.kind === "table" ? [p.table] : []));

const cases = haveReference ? objectCases("objects-ipvs", "ipvs") : [];

describe.skipIf(!haveReference)("IPVS mode: what kube-proxy of each release wrote is what the model writes", () => {
  test("102 cases of 14 releases", () => {
    expect([cases.length, new Set(cases.flatMap((c) => c.versions)).size]).toEqual([102, 14]);
  });

  test.each(cases.map((c) => [c.name, c] as const))("%s", (_, c) => {
    for (const version of c.versions) {
      const made = programmed(c, version);
      expect(sorted(withoutPrefix(printSets(made.sets)))).toEqual(sorted(c.recorded.ipsetSaveDerived as string));
      expect(sorted(printServers(made.virtualServers))).toEqual(sorted(c.recorded.ipvsadmSaveDerived as string));
      expect(made.addresses.map(formatAddress).sort()).toEqual(
        [...(c.recorded.kubeIpvs0Addresses as readonly string[])].sort(),
      );
      expect(Object.fromEntries(chainsOf(made.tables))).toEqual(withoutKubelet(chainsOf(recordedTables(c))));
    }
  });
});
