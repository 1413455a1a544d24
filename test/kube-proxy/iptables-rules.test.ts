import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { haveReference, referenceFiles } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import {
  isSince,
  type ProxyInput,
  parseVersion,
  programmeIptables,
  viewOf,
} from "../../packages/core/src/kubernetes/index.ts";
import type { IptablesTable, Rule } from "../../packages/core/src/model/index.ts";
import type { Family } from "../../packages/core/src/net/index.ts";
import { printRuleSpec, readSave } from "../../packages/core/src/parse/iptables/index.ts";
import { sourceOf } from "../../packages/core/src/parse/source.ts";
import { familyOfCase, inputsOf, type RecordedCase } from "./iptables-input.ts";

type Chains = Map<string, readonly string[]>;

/** Chains that kube-proxy fills in the order of a Go map; where the order matters they end in one fixed rule. */
const UNORDERED = /KUBE-(?:SERVICES|EXTERNAL-SERVICES|NODEPORTS|PROXY-FIREWALL)$/;

function chainsOf(tables: readonly IptablesTable[], family: Family, keep: (rule: Rule) => boolean): Chains {
  const chains: Chains = new Map();
  for (const table of tables)
    for (const chain of table.chains) {
      const lines = chain.rules.filter(keep).map((rule) => printRuleSpec(rule, family));
      const last = lines.at(-1) ?? "";
      if (UNORDERED.test(chain.name)) lines.sort();
      // KUBE-NODEPORTS must come last.
      if (table.name === "nat" && chain.name === "KUBE-SERVICES") lines.push(`last: ${last}`);
      if (chain.policy === undefined || lines.length > 0) chains.set(`${table.name} ${chain.name}`, lines);
    }
  return chains;
}

const jumpsTo = (rule: Rule, chain: string): boolean => rule.target.kind === "jump" && rule.target.chain === chain;

/** Up to 1.24 the recorder added of kubelet's part what the rules needed; kubelet has tests of its own. */
const KUBELETS = ["nat KUBE-MARK-DROP", "filter KUBE-FIREWALL"];

function recordedChains(c: RecordedCase, old: boolean): Chains {
  const family = familyOfCase(c);
  const command = [family === 6 ? "ip6tables-save" : "iptables-save"];
  const { parts } = readSave(sourceOf("recorded", c.rules!), { command }).document;
  const tables = parts.flatMap((part) => (part.kind === "table" ? [part.table] : []));
  const chains = chainsOf(tables, family, (rule) => !(old && jumpsTo(rule, "KUBE-FIREWALL")));
  if (old) for (const name of KUBELETS) chains.delete(name);
  return chains;
}

function modelledChains(input: ProxyInput, family: Family, old: boolean): Chains {
  const { tables } = programmeIptables(viewOf(input, family));
  const chains = chainsOf(tables, family, () => true);
  if (old) for (const name of KUBELETS) chains.delete(name);
  // The fake iptables of kube-proxy's tests has no Monitor.
  for (const name of [...chains.keys()]) if (name.endsWith("KUBE-PROXY-CANARY")) chains.delete(name);
  return chains;
}

/** With more than a thousand endpoints kube-proxy puts off deleting chains that nothing refers to any more. */
function withoutStale(chains: Chains): Chains {
  const referred = new Set([...chains.values()].flat().flatMap((line) => / -j (\S+)/.exec(` ${line}`)?.[1] ?? []));
  return new Map([...chains].filter(([key]) => !/ KUBE-(?:SVC|SEP)-/.test(key) || referred.has(key.split(" ")[1]!)));
}

const sorted = (chains: Chains) => Object.fromEntries([...chains].sort(([a], [b]) => (a < b ? -1 : 1)));

function compare(c: RecordedCase, version: string): void {
  const old = !isSince(parseVersion(version)!, 25);
  const settle = (chains: Chains) => sorted(c.config.largeClusterMode ? withoutStale(withoutStale(chains)) : chains);
  const recorded = settle(recordedChains(c, old));
  const model = (input: ProxyInput) => settle(modelledChains(input, familyOfCase(c), old));
  const [modelled, ...others] = inputsOf(c, version).map(model);
  if (others.length === 0) expect(modelled, version).toEqual(recorded);
  else expect([modelled, ...others], version).toContainEqual(recorded);
}

const filesOf = (folder: string) =>
  referenceFiles("kube-proxy", folder, "iptables").map((f): readonly [string, string] => [basename(f, ".json"), f]);
const read = <T>(file: string): T => JSON.parse(readFileSync(file, "utf8")) as T;

describe.skipIf(!haveReference)("objects of every recorded case become the rules that kube-proxy wrote", () => {
  test.each(filesOf("objects-rules"))("%s", (_, file) => {
    const c = read<RecordedCase>(file);
    for (const version of c.versions) compare(c, version);
  });
});

interface FlowCase extends RecordedCase {
  readonly rulesCases: readonly { readonly id: string; readonly versions: readonly string[] }[];
}

describe.skipIf(!haveReference)("objects of every recorded flow become the rules that were walked", () => {
  const rules = new Map(filesOf("rules-flows").map(([name, file]) => [`iptables/${name}`, file]));
  test.each(filesOf("objects-flows"))("%s", (_, file) => {
    const c = read<FlowCase>(file);
    for (const { id, versions } of c.rulesCases) {
      const recorded = read<RecordedCase>(rules.get(id)!).rules!;
      for (const version of versions) compare({ ...c, rules: recorded }, version);
    }
  });
});
