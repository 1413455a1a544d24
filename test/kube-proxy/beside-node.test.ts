import { haveReference } from "@hairpin/testing/reference.ts";
import { worldOf } from "@hairpin/testing/world.ts";
import { describe, expect, test } from "vitest";
import { shownNode } from "./beside-harness.ts";
import {
  ask,
  caseFolder,
  isLarge,
  isOfAnotherNode,
  mismatch,
  type ObjectsCase,
  objectCases,
  questionOf,
} from "./objects-harness.ts";

const folders = [
  ["objects-flows", "iptables", 0.97],
  ["objects-rules", "iptables", 0.97],
  ["objects-ipvs", "ipvs", 0.9],
] as const;

function fates(c: ObjectsCase): { readonly asked: number; readonly wrong: readonly string[] } {
  const ends = [...new Set([c.versions[0]!, c.versions[c.versions.length - 1]!])];
  let asked = 0;
  const wrong = ends.flatMap((version) => {
    const world = worldOf({ ...caseFolder(c, { version }), ...shownNode(c) });
    const all = c.probes.filter((probe) => !isOfAnotherNode(c, probe));
    const probes = isLarge(c) ? all.filter((p) => p.from === "node").slice(0, 1) : all;
    asked += probes.length;
    return probes.flatMap((probe) => mismatch(probe, ask(world, questionOf(c, probe))) ?? []);
  });
  return { asked, wrong };
}

/** What is asked of the issue; what it comes to today: all but 15 in 4,286, all of them a socket that nobody showed. */
describe.skipIf(!haveReference)("objects beside a node's addresses, routes and sysctls, without its rules", () => {
  test.each(folders)("%s/%s: the recorded fates", { timeout: 300_000 }, (folder, mode, least) => {
    let asked = 0;
    const wrong: string[] = [];
    for (const c of objectCases(folder, mode).filter((x) => x.ipFamily === "IPv4")) {
      const f = fates(c);
      asked += f.asked;
      wrong.push(...f.wrong.map((w) => `${c.name}: ${w}`));
    }
    expect(asked).toBeGreaterThan(200);
    expect(1 - wrong.length / asked, wrong.slice(0, 20).join("\n")).toBeGreaterThanOrEqual(least);
  });
});
