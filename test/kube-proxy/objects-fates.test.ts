import { haveReference } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import {
  ask,
  isLarge,
  isOfAnotherNode,
  mismatch,
  type ObjectsCase,
  objectCases,
  type Probe,
  questionOf,
  worldOfCase,
} from "./objects-harness.ts";

/** The first release and the last that a case was recorded from, one as YAML and one as JSON. */
function differences(c: ObjectsCase): readonly string[] {
  const ends = [...new Set([c.versions[0]!, c.versions[c.versions.length - 1]!])];
  return ends.flatMap((version, i) => {
    const world = worldOfCase(c, { version, form: i === 0 ? "json" : "yaml" });
    const all = c.probes.filter((p) => !isOfAnotherNode(c, p) && !isUnallocated(c, p) && !leavesForAGroup(p));
    const probes = isLarge(c) ? all.filter((p) => p.from === "node").slice(0, 1) : all;
    return probes.flatMap((probe) => mismatch(probe, ask(world, questionOf(c, probe))) ?? []);
  });
}

/** That an address is of the Services' range and of none of them is in ServiceCIDR objects, which no case holds. */
const isUnallocated = (c: ObjectsCase, probe: Probe): boolean =>
  c.mode === "nftables" &&
  probe.observed.verdict === "DROP" &&
  !JSON.stringify(c.services).includes(`"${probe.destIP}"`);

/** The API server refuses multicast addresses of endpoints; where a node sends to a group is not walked. */
const leavesForAGroup = ({ observed }: Probe): boolean =>
  observed.verdict === "DNAT" && observed.destinations?.some((d) => d.endpoint.startsWith("[ff")) === true;

/** NodePorts of localhost from userspace (a gate of 1.37) are not modelled. */
const isModelled = (c: ObjectsCase): boolean => !c.name.startsWith("TestLocalhostNodePort");

const folders = [
  ["objects-flows", "iptables"],
  ["objects-rules", "iptables"],
  ["objects-ipvs", "ipvs"],
  ["objects-flows", "nftables"],
  ["objects-rules", "nftables"],
] as const;

describe.skipIf(!haveReference).each(folders)(
  "%s/%s: objects alone give the fate that the kernel recorded",
  (folder, mode) => {
    const cases = haveReference ? objectCases(folder, mode).filter(isModelled) : [];
    test.each(cases.map((c) => [c.name, c] as const))("%s", (_, c) => {
      expect(differences(c)).toEqual([]);
    });
  },
);
