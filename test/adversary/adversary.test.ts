import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { haveReference, referenceJson, referencePath } from "@hairpin/testing/reference.ts";
import { describe, expect, test } from "vitest";
import { agrees, type Flow, flowName, kernelSaw, walkSays } from "./flows.ts";
import { NOT_IN_THE_DUMPS, STILL_OPEN } from "./still-open.ts";

const root = referencePath("adversary");
const findings =
  haveReference && existsSync(root)
    ? readdirSync(root, { withFileTypes: true })
        .filter((e) => e.isDirectory())
        .map((e) => e.name)
        .sort()
    : [];

/** Experiments written by hand against the walk, each asked of a real kernel. */
describe.skipIf(!haveReference)("what an adversary asked ends as in the kernel", () => {
  test.each(findings)("finding %s", (finding) => {
    const flows = referenceJson<readonly Flow[]>("adversary", finding, "flows.json");
    const said = walkSays(referencePath("adversary", finding), flows);
    const open = new Set(STILL_OPEN[finding.slice(0, 2)]);
    const answer = (flow: Flow, word: string): string => `${flowName(flow)}: ${word}`;
    const unshown = new Set(NOT_IN_THE_DUMPS[finding.slice(0, 2)]);
    const right = (f: Flow, word: string): boolean =>
      agrees(unshown.has(flowName(f)) ? { ...f, undecided: true } : f, word);
    const wrong = flows.flatMap((f, i) => (right(f, said[i]!) ? [] : [answer(f, said[i]!)]));
    const named = new Set(flows.map(flowName));
    expect([...open].filter((name) => !named.has(name))).toEqual([]);
    expect(wrong.filter((w) => ![...open].some((name) => w.startsWith(`${name}: `)))).toEqual([]);
    // What has become right is taken off the list.
    expect(flows.filter((f, i) => open.has(flowName(f)) && right(f, said[i]!)).map(flowName)).toEqual([]);
  });
});

const found = join(import.meta.dirname, "found");

/**
 * Experiments of our own, in namespaces that the lab cannot make: what depends on the kernel's timers (redirects), on a second try (path
 * MTU), or on who runs a server. `kernel` in flows.json is what kernel 6.18 did, three tries each.
 */
describe("what was asked of a kernel by hand ends as it did there", () => {
  test.each(readdirSync(found).sort())("%s", (name) => {
    const flows = JSON.parse(readFileSync(join(found, name, "flows.json"), "utf8")) as readonly Flow[];
    const said = walkSays(join(found, name), flows);
    const wrong = flows.flatMap((f, i) => {
      const word = said[i]!.replace(" or timeout or unreachable", " or unreachable");
      return agrees(f, word) ? [] : [`${flowName(f)}: ${word}, the kernel ${kernelSaw(f)}`];
    });
    expect(wrong).toEqual([]);
  });
});
